"""Matrices in 8 bits a number: a whole number for each, and a scale for each row."""

from __future__ import annotations

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
