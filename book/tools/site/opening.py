"""What the figure that writes shows before its model is there."""

import functools
from typing import Any

import torch

from book.tools.site.page_model import LANGUAGE_MODEL
from lib.translator import read_language_model

BEGINNING = "I want to"  # the first in book/interactive/figures/writing.js
SHOWN = 8


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
