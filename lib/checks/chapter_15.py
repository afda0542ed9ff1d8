"""The checks of chapter 15: bytes, hours, fair ratios, gradients, a running softmax."""

from statistics import mean, median
from typing import Any

import torch

from lib.checks.core import exercise, expect, expect_close, expect_equal

__all__ = [
    "attend_in_pieces",
    "join_gradients",
    "speedup",
    "training_hours",
    "weights_bytes",
]


@exercise("15.1", praise="Double both lengths, and all of it is four times as much.")
def weights_bytes(answer: Any) -> None:
    """Check `weights_bytes(batch, n_heads, n_layers, source, target)`."""
    batch, heads, layers, source, target = 8, 6, 3, 50, 60
    encoder, decoder, cross = source**2, target**2, source * target
    unit = batch * heads * layers
    right = 4 * unit * (encoder + decoder + cross)
    expect_equal(
        answer(batch, heads, layers, source, target),
        right,
        "weights_bytes(8, 6, 3, 50, 60)",
        diagnoses=[
            (right // 4, "These are numbers, not bytes: each takes 4."),
            (right // heads, "Each head has a matrix of its own: times n_heads."),
            (right // layers, "Each layer has attentions of its own: times n_layers."),
            (right // batch, "Each sentence has matrices of its own: times batch."),
            (
                4 * unit * (encoder + decoder),
                "The cross-attentions are missing: target by source.",
            ),
            (
                4 * unit * (encoder + cross),
                "The decoder's self-attentions are missing: target by target.",
            ),
            (
                4 * unit * (encoder + decoder + encoder),
                "Cross-attention has queries from the target and keys from the source: "
                "target times source.",
            ),
            (
                4 * unit * (encoder + decoder + decoder),
                "Cross-attention has queries from the target and keys from the source: "
                "target times source.",
            ),
            (
                4 * unit * (source + target) ** 2,
                "Source and target stand in matrices of their own, not in one.",
            ),
        ],
    )
    expect_equal(answer(1, 1, 1, 2, 3), 76, "weights_bytes(1, 1, 1, 2, 3)")


@exercise("15.2", praise="Do this before every long run: it shows a mistake of 100.")
def training_hours(answer: Any) -> None:
    """Check `training_hours(parameters, tokens, ceiling, used)`."""
    parameters, tokens, ceiling, used = 10**7, 10**9, 10**12, 0.5
    seconds = parameters * tokens / (ceiling * used)
    right = 6 * seconds / 3600
    expect_close(
        answer(parameters, tokens, ceiling, used),
        right,
        "training_hours(10**7, 10**9, 10**12, 0.5)",
        diagnoses=[
            (
                right / 3,
                "This is the forward pass alone: the backward pass costs two more "
                "products, so it is six operations and not two.",
            ),
            (
                right * 2 / 3,
                "This is the backward pass alone: add the two operations of the "
                "forward pass.",
            ),
            (right / 6, "A weight costs six operations for a token, not one."),
            (6 * seconds, "These are seconds: an hour has 3,600."),
            (6 * seconds / 60, "These are minutes: an hour has 60 of them."),
            (
                right * used,
                "This assumes the ceiling: the program reaches only the share used.",
            ),
            (
                right * used * used,
                "A smaller share takes longer: divide by it, do not multiply.",
            ),
        ],
    )
    expect_close(answer(5, 7200, 10, 0.25), 24.0, "training_hours(5, 7200, 10, 0.25)")


@exercise("15.3", praise="A slow turn that hits both leaves the ratio as it was.")
def speedup(answer: Any) -> None:
    """Check `speedup(ours, theirs)` of times."""
    ours, theirs = [2.0, 9.0, 2.5, 2.0, 4.0], [3.2, 16.0, 3.0, 12.0, 2.0]
    ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
    right = median(ratios)
    expect_close(
        answer(list(ours), list(theirs)),
        right,
        "speedup of five turns",
        diagnoses=[
            (
                median(1 / ratio for ratio in ratios),
                "This is upside down: these are times, so ours stands below the line.",
            ),
            (mean(ratios), "This is the mean: one odd turn moves it; take the median."),
            (
                mean(theirs) / mean(ours),
                "This divides the means: one slow turn weighs too much; divide turn by "
                "turn first.",
            ),
            (
                median(theirs) / median(ours),
                "This divides the medians, which may come from different turns: divide "
                "turn by turn first.",
            ),
            (
                min(theirs) / min(ours),
                "This compares the best turns alone: divide turn by turn first.",
            ),
        ],
    )
    expect_close(answer([1.0, 1.0], [2.0, 4.0]), 3.0, "speedup([1, 1], [2, 4])")


@exercise("15.4", praise="Now two processes learn what one would have learned.")
def join_gradients(answer: Any) -> None:
    """Check `join_gradients(gradients, tokens)`."""
    gradients = [torch.tensor([1.0, 4.0]), torch.tensor([5.0, 0.0])]
    tokens = [30, 10]
    total = sum(n * g for n, g in zip(tokens, gradients, strict=True))
    right = torch.tensor([2.0, 3.0])
    expect_close(
        answer([g.clone() for g in gradients], list(tokens)),
        right,
        "join_gradients of two processes with 30 and 10 tokens",
        diagnoses=[
            (
                torch.stack(gradients).mean(dim=0),
                "This is the plain mean: the process with 30 tokens must weigh three "
                "times as much as the one with 10.",
            ),
            (
                torch.stack(gradients).sum(dim=0),
                "This is the sum: each gradient is a mean over its tokens already, so "
                "average them, weighted.",
            ),
            (total, "The weighted sum is not divided yet: by all tokens together."),
            (total / 2, "Divide by all tokens together, not by the processes."),
            (
                torch.tensor([4.0, 1.0]),
                "The weights are exchanged: more tokens, more weight.",
            ),
        ],
    )
    one = torch.tensor([7.0])
    got = answer([one, torch.tensor([0.0]), torch.tensor([1.0])], [2, 0, 4])
    expect_close(got, torch.tensor([3.0]), "join_gradients with an idle process")


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
    """Check `attend_in_pieces(scores, values, size)`."""
    scores = torch.tensor([0.5, 1.5, 2.5, 2.0, -1.0])
    values = torch.tensor([1.0, 2.0, 5.0, -3.0, 4.0])
    right = scores.softmax(dim=0) @ values
    got = answer(scores, values, 2)
    expect_close(
        torch.as_tensor(got),
        right,
        "attend_in_pieces(scores, values, 2)",
        diagnoses=[
            (
                _unshrunk(scores, values, 2),
                "When a higher score turns up, what was summed before must shrink: "
                "multiply it by exp(old highest − new highest).",
            ),
            (
                _in_pieces(scores, values, 2),
                "Each piece is divided by its own sum: carry the sums on, and divide "
                "once, at the end.",
            ),
            (
                (scores.exp() * values).sum(),
                "The sum of the shares is missing: divide by it at the end.",
            ),
            (
                ((scores - scores.max()).exp() * values).sum(),
                "The sum of the shares is missing: divide by it at the end.",
            ),
        ],
    )
    large = torch.tensor([1000.0, 990.0, 1001.0])
    value = torch.as_tensor(answer(large, values[:3], 1))
    overflow = (
        "Scores of 1,000 overflow here: subtract the highest score so far before exp."
    )
    expect(bool(value.isfinite().all()), overflow)
    apart = torch.tensor([1000.0, 800.0, 900.0, 1001.0])
    far = torch.as_tensor(answer(apart, values[:4], 2))
    expect(
        bool(far.isfinite().all()),
        f"{overflow} The highest of a piece is its max, not its min or its mean.",
    )
    expect_close(far, apart.softmax(dim=0) @ values[:4], "the result for 1,000 and 800")
    expect_close(value, large.softmax(dim=0) @ values[:3], "the result for 1,000")
    rising = torch.arange(7.0)
    expect_close(
        torch.as_tensor(answer(rising, rising, 3)),
        rising.softmax(dim=0) @ rising,
        "attend_in_pieces of seven scores, three at a time",
    )
