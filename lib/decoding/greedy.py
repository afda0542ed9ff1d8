"""Greedy decoding: always the likeliest next word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lib.decoding.cache import next_token_scorer
from lib.decoding.steps import (
    NextTokenScorer,
    TextScorer,
    evaluating,
    length_limits,
)
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


Choice = Callable[[Tensor, Tensor], Tensor]
"""Takes scores (B, V) and which rows of the batch they are of (B); gives words (B)."""


def write_by(
    choose: Choice,
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: int,
    max_len: int | None,
    cached: bool | None,
) -> Tensor:
    """Write translations by a choice among scores, as :func:`greedy_decode` gives."""
    limits = length_limits(model, src, max_len)  # (B)
    if not len(src):
        return src.new_empty(0, 0)
    pad_id = model.config.pad_id
    with evaluating(model), torch.inference_mode():
        scorer = next_token_scorer(model, src, cached)
        begun = src.new_full((len(src), 1), sos_id)
        written = write_on(choose, scorer, begun, limits, eos_id, [pad_id, sos_id])
        return written.masked_fill(written < 0, pad_id)


def write_on(
    choose: Choice,
    scorer: NextTokenScorer | TextScorer,
    begun: Tensor,
    limits: Tensor,
    eos_id: int,
    never: Sequence[int],
) -> Tensor:
    """Write behind what is begun; a row is read along while it has tokens of its own.

    Args:
        choose: chooses each next word.
        scorer: reads one token of each row, and scores the next ones.
        begun: token ids (B, P), each row with one or more and -1 behind them.
        limits: most tokens behind the first of each row (B), those begun included.
        eos_id: what ends a row where it is chosen; -1 if nothing does.
        never: ids that are never chosen.

    Returns:
        All tokens behind the first ones (B, T), and -1 behind each row.
    """
    longest = max(int(limits.max()), begun.size(1) - 1)
    written = begun.new_full((len(begun), longest), -1)  # (B, T)
    written[:, : begun.size(1) - 1] = begun[:, 1:]
    hidden, steps = begun.new_tensor(never), 0
    rows = torch.arange(len(begun), device=begun.device)  # those still in the batch
    newest = begun[:, 0]
    going = torch.ones_like(rows, dtype=torch.bool)
    while going.any():
        scores = scorer.step(newest).index_fill(1, hidden, -torch.inf)  # (B, V)
        told = written[rows, steps]
        chosen = choose(scores, rows)
        newest = told.where(told >= 0, chosen)
        written[rows, steps] = newest.where(going, -1)
        steps += 1
        going &= ((newest != eos_id) | (told >= 0)) & (steps < limits[rows])
        if 2 * going.sum() < len(going):  # most are finished: leave them out
            rows, newest = rows[going], newest[going]
            scorer.select(going.nonzero().flatten())
            going = going[going]
    return written[:, :steps].clone()
