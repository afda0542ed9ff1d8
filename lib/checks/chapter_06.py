"""The checks of chapter 6: norms, two maps in one, dropout, residual connections."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import answered, unwrap
from lib.layers import Residual

__all__ = ["drop", "fold", "is_pre_norm", "normed_by_hand", "residual", "rms_norm"]


@exercise("6.1", praise="Mean 0 and variance 1, and the pattern is still there.")
def normed_by_hand(answer: Any) -> None:
    """Check `normed_by_hand`: the layer norm of [0, 0, 3, 9], to two decimals."""
    has_length = hasattr(answer, "__len__")
    expect.that(has_length, "The answer should be a list of four numbers.")
    expect.equal(len(answer), 4, "The number of numbers")
    for number in answer:
        answered(number)
    v = torch.tensor([0.0, 0.0, 3.0, 9.0])
    centered, variance = v - v.mean(), v.var(correction=0)
    right = centered / variance.sqrt()
    slips: expect.Slips = {
        "This looks like the unbiased variance: divide the squares by D = 4, not by "
        "D − 1 = 3.": centered / v.std(),
        "The mean is gone; now divide by the standard deviation.": centered,
        "This divides by the variance: take its root first.": centered / variance,
        "The mean, 3, was not subtracted from the numbers.": v / variance.sqrt(),
        "This divides by the root of the sum of the squares: take their mean.": (
            centered / centered.norm()
        ),
        "This divides by the mean distance from the mean: square the distances, take "
        "the mean, then the root.": centered / centered.abs().mean(),
    }
    expect.close(answer, right, "The normed vector", slips, atol=2e-3)


@exercise("6.2", praise="With a mean of zero it is layer norm.")
def rms_norm(answer: Any) -> None:
    """Check `rms_norm(x, eps)`: divided by the root of the mean square."""
    x, eps = 2 + torch.randn(2, 3, 4), 0.5  # so large that its place shows
    square = (x**2).mean(dim=-1, keepdim=True)
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = (centered**2).mean(dim=-1, keepdim=True)
    everything = (x**2).mean(dim=(-2, -1), keepdim=True)

    def by_root(x: Tensor, square: Tensor, eps: float = eps) -> Tensor:
        return x / (square + eps).sqrt()

    got, what = answer(x, eps), "rms_norm(x, eps=0.5)"
    expect.shape(got, (2, 3, 4), what)
    slips: expect.Slips = {
        "ε stands outside the root: add it to the mean square.": (
            x / (square.sqrt() + eps)
        ),
        "ε has no effect: add the eps that is handed in to the mean square.": (
            by_root(x, square, 0.0)
        ),
        "This is layer norm: here the mean is not subtracted.": (
            by_root(centered, variance)
        ),
        "This divides by the standard deviation: square the numbers themselves, not "
        "their distance from the mean.": by_root(x, variance),
        "This sums the squares: take their mean.": by_root(x, 4 * square),
        "The mean is taken over the tokens too: each token is normed alone.": (
            by_root(x, everything)
        ),
        "The root is missing.": x / (square + eps),
    }
    expect.close(got, by_root(x, square), what, slips)
    zeros = torch.zeros(2, 4)
    expect.close(answer(zeros, 1e-5), zeros, "rms_norm of zeros")
    small, square = 0.001 * x, 1e-6 * square
    what = "rms_norm(x) of small numbers, with the eps of the task"
    slips = {
        "Without an eps handed in, ε is 0: keep the default eps=1e-5, which guards a "
        "vector of zeros.": by_root(small, square, 0.0)
    }
    expect.close(answer(small), by_root(small, square, 1e-5), what, slips)


@exercise("6.3", praise="All the width in between was for nothing.")
def fold(answer: Any) -> None:
    """Check `fold(inner, outer)`: one linear layer in the place of two."""
    for d_in, d_inner, d_out in ((3, 3, 3), (3, 7, 2)):
        inner, outer = nn.Linear(d_in, d_inner), nn.Linear(d_inner, d_out)
        nn.init.normal_(inner.bias)
        nn.init.normal_(outer.bias)
        _check_folded(unwrap(answer(inner, outer)), inner, outer)


def _check_folded(folded: Any, inner: nn.Linear, outer: nn.Linear) -> None:
    expect.that(isinstance(folded, nn.Linear), "fold should return an nn.Linear.")
    w1, b1 = inner.weight.detach(), inner.bias.detach()
    w2, b2 = outer.weight.detach(), outer.bias.detach()
    expect.shape(folded.weight, (w2.size(0), w1.size(1)), "The weight")
    slips: expect.Slips = {
        "The weight is transposed: nn.Linear stores (outputs, inputs).": (w2 @ w1).T,
        "The product stands in the wrong order: the map that comes last stands first, "
        "outer.weight @ inner.weight.": lambda got: torch.allclose(got, w1 @ w2),
    }
    expect.close(folded.weight, w2 @ w1, "The weight", slips)
    there = folded.bias is not None
    expect.that(there, "The folded layer has no bias: it has to hold both.")
    slips = {
        "The inner bias is missing: it passes through the outer map too.": b2,
        "The outer bias is missing.": w2 @ b1,
        "The inner bias passes through the outer map: multiply it by outer.weight.": (
            lambda got: torch.allclose(got, b1 + b2)
        ),
    }
    expect.close(folded.bias, w2 @ b1 + b2, "The bias", slips)


@exercise("6.4", praise="Dividing in training leaves nothing to do afterwards.")
def drop(answer: Any) -> None:
    """Check `drop(x, keep, p)`: zeros, and the rest divided by 1 − p."""
    x = torch.tensor([2.0, 1.0, 3.0, 5.0, 9.0])
    # Three of five are kept where four are to be expected.
    keep, p = torch.tensor([True, False, True, False, True]), 0.2
    slips: expect.Slips = {
        "What is kept is not scaled up: divide it by 1 − p, or the sum shrinks.": (
            x * keep
        ),
        "This divides by p, the share that is dropped: use 1 − p.": x * keep / p,
        "This multiplies by 1 − p: what is left has to get larger, so divide.": (
            x * keep * (1 - p)
        ),
        "This drops what should be kept: True in keep means it stays.": (
            x * ~keep / (1 - p)
        ),
        "The dropped numbers must stay in their place as 0.": x[keep] / (1 - p),
        "Nothing is dropped: multiply by keep.": x / (1 - p),
        "This divides by the share that this draw happened to keep: divide by 1 − p, "
        "the share that is kept on average.": x * keep / keep.double().mean(),
        "This restores the sum of this draw: divide by 1 − p, which is right on "
        "average.": x * keep * x.sum() / (x * keep).sum(),
    }
    expect.close(answer(x, keep, p), x * keep / (1 - p), "drop(x, keep, 0.2)", slips)


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

    def trained(self) -> "_Bare":
        """Give the norm a scale and a shift of its own."""
        nn.init.uniform_(self.inside.norm.weight, 0.5, 2.0)
        nn.init.normal_(self.inside.norm.bias)
        return self


@exercise("6.5", praise="It asks what a block does, not what it is called.")
def is_pre_norm(answer: Any) -> None:
    """Check `is_pre_norm(block)`: the order of the norm, found by trying."""
    slips: expect.Slips = {
        "A post-norm block passed for pre-norm: feed numbers that are not normed "
        "already, of another mean and size.": True,
        "A pre-norm block passed for post-norm: with a sublayer that returns zeros, "
        "its output is its input.": False,
    }
    for first in (True, False):
        what = f"is_pre_norm of a {'pre' if first else 'post'}-norm block"
        expect.equal(bool(answer(Residual(8, 0.0, first))), first, what, slips)
    for first in (True, False):
        lying = bool(answer(_Bare(first, lie=not first))) != first
        others = [bool(answer(b)) for b in (_Bare(first), _Bare(first).trained())]
        slips = {
            "This block's norm_first lies: decide by what the block returns.": lying,
            "Blocks whose norm has learned a scale and a shift are told wrongly: "
            "compare the output with the input, not its mean with 0 or its variance "
            "with 1.": others != [first, first],
        }
        expect.none_of(slips)


@exercise("6.6", praise="You built what stands around every sublayer of the model.")
def residual(answer: Any) -> None:
    """Check the module `MyResidual(d_model, dropout, norm_first)`, in both orders."""
    x, linear = 3 + 5 * torch.randn(2, 4, 8), nn.Linear(8, 8)
    for first in (False, True):
        block = answer(8, 0.0, first)
        what = f"the output with norm_first={first}"
        got = block(x, linear)
        expect.shape(got, (2, 4, 8), what)
        expect.close(
            got, _ordered(x, linear, first), what, _misplaced(x, linear, first)
        )
        _expect_learned(unwrap(block))
    for first in (False, True):
        _expect_dropout(answer, x, first)


def _normed(x: Tensor) -> Tensor:
    return nn.functional.layer_norm(x, x.shape[-1:])


def _ordered(x: Tensor, f: Callable[[Tensor], Tensor], first: bool) -> Tensor:
    """Pre-norm or post-norm around a sublayer, without dropout."""
    return (x + f(_normed(x)) if first else _normed(x + f(x))).detach()


def _misplaced(x: Tensor, f: Callable[[Tensor], Tensor], first: bool) -> expect.Slips:
    """What typical mistakes give, without dropout."""
    with torch.no_grad():
        forgotten = f(_normed(x)) if first else _normed(f(x))
        return {
            "The two orders are exchanged or not told apart: norm_first=True is "
            "x + sublayer(norm(x)), False is norm(x + sublayer(x)).": (
                _ordered(x, f, not first)
            ),
            "The residual is missing: add x to what the sublayer gives.": forgotten,
            "The norm is missing.": x + f(x),
            "The residual carries x itself, not the normed x: only the sublayer gets "
            "the norm.": _normed(x) + f(_normed(x)),
            "The norm stands behind the sublayer alone: it belongs around the sum "
            "(post-norm) or in front of the sublayer (pre-norm).": x + _normed(f(x)),
        }


def _expect_learned(block: Any) -> None:
    """Demand that the block learns the scale and the shift of one norm."""
    numbers = sum(p.numel() for p in block.parameters() if p.requires_grad)
    expect.that(
        numbers == 16,
        f"The block should learn 16 numbers at width 8, the scale and shift of one "
        f"norm, but it learns {numbers}: make one LayerNorm(d_model) in __init__.",
    )


def _expect_dropout(answer: Any, x: Tensor, first: bool) -> None:
    """Demand that the sublayer's output is dropped in training, and x never."""
    block = answer(8, 0.5, first)
    silent = x if first else _normed(x)
    what = f"with a silent sublayer, the output in training with norm_first={first}"
    slips: expect.Slips = {
        "The dropout reaches x: drop only the sublayer's output, before it is added.": (
            lambda got: bool((got == 0).any()) or not first
        )
    }
    expect.close(block(x, torch.zeros_like), silent, what, slips)
    expect.that(
        not torch.equal(block(x, torch.ones_like), block(x, torch.ones_like)),
        "Nothing is dropped in training: send the sublayer's output through "
        "nn.Dropout(dropout).",
    )
    unwrap(block).eval()
    slips = {
        "Something is still dropped after eval(): make the nn.Dropout in __init__, so "
        "that eval() reaches it.": (
            lambda got: not torch.equal(got, block(x, torch.tanh))
        )
    }
    got, right = block(x, torch.tanh), _ordered(x, torch.tanh, first)
    expect.close(got, right, "the output after eval()", slips)
