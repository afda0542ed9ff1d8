"""The exercises of chapter 10: counting words and sentences, the leak."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding, one_hot

from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, case, exercise

_LABELS = [[4, 2, 0, 0], [2, 0, 0, 0], [5, 3, 3, 2], [3, 2, 0, 0], [5, 3, 2, 0]]
_LABELS += [[6, 3, 5, 2], [3, 2, 0, 0], [4, 5, 2, 0], [3, 5, 4, 2], [6, 4, 4, 2]]
_SAID = [[4, 2, 0, 0], [2, 0, 4, 0], [8, 3, 3, 2], [3, 0, 3, 0], [5, 3, 2, 2]]
_SAID += [[6, 3, 0, 2], [3, 2, 0, 0], [4, 5, 2, 4], [3, 5, 4, 2], [6, 4, 4, 2]]
"""Padding is 0. Each mistake that is named below counts another number of these."""


def _hits(logits: Tensor, labels: Tensor) -> Tensor:
    return logits.argmax(dim=-1) == labels


def _fine(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return _hits(logits, labels) | (labels == pad_id)


def _said_and_asked(draw: Draw, what: str) -> Cases:
    """Ten sentences, once with padding 0 and once with 3, and drawn ones."""
    labels, said = torch.tensor(_LABELS), torch.tensor(_SAID)
    yield case(one_hot(said, 9) * 4.0 - 6.0, labels, 0, what=what)
    # The same sentences, with the words 0 and 3 exchanged: now 3 is padding.
    other = torch.tensor([3, 1, 2, 0, 4, 5, 6, 7, 8])
    yield case(one_hot(other[said], 9) * 4.0 - 6.0, other[labels], 3, what=what)
    rows, length, pad_id = draw.randint(3, 9), draw.randint(2, 6), draw.randint(0, 2)
    labels = draw.ids(3, 6, rows, length)
    logits = one_hot(labels, 7) + 0.1 * draw.normal(rows, length, 7)
    for row in draw.sample(range(rows), rows // 2):
        logits[row, 0] *= -1
    for row in range(rows):
        labels[row, draw.randint(1, length) :] = pad_id
    yield case(logits, labels, pad_id, what=f"{what} among {rows}")


@exercise(
    "More padding does not change it.",
    right=lambda x, y, pad: int((_hits(x, y) & (y != pad)).sum()),
)
def words_right(draw: Draw) -> Cases:
    """`words_right(logits, labels, pad_id)`: a count of words."""
    yield from _said_and_asked(draw, "The number of right words")
    one = torch.tensor([[4, 3, 3]])  # all said as asked, and two of them padding
    what = "The number of right words among three"
    yield case(one_hot(one, 9) * 1.0, one, 3, what=what)


words_right.slips = {
    "This is one answer for each word: count the right ones.": (
        lambda x, y, pad: _hits(x, y) & (y != pad)
    ),
    "Padding counts as right: it is no word, so leave it out.": (
        lambda x, y, pad: _hits(x, y).sum()
    ),
    "All padding counts as right: leave out the places whose label is padding.": (
        lambda x, y, pad: _fine(x, y, pad).sum()
    ),
    "It is right where padding is 0, but not where it is 3: ask for pad_id.": (
        lambda x, y, pad: (_hits(x, y) & (y != 0)).sum()
    ),
}


@exercise(
    "One wrong word, and the whole sentence is wrong.",
    right=lambda x, y, pad: int(_fine(x, y, pad).all(dim=1).sum()),
)
def sentences_right(draw: Draw) -> Cases:
    """`sentences_right(logits, labels, pad_id)`: a count of whole sentences."""
    yield from _said_and_asked(draw, "The number of right sentences")


sentences_right.slips = {
    "This is one answer for each sentence: count the right ones.": (
        lambda x, y, pad: _fine(x, y, pad).all(dim=1)
    ),
    "The model also has to say <pad> at the places of padding: what it says there must "
    "not matter.": lambda x, y, pad: _hits(x, y).all(dim=1).sum(),
    "It takes a place for padding where the model says <pad>: padding is where the "
    "label is.": lambda x, y, pad: (
        (_hits(x, y) | (x.argmax(dim=-1) == pad)).all(dim=1).sum()
    ),
    "Padding counts as wrong: inside a sentence it has to count as right, so join the "
    "two with |.": lambda x, y, pad: (_hits(x, y) & (y != pad)).all(dim=1).sum(),
    "It is right where padding is 0, but not where it is 3: ask for pad_id.": (
        lambda x, y, pad: _fine(x, y, 0).all(dim=1).sum()
    ),
}

Run = Callable[[Tensor], Tensor]


def _code(sees: Tensor, table: Tensor) -> Run:
    """Training code whose step t sees word j as strongly as `sees[t, j]` says."""
    return lambda target: sees @ embedding(torch.as_tensor(target), table)  # (T, V)


def _leaking(answer: Any, codes: dict[str, Tensor], target: Tensor, size: int) -> Parts:
    """The codes of which the answer says that they leak."""
    table = torch.randn(size, size)
    told = [n for n in codes if bool(answer(_code(codes[n], table), target, size))]
    return Parts({"The list of codes that leak": told})


def _leaks(
    run: Run,
    target: Tensor,
    size: int,
    rows: Callable[[int], slice] = lambda t: slice(t + 1),
    fresh: bool = True,
    atol: float = 1e-6,
) -> bool:
    """The test for leaks; the options make what people get wrong."""
    before, changed = run(target), target.clone()
    for t in range(len(target)):
        changed = target.clone() if fresh else changed
        changed[t] = (target[t] + 1) % size
        if not torch.allclose(run(changed)[rows(t)], before[rows(t)], atol=atol):
            return True
    return False


@exercise(
    "Run it on every data loader before you train with it.", right=_leaks, form=TRUTH
)
def leaks(draw: Draw) -> Cases:
    """`leaks(run, target, vocab_size)`: does a step see its own target?"""
    target = torch.tensor([4, 9, 10, 0, 7, 2])
    own = torch.eye(6)
    past = torch.ones(6, 6).tril(-1)
    codes = {
        "with the shift": past,
        "that leaks at the last step only": past + own[5].diag(),
        "that leaks at the first step only": past + own[0].diag(),
        "that leaks at one step in the middle": past + own[3].diag(),
        "that sees the next target, but not its own": past + torch.ones(5).diag(1),
        "that leaks faintly": past + 1e-3 * own,
    }
    yield case(codes, target, 11, use=_leaking)
    size, length = draw.randint(5, 12), draw.randint(3, 8)
    past = draw.normal(length, length).tril(-1)
    codes = {"without a leak": past}
    for ahead in (0, draw.randrange(1, length)):
        leak = torch.zeros(length, length)
        step = draw.randrange(length - ahead)
        leak[step, step + ahead] = draw.uniform(0.1, 1.0)
        codes[f"whose step {step} sees target {step + ahead}"] = past + leak
    target = draw.ids(0, size - 1, length)
    yield case(codes, target, size, use=_leaking)


leaks.slips = {
    "A place or an id is too large: places end at len(target) - 1, and ids wrap round "
    "with % vocab_size.": (lambda run, target, size: _leaks(run, target, size + 1)),
    "It says True of all code: change one word at a time, in a fresh target.clone(), "
    "and compare only the rows up to it, for later ones may move.": [
        lambda run, target, size: _leaks(run, target, size, fresh=False),
        lambda run, target, size: _leaks(run, target, size, lambda t: slice(None)),
    ],
    "It says False of all code: run a changed target, and compare the rows up to and "
    "including the changed word, before and after.": lambda run, target, size: False,
    "It compares row t alone: when word t changes, the rows before t must not move "
    "either.": lambda run, target, size: _leaks(
        run, target, size, lambda t: slice(t, t + 1)
    ),
    "It leaves row t out: compare the rows up to and including the changed word.": (
        lambda run, target, size: _leaks(run, target, size, lambda t: slice(t))
    ),
    "It misses a leak that changes the scores a little: compare the scores themselves, "
    "not the words that win, and with a small tolerance.": (
        lambda run, target, size: _leaks(run, target, size, atol=0.1)
    ),
}
