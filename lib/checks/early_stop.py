"""The check of exercise 11.6: stop when the validation loss falls no more."""

from __future__ import annotations

from typing import Any

from lib.checks.core import (
    exercise,
    expect,
    expect_equal,
)

__all__ = ["early_stop"]


@exercise(
    "11.6",
    praise="`lib.training` does the same, and keeps the weights of the best epoch.",
)
def early_stop(answer: Any) -> None:
    """Check `early_stop(losses, patience)`: the end of the run, and its best epoch."""
    for losses, patience, right in (
        ([3.1, 2.6, 2.7, 2.5, 2.55, 2.6, 2.4], 2, (6, 4)),
        ([3.0, 2.0, 2.5, 2.6, 1.0], 3, (5, 5)),
        ([2.0, 1.5, 1.5, 1.5, 1.6, 1.7, 1.4], 2, (4, 2)),
        ([2.0, 1.5, 1.2], 2, (3, 3)),
        ([1.0, 1.1, 1.05, 1.02, 0.5], 3, (4, 1)),
    ):
        what = f"early_stop({losses}, {patience})"
        got = answer(list(losses), patience)
        expect(
            isinstance(got, list | tuple) and len(got) == 2,
            f"{what} should be two numbers, the last epoch and the best one.",
        )
        ahead = len(losses), losses.index(min(losses)) + 1
        ended, best = right
        expect_equal(
            got,
            right,
            what,
            [
                (
                    (best, ended),
                    "The two numbers are exchanged: first the end, then the best.",
                ),
                (
                    (ended - 1, best - 1),
                    "Epochs are counted from 1, as in the log of a run.",
                ),
                (
                    (ended, best - 1),
                    "The best epoch is counted from 0: epochs are counted from 1.",
                ),
                (
                    lambda got, ahead=ahead: tuple(got) == ahead,
                    "This looks ahead: the run has ended before it gets to that epoch.",
                ),
                (
                    lambda got, ended=ended: got[0] == got[1] == ended,
                    "The weights are those of the best epoch, not of the last.",
                ),
                (
                    lambda got, ended=ended: got[0] == ended + 1,
                    "The run ends as soon as `patience` epochs have brought no new "
                    "low, not one later.",
                ),
                (
                    lambda got, ended=ended: got[0] < ended,
                    "The run ends too early: it is patient for `patience` epochs since "
                    "its lowest loss, and each new low begins the count anew.",
                ),
                (
                    lambda got, ended=ended: got[0] > ended,
                    "The run goes on too long: a loss that is not below the lowest so "
                    "far is no new low.",
                ),
            ],
        )
