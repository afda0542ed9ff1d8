"""Other linear maps: in 8 bits a number, or frozen with a small one beside it."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.today.blocks import AnyModule, replace_leaves


def to_eight_bits(weight: Tensor) -> tuple[Tensor, Tensor]:
    r"""Round a matrix to whole numbers from -127 to 127, with one scale for each row.

    Args:
        weight: the matrix.

    Shape:
        - weight: :math:`(M, N)`.
        - Output: whole numbers :math:`(M, N)` and scales :math:`(M, 1)`; their product
          is nearly the matrix.

    Example:
        >>> whole, scale = to_eight_bits(torch.tensor([[0.3, -1.0], [0.02, 0.005]]))
        >>> whole.tolist()
        [[38, -127], [127, 32]]

    Built in chapter 21.
    """
    largest = weight.abs().amax(dim=1, keepdim=True)
    scale = largest.clamp(min=1e-12) / 127  # a row of zeros stays zero
    return (weight / scale).round().to(torch.int8), scale


class EightBits(nn.Module):
    """What linear maps and embeddings in 8 bits have in common.

    Args:
        part: the map or the embedding that is rounded.
    """

    whole: Tensor
    scale: Tensor

    def __init__(self, part: Any) -> None:
        super().__init__()
        whole, scale = to_eight_bits(part.weight.detach())
        self.register_buffer("whole", whole)
        self.register_buffer("scale", scale)
        self.bias = getattr(part, "bias", None)


class EightBitLinear(EightBits):
    """A linear map whose matrix is kept in 8 bits, and unfolded for each product."""

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.whole * self.scale, self.bias)


class EightBitEmbedding(EightBits):
    """An embedding whose table is kept in 8 bits."""

    @property
    def num_embeddings(self) -> int:
        """How many rows the table has."""
        return len(self.whole)

    def forward(self, ids: Tensor) -> Tensor:
        return self.whole[ids] * self.scale[ids]


def in_eight_bits(model: AnyModule) -> AnyModule:
    """Return a copy of a model whose linear maps and embeddings are kept in 8 bits.

    Args:
        model: any model; it stays as it is. The copy is no longer trained.
    """
    # A class would take over the weights; a function makes a new piece of them.
    return replace_leaves(
        model,
        {
            nn.Linear: lambda part: EightBitLinear(part),
            nn.Embedding: lambda part: EightBitEmbedding(part),
        },
    )


class LowRank(nn.Module):
    r"""A linear map that is frozen, and a small one that learns (Hu et al., 2021).

    .. math:: W x + b + \tfrac{\alpha}{r} B A x

    A is ``down``, drawn at random; B is ``up``, zero at first. So nothing has changed
    before the first step.

    Args:
        linear: the map; its numbers are no longer trained.
        rank: numbers between A and B, **r**.
        alpha: the sum of both weighs the small map by ``alpha / rank``.

    Shape:
        - Input: :math:`(..., \mathit{in\_features})`.
        - Output: :math:`(..., \mathit{out\_features})`.

    Raises:
        ValueError: if the rank is less than 1.

    Example:
        >>> linear = nn.Linear(8, 6)
        >>> adapted, x = LowRank(linear, rank=2), torch.ones(3, 8)
        >>> torch.equal(adapted(x), linear(x))
        True
        >>> sum(each.numel() for each in adapted.parameters() if each.requires_grad)
        28

    Built in chapter 21.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float = 8.0) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank must be at least 1, but it is {rank}.")
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * self.up(self.down(x))

    def merged(self) -> nn.Linear:
        """Return one linear map that does the same."""
        linear = copy.deepcopy(self.linear)
        with torch.no_grad():
            linear.weight += self.scale * self.up.weight @ self.down.weight
        return linear
