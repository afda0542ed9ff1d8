"""What later models put in the place of the norm, the feed-forward, the embedding."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.layers import PositionwiseFeedForward, TokenEmbedding

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": functools.partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class RMSNorm(nn.Module):
    r"""Divide each token's vector by its root mean square, then a learned scale.

    What a layer norm does less: no mean is taken away, no shift is added (Zhang and
    Sennrich, 2019).

    Args:
        d_model: numbers in the vector of one token, **D**.
        eps: keeps the root away from zero.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``.

    Example:
        >>> RMSNorm(d_model=2)(torch.tensor([[1.0, 7.0]])).tolist()
        [[0.19..., 1.39...]]
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.weight.size(0))
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return x * torch.rsqrt(mean_square + self.eps) * self.weight


class FeedForward(PositionwiseFeedForward):
    r"""The feed-forward of §3.3 with another activation than ReLU.

    Args:
        d_model: numbers in the vector of one token, **D**.
        d_ff: numbers in between.
        activation: "gelu" (Hendrycks and Gimpel, 2016), "gelu_tanh" for its
            approximation, "silu", or "relu".
        bias: whether the linear maps have biases.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``, or there is no such
            activation.

    Example:
        >>> FeedForward(d_model=4, d_ff=16)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: str = "gelu", bias: bool = True
    ) -> None:
        nn.Module.__init__(self)
        self.d_model, self.activation = d_model, _known(activation)
        self.inner = nn.Linear(d_model, d_ff, bias)
        self.outer = nn.Linear(d_ff, d_model, bias)

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.d_model)
        return self.outer(ACTIVATIONS[self.activation](self.inner(x)))


class GatedFeedForward(FeedForward):
    r"""Let one linear map decide how much of another one passes (Shazeer, 2020).

    Args:
        d_model: numbers in the vector of one token, **D**.
        d_ff: numbers in between; with two thirds of a plain layer's, it has as many
            weights.
        activation: of the gate: "silu", as in Llama, or as in :class:`FeedForward`.
        bias: whether the linear maps have biases.

    Shape:
        Input and output: :math:`(..., D)`.

    Raises:
        ValueError: if the last dimension is not ``d_model``, or there is no such
            activation.

    Example:
        >>> GatedFeedForward(d_model=4, d_ff=11)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, d_model: int, d_ff: int, activation: str = "silu", bias: bool = False
    ) -> None:
        super().__init__(d_model, d_ff, activation, bias)
        self.gate = nn.Linear(d_model, d_ff, bias)

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.d_model)
        gate = ACTIVATIONS[self.activation](self.gate(x))  # (..., d_ff)
        return self.outer(gate * self.inner(x))


class UnpaddedEmbedding(TokenEmbedding):
    r"""Token embeddings in which no id is padding, with a scale of their own.

    Args:
        vocab_size: number of tokens, **V**.
        d_model: numbers in the vector of one token, **D**.
        scale: what each vector is multiplied by; :math:`\sqrt{D}` as in §3.4, if None.

    Shape:
        - Input: token ids :math:`(B, T)`.
        - Output: :math:`(B, T, D)`.

    Raises:
        ValueError: if an id is not in the vocabulary.

    Example:
        >>> UnpaddedEmbedding(vocab_size=5, d_model=2)(torch.tensor([[3, 4, 0]])).shape
        torch.Size([1, 3, 2])
    """

    def __init__(
        self, vocab_size: int, d_model: int, scale: float | None = None
    ) -> None:
        nn.Module.__init__(self)
        self.table = nn.Embedding(vocab_size, d_model)
        self.scale = math.sqrt(d_model) if scale is None else scale
        nn.init.normal_(self.table.weight, std=1 / math.sqrt(d_model))


def check_width(x: Tensor, d_model: int) -> None:
    """Refuse vectors that do not have ``d_model`` numbers."""
    if x.size(-1) != d_model:
        raise ValueError(
            f"Expected vectors of shape (..., {d_model}), but got {tuple(x.shape)}."
        )


def _known(activation: str) -> str:
    if activation not in ACTIVATIONS:
        raise ValueError(
            f"activation must be one of {', '.join(ACTIVATIONS)}, but it is "
            f"{activation!r}."
        )
    return activation
