"""The exercises of chapter 18: a gap, two texts in one, perplexity, who sees whom."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.forms import TEXT, pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise

Ids = list[int]


def _plain(got: Any) -> Parts:
    ids, labels = ([int(number) for number in part] for part in got)
    return Parts({"The ids": ids, "The labels": labels})


_PAIR = pair("two lists, the ids and the labels")


def _hide(ids: Ids, place: int, mask_id: int, pad_id: int) -> tuple[Ids, Ids]:
    labels = [pad_id] * len(ids)
    labels[place] = ids[place]
    return [*ids[:place], mask_id, *ids[place + 1 :]], labels


@exercise(
    "All other places ask for nothing: what they show is no secret.",
    right=_hide,
    form=_PAIR,
    read=_plain,
)
def hide(draw: Draw) -> Cases:
    """`hide(ids, place, mask_id, pad_id)`: a text with a gap, and what is asked."""
    yield case([1, 7, 8, 9, 2], 2, 5, 0)
    ids = [draw.randint(6, 99) for _ in range(draw.randint(4, 9))]
    yield case(ids, draw.randint(1, len(ids) - 1), 5, draw.randint(0, 3))


hide.slips = {
    "The word can still be read: put mask_id in its place.": (
        lambda ids, *rest: (ids, _hide(ids, *rest)[1])
    ),
    "Only the gap asks for a word: all other labels are pad_id.": (
        lambda ids, *rest: (_hide(ids, *rest)[0], ids)
    ),
    "The label has to be the word that was hidden, not the mask.": (
        lambda ids, place, mask_id, pad_id: (
            _hide(ids, place, mask_id, pad_id)[0],
            _hide([mask_id] * len(ids), place, mask_id, pad_id)[1],
        )
    ),
    "The label belongs to the place of the gap itself: here nothing is shifted.": (
        lambda ids, *rest: (
            _hide(ids, *rest)[0],
            [*_hide(ids, *rest)[1][1:], rest[-1]],
        )
    ),
}

Marks = tuple[int, int, int, int]


def _one_text(
    source: Ids, target: Ids, marks: Marks, *, shift: int = 1, free: int | None = None
) -> tuple[Ids, Ids]:
    """The text and its labels; the options make what people get wrong."""
    sos, sep, eos, pad = marks
    text = [sos, *source, sep, *target, eos]
    asked = text[shift:] if shift else text[:-1]
    silent = len(source) + 1 if free is None else free
    return text[:-1], [pad] * silent + asked[silent:]


@exercise(
    "The separator is the first place that is asked: for the first word of the target.",
    right=_one_text,
    form=_PAIR,
    read=_plain,
)
def one_text(draw: Draw) -> Cases:
    """`one_text(source, target, marks)`: a pair as one text, loss on the target."""
    marks = (1, 4, 2, 0)
    yield case([7, 8], [9, 10, 11], marks, what="one_text([7, 8], [9, 10, 11], …)")
    source, target = (
        [draw.randint(6, 99) for _ in range(draw.randint(2, 7))] for _ in range(2)
    )
    yield case(source, target, marks)


one_text.slips = {
    "The leak: each place is asked for the token that it reads. Labels are one place "
    "ahead.": lambda source, target, marks: _one_text(source, target, marks, shift=0),
    "The source is asked for too: its labels should be the padding's id.": (
        lambda source, target, marks: _one_text(source, target, marks, free=0)
    ),
    "The first word of the target is never asked for: it is the label at the "
    "separator.": lambda source, target, marks: _one_text(
        source, target, marks, free=len(source) + 2
    ),
    "The last label should be the end, or the model never learns to stop.": (
        lambda source, target, marks: tuple(
            part[:-1] for part in _one_text(source, target, marks)
        )
    ),
}


def _perplexity(logits: Tensor, labels: Tensor, pad_id: int) -> float:
    """`exp` of the mean cross-entropy, by PyTorch's own."""
    loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    return loss.exp().item()


def _by_text(logits: Tensor, labels: Tensor, pad_id: int) -> float:
    pairs = zip(logits.split(1), labels.split(1), strict=True)
    each = [_perplexity(*pair, pad_id) for pair in pairs]
    return sum(each) / len(each)


@exercise(
    "Sure and right everywhere it is 1; with a guess among V words it is V.",
    right=_perplexity,
    read=float,
    atol=1e-3,
)
def perplexity(draw: Draw) -> Cases:
    """`perplexity(logits, labels, pad_id)`: how many words it hesitates among."""
    even = torch.zeros(1, 3, 5)
    yield case(even, torch.tensor([[1, 2, 3]]), 0, what="perplexity of an even guess")
    texts, length, words = draw.randint(2, 4), draw.randint(3, 6), draw.randint(5, 9)
    labels = draw.ids(1, words - 1, texts, length)
    labels[0, -draw.randint(1, length - 1) :] = 0
    yield case(2 * draw.normal(texts, length, words), labels, 0)


perplexity.slips = {
    "That is the loss: the perplexity is its exponential.": (
        lambda logits, labels, pad_id: math.log(_perplexity(logits, labels, pad_id))
    ),
    "The places of padding count too: leave them out of the mean.": [
        lambda logits, labels, pad_id: _perplexity(logits, labels, -100),
        lambda logits, labels, pad_id: (  # as zeros
            _perplexity(logits, labels, pad_id) ** (labels != pad_id).float().mean()
        ),
    ],
    "Take the mean over all tokens first, and the exponential of that.": _by_text,
    "Mind the sign: the loss is minus the logarithm of the right word's share.": (
        lambda logits, labels, pad_id: 1 / _perplexity(logits, labels, pad_id)
    ),
}


Run = Callable[[Tensor], Tensor]


def _looks_back(ids: Tensor) -> Tensor:
    """Scores that depend on the token itself and on those before it."""
    return torch.sin(ids.double()).cumsum(0)[:, None] * torch.arange(1.0, 4.0)


def _looks_around(ids: Tensor) -> Tensor:
    whole = torch.sin(ids.double()).sum() - torch.sin(ids.double())
    return whole[:, None] * torch.arange(1.0, 4.0)


def _looks_one_ahead(ids: Tensor) -> Tensor:
    """Only place 1 sees the next token, and in one score alone."""
    scores = _looks_back(ids)
    scores[1, 1] += torch.cos(ids[2].double())
    return scores


def _family(
    run: Run, ids: Tensor, rows: Callable[[int], slice] = slice, last: int | None = None
) -> str:
    """Change each place up to the last one, and look at these rows."""
    for place in range(1, last or len(ids)):
        changed = ids.clone()
        changed[place] += 1
        if ((run(changed) - run(ids))[rows(place)].abs() > 1e-6).any():
            return "encoder"
    return "decoder"


@exercise(
    "No weight was read: the mask shows from outside.",
    right=_family,
    form=TEXT,
)
def family(draw: Draw) -> Cases:
    """`family(run, ids)`: "decoder" if no output moves with a later token."""
    ids = torch.tensor([3, 5, 8, 2])
    yield case(_looks_around, ids, what="family of a model that sees all")
    yield case(_looks_back, ids, what="family of a model under the causal mask")
    longer = draw.ids(1, 9, draw.randint(5, 8))
    yield case(_looks_one_ahead, longer, what="family of a model that sees one ahead")
    yield case(_looks_back, longer, what="family of a model under the causal mask")


family.slips = {
    "Outputs may move with their own token and with earlier ones: change one token at "
    "a time, in a clone, and look only at places before it.": [
        lambda run, ids: _family(run, ids, rows=lambda place: slice(None)),
        lambda run, ids: _family(run, ids, rows=lambda place: slice(place + 1)),
    ],
    "Change each token in turn, and look at all scores: one of them may leak.": (
        lambda run, ids: _family(run, ids, last=2)
    ),
    "What sees later tokens is an encoder: the names are exchanged, or no later token "
    "was changed.": (
        lambda run, ids: {"encoder": "decoder", "decoder": "encoder"}[_family(run, ids)]
    ),
}
