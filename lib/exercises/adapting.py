"""The exercises of chapter 21: sizes, merging, 8 bits, and which of two is better."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.forms import pair
from lib.exercises.guard import leaves_alone
from lib.exercises.record import Cases, Draw, case, exercise


def _sizes(draw: Draw) -> Cases:
    yield case(8, 1, 1, what="low_rank_numbers of one attention of width 8, rank 1")
    yield case(16 * draw.randint(1, 9), draw.randint(2, 9), draw.randint(2, 8))


@exercise(_sizes)
def low_rank_numbers(width: int, attentions: int, rank: int) -> int:
    """How many numbers learn, in maps of queries and of values."""
    return attentions * 2 * (width * rank + rank * width)


def _maps(draw: Draw) -> Cases:
    down, up = torch.tensor([[1.0, 1.0]]), torch.tensor([[1.0], [0.0]])
    yield case(torch.eye(2), down, up, 1.0, what="one_matrix of rank 1 with alpha 1")
    what = "That the frozen matrix stays as it was"
    yield case(torch.eye(2), down, up, 1.0, what=what, use=leaves_alone)
    yield case(draw.normal(5, 5), draw.normal(3, 5), draw.normal(5, 3), 8.0)


@exercise(_maps)
def one_matrix(weight: Tensor, down: Tensor, up: Tensor, alpha: float) -> Tensor:
    """One matrix (M, N) in place of three: (M, N), (r, N) and (M, r)."""
    return weight + alpha / len(down) * up @ down


def _weights(draw: Draw) -> Cases:
    small = torch.tensor([[1.27, -0.638], [0.02, -0.127]])
    yield case(small, what="eight_bits of [[1.27, -0.638], [0.02, -0.127]]")
    yield case(draw.normal(3, 6))


@exercise(
    _weights,
    form=pair("a pair of matrices"),
    read=lambda found: tuple(torch.as_tensor(part).float() for part in found),
)
def eight_bits(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Whole numbers (M, N) and scales (M, 1)."""
    scale = weight.abs().amax(dim=1, keepdim=True) / 127  # (M, 1)
    return (weight / scale).round(), scale


def _likely(draw: Draw) -> Cases:
    numbers = [torch.tensor([value]) for value in (-3.0, -5.0, -4.0, -4.5)]
    yield case(*numbers, 1.0, what="preference_loss(-3, -5, -4, -4.5, beta=1)")
    yield case(*(draw.normal(4) for _ in range(4)), 0.5)


@exercise(_likely)
def preference_loss(
    good: Tensor, bad: Tensor, old_good: Tensor, old_bad: Tensor, beta: float
) -> Tensor:
    """The loss of equation 21.2; each tensor is (B)."""
    lead = (good - old_good) - (bad - old_bad)
    return -F.logsigmoid(beta * lead).mean()
