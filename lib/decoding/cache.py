"""The cache: what earlier steps computed, kept so that a step reads one new token.

A copy of the model does it, with the same weights, whose attentions and positions
remember. So a step is `decode`, the very method that was trained, on the newest token.
"""

from __future__ import annotations

from torch import Tensor

from lib.decoding.leaves import CACHED, CachedAttention
from lib.decoding.steps import NextTokenScorer, TextScorer
from lib.model import Transformer
from lib.speed import fuse, is_plain, replace_leaves
from lib.today import LanguageModel


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
