"""Hidden values for chapter 6."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from book.tools.course.hidden import Draw, Observe, call, draws
from lib.layers import Residual


def _linear(draw: Draw, width: int, out: int) -> nn.Linear:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draw.getrandbits(32))
        return nn.Linear(width, out)


@draws("6.2")
def rms_norm(draw: Draw) -> Iterator[Observe]:
    """Other shapes and sizes, and an ε that counts."""
    yield call(5 * draw.normal(draw.randint(1, 4), draw.randint(2, 9)))
    yield call(draw.normal(2, 3, 4), draw.uniform(0.1, 2.0))


@draws("6.3")
def fold(draw: Draw) -> Iterator[Observe]:
    """Layers of other widths."""
    first, middle, last = (draw.randint(2, 9) for _ in range(3))
    inner, outer = _linear(draw, first, middle), _linear(draw, middle, last)
    x = draw.normal(3, first)
    yield lambda answer: answer(inner, outer)(x)


@draws("6.4")
def drop(draw: Draw) -> Iterator[Observe]:
    """Other numbers, masks and probabilities."""
    shape = draw.randint(2, 5), draw.randint(2, 9)
    yield call(draw.normal(*shape), draw.ids(0, 1, *shape).bool(), draw.random() * 0.9)


@draws("6.5")
def is_pre_norm(draw: Draw) -> Iterator[Observe]:
    """Blocks of both kinds, in either order."""
    for norm_first in draw.sample([True, False], 2):
        yield call(Residual(8, 0.0, norm_first).eval())


@draws("6.6")
def residual(draw: Draw) -> Iterator[Observe]:
    """Other widths and another sublayer, in both orders."""
    width = draw.randint(3, 12)
    x, matrix = 3 * draw.normal(2, 4, width) + 1, draw.normal(width, width)

    def through(norm_first: bool) -> Observe:
        def observe(answer: Any) -> torch.Tensor:
            block = answer(width, 0.4, norm_first)
            block.eval()
            return block(x, lambda y: y @ matrix + 1)

        return observe

    yield through(True)
    yield through(False)
