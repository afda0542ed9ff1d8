"""What exercise 7.3 demands of copies of a layer."""

import itertools
import math

import torch
from torch import Tensor, nn

from lib.checks import expect
from lib.exercises.guard import CheckFailed

__all__ = ["expect_different", "expect_kept"]


def _matrices(layer: nn.Module) -> dict[str, Tensor]:
    return {name: p for name, p in layer.named_parameters() if p.dim() > 1}


def expect_different(layers: list[nn.Module]) -> None:
    """Demand that no two layers hold the same matrix."""
    clones = 0
    for first, second in itertools.combinations(layers, 2):
        a, b = _matrices(first), _matrices(second)
        same = [name for name in a if torch.equal(a[name], b[name])]
        clones += len(same) == len(a)
        if same and len(same) < len(a):
            raise CheckFailed(
                f"Two layers still hold the same matrix {same[0]}: draw every "
                "parameter with more than one dimension anew."
            )
    expect.that(
        not clones,
        "These are clones: a deep copy takes the numbers over too, so draw the "
        "matrices of each copy anew.",
    )


def expect_kept(layer: nn.Module, layers: list[nn.Module]) -> None:
    """Demand that vectors are left alone, and that matrices follow Xavier's rule."""
    for one in layers:
        for name, parameter in one.named_parameters():
            original = layer.get_parameter(name)
            if parameter.dim() == 1:
                expect.that(
                    torch.equal(parameter, original),
                    f"The vector {name} was drawn anew: leave biases and norms alone.",
                )
                continue
            bound = math.sqrt(6 / sum(parameter.shape))
            largest = parameter.abs().max().item()
            expect.that(
                0.8 * bound < largest <= bound,
                f"The matrix {name} does not follow Xavier's rule: its largest number "
                f"should be just under {bound:.3f}, but is {largest:.3f}.",
            )
