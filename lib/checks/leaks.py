"""The check of exercise 9.3: does a model see the words that it must say?"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.checks.core import (
    CheckFailed,
    as_tensor,
    brief,
    exercise,
    expect,
)

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
    verdicts: list[tuple[str, bool, bool]] = []
    honest_calls: list[list[int]] = []  # of the code with the shift
    for name, sees, strength, expected in _BOXES:
        calls: list[list[int]] = []
        run = _black_box(sees, strength, calls)
        got = answer(run, torch.tensor(_TARGET), _VOCAB_SIZE)
        got = as_tensor(got)
        expect(
            isinstance(got, Tensor) and got.numel() == 1 and got.dtype == torch.bool,
            f"The answer should be True or False, but is {brief(got)}.",
        )
        _expect_ids(calls)
        honest_calls = honest_calls or calls
        verdicts.append((name, bool(got), expected))
    if any(got != expected for _, got, expected in verdicts):
        _expect_verdicts(verdicts)
        _expect_changes(honest_calls, said_leak=verdicts[0][1])
        _expect_rows(verdicts)


def _expect_ids(calls: list[list[int]]) -> None:
    outside = [i for ids in calls for i in ids if not 0 <= i < _VOCAB_SIZE]
    if outside:
        raise CheckFailed(
            f"run was given the id {outside[0]}, but ids go from 0 to "
            f"{_VOCAB_SIZE - 1}: wrap round with % vocab_size."
        )


def _expect_verdicts(verdicts: list[tuple[str, bool, bool]]) -> None:
    expect(
        any(got == expected for _, got, expected in verdicts),
        "True and False are exchanged: True means that there is a leak.",
    )


def _expect_changes(calls: list[list[int]], said_leak: bool) -> None:
    """Look at the targets that were tried on the code with the shift."""
    expect(calls, "It never calls run: the scores have to be computed, twice or more.")
    changed = [
        {
            j
            for j, (new, old) in enumerate(zip(ids, _TARGET, strict=False))
            if new != old
        }
        for ids in calls
    ]
    expect(
        any(changed),
        "run is given the same target each time: change a word in a clone of it.",
    )
    if said_leak:
        expect(
            max(len(places) for places in changed) == 1,
            "Several words are changed at once, and then rows may move that only see "
            "an earlier one: take a fresh target.clone() for each step.",
        )
        return
    missed = set(range(len(_TARGET))) - set().union(*changed)
    places = ", ".join(map(str, sorted(missed)))
    expect(
        not missed,
        f"The target of step {places} is never changed: change each word in turn, into "
        "another one than it is, and say False only when all have been tried.",
    )


def _expect_rows(verdicts: list[tuple[str, bool, bool]]) -> None:
    said = [got for _, got, _ in verdicts]
    expect(
        not all(said),
        "It says True of all code: later rows may move when a word changes, so compare "
        "only the rows up to the changed word.",
    )
    expect(
        any(said),
        "It says False of all code: compare the rows up to and including the changed "
        "word, before and after.",
    )
    right = [got == expected for _, got, expected in verdicts]
    expect(
        right != [name != _BOXES[5][0] for name, *_ in _BOXES],
        "It compares row t alone: when word t changes, the rows before t must not move "
        "either.",
    )
    expect(
        said != [sees is _next_but_not_own for _, sees, *_ in _BOXES],
        "It leaves row t out: compare the rows up to and including the changed word.",
    )
    expect(
        right[6] or not all(right[:3]),
        "It misses a leak that changes the scores a little: compare the scores "
        "themselves, not the words that win, and with a small tolerance.",
    )
    for name, got, expected in verdicts:
        expect(
            got == expected,
            f"For code {name} it should be {expected}, not {got}.",
        )
