"""The hidden checks: an answer is tried on values that it has not seen.

The checks of `lib` stand in the open. Here an answer is tried on the same exercise's
inputs, drawn from the seed of the course.
"""

import importlib
from typing import Any

from lib.exercises import CheckFailed
from lib.exercises.guard import NotAnswered
from lib.exercises.record import CHAPTERS, Exercise, exercises

TRIES = 3  # how often each exercise's values are drawn


def record(number: str) -> Exercise:
    """The record of an exercise."""
    name = CHAPTERS[int(number.split(".")[0]) - 1]
    module = importlib.import_module(f"lib.exercises.{name}")
    return next(one for one in exercises(module) if one.number == number)


def expect_the_same(number: str, answer: Any, seed: int) -> None:
    """Expect an answer to be right for values drawn from a seed, too.

    Raises:
        CheckFailed: If it is not; the sentence says for what.
    """
    recorded = record(number)
    for turn in range(TRIES):
        cases = recorded.cases(f"{seed} {number} {turn}")
        try:
            recorded.expect_right(answer, cases)
        except (CheckFailed, NotAnswered) as failure:
            raise CheckFailed(
                f"Exercise {number}: right for the values of its check, not for "
                f"others: {failure}"
            ) from None
