"""Greedy decoding: always the likeliest next word."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.decoding.readers import evaluating, length_limits, open_reader
from lib.model import Transformer

__all__ = ["greedy_decode"]


@torch.no_grad()
def greedy_decode(
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: int,
    max_len: int | None = None,
    cached: bool | None = None,
) -> Tensor:
    r"""Write each sentence word by word, always taking the likeliest next word.

    Args:
        model: a Transformer; it is put into evaluation mode while it writes.
        src: token ids of the source sentences, padded.
        sos_id: the id that every target begins with.
        eos_id: the id that ends a target.
        max_len: longest translation in tokens, ``<eos>`` included; if None, the length
            of the source plus 50 (§6.1), as far as the model has positions.
        cached: True to keep keys and values between the steps, False to compute them
            again; None keeps them where the model is made of the book's own pieces.

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
    limits = length_limits(model, src, max_len)  # (B)
    pad_id = model.config.pad_id
    with evaluating(model):
        reader = open_reader(model, src, _longest(limits), cached)
        newest = src.new_full((len(src),), sos_id)  # (B)
        written: list[Tensor] = []
        finished = torch.zeros_like(limits, dtype=torch.bool)  # (B)
        while not finished.all():
            newest = reader.step(newest).argmax(dim=-1)  # (B)
            newest = newest.masked_fill(finished, pad_id)  # a finished one stays so
            written.append(newest)
            finished |= (newest == eos_id) | (len(written) >= limits)
    return torch.stack(written, dim=1) if written else src.new_empty(len(src), 0)


def _longest(limits: Tensor) -> int:
    return int(limits.max()) if len(limits) else 1
