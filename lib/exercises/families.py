"""The exercises of chapter 18: a gap, two texts in one, perplexity, who sees whom."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.forms import TEXT, pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise

Ids = list[int]


def _plain(got: Any) -> Parts:
    ids, labels = ([int(number) for number in part] for part in got)
    return Parts({"The list of ids": ids, "The list of labels": labels})


_PAIR = pair("two lists, the ids and the labels")


class _Itself(list[int]):
    """A list that an answer is handed itself, and not a copy of it."""


def _given_afterwards(answer: Any, ids: Ids, *more: int) -> tuple[Ids, Ids]:
    given = _Itself(ids)
    _, labels = answer(given, *more)
    return given, labels


def _texts(draw: Draw) -> Cases:
    yield case([1, 7, 8, 9, 2], 2, 5, 0)
    what = "The list that was handed in, afterwards"
    yield case([1, 7, 8, 9, 2], 2, 5, 0, what=what, use=_given_afterwards)
    yield case(draw.ids(6, 99, 7).tolist(), draw.randint(1, 6), 5, draw.randint(1, 3))


@exercise(_texts, form=_PAIR, read=_plain)
def hide(ids: Ids, place: int, mask_id: int, pad_id: int) -> tuple[Ids, Ids]:
    """A text with a gap, and what is asked."""
    text, labels = list(ids), [pad_id] * len(ids)
    text[place], labels[place] = mask_id, ids[place]
    return text, labels


Marks = tuple[int, int, int, int]


def _pairs(draw: Draw) -> Cases:
    marks = (1, 4, 2, 0)
    yield case([7, 8], [9, 10, 11], marks, what="one_text([7, 8], [9, 10, 11], …)")
    source, target = (draw.ids(6, 99, length).tolist() for length in (3, 5))
    yield case(source, target, tuple(draw.sample(range(1, 6), 4)))


@exercise(_pairs, form=_PAIR, read=_plain)
def one_text(source: Ids, target: Ids, marks: Marks) -> tuple[Ids, Ids]:
    """A pair as one text, and its labels, which ask for the target."""
    sos, sep, eos, pad = marks
    silent = [pad] * (len(source) + 1)
    return [sos, *source, sep, *target], [*silent, *target, eos]


def _guesses(draw: Draw) -> Cases:
    even = torch.zeros(1, 3, 5)
    yield case(even, torch.tensor([[1, 2, 3]]), 0, what="perplexity of an even guess")
    pad = draw.randint(1, 6)
    labels = (pad + draw.ids(1, 6, 3, 5)) % 7  # never pad
    labels[0, -draw.randint(1, 4) :] = pad
    labels[1, 0] = 0  # which is a word here
    yield case(2 * draw.normal(3, 5, 7), labels, pad)


@exercise(_guesses, read=float, atol=1e-3)
def perplexity(logits: Tensor, labels: Tensor, pad_id: int) -> float:
    """How many words it hesitates among: logits (B, T, V), labels (B, T)."""
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    return loss.exp().item()


Run = Callable[[Tensor], Tensor]


def _looks_back(ids: Tensor) -> Tensor:
    """Scores that depend on the token itself and on those before it."""
    return torch.sin(ids.double()).cumsum(0)[:, None] * torch.arange(1.0, 4.0)


def _looks_around(ids: Tensor) -> Tensor:
    whole = torch.sin(ids.double()).sum() - torch.sin(ids.double())
    return whole[:, None] * torch.arange(1.0, 4.0)


def _looks_ahead(ids: Tensor, by: int = 1, share: float = 1.0) -> Tensor:
    """Only place 1 sees a later token, and in one score alone."""
    scores = _looks_back(ids)
    scores[1, 1] += share * torch.cos(ids[1 + by].double())
    return scores


def _models(draw: Draw) -> Cases:
    ids = torch.tensor([3, 5, 8, 2])
    yield case(_looks_around, ids, what="family of a model that sees all")
    yield case(_looks_back, ids, what="family of a model under the causal mask")
    longer = draw.ids(1, 9, 6)
    yield case(_looks_ahead, longer, what="family of a model that sees one ahead")
    run = partial(_looks_ahead, by=3)
    yield case(run, longer, what="family of a model that sees three ahead")
    yield case(_looks_back, longer, what="family of a model under the causal mask")
    run = partial(_looks_ahead, share=0.001)
    yield case(run, ids, what="family of a model that hardly sees one ahead")


@exercise(_models, form=TEXT)
def family(run: Run, ids: Tensor) -> str:
    """A decoder, if no output (T, V) moves with a later token (T)."""
    for place in range(1, len(ids)):
        changed = ids.clone()
        changed[place] += 1
        moved = (run(changed) - run(ids)).abs() > 1e-6
        if moved[:place].any():
            return "encoder"
    return "decoder"
