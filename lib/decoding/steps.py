"""What greedy and beam search share: how a step is scored, how far they may go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from lib.masks import padding_mask
from lib.model import Transformer
from lib.today import LanguageModel


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
