"""Positions after 2017: learned ones, turned ones, and none."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from lib.today.blocks import check_width

PAIRS = {"halves": -2, "neighbors": -1}  # where the two numbers of a pair stand


class NoPositions(nn.Module):
    r"""Add nothing, because the attention itself knows the order.

    Shape:
        Input and output: :math:`(B, T, D)`.

    Example:
        >>> NoPositions()(torch.ones(1, 1, 2))
        tensor([[[1., 1.]]])
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        return x


class LearnedPositionalEncoding(nn.Module):
    r"""Add to each token's vector a learned row for its position (§3.5, last lines).

    Args:
        d_model: numbers in the vector of one token, **D**.
        max_len: longest text in tokens.

    Shape:
        Input and output: :math:`(B, T, D)` with :math:`T \le \mathit{max\_len}`.

    Raises:
        ValueError: if a text is longer than ``max_len``, or its vectors do not have
            ``d_model`` numbers.

    Example:
        >>> LearnedPositionalEncoding(d_model=2, max_len=10)(torch.zeros(1, 3, 2)).shape
        torch.Size([1, 3, 2])
    """

    start: int = 0  # positions before the first token that is given

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_len, d_model))

    def forward(self, x: Tensor) -> Tensor:
        check_width(x, self.table.size(1))
        return x + _rows(self.table, self.start, x)  # (B, T, D) + (T, D)


class Rotary(nn.Module):
    r"""Turn pairs of numbers, the further the later their position (Su et al., 2021).

    A query that was turned by its position meets a key that was turned by its own, and
    only the difference of the two angles is left in their dot product. The angles are
    those of the sines and cosines of §3.5.

    Args:
        d_head: numbers of a head, which come in pairs.
        max_len: longest text in tokens.
        base: what the slowest angle is made with, 10,000 in §3.5.
        pairs: "halves" if the number i makes a pair with the number i + d_head / 2, as
            in transformers' Llama; "neighbors" if with the next one, as in llama2.c.

    Shape:
        Input and output: :math:`(B, T, N \cdot \mathit{d\_head})`, for any number N of
        heads.

    Raises:
        ValueError: if ``d_head`` is odd, there are no such pairs, or a text is longer
            than ``max_len``.

    Example:
        >>> Rotary(d_head=2, max_len=10)(torch.tensor([[[1.0, 0.0], [1.0, 0.0]]]))
        tensor([[[1.0000, 0.0000],
                 [0.5403, 0.8415]]])
    """

    sin: Tensor
    cos: Tensor
    start: int = 0  # positions before the first token that is given

    def __init__(
        self, d_head: int, max_len: int, base: float = 10_000.0, pairs: str = "halves"
    ) -> None:
        super().__init__()
        if d_head < 2 or d_head % 2:
            raise ValueError(
                "Rotary positions turn numbers in pairs, so a head needs an even "
                f"number of them, but it has {d_head}."
            )
        if pairs not in PAIRS:
            raise ValueError(f"pairs must be halves or neighbors, but it is {pairs!r}.")
        self.d_head, self.axis = d_head, PAIRS[pairs]
        even = torch.arange(0, d_head, 2, dtype=torch.float64)  # (d_head / 2)
        position = torch.arange(max_len, dtype=torch.float64)[:, None]
        angle = position / base ** (even / d_head)  # (max_len, d_head / 2)
        kind = torch.get_default_dtype()
        self.register_buffer("sin", angle.sin().to(kind), persistent=False)
        self.register_buffer("cos", angle.cos().to(kind), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        cos, sin = (  # (T, 1, d_head / 2): the same for all heads
            _rows(table, self.start, x)[:, None].to(x.dtype)
            for table in (self.cos, self.sin)
        )
        size = (2, -1) if self.axis == -2 else (-1, 2)
        heads = x.unflatten(-1, (-1, self.d_head)).unflatten(-1, size)
        a, b = heads.unbind(self.axis)  # (B, T, N, d_head / 2) each
        turned = (a * cos - b * sin, a * sin + b * cos)
        return torch.stack(turned, self.axis).flatten(-3)  # (B, T, N * d_head)


def _rows(table: Tensor, start: int, x: Tensor) -> Tensor:
    """Return the rows of a table for the positions of the tokens of x (B, T, ...)."""
    stop = start + x.size(1)
    if stop > len(table):
        raise ValueError(
            f"A text of {stop} tokens is longer than max_len = {len(table)}; shorten "
            "it or build the model with a larger max_len."
        )
    return table[start:stop]
