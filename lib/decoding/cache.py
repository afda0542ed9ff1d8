"""How a step is scored: each token read again, or the newest one by what remembers.

A copy of the model does that, with the same weights, whose attentions and positions
remember. So a step is `decode`, the very method that was trained, on the newest token.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.masks import padding_mask
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.speed import (
    FUSED,
    FusedAttention,
    FusedGroupedAttention,
    fuse,
    is_plain,
    mix_values,
    replace_leaves,
    side_by_side,
)
from lib.today import (
    GroupedQueryAttention,
    LanguageModel,
    LearnedPositionalEncoding,
    Rotary,
)
from lib.today.families import BeginsWithPad, HalvedSines


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


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch dropout off inside a ``with`` block, and each part back to what it was.

    Args:
        model: any module.

    Example:
        >>> model = nn.Dropout(0.5)
        >>> with evaluating(model):
        ...     model.training
        False
        >>> model.training
        True
    """
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for part, training in modes.items():  # a frozen part stays frozen
            part.training = training


class NextTokenScorer:
    r"""Scores the next token of each sentence, reading all the earlier ones again.

    It is slow, and right for every model.

    Args:
        model: the Transformer, in evaluation mode.
        src: token ids of the source sentences, padded.

    Shape:
        src: :math:`(B, S)`.
    """

    def __init__(self, model: Transformer, src: Tensor) -> None:
        self.model = model
        self.src_mask = padding_mask(src, model.config.pad_id)  # (B, 1, 1, S)
        self.memory = model.encode(src, self.src_mask)  # (B, S, D), computed once
        self.written = src.new_empty(len(src), 0)

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each sentence (B), and score the next ones (B, V)."""
        self.written = torch.cat([self.written, ids[:, None]], dim=1)  # (B, T)
        return self.model.decode(self.written, self.memory, self.src_mask)[:, -1]

    def select(self, rows: Tensor) -> None:
        """Go on with these sentences alone, in this order; one may stand twice."""
        self.memory, self.src_mask = self.memory[rows], self.src_mask[rows]
        self.reorder(rows)

    def reorder(self, rows: Tensor) -> None:
        """Let each row go on from what another row of its sentence has read."""
        self.written = self.written[rows]


class TextScorer:
    r"""Scores the next token of each text, reading all the earlier ones again.

    Args:
        model: a causal language model, in evaluation mode.
        begun: token ids of the beginnings, of which only their number counts.

    Shape:
        begun: :math:`(B, P)`.
    """

    def __init__(self, model: LanguageModel, begun: Tensor) -> None:
        self.model = model
        self.written = begun[:, :0]

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each text (B), and score the next ones (B, V)."""
        self.written = torch.cat([self.written, ids[:, None]], dim=1)  # (B, T)
        return self.model(self.written)[:, -1]

    def select(self, rows: Tensor) -> None:
        """Go on with these texts alone, in this order; one may stand twice."""
        self.written = self.written[rows]


def length_limits(model: Transformer, src: Tensor, max_len: int | None) -> Tensor:
    """Return the most tokens each sentence may get; its neighbors do not matter.

    Args:
        model: the Transformer, whose positions end somewhere.
        src: token ids of the source sentences, padded.
        max_len: one limit for all; None for the length of the source plus 50 (§6.1).

    Shape:
        - src: :math:`(B, S)`.
        - Output: :math:`(B)`.

    Raises:
        ValueError: if ``src`` does not have two dimensions, or the model has fewer
            positions than ``max_len``.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> length_limits(model, torch.tensor([[4, 5, 0]]), None)
        tensor([52])
    """
    if src.dim() != 2 or not src.size(1):
        raise ValueError(
            f"src must have shape (B, S) with S at least 1, but got {tuple(src.shape)}."
        )
    positions = model.config.max_len
    if max_len is None:
        return ((src != model.config.pad_id).sum(dim=1) + 50).clamp(max=positions)
    if not 1 <= max_len <= positions:
        raise ValueError(
            f"max_len must lie between 1 and the model's {positions} positions, but it "
            f"is {max_len}."
        )
    return torch.full((src.size(0),), max_len, device=src.device)


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
        >>> import torch
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


class CachedTextScorer(TextScorer):
    r"""Reads each token of a text once, the newest one in every step.

    Args:
        model: a causal language model, in evaluation mode.
        begun: token ids of the beginnings, of which only their number counts.

    Shape:
        begun: :math:`(B, P)`.

    Example:
        >>> import torch
        >>> from lib.today import LanguageConfig
        >>> model = LanguageModel(LanguageConfig(9, d_model=8, n_heads=2)).eval()
        >>> scorer = CachedTextScorer(model, torch.tensor([[1]]))
        >>> scorer.step(torch.tensor([1])).shape
        torch.Size([1, 9])
    """

    def __init__(self, model: LanguageModel, begun: Tensor) -> None:
        super().__init__(replace_leaves(model, CACHED), begun)
        parts = self.model.modules()
        self.own = [part for part in parts if isinstance(part, CachedAttention)]

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each text (B), and score the next ones (B, V)."""
        return self.model(ids[:, None])[:, 0]

    def select(self, rows: Tensor) -> None:
        """Go on with these texts alone, in this order; one may stand twice."""
        for attention in self.own:
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
    if _with_cache(model, cached) and src.size(1) and len(src):
        return CachedScorer(model, src)
    return NextTokenScorer(model, src)


def text_scorer(model: LanguageModel, begun: Tensor, cached: bool | None) -> TextScorer:
    """Return the same for a language model and the beginnings of texts (B, P)."""
    return (CachedTextScorer if _with_cache(model, cached) else TextScorer)(
        model, begun
    )


def _with_cache(model: Transformer | LanguageModel, wanted: bool | None) -> bool:
    possible = can_be_cached(model)
    if wanted and not possible:
        raise ValueError(
            "The cache knows the book's own layers alone, and this model has others, a "
            "hook, or a method of its own; decode it with cached=False."
        )
    return possible and wanted is not False


def can_be_cached(model: Transformer | LanguageModel) -> bool:
    """Tell whether each token may be decoded alone, by a copy that remembers.

    Args:
        model: any Transformer, or a class of one's own made from it; or a language
            model.
    """
    if isinstance(model, LanguageModel):
        return model.config.causal and is_plain(model)
    parts = ("tgt_embedding", "positions", "dropout", "decoder", "output_proj")
    own = "decode" in vars(model) or type(model).decode is not Transformer.decode
    return not own and all(is_plain(getattr(model, part)) for part in parts)
