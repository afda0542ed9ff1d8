"""Greedy decoding and beam search: what is written is what is likely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lib.decoding.cache import (
    NextTokenScorer,
    TextScorer,
    evaluating,
    length_limits,
    next_token_scorer,
)
from lib.model import Transformer
from lib.text.reading import check_beam

Ends = int | Sequence[int]
"""What ends a text where it is written: an id, or each of several."""


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
    eos_id: Ends,
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
    eos_id: Ends,
    never: Sequence[int],
) -> Tensor:
    """Write behind what is begun; a row is read along while it has tokens of its own.

    Args:
        choose: chooses each next word.
        scorer: reads one token of each row, and scores the next ones.
        begun: token ids (B, P), each row with one or more and -1 behind them.
        limits: most tokens behind the first of each row (B), those begun included.
        eos_id: what ends a row where it is chosen; nothing does if there is none.
        never: ids that are never chosen.

    Returns:
        All tokens behind the first ones (B, T), and -1 behind each row.
    """
    longest = max(int(limits.max()), begun.size(1) - 1)
    written = begun.new_full((len(begun), longest), -1)  # (B, T)
    written[:, : begun.size(1) - 1] = begun[:, 1:]
    ends, hidden, steps = begun.new_tensor(_several(eos_id)), begun.new_tensor(never), 0
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
        goes_on = (newest[:, None] != ends).all(dim=1) | (told >= 0)
        going &= goes_on & (steps < limits[rows])
        if 2 * going.sum() < len(going):  # most are finished: leave them out
            rows, newest = rows[going], newest[going]
            scorer.select(going.nonzero().flatten())
            going = going[going]
    return written[:, :steps].clone()


def _several(eos_id: Ends) -> list[int]:
    """Return the ids that end a text, be they one or more."""
    return list(eos_id) if isinstance(eos_id, Sequence) else [eos_id]


class Hypothesis(NamedTuple):
    """One finished translation of a sentence.

    Args:
        ids: its tokens, ``<eos>`` included unless the limit came first.
        score: its log-probability divided by the length penalty.
    """

    ids: list[int]
    score: float


def length_norm(length: int, length_penalty: float) -> float:
    r"""Return what the log-probability of a translation is divided by.

    .. math:: \left(\frac{5 + \mathit{length}}{6}\right)^{\alpha}

    The rule of Wu et al. (2016), which the paper uses with α = 0.6 (§6.1).

    Args:
        length: tokens of the translation.
        length_penalty: α; 0 leaves the log-probability as it is.

    Example:
        >>> length_norm(7, length_penalty=1.0)
        2.0

    Built in chapter 13.
    """
    return ((5 + length) / 6) ** length_penalty


@torch.inference_mode()
def beam_search(
    model: Transformer,
    src: Tensor,
    sos_id: int,
    eos_id: Ends,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    n_best: int = 1,
    max_len: int | None = None,
    cached: bool | None = None,
) -> list[list[Hypothesis]]:
    r"""Keep the likeliest beginnings of each sentence, and finish the best (§6.1).

    A sentence is done when as many translations have ended as its beam is wide, or when
    no open one can become better than the ``n_best`` that ended.

    Args:
        model: a Transformer; it is put into evaluation mode while it writes.
        src: token ids of the source sentences, padded.
        sos_id: the id that every target begins with.
        eos_id: the id that ends a target, or several.
        beam_size: beginnings that are kept for each sentence.
        length_penalty: α of :func:`length_norm`; more favors longer translations.
        n_best: translations to give back for each sentence.
        max_len: longest translation in tokens, ``<eos>`` included; if None, the length
            of the source plus 50, as far as the model has positions.
        cached: as in :func:`greedy_decode`.

    Shape:
        src: :math:`(B, S)`.

    Returns:
        For each sentence its best hypotheses, the best first.

    Raises:
        ValueError: if a size is impossible; the message names it.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> found = beam_search(model, torch.tensor([[4, 5]]), 1, 2, 3, n_best=2)
        >>> [len(hypotheses) for hypotheses in found]
        [2]
    """
    check_beam(beam_size, length_penalty, model.config.tgt_vocab_size)
    if not 1 <= n_best <= beam_size:
        raise ValueError(
            f"n_best must lie between 1 and beam_size = {beam_size}, but it is "
            f"{n_best}."
        )
    limits = length_limits(model, src, max_len).tolist()
    beams = [_Beam(limit, beam_size, length_penalty, n_best) for limit in limits]
    if not beams:
        return []
    with evaluating(model):
        scorer = next_token_scorer(model, src, cached)
        rows = torch.arange(len(src), device=src.device).repeat_interleave(beam_size)
        scorer.select(rows)  # (B * K) beginnings from here on, K for each sentence
        newest = src.new_full((len(rows),), sos_id)
        scores = torch.full((len(src), beam_size), -torch.inf, device=src.device)
        scores[:, 0] = 0.0  # all beginnings are alike so far, so one of them counts
        never = torch.tensor([model.config.pad_id, sos_id], device=src.device)
        open_beams = beams
        while True:
            logits = scorer.step(newest).float().contiguous()  # (B * K, V)
            logits = logits.index_fill(1, never, -torch.inf)
            grown = _grow(open_beams, logits, scores, _several(eos_id))
            going = [number for number, beam in enumerate(open_beams) if not beam.done]
            open_beams = [open_beams[number] for number in going]
            if not open_beams:
                break
            kept = [grown[number] for number in going]
            parents = [
                number * beam_size + parent
                for number, choices in zip(going, kept, strict=True)
                for parent, _, _ in choices
            ]
            move = scorer.reorder if len(going) == len(grown) else scorer.select
            move(torch.tensor(parents, device=src.device))
            newest = src.new_tensor([t for choices in kept for _, t, _ in choices])
            scores = scores.new_tensor([[s for _, _, s in choices] for choices in kept])
    return [beam.best() for beam in beams]


def _grow(
    beams: list[_Beam], logits: Tensor, scores: Tensor, ends: list[int]
) -> list[list[_Choice]]:
    """Let each beam choose among the likeliest next tokens of its beginnings."""
    beam_size = scores.size(1)
    steps = logits.log_softmax(dim=-1).view(*scores.shape, -1)  # (B, K, V)
    totals = (scores[:, :, None] + steps).flatten(1)  # (B, K * V)
    # Twice as many as needed, since half of them may end; more if there are more ends.
    best, places = totals.topk((1 + len(ends)) * beam_size, dim=-1)  # (B, (1 + E) * K)
    return [
        beam.grow(values, numbers, steps.size(-1), ends)
        for beam, values, numbers in zip(
            beams, best.tolist(), places.tolist(), strict=True
        )
    ]


_Choice = tuple[int, int, float]  # which beginning, the token behind it, their score


class _Beam:
    """The beginnings of one sentence, and the translations that have ended."""

    def __init__(
        self, limit: int, size: int, length_penalty: float, n_best: int
    ) -> None:
        self.limit, self.size, self.n_best = limit, size, n_best
        self.length_penalty = length_penalty
        self.beginnings: list[list[int]] = [[] for _ in range(size)]
        self.ended: list[Hypothesis] = []
        self.done = False

    def grow(
        self, scores: list[float], places: list[int], words: int, ends: list[int]
    ) -> list[_Choice]:
        """Add a token to the best beginnings, and put those that end aside."""
        going: list[_Choice] = []
        for rank, (score, place) in enumerate(zip(scores, places, strict=True)):
            parent, token = divmod(place, words)
            if score == -torch.inf:
                break
            if token not in ends:
                going.append((parent, token, score))
            elif rank < self.size:  # an end must be among the best, as all others
                self._end([*self.beginnings[parent], token], score)
            if len(going) == self.size:
                break
        self.beginnings = [[*self.beginnings[p], token] for p, token, _ in going]
        self._close(going)
        # Too few at the very first step: the last one again, with no chance to win.
        while len(going) < self.size:
            parent, token, _ = going[-1] if going else (0, ends[0], 0.0)
            going.append((parent, token, -torch.inf))
            self.beginnings.append([])
        return going

    def _end(self, ids: list[int], score: float) -> None:
        norm = length_norm(len(ids), self.length_penalty)
        self.ended.append(Hypothesis(ids, score / norm))

    def _close(self, going: list[_Choice]) -> None:
        length = len(self.beginnings[0]) if going else self.limit
        if length >= self.limit:
            for ids, (_, _, score) in zip(self.beginnings, going, strict=True):
                self._end(ids, score)
            self.done = True
        elif len(self.ended) >= self.size:
            self.done = True
        elif len(self.ended) >= self.n_best:
            # Scores only fall, and the penalty is mildest at the limit.
            hope = going[0][2] / length_norm(self.limit, self.length_penalty)
            self.done = self.best()[-1].score >= hope

    def best(self) -> list[Hypothesis]:
        """Return the best translations that have ended, the best first."""
        order = sorted(self.ended, key=lambda found: -found.score)
        return order[: self.n_best]
