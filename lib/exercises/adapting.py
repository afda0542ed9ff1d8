"""The exercises of chapter 21: sizes, merging, 8 bits, and which of two is better."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.forms import pair
from lib.exercises.record import Cases, Draw, case, exercise


def _numbers(width: int, attentions: int, rank: int) -> int:
    return attentions * 2 * 2 * width * rank


@exercise("Twice the rank is twice the numbers.", right=_numbers)
def low_rank_numbers(draw: Draw) -> Cases:
    """`low_rank_numbers(width, attentions, rank)`: how many numbers learn."""
    yield case(8, 1, 1, what="low_rank_numbers of one attention of width 8, rank 1")
    yield case(16 * draw.randint(1, 9), draw.randint(2, 9), draw.randint(2, 8))


low_rank_numbers.slips = {
    "Count both matrices, A and B, and both maps, that of the queries and that of the "
    "values.": lambda *sizes: _numbers(*sizes) // 2,
    "That is what the frozen matrices have: A and B are narrow.": (
        lambda width, attentions, rank: 2 * attentions * width**2
    ),
    "Each attention has its own: times attentions.": (
        lambda width, attentions, rank: _numbers(width, 1, rank)
    ),
}


def _merged(weight: Tensor, down: Tensor, up: Tensor, alpha: float) -> Tensor:
    return weight + alpha / down.size(0) * up @ down


@exercise("One matrix does what three did.", right=_merged)
def one_matrix(draw: Draw) -> Cases:
    """`one_matrix(weight, down, up, alpha)`: one matrix (M, N) in place of three."""
    down, up = torch.tensor([[1.0, 1.0]]), torch.tensor([[1.0], [0.0]])
    yield case(torch.eye(2), down, up, 1.0, what="one_matrix of rank 1 with alpha 1")
    rank = draw.randint(2, 4)
    sides = draw.normal(5, 5), draw.normal(rank, 5), draw.normal(5, rank)
    yield case(*sides, 8.0)


one_matrix.slips = {
    "The scale is missing: alpha divided by the rank.": (
        lambda weight, down, up, alpha: _merged(weight, down, up, len(down))
    ),
    "The scale is alpha divided by the rank, not alpha alone.": (
        lambda weight, down, up, alpha: _merged(weight, down, up, alpha * len(down))
    ),
    "A comes first, so it is on the right: up @ down.": [
        lambda weight, down, up, alpha: _merged(weight, up.T, down.T, alpha),
        lambda weight, down, up, alpha: weight + alpha / len(down) * down @ up,
    ],
    "The frozen matrix is missing in the sum: add to it.": (
        lambda weight, down, up, alpha: _merged(
            torch.zeros_like(weight), down, up, alpha
        )
    ),
}


def _by(
    largest: Callable[[Tensor], Tensor], most: int = 127
) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """An answer that makes this number of a row the most."""

    def answer(weight: Tensor) -> tuple[Tensor, Tensor]:
        scale = largest(weight) / most
        return (weight / scale).round(), scale

    return answer


def _largest(weight: Tensor) -> Tensor:
    return weight.abs().amax(dim=1, keepdim=True)


@exercise(
    "Their product is nearly the matrix.",
    right=_by(_largest),
    form=pair("a pair of matrices"),
    read=lambda found: tuple(torch.as_tensor(part).float() for part in found),
)
def eight_bits(draw: Draw) -> Cases:
    """`eight_bits(weight)`: whole numbers (M, N) and scales (M, 1)."""
    small = torch.tensor([[1.27, -0.638], [0.02, -0.127]])
    yield case(small, what="eight_bits of [[1.27, -0.638], [0.02, -0.127]]")
    yield case(draw.normal(3, draw.randint(4, 7)))


eight_bits.slips = {
    "One scale serves all rows here: each row has its own largest number.": (
        _by(lambda weight: _largest(weight).amax().expand(len(weight), 1))
    ),
    "The largest number is the one farthest from zero: take abs first.": (
        _by(lambda weight: weight.amax(dim=1, keepdim=True))
    ),
    "The numbers go from -127 to 127.": _by(_largest, most=128),
    "whole * scale should be the matrix again; this scale is upside down.": (
        lambda weight: (_by(_largest)(weight)[0], 127 / _largest(weight))
    ),
}


def _preference(
    good: Tensor, bad: Tensor, old_good: Tensor, old_bad: Tensor, beta: float
) -> Tensor:
    lead = (good - old_good) - (bad - old_bad)
    return -F.logsigmoid(beta * lead).mean()


@exercise("With no lead yet, it is log 2.", right=_preference)
def preference_loss(draw: Draw) -> Cases:
    """`preference_loss(good, bad, old_good, old_bad, beta)`: each of them (B)."""
    numbers = [torch.tensor([value]) for value in (-3.0, -5.0, -4.0, -4.5)]
    yield case(*numbers, 1.0, what="preference_loss(-3, -5, -4, -4.5, beta=1)")
    yield case(*(draw.normal(4) for _ in range(4)), 0.5)


preference_loss.slips = {
    "This makes the worse one likelier: the sign of the lead is wrong.": (
        lambda g, b, old_g, old_b, beta: _preference(g, b, old_g, old_b, -beta)
    ),
    "What the old model finds likely is missing.": (
        lambda good, bad, old_good, old_bad, beta: _preference(
            good, bad, 0 * good, 0 * bad, beta
        )
    ),
    "beta weighs the lead, inside the sigmoid.": [
        lambda g, b, old_g, old_b, beta: _preference(g, b, old_g, old_b, 1.0),
        lambda g, b, old_g, old_b, beta: beta * _preference(g, b, old_g, old_b, 1.0),
    ],
    "A loss falls as the lead grows: take the negative logarithm.": (
        lambda *given: -_preference(*given)
    ),
}
