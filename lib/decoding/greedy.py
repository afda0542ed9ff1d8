"""Greedy decoding: always the likeliest next word."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from lib.decoding.cache import next_token_scorer
from lib.decoding.steps import evaluating, length_limits
from lib.model import Transformer


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

    Built in chapter 13.
    """

    def likeliest(scores: Tensor, _rows: Tensor) -> Tensor:
        return scores.argmax(dim=-1)

    return write_by(likeliest, model, src, sos_id, eos_id, max_len, cached)


def write_by(
    choose: Callable[[Tensor, Tensor], Tensor],
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: int,
    max_len: int | None,
    cached: bool | None,
) -> Tensor:
    """Write by a choice among scores (B, V), for these rows (B) of the batch."""
    limits = length_limits(model, src, max_len)  # (B)
    if not len(src):
        return src.new_empty(0, 0)
    pad_id, longest = model.config.pad_id, int(limits.max())
    never = torch.tensor([pad_id, sos_id], device=src.device)
    written = src.new_full((len(src), longest), pad_id)  # (B, T)
    steps = 0
    with evaluating(model), torch.inference_mode():
        scorer = next_token_scorer(model, src, cached)
        rows = torch.arange(len(src), device=src.device)  # those still in the batch
        newest = torch.full_like(rows, sos_id)
        going = torch.ones_like(rows, dtype=torch.bool)
        while going.any():
            scores = scorer.step(newest).index_fill(1, never, -torch.inf)  # (B, V)
            newest = choose(scores, rows).where(going, pad_id)
            written[rows, steps] = newest
            steps += 1
            going &= (newest != eos_id) & (steps < limits[rows])
            if 2 * going.sum() < len(going):  # most are finished: leave them out
                rows, newest = rows[going], newest[going]
                scorer.select(going.nonzero().flatten())
                going = going[going]
    return written[:, :steps].clone()
