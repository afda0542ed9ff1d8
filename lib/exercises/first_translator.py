"""The exercises of chapter 9: the shift, writing, the leak, counting sentences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from lib.exercises.compare import as_tensor
from lib.exercises.record import Cases, Draw, Parts, case, exercise, that


def _is_list(got: Any) -> bool:
    return isinstance(got, list | tuple | Tensor | np.ndarray)


def _plain_list(row: Any) -> list[Any]:
    return row.tolist() if hasattr(row, "tolist") else list(row)


@exercise(
    "Each word is the answer of one step and the input of the next.",
    right=lambda ids, sos_id, eos_id: ([sos_id, *ids], [*ids, eos_id]),
    form=(
        "two lists, the decoder's input and its target",
        lambda got: _is_list(got) and len(got) == 2,
    ),
    read=lambda got: [_plain_list(row) for row in got],
)
def shift(draw: Draw) -> Cases:
    """`shift(ids, sos_id, eos_id)`: the two rows of teacher forcing."""
    yield case([7, 5, 9], 1, 2)
    ids = draw.ids(4, 50, draw.randint(1, 8)).tolist()
    yield case(ids, *draw.sample(range(51, 60), 2))


shift.slips = {
    "This is the leak: the decoder's input is also its target.": [
        lambda ids, sos, eos: ([*ids, eos], [*ids, eos]),
        lambda ids, sos, eos: ([sos, *ids], [sos, *ids]),
        lambda ids, sos, eos: ([sos, *ids, eos], [sos, *ids, eos]),
        lambda ids, sos, eos: (ids, ids),
    ],
    "The two rows are exchanged: the decoder is fed the one with <sos>.": (
        lambda ids, sos, eos: ([*ids, eos], [sos, *ids])
    ),
    "A row has both <sos> and <eos>: nothing is answered after <eos>, and nobody has "
    "to say <sos>.": [
        lambda ids, sos, eos: ([sos, *ids, eos], [*ids, eos]),
        lambda ids, sos, eos: ([sos, *ids], [sos, *ids, eos]),
        lambda ids, sos, eos: ([sos, *ids, eos], ids),
        lambda ids, sos, eos: (ids, [sos, *ids, eos]),
    ],
    "The last step is missing: after the last word the model has to learn to say "
    "<eos>.": lambda ids, sos, eos: ([sos, *ids[:-1]], ids),
    "The first step is missing: the model has to learn which word follows <sos>.": (
        lambda ids, sos, eos: (ids, [*ids[1:], eos])
    ),
    "<sos> and <eos> are exchanged: a sentence starts with <sos>.": (
        lambda ids, sos, eos: ([eos, *ids], [*ids, sos])
    ),
}

NextScores = Callable[[list[int]], Tensor]

_SENTENCE = [3, 4, 3, 5]
"""What the first model writes; the word 3 twice, with another one after each."""


def _of_sentence(written: list[int]) -> Tensor:
    """Write the sentence after <sos>, 1, and then <eos>, 2; else words 6 and 0."""
    step = len(written) - 1
    lost = 6 if step == 0 else 0  # tells one id from several that lack <sos>
    told = written == [1, *_SENTENCE[:step]]
    scores = torch.full((8,), -5.0)
    scores[7] = -9.0  # the worst word, for whoever takes the smallest
    scores[[*_SENTENCE, 2][step] if told else lost] = -1.0
    return scores


def _written(
    answer: Any, next_scores: NextScores, sos_id: int, eos_id: int, max_len: int
) -> list[int]:
    calls: list[list[int]] = []

    def recorded(written: Any) -> Tensor:
        calls.append([int(i) for i in written])
        return next_scores(calls[-1])

    words = [int(i) for i in answer(recorded, sos_id, eos_id, max_len)]
    first = calls[0] if calls else [sos_id]
    sentence = "The first call of next_scores should get [sos_id], but it got "
    that(first == [sos_id], f"{sentence}{first}.")
    return words


def _writer(
    feed: Callable[[list[int]], list[int]] = lambda written: written,
    choose: Callable[[Tensor], Tensor] = torch.argmax,
    result: Callable[[list[int], int], list[int]] = lambda written, _: written[1:],
    stops: bool = True,
    extra: int = 0,
) -> Any:
    def answer(
        next_scores: NextScores, sos_id: int, eos_id: int, max_len: int
    ) -> list[int]:
        written = [sos_id]
        while len(written) <= max_len + extra:
            best = int(choose(next_scores(feed(written))))
            if best == eos_id and stops:
                break
            written.append(best)
        return result(written, eos_id)

    return answer


@exercise(
    "This is all that greedy_decode does, for one sentence.",
    right=_writer(),
    form=("a list of ids", _is_list),
)
def write_greedily(draw: Draw) -> Cases:
    """`write_greedily(next_scores, sos_id, eos_id, max_len)`: the likeliest words."""
    yield case(_of_sentence, 1, 2, 9, what="What it writes", use=_written)
    what = "What it writes with max_len=2"
    yield case(_of_sentence, 1, 2, 2, what=what, use=_written)
    start, end = draw.sample(range(12), 2)
    table = draw.normal(64, 12)
    table[:, start] = -9.0
    if draw.random() < 0.3:  # the end may never come
        table[:, end] = -9.0

    def next_scores(written: list[int]) -> Tensor:
        return table[sum((k + 1) * word for k, word in enumerate(written)) % 64]

    what = "What it writes after other scores"
    yield case(next_scores, start, end, draw.randint(1, 9), what=what, use=_written)


write_greedily.slips = {
    "The first call of next_scores should get [sos_id], but it got [].": (
        _writer(feed=lambda written: written[1:])
    ),
    "It still begins with <sos>: return only the words.": (
        _writer(result=lambda written, eos_id: written)
    ),
    "It still ends with <eos>: return only the words.": (
        _writer(result=lambda written, eos_id: [*written[1:], eos_id])
    ),
    "It still has <sos> and <eos> around it: return only the words.": (
        _writer(result=lambda written, eos_id: [*written, eos_id])
    ),
    "It takes the word with the smallest score: take the largest, argmax.": (
        _writer(choose=torch.argmin)
    ),
    "Only one id goes into next_scores: give it all that is written so far, <sos> "
    "included.": _writer(feed=lambda written: written[-1:]),
    "It goes on after <eos>: the sentence is over there.": [
        _writer(stops=False),
        _writer(result=lambda w, eos: [i for i in w[1:] if i != eos], stops=False),
    ],
    "<sos> is missing from the second call: give next_scores all that is written so "
    "far, <sos> included.": _writer(feed=lambda written: written[1:] or written),
    "It writes more than max_len words: <sos> does not count, but every word does.": (
        _writer(extra=1)
    ),
    "It stops too early: <sos> is not a word.": _writer(extra=-1),
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


@exercise("One wrong word, and the whole sentence is wrong.", right=_sentences_right)
def sentences_right(draw: Draw) -> Cases:
    """`sentences_right(logits, labels, pad_id)`: a count of whole sentences."""
    labels, said = torch.tensor(_LABELS), torch.tensor(_SAID)
    what = "The number of right sentences"
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
