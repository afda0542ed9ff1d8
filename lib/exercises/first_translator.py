"""The exercises of chapter 10: counting words and sentences, the leak."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from lib.exercises.compare import as_tensor
from lib.exercises.record import Cases, Draw, Parts, case, exercise, that

_LABELS = [[4, 2, 0, 0], [2, 0, 0, 0], [5, 3, 3, 2], [3, 2, 0, 0], [5, 3, 2, 0]]
_LABELS += [[6, 3, 5, 2], [3, 2, 0, 0], [4, 5, 2, 0], [3, 5, 4, 2], [6, 4, 4, 2]]
_SAID = [[4, 2, 0, 0], [2, 0, 4, 0], [8, 3, 3, 2], [3, 0, 3, 0], [5, 3, 2, 2]]
_SAID += [[6, 3, 0, 2], [3, 2, 0, 0], [4, 5, 2, 4], [3, 5, 4, 2], [6, 4, 4, 2]]
"""Padding is 0. Each mistake that is named below counts another number of these."""


def _hits(logits: Tensor, labels: Tensor) -> Tensor:
    return logits.argmax(dim=-1) == labels


def _fine(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return _hits(logits, labels) | (labels == pad_id)


def _says_pad(logits: Tensor, pad_id: int) -> Tensor:
    return logits.argmax(dim=-1) == pad_id


def _sentences_right(logits: Tensor, labels: Tensor, pad_id: int) -> int:
    return int(_fine(logits, labels, pad_id).all(dim=1).sum())


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
    "It leaves out the places where the model says <pad>: padding is where the label "
    "is.": lambda x, y, pad: (~_says_pad(x, pad) & (y != pad)).sum(),
    "It counts the wrong words: count the right ones.": (
        lambda x, y, pad: (~_hits(x, y) & (y != pad)).sum()
    ),
    "This is a share: return the number of right words.": [
        lambda x, y, pad: _hits(x, y)[y != pad].float().mean(),
        lambda x, y, pad: _hits(x, y).float().mean(),
    ],
    "These are sentences: count the words.": _sentences_right,
    "It is right where padding is 0, but not where it is 3: ask for pad_id.": (
        lambda x, y, pad: (_hits(x, y) & (y != 0)).sum()
    ),
}


@exercise("One wrong word, and the whole sentence is wrong.", right=_sentences_right)
def sentences_right(draw: Draw) -> Cases:
    """`sentences_right(logits, labels, pad_id)`: a count of whole sentences."""
    yield from _said_and_asked(draw, "The number of right sentences")


sentences_right.slips = {
    "This is one answer for each sentence: count the right ones.": (
        lambda x, y, pad: _fine(x, y, pad).all(dim=1)
    ),
    "This is one answer for each word: count the sentences.": (
        lambda x, y, pad: _hits(x, y)
    ),
    "This is one answer for the whole batch: ask each sentence, with dim=1, and "
    "count.": lambda x, y, pad: _fine(x, y, pad).all(),
    "It counts the wrong sentences: count the right ones.": (
        lambda x, y, pad: len(y) - _sentences_right(x, y, pad)
    ),
    "The model also has to say <pad> at the places of padding: what it says there must "
    "not matter.": lambda x, y, pad: _hits(x, y).all(dim=1).sum(),
    "It takes a place for padding where the model says <pad>: padding is where the "
    "label is.": lambda x, y, pad: (_hits(x, y) | _says_pad(x, pad)).all(dim=1).sum(),
    "It forgives the model a <pad> in the middle of a sentence: only the label tells "
    "what is padding.": (
        lambda x, y, pad: (_fine(x, y, pad) | _says_pad(x, pad)).all(dim=1).sum()
    ),
    "It is the other way round: words have to be right, and padding is fine.": (
        lambda x, y, pad: (_hits(x, y) | (y != pad)).all(dim=1).sum()
    ),
    "These are words: count the sentences.": (
        lambda x, y, pad: (_hits(x, y) & (y != pad)).sum()
    ),
    "These are words, and padding with them.": lambda x, y, pad: _hits(x, y).sum(),
    "These are places, padding included: count the sentences.": (
        lambda x, y, pad: _fine(x, y, pad).sum()
    ),
    "Padding counts as wrong: inside a sentence it has to count as right, so join the "
    "two with |.": lambda x, y, pad: (_hits(x, y) & (y != pad)).all(dim=1).sum(),
    "It counts columns: a sentence is a row, so ask all of dim=1.": (
        lambda x, y, pad: _fine(x, y, pad).all(dim=0).sum()
    ),
    "This is a share: return the number of right sentences.": [
        lambda x, y, pad: _sentences_right(x, y, pad) / len(y),
        lambda x, y, pad: _hits(x, y)[y != pad].float().mean(),
        lambda x, y, pad: _hits(x, y).float().mean(),
    ],
    "All sentences count as right: each needs all of its words right, not one of "
    "them.": lambda x, y, pad: _fine(x, y, pad).any(dim=1).sum(),
    "It is right where padding is 0, but not where it is 3: ask for pad_id.": (
        lambda x, y, pad: _sentences_right(x, y, 0)
    ),
}

Run = Callable[[Tensor], Tensor]

_NEVER_RUN = "It never calls run: the scores have to be computed, twice or more."
_SAME_TARGET = "run is given the same target each time: change a word in a clone of it."
_SEVERAL = (
    "Several words are changed at once, and then rows may move that only see an "
    "earlier one: take a fresh target.clone() for each step."
)
_UNCHANGED = (
    "The target of step {} is never changed: change each word in turn, into another "
    "one than it is, and say False only when all have been tried."
)
_OUTSIDE = (
    "run was given the id {}, but ids go from 0 to {}: wrap round with % vocab_size."
)


def _code(sees: Tensor, table: Tensor, calls: list[list[int]]) -> Run:
    """Training code whose step t sees word j as strongly as `sees[t, j]` says."""

    def run(target: Tensor) -> Tensor:
        calls.append([int(i) for i in target])
        length = len(calls[-1])
        ids = torch.tensor(calls[-1]) % len(table)
        words = table[ids, torch.arange(length)]  # (T, V)
        return table[0, :length] + sees[:length, :length] @ words

    return run


def _expect_changes(calls: list[list[int]], target: Tensor, said_leak: bool) -> None:
    """Look at the targets that were tried on the code with the shift."""
    changed = [
        {j for j, old in enumerate(target.tolist()) if ids[j : j + 1] != [old]}
        for ids in calls
    ]
    missed = sorted(set(range(len(target))).difference(*changed))
    that(calls, _NEVER_RUN)
    that(any(changed), _SAME_TARGET)
    that(not said_leak or max(map(len, changed)) == 1, _SEVERAL)
    places = ", ".join(map(str, missed))
    that(said_leak or not missed, _UNCHANGED.format(places))


Tried = tuple[dict[str, bool], dict[str, list[list[int]]]]


def _said(answer: Any, codes: dict[str, Tensor], target: Tensor, size: int) -> Tried:
    """What the answer says of each code, and what it gave the code to find out."""
    table = torch.randn(size, len(target), size)
    calls: dict[str, list[list[int]]] = {name: [] for name in codes}
    said = {
        name: bool(answer(_code(sees, table, calls[name]), target, size))
        for name, sees in codes.items()
    }
    return said, calls


def _misjudged(
    tried: Tried, codes: dict[str, Tensor], target: Tensor, size: int
) -> Parts:
    """The codes for which the answer is wrong; the first one has no leak."""
    said, calls = tried
    for ids in (ids for each in calls.values() for ids in each):
        for i in ids:
            that(0 <= i < size, _OUTSIDE.format(i, size - 1))
    wrong = [name for name in codes if said[name] != bool(codes[name].triu().any())]
    if wrong:
        first = next(iter(codes))
        _expect_changes(calls[first], target, said[first])
    return Parts({"The list of codes that it judges wrongly": wrong})


def _leaks(
    run: Run,
    target: Tensor,
    size: int,
    rows: Callable[[int], slice] = lambda t: slice(t + 1),
    steps: range | None = None,
    put: Callable[[Tensor, int], Any] = lambda old, size: (old + 1) % size,
    read: Callable[[Tensor], Tensor] = lambda scores: scores,
    atol: float = 1e-6,
) -> bool:
    before = read(run(target))
    for t in range(len(target)) if steps is None else steps:
        changed = target.clone()
        changed[t] = put(target[t], size)
        after = read(run(changed))
        if not torch.allclose(after[rows(t)], before[rows(t)], atol=atol):
            return True
    return False


def _without_clone(run: Run, target: Tensor, size: int) -> bool:
    before = run(target)
    for t in range(len(target)):
        target[t] = (target[t] + 1) % size
        if not torch.allclose(run(target)[: t + 1], before[: t + 1]):
            return True
    return False


def _is_bool(got: Any) -> bool:
    found = as_tensor(got)
    is_one = isinstance(found, Tensor) and found.numel() == 1
    return is_one and found.dtype == torch.bool


@exercise(
    "Run it on every data loader before you train with it.",
    right=_leaks,
    form=("True or False", _is_bool),
)
def leaks(draw: Draw) -> Cases:
    """`leaks(run, target, vocab_size)`: does a step see its own target?"""
    target = torch.tensor([4, 9, 10, 0, 7, 2])
    own = torch.eye(6)
    past = torch.ones(6, 6).tril(-1)
    codes = {
        "with the shift": past,
        "whose input is its target": past + own,
        "that leaks at the last step only": past + own[5].diag(),
        "that leaks at the first step only": past + own[0].diag(),
        "that leaks at one step in the middle": past + own[3].diag(),
        "that sees the next target, but not its own": past + torch.ones(5).diag(1),
        "that leaks faintly": past + 1e-3 * own,
        "that sees only the word before": torch.ones(5).diag(-1),
    }
    yield case(codes, target, 11, use=_said, judge=_misjudged)
    size, length = draw.randint(5, 12), draw.randint(3, 8)
    past = draw.normal(length, length).tril(-1)
    codes = {"without a leak": past}
    for ahead in (0, draw.randrange(1, length)):
        leak = torch.zeros(length, length)
        step = draw.randrange(length - ahead)
        leak[step, step + ahead] = draw.uniform(0.1, 1.0)
        codes[f"whose step {step} sees target {step + ahead}"] = past + leak
    target = draw.ids(0, size - 1, length)
    yield case(codes, target, size, use=_said, judge=_misjudged)


leaks.slips = {
    "True and False are exchanged: True means that there is a leak.": (
        lambda r, t, n: not _leaks(r, t, n)
    ),
    _OUTSIDE.format(11, 10): (
        lambda r, t, n: _leaks(r, t, n, put=lambda old, size: old + 1)
    ),
    _NEVER_RUN: lambda run, target, size: False,
    _SAME_TARGET: lambda r, t, n: _leaks(r, t, n, put=lambda old, size: old),
    _SEVERAL: _without_clone,
    _UNCHANGED.format("1, 2, 3, 4, 5"): lambda r, t, n: _leaks(r, t, n, steps=range(1)),
    _UNCHANGED.format("3"): lambda r, t, n: _leaks(r, t, n, put=lambda old, size: 0),
    "It says True of all code: later rows may move when a word changes, so compare "
    "only the rows up to the changed word.": [
        lambda r, t, n: _leaks(r, t, n, rows=lambda t: slice(None)),
        lambda r, t, n: _leaks(r, t, n, rows=lambda t: slice(t, None)),
    ],
    "It says False of all code: compare the rows up to and including the changed word, "
    "before and after.": lambda r, t, n: _leaks(r, t, n, rows=lambda t: slice(0)),
    "It compares row t alone: when word t changes, the rows before t must not move "
    "either.": lambda r, t, n: _leaks(r, t, n, rows=lambda t: slice(t, t + 1)),
    "It leaves row t out: compare the rows up to and including the changed word.": (
        lambda r, t, n: _leaks(r, t, n, rows=lambda t: slice(t))
    ),
    "It misses a leak that changes the scores a little: compare the scores themselves, "
    "not the words that win, and with a small tolerance.": [
        lambda r, t, n: _leaks(r, t, n, read=lambda scores: scores.argmax(-1).float()),
        lambda r, t, n: _leaks(r, t, n, atol=0.1),
    ],
}
