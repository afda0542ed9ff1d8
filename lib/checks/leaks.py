"""The check of exercise 9.3: does a model see the words that it must say?"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import CheckFailed, brief

__all__ = ["leaks"]

_VOCAB_SIZE = 11
_TARGET = [4, 9, 10, 0, 7, 2]

Sees = Callable[[int, int], bool]
"""Whether step t of some training code sees target word j."""


def _next_but_not_own(t: int, j: int) -> bool:
    return j < t or j == t + 1


def _leaks_only_at(step: int) -> Sees:
    return lambda t, j: j < t or j == t == step


_BOXES: list[tuple[str, Sees, float, bool]] = [
    ("with the shift", lambda t, j: j < t, 1.0, False),
    ("whose input is its target", lambda t, j: j <= t, 1.0, True),
    ("that leaks at the last step only", _leaks_only_at(5), 1.0, True),
    ("that leaks at the first step only", _leaks_only_at(0), 1.0, True),
    ("that leaks at one step in the middle", _leaks_only_at(3), 1.0, True),
    ("that sees the next target, but not its own", _next_but_not_own, 1.0, True),
    ("that leaks faintly", lambda t, j: j <= t, 1e-3, True),
    ("that sees only the word before", lambda t, j: j == t - 1, 1.0, False),
]
"""Name, what it sees, how strongly it sees its own target, whether that is a leak."""


def _black_box(
    sees: Sees, strength: float, calls: list[list[int]]
) -> Callable[[Tensor], Tensor]:
    """Return training code that sees these words, and notes what it is given."""
    table = torch.randn(_VOCAB_SIZE, 12, _VOCAB_SIZE)

    def run(target: Tensor) -> Tensor:
        calls.append([int(i) for i in target])
        words = [i % _VOCAB_SIZE for i in calls[-1]]
        rows = []
        for t in range(len(words)):
            seen = [
                table[words[j], j] * (strength if j == t else 1.0)
                for j in range(len(words))
                if sees(t, j)
            ]
            rows.append(torch.stack([table[0, t], *seen]).sum(dim=0))
        return torch.stack(rows)  # (T, V)

    return run


@exercise("9.3", praise="Run it on every data loader before you train with it.")
def leaks(answer: Any) -> None:
    """Check `leaks(run, target, vocab_size)`: does a step see its own target?"""
    said: list[bool] = []
    honest_calls: list[list[int]] = []  # of the code with the shift
    for _, sees, strength, _ in _BOXES:
        calls: list[list[int]] = []
        run = _black_box(sees, strength, calls)
        got = expect.as_tensor(answer(run, torch.tensor(_TARGET), _VOCAB_SIZE))
        expect.that(
            isinstance(got, Tensor) and got.numel() == 1 and got.dtype == torch.bool,
            f"The answer should be True or False, but is {brief(got)}.",
        )
        _expect_ids(calls)
        honest_calls = honest_calls or calls
        said.append(bool(got))
    right = [leaks for *_, leaks in _BOXES]
    if said != right:
        exchanged = said == [not leaks for leaks in right]
        told = "True and False are exchanged: True means that there is a leak."
        expect.that(not exchanged, told)
        _expect_changes(honest_calls, said_leak=said[0])
        _expect_rows(said)


def _expect_ids(calls: list[list[int]]) -> None:
    outside = [i for ids in calls for i in ids if not 0 <= i < _VOCAB_SIZE]
    if outside:
        raise CheckFailed(
            f"run was given the id {outside[0]}, but ids go from 0 to "
            f"{_VOCAB_SIZE - 1}: wrap round with % vocab_size."
        )


def _expect_changes(calls: list[list[int]], said_leak: bool) -> None:
    """Look at the targets that were tried on the code with the shift."""
    changed: list[set[int]] = []
    for ids in calls:
        words = enumerate(zip(ids, _TARGET, strict=False))
        changed.append({j for j, (new, old) in words if new != old})
    missed = set(range(len(_TARGET))).difference(*changed)
    places = ", ".join(map(str, sorted(missed)))
    slips = {
        "It never calls run: the scores have to be computed, twice or more.": not calls,
        "run is given the same target each time: change a word in a clone of it.": (
            not any(changed)
        ),
        "Several words are changed at once, and then rows may move that only see an "
        "earlier one: take a fresh target.clone() for each step.": (
            said_leak and max(map(len, changed), default=1) != 1
        ),
        f"The target of step {places} is never changed: change each word in turn, into "
        "another one than it is, and say False only when all have been tried.": (
            missed and not said_leak
        ),
    }
    expect.none_of(slips)


def _expect_rows(said: list[bool]) -> None:
    """Name the rows that were compared, if the verdicts tell."""
    right = [one == leaks for one, (*_, leaks) in zip(said, _BOXES, strict=True)]
    slips = {
        "It says True of all code: later rows may move when a word changes, so compare "
        "only the rows up to the changed word.": all(said),
        "It says False of all code: compare the rows up to and including the changed "
        "word, before and after.": not any(said),
        "It compares row t alone: when word t changes, the rows before t must not move "
        "either.": right == [sees is not _next_but_not_own for _, sees, *_ in _BOXES],
        "It leaves row t out: compare the rows up to and including the changed word.": (
            said == [sees is _next_but_not_own for _, sees, *_ in _BOXES]
        ),
        "It misses a leak that changes the scores a little: compare the scores "
        "themselves, not the words that win, and with a small tolerance.": (
            all(right[:3]) and not right[6]
        ),
    }
    expect.none_of(slips)
    for one, (name, _, _, leaks) in zip(said, _BOXES, strict=True):
        expect.that(one == leaks, f"For code {name} it should be {leaks}, not {one}.")
