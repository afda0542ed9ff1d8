"""Hidden values for chapter 9."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from book.tools.course.hidden import Draw, Observe, call, draws


@draws("9.1")
def shift(draw: Draw) -> Iterator[Observe]:
    """Other sentences, and special tokens of other ids."""
    ids = draw.ids(4, 50, draw.randint(1, 8)).tolist()
    start, end = draw.sample(range(51, 60), 2)
    yield lambda answer: [list(map(int, row)) for row in answer(ids, start, end)]


@draws("9.2")
def write_greedily(draw: Draw) -> Iterator[Observe]:
    """Other scores, which depend on all that is written; the end may never come."""
    size, start, end = 12, *draw.sample(range(12), 2)
    table = draw.normal(64, size)
    table[:, start] = -9.0
    if draw.random() < 0.3:
        table[:, end] = -9.0

    def next_scores(written: list[int]) -> Tensor:
        place = sum((k + 1) * int(word) for k, word in enumerate(written))
        return table[place % 64]

    yield call(next_scores, start, end, draw.randint(1, 9))


@draws("9.3")
def leaks(draw: Draw) -> Iterator[Observe]:
    """Training codes that leak the word, leak a later one, or do not leak."""
    size, length = draw.randint(5, 12), draw.randint(3, 8)
    table = draw.normal(size + 1, size)

    def run(ahead: int) -> Callable[[Tensor], Tensor]:
        def scores(target: Tensor) -> Tensor:
            start = torch.full((length,), size)
            seen = torch.cat([start, target, start])  # the target begins at `length`
            places = torch.arange(length) + length + ahead
            return table[seen[places]].cumsum(dim=0)

        return scores

    target = draw.ids(0, size - 1, length)
    for ahead in draw.sample([-2, -1, 0, 1], 4):
        yield call(run(ahead), target, size)


@draws("9.4")
def sentences_right(draw: Draw) -> Iterator[Observe]:
    """Other batches, with padding, about half of whose sentences are right."""
    rows, length, size = draw.randint(3, 9), draw.randint(2, 6), 7
    pad_id = draw.randint(0, 2)
    labels = draw.ids(3, size - 1, rows, length)
    logits = torch.nn.functional.one_hot(labels, size).float() + draw.normal(
        rows, length, size
    ).mul(0.1)
    for row in draw.sample(range(rows), rows // 2):
        logits[row, 0] = -logits[row, 0]
    for row in range(rows):
        labels[row, draw.randint(1, length) :] = pad_id
    yield lambda answer: int(answer(logits, labels, pad_id))
