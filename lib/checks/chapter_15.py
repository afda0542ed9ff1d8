"""The checks of chapter 15: bytes, hours, fair ratios, gradients, a running softmax."""

from statistics import mean, median
from typing import Any

import torch

from lib.checks import expect
from lib.checks.core import exercise

__all__ = [
    "attend_in_pieces",
    "join_gradients",
    "speedup",
    "training_hours",
    "weights_bytes",
]


@exercise("15.1", praise="Double both lengths, and all of it is four times as much.")
def weights_bytes(answer: Any) -> None:
    """Check `weights_bytes(batch, n_heads, ...)`: what all attention weights take."""
    batch, heads, layers, source, target = 8, 6, 3, 50, 60
    encoder, decoder, cross = source**2, target**2, source * target
    unit = 4 * batch * heads * layers
    right = unit * (encoder + decoder + cross)
    slips: expect.Slips = {
        "These are numbers, not bytes: each takes 4.": right // 4,
        "Each head has a matrix of its own: times n_heads.": right // heads,
        "Each layer has attentions of its own: times n_layers.": right // layers,
        "Each sentence has matrices of its own: times batch.": right // batch,
        "The cross-attentions are missing: target by source.": right - unit * cross,
        "The decoder's self-attentions are missing: target by target.": (
            right - unit * decoder
        ),
        "Cross-attention has queries from the target and keys from the source: target "
        "times source.": expect.AnyOf(
            unit * (encoder + decoder + encoder),
            unit * (encoder + decoder + decoder),
        ),
        "Source and target stand in matrices of their own, not in one.": (
            unit * (source + target) ** 2
        ),
    }
    got = answer(batch, heads, layers, source, target)
    expect.equal(got, right, "weights_bytes(8, 6, 3, 50, 60)", slips)
    expect.equal(answer(1, 1, 1, 2, 3), 76, "weights_bytes(1, 1, 1, 2, 3)")


@exercise("15.2", praise="Do this before every long run: it shows a mistake of 100.")
def training_hours(answer: Any) -> None:
    """Check `training_hours(parameters, tokens, ceiling, used)`: how long it takes."""
    parameters, tokens, ceiling, used = 10**7, 10**9, 10**12, 0.5
    seconds = 6 * parameters * tokens / (ceiling * used)
    right = seconds / 3600
    backward = (
        "This is the backward pass alone: add the two operations of the forward pass."
    )
    slips: expect.Slips = {
        "This is the forward pass alone: the backward pass costs two more products, so "
        "it is six operations and not two.": right / 3,
        backward: right * 2 / 3,
        "A weight costs six operations for a token, not one.": right / 6,
        "These are seconds: an hour has 3,600.": seconds,
        "These are minutes: an hour has 60 of them.": seconds / 60,
        "This assumes the ceiling: the program reaches only the share used.": (
            right * used
        ),
        "A smaller share takes longer: divide by it, do not multiply.": (
            right * used * used
        ),
    }
    got = answer(parameters, tokens, ceiling, used)
    expect.close(got, right, "training_hours(10**7, 10**9, 10**12, 0.5)", slips)
    expect.close(answer(5, 7200, 10, 0.25), 24.0, "training_hours(5, 7200, 10, 0.25)")


@exercise("15.3", praise="A slow turn that hits both leaves the ratio as it was.")
def speedup(answer: Any) -> None:
    """Check `speedup(ours, theirs)`: the median of the ratios, turn by turn."""
    ours, theirs = [2.0, 9.0, 2.5, 2.0, 4.0], [3.2, 16.0, 3.0, 12.0, 2.0]
    ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
    right = median(ratios)
    slips: expect.Slips = {
        "This is upside down: these are times, so ours stands below the line.": (
            median(1 / ratio for ratio in ratios)
        ),
        "This is the mean: one odd turn moves it; take the median.": mean(ratios),
        "This divides the means: one slow turn weighs too much; divide turn by turn "
        "first.": mean(theirs) / mean(ours),
        "This divides the medians, which may come from different turns: divide turn by "
        "turn first.": median(theirs) / median(ours),
        "This compares the best turns alone: divide turn by turn first.": (
            min(theirs) / min(ours)
        ),
    }
    expect.close(answer(ours, theirs), right, "speedup of five turns", slips)
    expect.close(answer([1.0, 1.0], [2.0, 4.0]), 3.0, "speedup([1, 1], [2, 4])")


@exercise("15.4", praise="Now two processes learn what one would have learned.")
def join_gradients(answer: Any) -> None:
    """Check `join_gradients(gradients, tokens)`: their mean, weighted by tokens."""
    gradients = [torch.tensor([1.0, 4.0]), torch.tensor([5.0, 0.0])]
    tokens = [30, 10]
    total = sum(n * g for n, g in zip(tokens, gradients, strict=True))
    right = [2.0, 3.0]
    slips: expect.Slips = {
        "This is the plain mean: the process with 30 tokens must weigh three times as "
        "much as the one with 10.": torch.stack(gradients).mean(dim=0),
        "This is the sum: each gradient is a mean over its tokens already, so average "
        "them, weighted.": torch.stack(gradients).sum(dim=0),
        "The weighted sum is not divided yet: by all tokens together.": total,
        "Divide by all tokens together, not by the processes.": total / 2,
        "The weights are exchanged: more tokens, more weight.": [4.0, 1.0],
    }
    what = "join_gradients of two processes with 30 and 10 tokens"
    expect.close(answer(gradients, tokens), right, what, slips)
    got = answer([torch.tensor([g]) for g in (7.0, 0.0, 1.0)], [2, 0, 4])
    expect.close(got, [3.0], "join_gradients with an idle process")


def _in_pieces(scores: Any, values: Any, size: int) -> Any:
    """Return the mistake: each piece is divided by its own sum, and those averaged."""
    pieces = zip(scores.split(size), values.split(size), strict=True)
    return torch.stack([p.softmax(dim=0) @ v for p, v in pieces]).mean()


def _unshrunk(scores: Any, values: Any, size: int) -> Any:
    """Return the mistake: the sums so far are not brought to the new scale."""
    highest = torch.tensor(-torch.inf)
    total, weighted = torch.tensor(0.0), torch.tensor(0.0)
    for piece, part in zip(scores.split(size), values.split(size), strict=True):
        highest = torch.maximum(highest, piece.max())
        share = (piece - highest).exp()
        total, weighted = total + share.sum(), weighted + (share * part).sum()
    return weighted / total


@exercise(
    "15.5", praise="No list of all weights was ever made: that is fused attention."
)
def attend_in_pieces(answer: Any) -> None:
    """Check `attend_in_pieces(scores, values, size)`: the softmax that runs along."""
    scores = torch.tensor([0.5, 1.5, 2.5, 2.0, -1.0])
    values = torch.tensor([1.0, 2.0, 5.0, -3.0, 4.0])
    right = scores.softmax(dim=0) @ values
    got, what = answer(scores, values, 2), "attend_in_pieces(scores, values, 2)"
    slips: expect.Slips = {
        "When a higher score turns up, what was summed before must shrink: multiply it "
        "by exp(old highest − new highest).": _unshrunk(scores, values, 2),
        "Each piece is divided by its own sum: carry the sums on, and divide once, at "
        "the end.": _in_pieces(scores, values, 2),
        "The sum of the shares is missing: divide by it at the end.": expect.AnyOf(
            (scores.exp() * values).sum(),
            ((scores - scores.max()).exp() * values).sum(),
        ),
    }
    expect.close(got, right, what, slips)
    large = torch.tensor([1000.0, 990.0, 1001.0])
    value = torch.as_tensor(answer(large, values[:3], 1))
    overflow = (
        "Scores of 1,000 overflow here: subtract the highest score so far before exp."
    )
    expect.that(value.isfinite().all(), overflow)
    apart = torch.tensor([1000.0, 800.0, 900.0, 1001.0])
    far = torch.as_tensor(answer(apart, values[:4], 2))
    expect.that(
        far.isfinite().all(),
        f"{overflow} The highest of a piece is its max, not its min or its mean.",
    )
    expect.close(far, apart.softmax(dim=0) @ values[:4], "the result for 1,000 and 800")
    expect.close(value, large.softmax(dim=0) @ values[:3], "the result for 1,000")
    rising = torch.arange(7.0)
    what = "attend_in_pieces of seven scores, three at a time"
    expect.close(answer(rising, rising, 3), rising.softmax(dim=0) @ rising, what)
