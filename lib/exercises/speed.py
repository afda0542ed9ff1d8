"""The exercises of chapter 17: bytes, hours, ratios, gradients, a softmax in pieces."""

from statistics import mean, median

import torch
from torch import Tensor

from lib.exercises.record import Cases, Draw, case, exercise


def _bytes(batch: int, n_heads: int, n_layers: int, source: int, target: int) -> int:
    each = source**2 + target**2 + source * target
    return 4 * batch * n_heads * n_layers * each


@exercise("Double both lengths, and all of it is four times as much.", right=_bytes)
def weights_bytes(draw: Draw) -> Cases:
    """`weights_bytes(batch, n_heads, ...)`: what all attention weights take."""
    yield case(8, 6, 3, 50, 60)
    yield case(1, 1, 1, 2, 3)
    yield case(*(draw.randint(1, 50) for _ in range(5)))


weights_bytes.slips = {
    "These are numbers, not bytes: each takes 4.": lambda *sizes: _bytes(*sizes) // 4,
    "Each head has a matrix of its own: times n_heads.": (
        lambda b, h, n, s, t: _bytes(b, 1, n, s, t)
    ),
    "The cross-attentions are missing: target by source.": (
        lambda b, h, n, s, t: 4 * b * h * n * (s * s + t * t)
    ),
    "Cross-attention has queries from the target and keys from the source: target "
    "times source.": lambda b, h, n, s, t: 4 * b * h * n * (s * s + 2 * t * t),
}


def _hours(parameters: int, tokens: int, ceiling: float, used: float) -> float:
    return 6 * parameters * tokens / (ceiling * used) / 3600


@exercise(
    "Do this before every long run: it shows a mistake of 100.",
    right=_hours,
)
def training_hours(draw: Draw) -> Cases:
    """`training_hours(parameters, tokens, ceiling, used)`: how long it takes."""
    what = "training_hours(10**7, 10**9, 10**12, 0.4)"
    yield case(10**7, 10**9, 10**12, 0.4, what=what)
    yield case(5, 7200, 10, 0.25)
    yield case(*(draw.randint(1, 9) for _ in range(3)), draw.uniform(0.1, 0.9))


training_hours.slips = {
    "This is the forward pass alone: the backward pass costs two more products, so it "
    "is six operations and not two.": lambda *given: _hours(*given) / 3,
    "These are seconds: an hour has 3,600.": lambda *given: 3600 * _hours(*given),
    "This assumes the ceiling: the program reaches only the share used.": (
        lambda n, tokens, ceiling, used: _hours(n, tokens, ceiling, 1)
    ),
    "A smaller share takes longer: divide by it, do not multiply.": (
        lambda n, tokens, ceiling, used: _hours(n, tokens, ceiling, 1 / used)
    ),
}


def _ratios(ours: list[float], theirs: list[float]) -> list[float]:
    return [their / our for our, their in zip(ours, theirs, strict=True)]


@exercise(
    "A slow turn that hits both leaves the ratio as it was.",
    right=lambda ours, theirs: median(_ratios(ours, theirs)),
)
def speedup(draw: Draw) -> Cases:
    """`speedup(ours, theirs)`: the median of the ratios, turn by turn."""
    ours, theirs = [2.0, 9.0, 2.5, 2.0, 4.0], [3.2, 16.0, 3.0, 12.0, 2.0]
    yield case(ours, theirs, what="speedup of five turns")
    yield case([1.0, 1.0], [2.0, 4.0], what="speedup([1, 1], [2, 4])")
    turns = draw.randint(3, 9)
    yield case(*([draw.uniform(1, 9) for _ in range(turns)] for _ in range(2)))


speedup.slips = {
    "This is upside down: these are times, so ours stands below the line.": (
        lambda ours, theirs: median(_ratios(theirs, ours))
    ),
    "This is the mean: one odd turn moves it; take the median.": (
        lambda ours, theirs: mean(_ratios(ours, theirs))
    ),
    "This divides the means: one slow turn weighs too much; divide turn by turn "
    "first.": lambda ours, theirs: mean(theirs) / mean(ours),
    "This divides the medians, which may come from different turns: divide turn by "
    "turn first.": lambda ours, theirs: median(theirs) / median(ours),
}


def _weighted(gradients: list[Tensor], tokens: list[int]) -> Tensor:
    total = sum(n * g for n, g in zip(tokens, gradients, strict=True))
    return torch.as_tensor(total / sum(tokens))


@exercise("Now two processes learn what one would have learned.", right=_weighted)
def join_gradients(draw: Draw) -> Cases:
    """`join_gradients(gradients, tokens)`: their mean, weighted by tokens."""
    gradients = [torch.tensor([1.0, 4.0]), torch.tensor([5.0, 0.0])]
    what = "join_gradients of two processes with 30 and 10 tokens"
    yield case(gradients, [30, 10], what=what)
    gradients = [torch.tensor([gradient]) for gradient in (7.0, 0.0, 1.0)]
    yield case(gradients, [2, 0, 4], what="join_gradients with an idle process")
    count = draw.randint(2, 5)
    tokens = [draw.randint(1, 40) for _ in range(count)]
    yield case([draw.normal(3) for _ in range(count)], tokens)


join_gradients.slips = {
    "This is the plain mean: the process with 30 tokens must weigh three times as much "
    "as the one with 10.": lambda g, n: sum(g) / len(g),
    "This is the sum: each gradient is a mean over its tokens already, so average "
    "them, weighted.": lambda g, n: sum(g),
    "The weighted sum is not divided yet: by all tokens together.": (
        lambda g, n: _weighted(g, n) * sum(n)
    ),
    "Divide by all tokens together, not by the processes.": (
        lambda g, n: _weighted(g, n) * sum(n) / len(n)
    ),
}


def _never_shrinks(scores: Tensor, values: Tensor, size: int) -> Tensor:
    highest, total, result = -torch.inf * torch.ones(()), torch.zeros(()), 0.0
    for piece, part in zip(scores.split(size), values.split(size), strict=True):
        highest = torch.maximum(highest, piece.amax())
        share = (piece - highest).exp()
        total, result = total + share.sum(), result + share @ part
    return result / total


def _piecewise(scores: Tensor, values: Tensor, size: int) -> Tensor:
    pieces = zip(scores.split(size), values.split(size), strict=True)
    return torch.stack([p.softmax(dim=0) @ v for p, v in pieces]).mean()


@exercise(
    "No list of all weights was ever made: that is fused attention.",
    right=lambda scores, values, size: scores.softmax(dim=0) @ values,
)
def attend_in_pieces(draw: Draw) -> Cases:
    """`attend_in_pieces(scores, values, size)`: the softmax that runs along."""
    scores = torch.tensor([0.5, 1.5, 2.5, 2.0, -1.0])
    values = torch.tensor([1.0, 2.0, 5.0, -3.0, 4.0])
    yield case(scores, values, 2)
    large = torch.tensor([1000.0, 990.0, 1001.0])
    yield case(large, values[:3], 1, what="the result for 1,000")
    apart = torch.tensor([1000.0, 800.0, 900.0, 1001.0])
    yield case(apart, values[:4], 2, what="the result for 1,000 and 800")
    rising = torch.arange(7.0)
    yield case(rising, rising, 3)
    length = draw.randint(5, 12)
    yield case(3 * draw.normal(length), draw.normal(length), draw.randint(2, 4))


attend_in_pieces.slips = {
    "When a higher score turns up, what was summed before must shrink: multiply it by "
    "exp(old highest − new highest).": _never_shrinks,
    "Each piece is divided by its own sum: carry the sums on, and divide once, at the "
    "end.": _piecewise,
    "The sum of the shares is missing: divide by it at the end.": (
        lambda scores, values, size: (scores - scores.amax()).exp() @ values
    ),
    "Scores of 1,000 overflow here: subtract the highest score so far before exp.": (
        lambda scores, values, size: scores.exp() @ values / scores.exp().sum()
    ),
}
