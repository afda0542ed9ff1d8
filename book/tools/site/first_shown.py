"""What figures of the page show before their models are there, made with the site.

`trace` is a translation to play: the words of a sentence, those that the shipped
translator writes, and where each of them looked: the weights of cross-attention, the
mean of all heads of all layers. A word of several sub-words looks where they look on
average, and is looked at as often as all of them.

`opening` is what the figure that writes may write next.
"""

import functools
import re
from typing import Any

import torch
from torch import Tensor

from book.tools.site.page_model import LANGUAGE_MODEL, MODEL
from lib.attention import record_attention
from lib.decoding import greedy_decode
from lib.text import Vocabulary
from lib.translator import Translator, read_language_model

SENTENCE = "My friend Kwame has a red car."
BEGINNING = "I want to"  # the first in book/interactive/figures/writing.js
SHOWN = 8


@functools.cache
def trace(sentence: str = SENTENCE) -> dict[str, Any]:
    """Translate, and say which word looked where."""
    translator = Translator.load(MODEL)
    vocabulary = translator.tgt_vocab
    src = torch.tensor([translator.read(sentence).ids])
    ends = vocabulary.sos_id, vocabulary.eos_id
    (tgt,) = greedy_decode(translator.model, src, *ends).tolist()
    with torch.inference_mode(), record_attention(translator.model) as found:
        translator.model(src, torch.tensor([[vocabulary.sos_id, *tgt[:-1]]]))
    heads = [w[0] for name, w in found.items() if name.endswith("cross_attention")]
    english, read = words(src[0].tolist(), translator.src_vocab)
    spanish, wrote = words(tgt, vocabulary)
    weights = wrote / wrote.sum(1, keepdim=True) @ torch.cat(heads).mean(0) @ read.T
    rows = [[round(weight, 3) for weight in row] for row in weights.tolist()]
    texts = [sentence, vocabulary.decode(tgt)]
    return {"texts": texts, "english": english, "spanish": spanish, "weights": rows}


def words(ids: list[int], vocabulary: Vocabulary) -> tuple[list[str], Tensor]:
    """The words and marks that ids make without their end, and which id is in which."""
    found: list[str] = []
    parts: list[int] = []
    for token in (vocabulary.tokens[number] for number in ids[:-1]):
        if token.startswith("▁") or not found or not re.search(r"\w", token):
            found.append("")
        found[-1] += token.removeprefix("▁")
        parts.append(len(found) - 1)
    table = torch.zeros(len(found), len(ids))
    table[parts, range(len(parts))] = 1
    return found, table


@functools.cache
def opening() -> dict[str, Any]:
    """The likeliest next sub-words, and the scores of all that may be written."""
    model, vocab = read_language_model(LANGUAGE_MODEL)
    ids = [vocab.sos_id, *vocab.encode(BEGINNING)]
    with torch.inference_mode():
        scores = model.eval()(torch.tensor([ids]))[0, -1]
        scores[[vocab.pad_id, vocab.sos_id, vocab.unk_id]] = -torch.inf
    logits, order = scores.sort(descending=True)
    tokens = [vocab.tokens[number] for number in order[:SHOWN]]
    return {"tokens": tokens, "logits": [round(x, 2) for x in logits[:-3].tolist()]}
