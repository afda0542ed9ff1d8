"""The exercises of chapter 7: norms, two maps in one, dropout, residual connections."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.layers import Residual

_V = torch.tensor([0.0, 0.0, 3.0, 9.0])
_CENTERED = _V - _V.mean()


@exercise(
    "Mean 0 and variance 1, and the pattern is still there.",
    right=_CENTERED / _V.std(correction=0),
    form=("a list of four numbers", lambda got: torch.as_tensor(got).shape == (4,)),
    atol=2e-3,
)
def normed_by_hand(draw: Draw) -> Cases:
    """`normed_by_hand`: the layer norm of [0, 0, 3, 9], to two decimals."""
    yield case(what="The normed vector")


normed_by_hand.slips = {
    "This looks like the unbiased variance: divide the squares by D = 4, not by "
    "D − 1 = 3.": _CENTERED / _V.std(),
    "The mean is gone; now divide by the standard deviation.": _CENTERED,
    "This divides by the variance: take its root first.": (
        _CENTERED / _V.var(correction=0)
    ),
    "The mean, 3, was not subtracted from the numbers.": _V / _V.std(correction=0),
}


def _mean_square(x: Tensor) -> Tensor:
    return (x**2).mean(dim=-1, keepdim=True)


@exercise(
    "With a mean of zero it is layer norm.",
    right=lambda x, eps=1e-5: nn.functional.rms_norm(x, x.shape[-1:], eps=eps),
)
def rms_norm(draw: Draw) -> Cases:
    """`rms_norm(x, eps)`: divided by the root of the mean square."""
    x = 2 + torch.randn(2, 3, 4)
    # An ε so large that its place shows.
    yield case(x, 0.5, what="rms_norm(x, eps=0.5)")
    yield case(torch.zeros(2, 4), 1e-5, what="rms_norm of zeros")
    what = "rms_norm(x) of small numbers, with the eps of the task"
    yield case(0.001 * x, what=what)
    yield case(5 * draw.normal(draw.randint(1, 4), draw.randint(2, 9)))
    yield case(draw.normal(2, 3, 4), draw.uniform(0.1, 2.0))


rms_norm.slips = {
    "ε stands outside the root: add it to the mean square.": (
        lambda x, eps=1e-5: x / (_mean_square(x).sqrt() + eps)
    ),
    "ε has no effect: add the eps that is handed in to the mean square.": (
        lambda x, eps=1e-5: x / _mean_square(x).sqrt()
    ),
    "This is layer norm: here the mean is not subtracted.": (
        lambda x, eps=1e-5: nn.functional.layer_norm(x, x.shape[-1:], eps=eps)
    ),
    "This sums the squares: take their mean.": (
        lambda x, eps=1e-5: x / (x.size(-1) * _mean_square(x) + eps).sqrt()
    ),
    "The root is missing.": lambda x, eps=1e-5: x / (_mean_square(x) + eps),
}

Map = Callable[[nn.Linear, nn.Linear], Tensor]


def _folded(
    weight: Map = lambda inner, outer: outer.weight @ inner.weight,
    bias: Map | None = lambda inner, outer: outer.weight @ inner.bias + outer.bias,
) -> Callable[[nn.Linear, nn.Linear], nn.Linear]:
    """An answer with these ways of making the weight and the bias."""

    def answer(inner: nn.Linear, outer: nn.Linear) -> nn.Linear:
        layer = nn.Linear(1, 1, bias=bias is not None)
        layer.weight = nn.Parameter(weight(inner, outer))
        if bias is not None:
            layer.bias = nn.Parameter(bias(inner, outer))
        return layer

    return answer


def _weight_and_bias(layer: nn.Linear) -> Parts:
    there = layer.bias is not None
    bias = layer.bias if there else "missing"
    return Parts({"The weight": layer.weight, "The bias": bias})


@exercise(
    "All the width in between was for nothing.",
    right=_folded(),
    form=("an nn.Linear", lambda got: isinstance(got, nn.Linear)),
    read=_weight_and_bias,
)
def fold(draw: Draw) -> Cases:
    """`fold(inner, outer)`: one linear layer in the place of two."""
    drawn = tuple(draw.randint(2, 9) for _ in range(3))
    torch.manual_seed(draw.getrandbits(32))
    for d_in, d_inner, d_out in ((3, 3, 3), (3, 7, 2), drawn):
        inner, outer = nn.Linear(d_in, d_inner), nn.Linear(d_inner, d_out)
        nn.init.normal_(inner.bias)
        nn.init.normal_(outer.bias)
        yield case(inner, outer)


fold.slips = {
    "The weight is transposed: nn.Linear stores (outputs, inputs).": (
        _folded(weight=lambda inner, outer: (outer.weight @ inner.weight).T)
    ),
    "The product stands in the wrong order: the map that comes last stands first, "
    "outer.weight @ inner.weight.": (
        _folded(weight=lambda inner, outer: inner.weight @ outer.weight)
    ),
    "The folded layer has no bias: it has to hold both.": _folded(bias=None),
    "The inner bias is missing: it passes through the outer map too.": (
        _folded(bias=lambda inner, outer: outer.bias)
    ),
    "The inner bias passes through the outer map: multiply it by outer.weight.": (
        _folded(bias=lambda inner, outer: inner.bias + outer.bias)
    ),
}


@exercise(
    "Dividing in training leaves nothing to do afterwards.",
    right=lambda x, keep, p: x * keep / (1 - p),
)
def drop(draw: Draw) -> Cases:
    """`drop(x, keep, p)`: zeros, and the rest divided by 1 − p."""
    x = torch.tensor([2.0, 1.0, 3.0, 5.0, 9.0])
    # Three of five are kept where four are to be expected.
    keep = torch.tensor([True, False, True, False, True])
    yield case(x, keep, 0.2, what="drop(x, keep, 0.2)")
    shape = draw.randint(2, 5), draw.randint(2, 9)
    yield case(draw.normal(*shape), draw.ids(0, 1, *shape).bool(), draw.random() * 0.9)


drop.slips = {
    "What is kept is not scaled up: divide it by 1 − p, or the sum shrinks.": (
        lambda x, keep, p: x * keep
    ),
    "This divides by p, the share that is dropped: use 1 − p.": (
        lambda x, keep, p: x * keep / p
    ),
    "This multiplies by 1 − p: what is left has to get larger, so divide.": (
        lambda x, keep, p: x * keep * (1 - p)
    ),
    "This divides by the share that this draw happened to keep: divide by 1 − p, the "
    "share that is kept on average.": (
        lambda x, keep, p: x * keep / keep.double().mean()
    ),
}


class _Lying(nn.Module):
    """A residual block with an attribute that says the other order."""

    def __init__(self, first: bool) -> None:
        super().__init__()
        self.inside = Residual(8, 0.0, first)
        self.norm_first = not first

    def forward(self, x: Tensor, sublayer: Any) -> Tensor:
        result: Tensor = self.inside(x, sublayer)
        return result


class _Trained(_Lying):
    """One whose norm has learned a scale and a shift."""

    def __init__(self, first: bool) -> None:
        super().__init__(first)
        nn.init.uniform_(self.inside.norm.weight, 0.5, 2.0)
        nn.init.normal_(self.inside.norm.bias)


def _hands_through(block: nn.Module) -> bool:
    x = 3 + 5 * torch.randn(2, 4, 8)
    return torch.allclose(block(x, torch.zeros_like), x)


def _has_statistics_of_no_norm(block: nn.Module) -> bool:
    output = block(3 + 5 * torch.randn(2, 4, 8), torch.zeros_like)
    return not torch.allclose(output.mean(dim=-1), torch.zeros(2, 4), atol=1e-3)


def _verdict(answer: Any, kind: Callable[[bool], nn.Module], first: bool) -> bool:
    return bool(answer(kind(first)))


@exercise(
    "It asks what a block does, not what it is called.",
    right=_hands_through,
    form=TRUTH,
)
def is_pre_norm(draw: Draw) -> Cases:
    """`is_pre_norm(block)`: the order of the norm, found by trying."""
    for kind in (lambda first: Residual(8, 0.0, first), _Lying, _Trained):
        for first in draw.sample([True, False], 2):
            what = f"is_pre_norm of a {'pre' if first else 'post'}-norm block"
            yield case(kind, first, what=what, use=_verdict)


is_pre_norm.slips = {
    "A post-norm block passed for pre-norm, for which True stands: feed numbers that "
    "are not normed already, of another mean and size.": lambda block: True,
    "A pre-norm block passed for post-norm: with a sublayer that returns zeros, its "
    "output is its input, and the answer True.": lambda block: False,
    "This block's norm_first lies: decide by what the block returns.": (
        lambda block: block.norm_first
    ),
    "Blocks whose norm has learned a scale and a shift are told wrongly: compare the "
    "output with the input, not its mean with 0 or its variance with 1.": (
        _has_statistics_of_no_norm
    ),
}


def _facts(answer: Any, x: Tensor, first: bool, matrix: Tensor) -> Parts:
    """What a block does without dropout, in training, and after eval()."""

    def sublayer(y: Tensor) -> Tensor:
        return (y @ matrix + 1).tanh()

    plain, block = (answer(x.size(-1), p, first) for p in (0.0, 0.5))
    learned = sum(p.numel() for p in plain.parameters() if p.requires_grad)
    silent = block(x, torch.zeros_like)
    ones = [block(x, torch.ones_like) for _ in range(2)]
    output, order = plain(x, sublayer), f"with norm_first={first}"
    block.eval()
    return Parts(
        {
            f"the output {order}": output,
            "How many numbers the block learns": learned,
            f"with a silent sublayer, the output in training {order}": silent,
            "whether something is dropped in training": not torch.equal(*ones),
            f"the output after eval() {order}": block(x, sublayer),
        }
    )


def _blocks(draw: Draw) -> Cases:
    for width in (8, draw.randint(3, 12)):
        x, matrix = 3 * draw.normal(2, 4, width) + 1, draw.normal(width, width)
        for first in (False, True):
            yield case(x, first, matrix / math.sqrt(width), use=_facts)


residual = exercise(_blocks, name="residual")(Residual)
