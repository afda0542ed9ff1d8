"""How well a language model knows texts that it has not seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.nn import functional as F

from lib.decoding import evaluating
from lib.text import TextDataset, Vocabulary, group_by_length
from lib.today import LanguageModel

_TOKENS = 4096  # of a batch


class TextScore(NamedTuple):
    """The scores of a language model on some texts.

    Args:
        perplexity: among how many tokens it hesitates at each, as if all were alike.
        bits_per_character: how many bits it needs for a character, the end of a text
            being one.
        tokens: how many tokens were scored, the ends included.
        characters: how many characters, the ends included.
        texts: how many texts.
        unread: texts that are left out because they are longer than the model reads.
    """

    perplexity: float
    bits_per_character: float
    tokens: int
    characters: int
    texts: int
    unread: int


@torch.inference_mode()
def score_texts(
    model: LanguageModel, vocabulary: Vocabulary, texts: Sequence[str]
) -> TextScore:
    """Measure how well a causal language model foretells some texts.

    Args:
        model: the language model.
        vocabulary: its words or sub-words.
        texts: sentences that it has not seen, each begun anew.

    Raises:
        ValueError: if there is no text that the model can read.

    Example:
        >>> from lib.today import LanguageConfig
        >>> words = Vocabulary(["lets", "go"])
        >>> model = LanguageModel(LanguageConfig(6, d_model=8, n_heads=2))
        >>> score_texts(model, words, ["lets go", "go"]).tokens
        5
    """
    whole = TextDataset.of_texts(texts, vocabulary)
    lengths = whole.lengths()
    read = [i for i, length in enumerate(lengths) if length <= model.config.max_len]
    if not read:
        raise ValueError("There is no text that the model can read.")
    batches = group_by_length([lengths[i] for i in read], max(_TOKENS, max(lengths)))
    device, nats = next(model.parameters()).device, 0.0
    with evaluating(model):
        for places in batches:
            batch = whole.collate([whole[read[place]] for place in places])
            ids, mask, labels = (part.to(device) for part in batch)
            logits = model(ids, mask).transpose(1, 2)  # (B, V, T)
            losses = F.cross_entropy(logits, labels, reduction="none")  # (B, T)
            nats += float(losses[mask].double().sum())
    tokens = sum(lengths[i] for i in read)
    characters = sum(len(texts[i]) + 1 for i in read)
    return TextScore(
        perplexity=math.exp(nats / tokens),
        bits_per_character=nats / math.log(2) / characters,
        tokens=tokens,
        characters=characters,
        texts=len(read),
        unread=len(texts) - len(read),
    )
