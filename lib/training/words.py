"""A trained model with other words: what it has learned of the old ones stays."""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from lib.model import Transformer
from lib.text import Vocabulary
from lib.today import leaves_of, modernize
from lib.translator import Translator

Vocabularies = tuple[Vocabulary, Vocabulary]


def with_words(start: Translator, vocabularies: Vocabularies) -> Transformer:
    """Return the model of a translator for other vocabularies.

    A token that the old vocabulary has keeps its weights. Another begins with the mean
    of the old tokens that it was written with, or at random if there are none.

    Args:
        start: the trained translator; it stays as it is.
        vocabularies: of the source and the target.

    Example:
        >>> from lib.config import TransformerConfig
        >>> old, new = Vocabulary(["go"]), Vocabulary(["now", "go"])
        >>> sizes = TransformerConfig(5, 5, d_model=8, n_heads=2, n_layers=1, d_ff=8)
        >>> model = with_words(Translator(Transformer(sizes), old, old), (new, new))
        >>> model.config.src_vocab_size
        6
    """
    old = start.src_vocab, start.tgt_vocab
    if all(a.tokens == b.tokens for a, b in zip(old, vocabularies, strict=True)):
        return start.model
    config = dataclasses.replace(
        start.model.config,
        src_vocab_size=len(vocabularies[0]),
        tgt_vocab_size=len(vocabularies[1]),
    )
    with torch.random.fork_rng(devices=[]):  # the same weights when the run is resumed
        torch.manual_seed(0)
        model = modernize(Transformer(config), **leaves_of(start.model).changes())
    learned = start.model.state_dict()
    weights = {}
    for name, fresh in model.state_dict().items():
        side = 0 if name.startswith("src_") else 1
        has_words = name.startswith(("src_embedding", "tgt_embedding", "output_proj"))
        weights[name] = (
            _rows(fresh, learned[name], old[side], vocabularies[side])
            if has_words
            else learned[name]
        )
    model.load_state_dict(weights)
    return model


def _rows(fresh: Tensor, learned: Tensor, old: Vocabulary, new: Vocabulary) -> Tensor:
    rows = fresh.clone()
    for number, token in enumerate(new.tokens):
        before = [old.ids[token]] if token in old else _pieces(token, old)
        if before:
            rows[number] = learned[torch.tensor(before)].mean(dim=0)
    return rows


def _pieces(token: str, old: Vocabulary) -> list[int]:
    cut = old.encode(token.replace("▁", " "))
    # Without the mark of a space that encoding has put in front.
    return [number for number in cut if number not in (old.unk_id, old.ids.get("▁"))]
