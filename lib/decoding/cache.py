"""The cache: what earlier steps computed, kept so that a step reads one new token.

A copy of the model does it, with the same weights, whose attentions and positions
remember. So a step is `decode`, the very method that was trained, on the newest token.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.decoding.steps import NextTokenScorer
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.speed import (
    FUSED,
    FusedAttention,
    fuse,
    is_plain,
    mix_values,
    replace_leaves,
    side_by_side,
)


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
        if not self.length:
            self.joined = side_by_side(self.query_proj, self.key_proj, self.value_proj)
        parts = F.linear(x, *self.joined).chunk(3, dim=-1)  # one product for all three
        q, k, v = map(self.split_heads, parts)  # (B, H, 1, D/H) each
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

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        if self.length:
            self.keys, self.values = self.keys[rows], self.values[rows]


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


CACHED: dict[type[nn.Module], type[nn.Module]] = {
    **FUSED,
    MultiHeadAttention: CachedAttention,
    FusedAttention: CachedAttention,
    PositionalEncoding: CountedPositions,
}


class CachedScorer(NextTokenScorer):
    r"""Reads each token once, the newest one in every step.

    Keys and values of a token never change once it is written, because no token sees a
    later one (§3.2.3). So a copy of the model keeps them, and a step decodes the newest
    token alone.

    Args:
        model: the Transformer, in evaluation mode.
        src: token ids of the source sentences, padded.

    Shape:
        src: :math:`(B, S)`.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> scorer = CachedScorer(model.eval(), torch.tensor([[4, 5, 6]]))
        >>> scorer.step(torch.tensor([1])).shape
        torch.Size([1, 9])

    Built in chapter 13.
    """

    def __init__(self, model: Transformer, src: Tensor) -> None:
        super().__init__(fuse(model), src)
        self.model = replace_leaves(model, CACHED)
        self.own: list[CachedAttention] = []
        self.cross: list[CachedAttention] = []
        for name, part in self.model.decoder.named_modules():
            if isinstance(part, CachedAttention):
                if name.endswith("cross_attention"):
                    part.keep_memory(self.memory, self.src_mask)
                    self.cross.append(part)
                else:
                    self.own.append(part)

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each sentence (B), and score the next ones (B, V)."""
        return self.model.decode(ids[:, None], self.memory, self.src_mask)[:, 0]

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        self.memory, self.src_mask = self.memory[rows], self.src_mask[rows]
        for attention in (*self.own, *self.cross):
            attention.select(rows)

    def reorder(self, rows: Tensor) -> None:
        """Let each row go on from what another row of its sentence has read."""
        for attention in self.own:  # the source is the same, and stays where it is
            attention.select(rows)


def next_token_scorer(
    model: Transformer, src: Tensor, cached: bool | None
) -> NextTokenScorer:
    """Return a scorer with a cache, or one that reads everything again in each step.

    Args:
        model: the Transformer, in evaluation mode.
        src: token ids of the source sentences, padded.
        cached: True for the cache, False for none; None takes it where `decode` is the
            book's own and all that it calls is plain.

    Shape:
        src: :math:`(B, S)`.

    Raises:
        ValueError: if a cache is wanted for a model that has other pieces.
    """
    possible = can_be_cached(model)
    if cached and not possible:
        raise ValueError(
            "The cache knows the book's own layers alone, and this model has others, a "
            "hook, or a method of its own; decode it with cached=False."
        )
    if possible and cached is not False and src.size(1) and len(src):
        return CachedScorer(model, src)
    return NextTokenScorer(model, src)


def can_be_cached(model: Transformer) -> bool:
    """Tell whether each token may be decoded alone, by a copy that remembers.

    Args:
        model: any Transformer, or a class of one's own made from it.
    """
    parts = ("tgt_embedding", "positions", "dropout", "decoder", "output_proj")
    own = "decode" in vars(model) or type(model).decode is not Transformer.decode
    return not own and all(is_plain(getattr(model, part)) for part in parts)
