"""The checks of chapter 6: norms, two maps in one, dropout, residual connections."""

from typing import Any

import torch
from torch import Tensor, nn

from lib.checks.core import (
    CheckFailed,
    answered,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    unwrap,
)
from lib.checks.residuals import expect_dropout, expect_learned, misplaced, ordered
from lib.layers import Residual

__all__ = ["drop", "fold", "is_pre_norm", "normed_by_hand", "residual", "rms_norm"]


@exercise("6.1", praise="Mean 0 and variance 1, and the pattern is still there.")
def normed_by_hand(answer: Any) -> None:
    """Check the four numbers of the layer norm of [0, 0, 3, 9]."""
    expect(hasattr(answer, "__len__"), "The answer should be a list of four numbers.")
    expect_equal(len(answer), 4, "The number of numbers")
    for number in answer:
        answered(number)
    v = torch.tensor([0.0, 0.0, 3.0, 9.0])
    centered = v - v.mean()
    variance = v.var(correction=0)
    expect_close(
        answer,
        centered / variance.sqrt(),
        "The normed vector",
        [
            (
                centered / v.std(),
                "This looks like the unbiased variance: divide the squares by D = 4, "
                "not by D − 1 = 3.",
            ),
            (centered, "The mean is gone; now divide by the standard deviation."),
            (
                centered / variance,
                "This divides by the variance: take its root first.",
            ),
            (
                v / variance.sqrt(),
                "The mean, 3, was not subtracted from the numbers.",
            ),
            (
                centered / centered.norm(),
                "This divides by the root of the sum of the squares: take their mean.",
            ),
            (
                centered / centered.abs().mean(),
                "This divides by the mean distance from the mean: square the "
                "distances, take the mean, then the root.",
            ),
        ],
        atol=2e-3,
    )


def _rms(square: Tensor, eps: float, inside: bool = True) -> Tensor:
    return (square + eps).sqrt() if inside else square.sqrt() + eps


@exercise("6.2", praise="With a mean of zero it is layer norm.")
def rms_norm(answer: Any) -> None:
    """Check `rms_norm(x, eps)`: divided by the root of the mean square."""
    x, eps = 2 + torch.randn(2, 3, 4), 0.5  # so large that its place shows
    square = (x**2).mean(dim=-1, keepdim=True)
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = (centered**2).mean(dim=-1, keepdim=True)
    everything = (x**2).mean(dim=(-2, -1), keepdim=True)
    got = answer(x, eps)
    what = "rms_norm(x, eps=0.5)"
    expect_shape(got, (2, 3, 4), what)
    expect_close(
        got,
        x / _rms(square, eps),
        what,
        [
            (
                x / _rms(square, eps, inside=False),
                "ε stands outside the root: add it to the mean square.",
            ),
            (
                x / _rms(square, 0.0),
                "ε has no effect: add the eps that is handed in to the mean square.",
            ),
            (
                centered / _rms(variance, eps),
                "This is layer norm: here the mean is not subtracted.",
            ),
            (
                x / _rms(variance, eps),
                "This divides by the standard deviation: square the numbers "
                "themselves, not their distance from the mean.",
            ),
            (x / _rms(4 * square, eps), "This sums the squares: take their mean."),
            (
                x / _rms(everything, eps),
                "The mean is taken over the tokens too: each token is normed alone.",
            ),
            (x / (square + eps), "The root is missing."),
        ],
    )
    expect_close(
        answer(torch.zeros(2, 4), 1e-5), torch.zeros(2, 4), "rms_norm of zeros"
    )
    small = 0.001 * x
    expect_close(
        answer(small),
        small / _rms(1e-6 * square, 1e-5),
        "rms_norm(x) of small numbers, with the eps of the task",
        [
            (
                small / _rms(1e-6 * square, 0.0),
                "Without an eps handed in, ε is 0: keep the default eps=1e-5, which "
                "guards a vector of zeros.",
            )
        ],
    )


@exercise("6.3", praise="All the width in between was for nothing.")
def fold(answer: Any) -> None:
    """Check `fold(inner, outer)`: one linear layer in the place of two."""
    for d_in, d_inner, d_out in ((3, 3, 3), (3, 7, 2)):
        inner, outer = nn.Linear(d_in, d_inner), nn.Linear(d_inner, d_out)
        nn.init.normal_(inner.bias)
        nn.init.normal_(outer.bias)
        _check_folded(unwrap(answer(inner, outer)), inner, outer)


def _check_folded(folded: Any, inner: nn.Linear, outer: nn.Linear) -> None:
    if not isinstance(folded, nn.Linear):
        raise CheckFailed("fold should return an nn.Linear.")
    w1, b1 = inner.weight.detach(), inner.bias.detach()
    w2, b2 = outer.weight.detach(), outer.bias.detach()
    order = "the map that comes last stands first, outer.weight @ inner.weight."
    expect_shape(folded.weight, (w2.size(0), w1.size(1)), "The weight")
    expect_close(
        folded.weight,
        w2 @ w1,
        "The weight",
        [
            (
                (w2 @ w1).T,
                "The weight is transposed: nn.Linear stores (outputs, inputs).",
            ),
            (
                lambda got: torch.allclose(got, w1 @ w2),
                f"The product stands in the wrong order: {order}",
            ),
        ],
    )
    expect(
        folded.bias is not None, "The folded layer has no bias: it has to hold both."
    )
    expect_close(
        folded.bias,
        w2 @ b1 + b2,
        "The bias",
        [
            (b2, "The inner bias is missing: it passes through the outer map too."),
            (w2 @ b1, "The outer bias is missing."),
            (
                lambda got: torch.allclose(got, b1 + b2),
                "The inner bias passes through the outer map: multiply it by "
                "outer.weight.",
            ),
        ],
    )


@exercise("6.4", praise="Dividing in training leaves nothing to do afterwards.")
def drop(answer: Any) -> None:
    """Check `drop(x, keep, p)`: zeros, and the rest divided by 1 − p."""
    x = torch.tensor([2.0, 1.0, 3.0, 5.0, 9.0])
    # Three of five are kept where four are to be expected.
    keep, p = torch.tensor([True, False, True, False, True]), 0.2
    expect_close(
        answer(x, keep, p),
        x * keep / (1 - p),
        "drop(x, keep, 0.2)",
        [
            (
                x * keep,
                "What is kept is not scaled up: divide it by 1 − p, or the sum "
                "shrinks.",
            ),
            (x * keep / p, "This divides by p, the share that is dropped: use 1 − p."),
            (
                x * keep * (1 - p),
                "This multiplies by 1 − p: what is left has to get larger, so divide.",
            ),
            (
                x * ~keep / (1 - p),
                "This drops what should be kept: True in keep means it stays.",
            ),
            (x[keep] / (1 - p), "The dropped numbers must stay in their place as 0."),
            (x / (1 - p), "Nothing is dropped: multiply by keep."),
            (
                x * keep / keep.double().mean(),
                "This divides by the share that this draw happened to keep: divide "
                "by 1 − p, the share that is kept on average.",
            ),
            (
                x * keep * x.sum() / (x * keep).sum(),
                "This restores the sum of this draw: divide by 1 − p, which is right "
                "on average.",
            ),
        ],
    )


class _Bare(nn.Module):
    """A residual block whose order cannot be read from its attributes."""

    def __init__(self, first: bool, lie: bool | None = None) -> None:
        super().__init__()
        self.inside = Residual(8, 0.0, first)
        if lie is not None:
            self.norm_first = lie

    def forward(self, x: Tensor, sublayer: Any) -> Tensor:
        result: Tensor = self.inside(x, sublayer)
        return result


class _Scaled(_Bare):
    """After some training: the norm has scales and shifts of its own."""

    def __init__(self, first: bool) -> None:
        super().__init__(first)
        nn.init.uniform_(self.inside.norm.weight, 0.5, 2.0)
        nn.init.normal_(self.inside.norm.bias)


@exercise("6.5", praise="It asks what a block does, not what it is called.")
def is_pre_norm(answer: Any) -> None:
    """Check `is_pre_norm(block)`: the order of the norm, found by trying."""
    blocks = [(first, Residual(8, 0.0, first)) for first in (True, False)]
    for first, block in blocks:
        expect_equal(
            bool(answer(block)),
            first,
            f"is_pre_norm of a {'pre' if first else 'post'}-norm block",
            [
                (
                    True,
                    "A post-norm block passed for pre-norm: feed numbers that are not "
                    "normed already, of another mean and size.",
                ),
                (
                    False,
                    "A pre-norm block passed for post-norm: with a sublayer that "
                    "returns zeros, its output is its input.",
                ),
            ],
        )
    for first in (True, False):
        lying = _Bare(first, lie=not first)
        expect(
            bool(answer(lying)) == first,
            "This block's norm_first lies: decide by what the block returns.",
        )
        expect(
            bool(answer(_Bare(first))) == first
            and bool(answer(_Scaled(first))) == first,
            "Blocks whose norm has learned a scale and a shift are told wrongly: "
            "compare the output with the input, not its mean with 0 or its variance "
            "with 1.",
        )


@exercise("6.6", praise="You built what stands around every sublayer of the model.")
def residual(answer: Any) -> None:
    """Check a residual connection with dropout and norm, in both orders."""
    x, linear = 3 + 5 * torch.randn(2, 4, 8), nn.Linear(8, 8)
    for first in (False, True):
        block = answer(8, 0.0, first)
        what = f"the output with norm_first={first}"
        got = block(x, linear)
        expect_shape(got, (2, 4, 8), what)
        expect_close(got, ordered(x, linear, first), what, misplaced(x, linear, first))
        expect_learned(unwrap(block))
    for first in (False, True):
        expect_dropout(answer, x, first)
