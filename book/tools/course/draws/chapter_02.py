"""Hidden values for chapter 2."""

from collections.abc import Iterator
from typing import Any

import torch

from book.tools.course.hidden import Draw, Observe, call, draws


@draws("2.1")
def wavelength(draw: Draw) -> Iterator[Observe]:
    """Other hands of other widths; the logarithm keeps the sizes alike."""
    pairs = draw.randint(2, 64)
    hand = draw.randrange(pairs)
    yield lambda answer: torch.tensor(float(answer(hand, 2 * pairs))).log()


@draws("2.2")
def encode_position(draw: Draw) -> Iterator[Observe]:
    """Other positions and widths."""
    yield call(draw.randint(1, 500), 2 * draw.randint(1, 8))


@draws("2.3")
def shift_back(draw: Draw) -> Iterator[Observe]:
    """Other steps and widths."""
    yield call(draw.randint(1, 30), 2 * draw.randint(2, 6))


@draws("2.4")
def knows_order(draw: Draw) -> Iterator[Observe]:
    """Blocks that know of the order and blocks that do not, on other sentences."""
    length, width = draw.randint(3, 8), draw.randint(2, 6)
    words, matrix = draw.normal(1, length, width), draw.normal(width, width)
    places = draw.normal(length, width)
    yield call(lambda x: x @ matrix + x.mean(dim=1, keepdim=True), words)
    yield call(lambda x: (x + places) @ matrix, words)
    yield call(lambda x: x.cumsum(dim=1), words)


@draws("2.5")
def learned_positions(draw: Draw) -> Iterator[Observe]:
    """Other sizes: how many numbers are learned, and what is added to the words."""
    width, rows, length = draw.randint(2, 9), draw.randint(8, 20), draw.randint(2, 8)
    words = draw.normal(2, length, width)

    def learns(answer: Any) -> list[Any]:
        module = answer(width, rows)
        count = sum(p.numel() for p in module.parameters() if p.requires_grad)
        added = module(words) - words
        shorter = module(words[:, :-1]) - words[:, :-1]
        return [
            count,
            tuple(added.shape),
            torch.allclose(added[0], added[1], atol=1e-5),
            torch.allclose(added[:, :-1], shorter, atol=1e-5),
            bool(added.requires_grad),
        ]

    yield learns
