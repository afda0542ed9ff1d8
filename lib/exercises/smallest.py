"""The exercises of chapter 5: the shift, writing, counting all numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lib.exercises.record import Cases, Draw, case, exercise


def _is_list(got: Any) -> bool:
    return isinstance(got, list | tuple | Tensor | np.ndarray)


def _plain_list(row: Any) -> list[Any]:
    return row.tolist() if hasattr(row, "tolist") else list(row)


def _sentences(draw: Draw) -> list[Any]:
    ids = draw.ids(4, 50, 6).tolist()
    return [([7, 5, 9], 1, 2), (ids, *draw.sample(range(51, 60), 2))]


@exercise(
    _sentences,
    form=(
        "two lists, the decoder's input and its target",
        lambda got: _is_list(got) and len(got) == 2 and all(map(_is_list, got)),
    ),
    read=lambda got: [_plain_list(row) for row in got],
)
def shift(ids: list[int], sos_id: int, eos_id: int) -> tuple[list[int], list[int]]:
    """The two rows of teacher forcing."""
    return [sos_id, *ids], [*ids, eos_id]


_SENTENCE = [3, 4, 3, 5]
"""What the first model writes; the word 3 twice, with another one after each."""


def _of_sentence(written: Any) -> Tensor:
    """Write the sentence after <sos>, 1, then <eos>, 2; without <sos> the word 7."""
    step = len(written) - 1
    told = [int(i) for i in written] == [1, *_SENTENCE[:step]]
    scores = torch.full((8,), -5.0)
    scores[6] = -9.0  # the least likely
    other = 0 if [*written[:1]] == [1] else 7
    scores[[*_SENTENCE, 2][step] if told else other] = -1.0
    return scores


def _models(draw: Draw) -> Cases:
    yield case(_of_sentence, 1, 2, 9, what="What it writes")
    yield case(_of_sentence, 1, 2, 2, what="What it writes with max_len=2")
    start, end = draw.sample(range(12), 2)
    table = draw.normal(64, 12)
    table[:, start] = -9.0
    if draw.random() < 0.3:  # the end may never come
        table[:, end] = -9.0

    def next_scores(written: Any) -> Tensor:
        return table[sum((k + 1) * int(word) for k, word in enumerate(written)) % 64]

    what = "What it writes after other scores"
    yield case(next_scores, start, end, draw.randint(1, 9), what=what)


@exercise(
    _models,
    form=("a list of ids", _is_list),
    read=lambda got: [int(i) for i in got],
)
def write_greedily(
    next_scores: Callable[[list[int]], Tensor], sos_id: int, eos_id: int, max_len: int
) -> list[int]:
    """The likeliest words, one after the other."""
    written = [sos_id]
    while len(written) <= max_len:
        best = int(next_scores(written).argmax())
        if best == eos_id:
            break
        written.append(best)
    return written[1:]


@exercise(
    lambda draw: [
        (4, 5, 2),
        (4, 5, 4),
        (draw.randint(6, 40), draw.randint(41, 90), draw.randint(3, 32)),
    ]
)
def translator_numbers(source_words: int, target_words: int, d_model: int) -> int:
    """All that the tiny translator learns."""
    encoder = source_words * d_model + 3 * d_model**2
    decoder = target_words * d_model + 6 * d_model**2
    return encoder + decoder + target_words * d_model + target_words
