"""Hidden values for chapter 3."""

from collections.abc import Iterator
from typing import Any

import torch

from book.tools.course.hidden import Draw, Observe, call, draws


@draws("3.1")
def softmax(draw: Draw) -> Iterator[Observe]:
    """Other scores, also large and far apart, with one axis to four."""
    shape = [draw.randint(1, 4) for _ in range(draw.randint(0, 3))]
    yield call(draw.normal(*shape, 5))
    yield call(1000 * draw.normal(3, 4))


@draws("3.2")
def attend(draw: Draw) -> Iterator[Observe]:
    """Other sizes of the query, of the values, and of the sentence."""
    width, length = draw.randint(3, 9), draw.randint(2, 7)
    values = draw.normal(length, draw.randint(1, 6))
    yield call(draw.normal(width), draw.normal(length, width), values)


@draws("3.3")
def spread(draw: Draw) -> Iterator[Observe]:
    """Other widths and spreads."""
    yield call(draw.randint(2, 900), draw.uniform(0.2, 4.0))


@draws("3.4")
def look_back(draw: Draw) -> Iterator[Observe]:
    """Other lengths; any queries and keys will do that look back."""
    length = draw.randint(6, 40)

    def looks_back(answer: Any) -> bool:
        queries, keys = (torch.as_tensor(part).float() for part in answer(length))
        weights = (queries @ keys.T / keys.size(1) ** 0.5).softmax(dim=-1)
        before = (torch.arange(length) - 1).clamp(min=0)
        return bool((weights[torch.arange(length), before] >= 0.99).all())

    yield looks_back
