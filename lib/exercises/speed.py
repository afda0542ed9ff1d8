"""The exercises of chapter 17: bytes, hours, ratios, gradients, a softmax in pieces."""

import statistics
from typing import Any

import torch
from torch import Tensor

from lib.exercises.calls import ATTENTION, SOFTMAX, Watch
from lib.exercises.record import Cases, Draw, Parts, case, exercise


def _sizes(draw: Draw) -> list[Any]:
    drawn = [draw.randint(1, 50) for _ in range(5)]
    return [(8, 6, 3, 50, 60), (1, 1, 1, 2, 3), drawn]


@exercise(_sizes)
def weights_bytes(
    batch: int, n_heads: int, n_layers: int, source: int, target: int
) -> int:
    """What the weights of all three kinds of attention take."""
    each = source**2 + target**2 + target * source
    return 4 * batch * n_heads * n_layers * each


def _runs(draw: Draw) -> Cases:
    what = "training_hours(10**7, 10**9, 10**12, 0.4)"
    yield case(10**7, 10**9, 10**12, 0.4, what=what)
    yield case(5, 7200, 10, 0.25)
    yield case(*(draw.randint(1, 9) for _ in range(3)), draw.uniform(0.1, 0.9))


@exercise(_runs)
def training_hours(parameters: int, tokens: int, ceiling: float, used: float) -> float:
    """Six operations for each number and each token, at the speed that is reached."""
    return 6 * parameters * tokens / (ceiling * used) / 3600


def _times(draw: Draw) -> Cases:
    ours, theirs = [2.0, 9.0, 2.5, 2.0, 4.0], [3.2, 16.0, 3.0, 12.0, 2.0]
    yield case(ours, theirs, what="speedup of five turns")
    yield case([1.0, 1.0], [2.0, 4.0], what="speedup([1, 1], [2, 4])")
    yield case(*([draw.uniform(1, 9) for _ in range(7)] for _ in range(2)))


@exercise(_times)
def speedup(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios, turn by turn."""
    turns = zip(ours, theirs, strict=True)
    return statistics.median(their / our for our, their in turns)


def _gradients(draw: Draw) -> Cases:
    gradients = [torch.tensor([1.0, 4.0]), torch.tensor([5.0, 0.0])]
    what = "join_gradients of two processes with 30 and 10 tokens"
    yield case(gradients, [30, 10], what=what)
    gradients = [torch.tensor([gradient]) for gradient in (7.0, 0.0, 1.0)]
    yield case(gradients, [2, 0, 4], what="join_gradients with an idle process")
    yield case(list(draw.normal(4, 3)), draw.ids(1, 40, 4).tolist())


@exercise(_gradients)
def join_gradients(gradients: list[Tensor], tokens: list[int]) -> Tensor:
    """The mean of the gradients, weighted by tokens."""
    sums = [n * gradient for n, gradient in zip(tokens, gradients, strict=True)]
    return torch.stack(sums).sum(dim=0) / sum(tokens)


_NAMES = {"amax", "argmax", "exp", "logsumexp", "max", "sort", "tolist"}
"""Of what takes a maximum or a softmax, or hands the numbers to Python."""


def _watched(answer: Any, scores: Tensor, values: Tensor, size: int) -> Parts:
    with Watch(_NAMES | SOFTMAX | ATTENTION, len(scores)) as watch:
        result = answer(scores, values, size)
    return Parts({"the result": result, "all scores in one go": watch.seen})


def _scores(draw: Draw) -> Cases:
    scores = torch.tensor([0.5, 1.5, 2.5, 2.0, -1.0])
    values = torch.tensor([1.0, 2.0, 5.0, -3.0, 4.0])
    yield case(scores, values, 2)
    large = torch.tensor([1000.0, 990.0, 1001.0])
    yield case(large, values[:3], 1, what="the result for 1,000")
    apart = torch.tensor([1000.0, 800.0, 900.0, 1001.0])
    yield case(apart, values[:4], 2, what="the result for 1,000 and 800")
    yield case(apart[:2], values[:2], 1, what="the result for 1,000, then 800")
    yield case(3 * draw.normal(8), draw.normal(8), 3)
    yield case(torch.arange(16.0), torch.arange(16.0), 3, use=_watched)


@exercise(_scores)
def attend_in_pieces(scores: Tensor, values: Tensor, size: int) -> Tensor:
    """The softmax that runs along."""
    highest, total, result = scores[0], torch.zeros(()), torch.zeros(())
    for piece, part in zip(scores.split(size), values.split(size), strict=True):
        before, highest = highest, torch.maximum(highest, piece.max())
        shrink, shares = (before - highest).exp(), (piece - highest).exp()
        total = total * shrink + shares.sum()
        result = result * shrink + shares @ part
    return result / total
