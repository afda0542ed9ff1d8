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


@exercise(
    "Each word is the answer of one step and the input of the next.",
    right=lambda ids, sos_id, eos_id: ([sos_id, *ids], [*ids, eos_id]),
    form=(
        "two lists, the decoder's input and its target",
        lambda got: _is_list(got) and len(got) == 2,
    ),
    read=lambda got: [_plain_list(row) for row in got],
)
def shift(draw: Draw) -> Cases:
    """`shift(ids, sos_id, eos_id)`: the two rows of teacher forcing."""
    yield case([7, 5, 9], 1, 2)
    ids = draw.ids(4, 50, draw.randint(1, 8)).tolist()
    yield case(ids, *draw.sample(range(51, 60), 2))


shift.slips = {
    "This is the leak: the decoder's input is also its target.": [
        lambda ids, sos, eos: ([*ids, eos], [*ids, eos]),
        lambda ids, sos, eos: ([sos, *ids, eos], [sos, *ids, eos]),
    ],
    "The two rows are exchanged: the decoder is fed the one with <sos>.": (
        lambda ids, sos, eos: ([*ids, eos], [sos, *ids])
    ),
    "A row has both <sos> and <eos>: nothing is answered after <eos>, and nobody has "
    "to say <sos>.": [
        lambda ids, sos, eos: ([sos, *ids, eos], [*ids, eos]),
        lambda ids, sos, eos: ([sos, *ids], [sos, *ids, eos]),
    ],
    "The last step is missing: after the last word the model has to learn to say "
    "<eos>.": lambda ids, sos, eos: ([sos, *ids[:-1]], ids),
}

NextScores = Callable[[list[int]], Tensor]

_SENTENCE = [3, 4, 3, 5]
"""What the first model writes; the word 3 twice, with another one after each."""


def _of_sentence(written: Any) -> Tensor:
    """Write the sentence after <sos>, 1, and then <eos>, 2; else the word 0."""
    step = len(written) - 1
    told = [int(i) for i in written] == [1, *_SENTENCE[:step]]
    scores = torch.full((8,), -5.0)
    scores[[*_SENTENCE, 2][step] if told else 0] = -1.0
    return scores


def _writer(
    feed: Callable[[list[int]], list[int]] = lambda written: written,
    start: int = 1,
    stops: bool = True,
    extra: int = 0,
) -> Any:
    def answer(
        next_scores: NextScores, sos_id: int, eos_id: int, max_len: int
    ) -> list[int]:
        written = [sos_id]
        while len(written) <= max_len + extra:
            best = int(next_scores(feed(written)).argmax())
            if best == eos_id and stops:
                break
            written.append(best)
        return written[start:]

    return answer


@exercise(
    "This is all that greedy_decode does, for one sentence.",
    right=_writer(),
    form=("a list of ids", _is_list),
    read=lambda got: [int(i) for i in got],
)
def write_greedily(draw: Draw) -> Cases:
    """`write_greedily(next_scores, sos_id, eos_id, max_len)`: the likeliest words."""
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


write_greedily.slips = {
    "It still begins with <sos>: return only the words.": (_writer(start=0)),
    "Give next_scores all that is written so far, <sos> included.": [
        _writer(feed=lambda written: written[-1:]),
        _writer(feed=lambda written: written[1:]),
    ],
    "It goes on after <eos>: the sentence is over there.": _writer(stops=False),
    "It writes more than max_len words: <sos> does not count, but every word does.": (
        _writer(extra=1)
    ),
}


@exercise(
    "The matrices grow with the square of the width, the rest in proportion to it.",
    right=lambda s, t, d: 9 * d * d + d * (s + 2 * t) + t,
)
def translator_numbers(draw: Draw) -> Cases:
    """`translator_numbers(source_words, target_words, d_model)`: all that it learns."""
    yield case(4, 5, 2)
    yield case(4, 5, 4)
    yield case(draw.randint(6, 40), draw.randint(41, 90), draw.randint(3, 32))


translator_numbers.slips = {
    "The biases of the output layer are missing: each Spanish word has one.": (
        lambda s, t, d: 9 * d * d + d * (s + 2 * t)
    ),
    "The output layer is missing: its matrix and its biases are learned too.": (
        lambda s, t, d: 9 * d * d + d * (s + t)
    ),
    "There are three attentions: the encoder's, and in the decoder one over its own "
    "words and one over the memory.": (lambda s, t, d: 6 * d * d + d * (s + 2 * t) + t),
    "An attention has three matrices here, and no output projection.": (
        lambda s, t, d: 12 * d * d + d * (s + 2 * t) + t
    ),
}
