"""The exercises of chapter 7: norms, two maps in one, dropout, residual connections."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.layers import Residual


@exercise(
    lambda draw: [case(what="The normed vector")],
    form=("a list of four numbers", lambda got: torch.as_tensor(got).shape == (4,)),
    atol=2e-3,
)
def normed_by_hand() -> Tensor:
    """The layer norm of [0, 0, 3, 9], to two decimals."""
    x = torch.tensor([0.0, 0.0, 3.0, 9.0])
    return (x - x.mean()) / x.std(correction=0)


def _vectors(draw: Draw) -> Cases:
    x = 2 + torch.randn(2, 3, 4)
    # An ε so large that its place shows.
    yield case(x, 0.5, what="rms_norm(x, eps=0.5)")
    yield case(torch.zeros(2, 4), 1e-5, what="rms_norm of zeros")
    what = "rms_norm(x) of small numbers, with the eps of the task"
    yield case(0.001 * x, what=what)
    yield case(5 * draw.normal(3, 6))
    yield case(draw.normal(2, 3, 4), draw.uniform(0.1, 2.0))


@exercise(_vectors)
def rms_norm(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Divided by the root of the mean square."""
    mean_square = (x**2).mean(dim=-1, keepdim=True)  # (..., 1)
    return x / (mean_square + eps).sqrt()


def _two_maps(draw: Draw) -> Cases:
    torch.manual_seed(draw.getrandbits(32))
    for d_in, d_inner, d_out in ((3, 3, 3), (3, 7, 2)):
        inner, outer = nn.Linear(d_in, d_inner), nn.Linear(d_inner, d_out)
        nn.init.normal_(inner.bias)
        nn.init.normal_(outer.bias)
        yield case(inner, outer)


def _weight_and_bias(layer: nn.Linear) -> Parts:
    there = layer.bias is not None
    bias = layer.bias if there else "missing"
    return Parts({"The weight": layer.weight, "The bias": bias})


@exercise(
    _two_maps,
    form=("an nn.Linear", lambda got: isinstance(got, nn.Linear)),
    read=_weight_and_bias,
)
def fold(inner: nn.Linear, outer: nn.Linear) -> nn.Linear:
    """One linear layer in the place of two."""
    folded = nn.Linear(inner.in_features, outer.out_features)
    folded.weight = nn.Parameter(outer.weight @ inner.weight)
    folded.bias = nn.Parameter(outer.weight @ inner.bias + outer.bias)
    return folded


def _kept(draw: Draw) -> Cases:
    x = torch.tensor([2.0, 1.0, 3.0, 5.0, 9.0])
    # Three of five are kept where four are to be expected.
    keep = torch.tensor([True, False, True, False, True])
    yield case(x, keep, 0.2, what="drop(x, keep, 0.2)")
    yield case(draw.normal(3, 6), draw.ids(0, 1, 3, 6).bool(), draw.uniform(0.1, 0.9))


@exercise(_kept)
def drop(x: Tensor, keep: Tensor, p: float) -> Tensor:
    """Zeros, and the rest divided by 1 − p."""
    return x * keep / (1 - p)


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


def _verdict(answer: Any, kind: Callable[[bool], nn.Module], first: bool) -> bool:
    return bool(answer(kind(first)))


def _orders(draw: Draw) -> Cases:
    for kind in (lambda first: Residual(8, 0.0, first), _Lying, _Trained):
        for first in draw.sample([True, False], 2):
            what = f"is_pre_norm of a {'pre' if first else 'post'}-norm block"
            yield case(kind, first, what=what, use=_verdict)


@exercise(_orders, form=TRUTH)
def is_pre_norm(block: nn.Module) -> bool:
    """Whether x comes through a silent sublayer as it is."""
    x = 3 + 5 * torch.randn(2, 4, 8)
    return torch.allclose(block(x, torch.zeros_like), x)


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
    for width in (8, 5):
        x, matrix = 3 * draw.normal(2, 4, width) + 1, draw.normal(width, width)
        for first in (False, True):
            yield case(x, first, matrix / math.sqrt(width), use=_facts)


residual = exercise(_blocks, name="residual")(Residual)
