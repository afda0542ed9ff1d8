"""Decoding: from scores for the next word to a whole sentence."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from lib.masks import padding_mask
from lib.model import Transformer

__all__ = ["evaluating", "greedy_decode"]


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

    Built in chapter 9.
    """
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for part, training in modes.items():  # a frozen part stays frozen
            part.training = training


@torch.no_grad()
def greedy_decode(
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: int,
    max_len: int | None = None,
) -> Tensor:
    r"""Write each sentence word by word, always taking the likeliest next word.

    Args:
        model: a Transformer; it is put into evaluation mode while it writes.
        src: token ids of the source sentences, padded.
        sos_id: the id that every target begins with.
        eos_id: the id that ends a target.
        max_len: longest translation in tokens, ``<eos>`` included; if None, the length
            of the source plus 50 (§6.1), as far as the model has positions.

    Shape:
        - src: :math:`(B, S)`.
        - Output: :math:`(B, T)`, without ``<sos>``, with ``<eos>`` and then padding.

    Raises:
        ValueError: if ``src`` does not have two dimensions, or the model has fewer
            positions than ``max_len``.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> greedy_decode(model, torch.tensor([[4, 5, 6]]), 1, 2, max_len=3).shape[0]
        1

    Built in chapter 9.
    """
    limits = _length_limits(model, src, max_len)  # (B)
    pad_id = model.config.pad_id
    with evaluating(model):
        src_mask = padding_mask(src, pad_id)  # (B, 1, 1, S)
        memory = model.encode(src, src_mask)  # (B, S, D), computed once
        written = src.new_full((src.size(0), 1), sos_id)  # (B, 1)
        finished = torch.zeros_like(limits, dtype=torch.bool)  # (B)
        while not finished.all():
            logits = model.decode(written, memory, src_mask)[:, -1]  # (B, V)
            best = logits.argmax(dim=-1)  # (B)
            best = best.masked_fill(finished, pad_id)  # a finished sentence stays so
            # <sos> stands in `written`, and the new word does not yet: it is as long
            # as the translation is now.
            finished |= (best == eos_id) | (written.size(1) >= limits)
            written = torch.cat([written, best[:, None]], dim=1)
    return written[:, 1:]


def _length_limits(model: Transformer, src: Tensor, max_len: int | None) -> Tensor:
    """Return the most tokens each sentence may get; its neighbors do not matter."""
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
