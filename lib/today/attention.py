"""Attention after 2017: turned queries and keys, and fewer keys than queries."""

from __future__ import annotations

from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.today.positions import Rotary


class RotaryLinear(nn.Linear):
    r"""A linear map to queries or keys, which are then turned by their positions.

    Args:
        in_features: numbers in the vector of one token.
        out_features: numbers of all its heads together.
        rotary: what turns them.
        bias: whether the map has a bias.

    Shape:
        - Input: :math:`(B, T, \mathit{in\_features})`.
        - Output: :math:`(B, T, \mathit{out\_features})`.

    Example:
        >>> import torch
        >>> project = RotaryLinear(8, 4, Rotary(d_head=2, max_len=10))
        >>> project(torch.ones(1, 3, 8)).shape
        torch.Size([1, 3, 4])
    """

    def __init__(
        self, in_features: int, out_features: int, rotary: Rotary, bias: bool = True
    ) -> None:
        super().__init__(in_features, out_features, bias)
        self.rotary = rotary

    def forward(self, x: Tensor) -> Tensor:
        return self.rotary(super().forward(x))


class GroupedQueryAttention(MultiHeadAttention):
    r"""Multi-head attention whose heads share keys and values (Ainslie et al., 2023).

    With one head of keys and values it is multi-query attention (Shazeer, 2019), with
    as many as there are heads it is that of §3.2.2.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: heads of queries, **H**; must divide ``d_model``.
        kv_heads: heads of keys and values, G; must divide ``n_heads``.
        bias: whether the four linear maps have biases.
        rotary: what turns queries and keys by their positions; None for nothing, as
            wherever keys come from another text than queries.

    Shape:
        As in :class:`~lib.attention.MultiHeadAttention`.

    Raises:
        ValueError: if ``n_heads`` does not divide ``d_model``, or ``kv_heads`` does not
            divide ``n_heads``, or ``rotary`` is made for other heads.

    Example:
        >>> import torch
        >>> attention, x = GroupedQueryAttention(8, 4, kv_heads=2), torch.ones(1, 3, 8)
        >>> [tuple(out.shape) for out in attention(x, x, x)]
        [(1, 3, 8), (1, 4, 3, 3)]
        >>> attention.key_proj.out_features  # half as many as a query has
        4
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        kv_heads: int,
        bias: bool = True,
        rotary: Rotary | None = None,
    ) -> None:
        super().__init__(d_model, n_heads)
        self.d_head = d_model // n_heads
        if kv_heads < 1 or n_heads % kv_heads:
            raise ValueError(
                f"kv_heads must divide n_heads, but {kv_heads} does not divide "
                f"{n_heads}."
            )
        if rotary is not None and rotary.d_head != self.d_head:
            raise ValueError(
                f"The rotary positions are made for heads of {rotary.d_head} numbers, "
                f"but these have {self.d_head}."
            )
        self.kv_heads, few = kv_heads, kv_heads * self.d_head
        if rotary is None:
            self.query_proj = nn.Linear(d_model, d_model, bias)
            self.key_proj = nn.Linear(d_model, few, bias)
        else:
            self.query_proj = RotaryLinear(d_model, d_model, rotary, bias)
            self.key_proj = RotaryLinear(d_model, few, rotary, bias)
        self.value_proj = nn.Linear(d_model, few, bias)
        self.output_proj = nn.Linear(d_model, d_model, bias)

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut each vector into heads; each of a few is used by several queries."""
        heads = x.unflatten(-1, (-1, self.d_head)).transpose(1, 2)  # (B, H or G, T, .)
        return heads.repeat_interleave(self.n_heads // heads.size(1), dim=1)
