"""Leaves that remember: attention its keys and values, positions how far they are."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.positions import PositionalEncoding
from lib.speed import (
    FUSED,
    FusedAttention,
    FusedGroupedAttention,
    mix_values,
    side_by_side,
)
from lib.today import GroupedQueryAttention, LearnedPositionalEncoding, Rotary
from lib.today.oddities import BeginsWithPad, HalvedSines


class CachedAttention(FusedAttention):
    r"""Attention that keeps its keys and values from step to step.

    In self-attention it is given the newest token of each sentence, adds its key and
    value to those of the earlier ones, and attends to all of them; no mask is needed,
    since nothing later is there. In cross-attention the memory is the same in every
    step, so its keys and values are computed once.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        - query: :math:`(B, 1, D)`, one new token for each sentence; key and value: the
          same, or the memory :math:`(B, S, D)`.
        - Output: :math:`(B, 1, D)`; the weights are :math:`(0)`.

    Example:
        >>> attention = CachedAttention(d_model=8, n_heads=2)
        >>> token = torch.ones(1, 1, 8)
        >>> attention(token, token, token)[0].shape
        torch.Size([1, 1, 8])
        >>> attention(token, token, token)[0].shape, attention.length
        (torch.Size([1, 1, 8]), 2)

    Built in chapter 13.
    """

    keys: Tensor  # (B, H, room, D/H); of a memory (B, H, S, D/H)
    values: Tensor
    length: int = 0  # tokens that are kept
    hides: bool = False  # whether some of them are padding

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if query is key:  # self-attention: one more token
            q = self._append(query)
        else:  # cross-attention: the memory is kept already
            q = self.split_heads(self.query_proj(query))
        # q is (B, H, 1, D/H): one query for each sentence.
        keys, values = self.keys[:, :, : self.length], self.values[:, :, : self.length]
        # Nothing later is there; and without a mask the kernel is faster.
        heads = mix_values(q, keys, values, mask if self.hides else None)
        return self.output_proj(self.merge_heads(heads)), query.new_empty(0)

    def keep_memory(self, memory: Tensor, mask: Tensor) -> None:
        """Compute the keys and values of a memory (B, S, D), once for all steps."""
        # They are read in every step: in one stretch of memory that is faster.
        self.keys = self.split_heads(self.key_proj(memory)).contiguous()
        self.values = self.split_heads(self.value_proj(memory)).contiguous()
        self.length, self.hides = memory.size(1), not bool(mask.all())

    def _append(self, x: Tensor) -> Tensor:
        """Keep key and value of the newest tokens (B, 1, D), and return their query."""
        q, k, v = self._heads_of(x)  # (B, H, 1, D/H) each
        if not self.length:
            self.keys = k.new_empty(*k.shape[:2], 16, k.size(3))
            self.values = torch.empty_like(self.keys)
        elif self.length == self.keys.size(2):  # full: twice as much room
            more = torch.empty_like(self.keys)
            self.keys = torch.cat([self.keys, more], dim=2)
            self.values = torch.cat([self.values, more], dim=2)
        self.keys[:, :, self.length] = k[:, :, 0]
        self.values[:, :, self.length] = v[:, :, 0]
        self.length += 1
        return q

    def _heads_of(self, x: Tensor) -> Iterable[Tensor]:
        if not self.length:
            self.joined = side_by_side(self.query_proj, self.key_proj, self.value_proj)
        # One product for all three:
        return map(self.split_heads, F.linear(x, *self.joined).chunk(3, dim=-1))

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        if self.length:
            self.keys, self.values = self.keys[rows], self.values[rows]


class CachedGroupedAttention(CachedAttention, FusedGroupedAttention):
    r"""Attention that keeps keys and values for as many heads as it has of them.

    The queries that share a key become the rows of one product, as if they were
    several tokens: nothing is copied for them.

    Shape:
        As in :class:`CachedAttention`; inside, queries are :math:`(B, G, H/G, D/H)`,
        and keys and values :math:`(B, G, S, D/H)`.
    """

    def _heads_of(self, x: Tensor) -> Iterable[Tensor]:
        return map(self.split_heads, self.project(x, x, x))

    def split_heads(self, x: Tensor) -> Tensor:
        """Cut vectors into heads, those of queries (B, 1, D) by the key they share."""
        heads = x.unflatten(-1, (-1, self.d_head)).transpose(1, 2)
        return heads.reshape(len(x), self.kv_heads, -1, self.d_head)

    def merge_heads(self, x: Tensor) -> Tensor:
        """Join the heads of the one new token: (B, G, H/G, D/H) -> (B, 1, D)."""
        return x.flatten(1)[:, None]


class CountedPositions(PositionalEncoding):
    r"""Positions that go on counting from one call to the next.

    Args:
        d_model: numbers in the vector of one token, **D**.
        max_len: longest sentence in tokens.

    Shape:
        Input and output: :math:`(B, 1, D)`, the next token of each sentence.

    Raises:
        ValueError: if there are more calls than positions.

    Example:
        >>> positions = CountedPositions(d_model=2, max_len=10)
        >>> [positions(torch.zeros(1, 1, 2)).tolist() for _ in range(2)]
        [[[[0.0, 1.0]]], [[[0.841..., 0.540...]]]]

    Built in chapter 13.
    """

    seen: int = 0  # tokens of each sentence so far

    def forward(self, x: Tensor) -> Tensor:
        max_len = len(self.table)
        if self.seen == max_len:
            raise ValueError(
                f"A sentence of {max_len + 1} tokens is longer than max_len = "
                f"{max_len}; build the model with a larger max_len."
            )
        self.seen += 1
        return x + self.table[self.seen - 1]  # (B, 1, D) + (D)


class _Counted(nn.Module):
    """Goes on where the last call has ended."""

    start: int

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = super().forward(x)
        self.start += x.size(1)
        return found


class CountedRotary(_Counted, Rotary):
    """Rotary positions that go on counting from one call to the next."""


class CountedLearnedPositions(_Counted, LearnedPositionalEncoding):
    """Learned positions that go on counting from one call to the next."""


CACHED: dict[type[nn.Module], type[nn.Module]] = {
    **FUSED,
    MultiHeadAttention: CachedAttention,
    FusedAttention: CachedAttention,
    GroupedQueryAttention: CachedGroupedAttention,
    FusedGroupedAttention: CachedGroupedAttention,
    PositionalEncoding: CountedPositions,
    LearnedPositionalEncoding: CountedLearnedPositions,
    Rotary: CountedRotary,
    # The newest token may see all, which is all that the first asks; the second has
    # another table.
    BeginsWithPad: CachedAttention,
    HalvedSines: CountedPositions,
}
