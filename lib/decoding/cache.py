"""The cache: what earlier steps computed, kept so that a step reads one new token.

A twin of the model's decoder does it: the same layers with the same weights, whose
attentions remember. So a step runs the very layers that were trained.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.masks import padding_mask
from lib.model import Transformer
from lib.speed import (
    Blocks,
    FusedAttention,
    changed_part,
    exchange,
    fuse,
    overwritten,
)


def can_be_cached(model: nn.Module) -> bool:
    """Tell whether a model's decoder is made of the book's own pieces, unchanged."""
    if type(model) is not Transformer or overwritten() or "decode" in vars(model):
        return False
    parts = ("tgt_embedding", "positions", "decoder", "output_proj")
    return changed_part(model, *parts) is None


class CachedAttention(FusedAttention):
    r"""Attention that keeps its keys and values from step to step.

    In self-attention it is given the newest token of each sentence, adds its key and
    value to those of the earlier ones, and attends to all of them. In cross-attention
    the memory is the same in every step, so its keys and values are computed once.

    Args:
        d_model: numbers in the vector of one token, **D**.
        n_heads: number of heads, **H**; must divide ``d_model``.

    Shape:
        - query: :math:`(B, 1, D)`, one new token for each sentence; key and value: the
          same, or the memory :math:`(B, S, D)`.
        - Output: :math:`(B, 1, D)`; the weights are :math:`(0)`.

    Raises:
        TypeError: if it is given sentences end to end, as :class:`Blocks`.

    Example:
        >>> attention = CachedAttention(d_model=8, n_heads=2)
        >>> attention.make_room(batch_size=1, room=5)
        >>> token = torch.ones(1, 1, 8)
        >>> attention(token, token, token)[0].shape
        torch.Size([1, 1, 8])

    Built in chapter 12.
    """

    keys: Tensor  # (B, H, room, D/H); of a memory (B, H, S, D/H)
    values: Tensor
    length: int  # tokens that are kept
    room: int  # tokens that can be kept; 0 for those of a memory

    def make_room(self, batch_size: int, room: int) -> None:
        """Keep nothing yet, in one stretch of memory for so many tokens."""
        weight = self.key_proj.weight
        d_head = weight.size(0) // self.n_heads
        shape = batch_size, self.n_heads, room, d_head
        self.keys = weight.new_empty(shape)
        self.values = torch.empty_like(self.keys)
        self.length, self.room = 0, room
        # Side by side, once for all steps: one product makes all three.
        maps = self.query_proj, self.key_proj, self.value_proj
        self.weight = torch.cat([each.weight for each in maps])
        self.bias = torch.cat([each.bias for each in maps])

    def keep_memory(self, memory: Tensor) -> None:
        """Compute the keys and values of a memory (B, S, D), once for all steps."""
        keys = self.split_heads(self.key_proj(memory))
        values = self.split_heads(self.value_proj(memory))
        # They are read in every step: in one stretch of memory that is faster.
        self.keys = keys.contiguous()
        self.values = values.contiguous()
        self.length, self.room = memory.size(1), 0

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | Blocks | None = None,
    ) -> tuple[Tensor, Tensor]:
        if isinstance(mask, Blocks):
            raise TypeError("The cache reads one token of each sentence, not Blocks.")
        if self.room:
            joined = F.linear(query, self.weight, self.bias)
            parts = joined.chunk(3, dim=-1)
            q, k, v = map(self.split_heads, parts)  # (B, H, 1, D/H) each
            place = self.length
            self.keys[:, :, place : place + 1] = k
            self.values[:, :, place : place + 1] = v
            self.length += 1
        else:
            q = self.split_heads(self.query_proj(query))  # (B, H, 1, D/H)
        keys = self.keys[:, :, : self.length]
        values = self.values[:, :, : self.length]
        heads = F.scaled_dot_product_attention(q, keys, values, mask)
        x = self.output_proj(self.merge_heads(heads))
        return x, query.new_empty(0)  # no weights

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        self.keys = self.keys[rows]
        self.values = self.values[rows]

    def reorder(self, rows: Tensor) -> None:
        """Let each row go on from what another row has kept, in the same memory."""
        for kept in (self.keys, self.values):
            past = kept[rows, :, : self.length]
            kept[:, :, : self.length] = past


class DecoderCache:
    r"""A decoder that reads its own words once each, the newest one in every step.

    Keys and values of a token never change once it is written, because no token sees a
    later one (§3.2.3). So a twin of the decoder keeps them, and a step sends the newest
    token alone through the same layers.

    Args:
        model: the Transformer; it should be in evaluation mode.
        src: token ids of the source sentences, padded.
        room: most steps that will be made.

    Shape:
        src: :math:`(B, S)`.

    Raises:
        ValueError: if a step is made beyond ``room``, or ``room`` beyond the positions
            of the model.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> cache = DecoderCache(model.eval(), torch.tensor([[4, 5, 6]]), room=5)
        >>> cache.step(torch.tensor([1])).shape
        torch.Size([1, 9])

    Built in chapter 12.
    """

    def __init__(self, model: Transformer, src: Tensor, room: int) -> None:
        positions = len(model.positions.table)
        if not 1 <= room <= positions:
            raise ValueError(
                f"room must lie between 1 and the model's {positions} positions, but "
                f"it is {room}."
            )
        self.model = fuse(model)
        self.model.decoder = exchange(self.model.decoder, _cache)
        src_mask = padding_mask(src, model.config.pad_id)  # (B, 1, 1, S)
        self.memory = self.model.encode(src, src_mask)  # (B, S, D)
        # Without padding there is nothing to hide, and attention is faster.
        self.src_mask = None if bool(src_mask.all()) else src_mask
        self.length, self.room = 0, room
        self.own: list[CachedAttention] = []
        self.cross: list[CachedAttention] = []
        for name, part in self.model.decoder.named_modules():
            if isinstance(part, CachedAttention):
                if name.endswith("cross_attention"):
                    part.keep_memory(self.memory)
                    self.cross.append(part)
                else:
                    part.make_room(len(src), room)
                    self.own.append(part)

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each sentence (B), and score the next ones (B, V)."""
        if self.length == self.room:
            raise ValueError(f"The cache has room for {self.room} steps and no more.")
        model = self.model
        position = model.positions.table[self.length]  # (D)
        x = model.tgt_embedding(ids[:, None]) + position  # (B, 1, D)
        self.length += 1
        # No mask: only what is written so far is kept. The memory is kept too.
        x = model.decoder(x, self.memory, None, self.src_mask)
        return model.output_proj(x[:, 0])  # (B, V)

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        if self.src_mask is not None:
            self.src_mask = self.src_mask[rows]
        for attention in (*self.own, *self.cross):
            attention.select(rows)

    def reorder(self, rows: Tensor) -> None:
        """Let each row go on from what another row of its sentence has read."""
        for attention in self.own:  # the source is the same, and stays where it is
            attention.reorder(rows)


def _cache(part: nn.Module) -> None:
    if type(part) in (MultiHeadAttention, FusedAttention):
        part.__class__ = CachedAttention
