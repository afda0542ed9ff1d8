"""The hidden checks: an answer is tried on values that it has not seen.

The values are drawn from the same exercise's record by the seed of the course. What is
right for them is computed here, where no answer runs.
"""

import importlib
from collections.abc import Iterator
from hashlib import sha256

from lib.exercises import CheckFailed
from lib.exercises.guard import NotAnswered
from lib.exercises.outcome import Outcome
from lib.exercises.record import CHAPTERS, Exercise, exercises

TRIES = 3  # how often each exercise's values are drawn


def record(number: str) -> Exercise:
    """The record of an exercise."""
    name = CHAPTERS[int(number.split(".")[0]) - 1]
    module = importlib.import_module(f"lib.exercises.{name}")
    return next(one for one in exercises(module) if one.number == number)


def draws(number: str, seed: int) -> list[int | str]:
    """What an exercise's values are drawn from: as all see them, then as nobody does.

    The seed of the course cannot be told from these.
    """
    hidden = [f"{seed} {number} {turn}".encode() for turn in range(TRIES)]
    return [0, *(sha256(each).hexdigest() for each in hidden)]


def verdict(number: str, seed: int, tried: Iterator[Outcome]) -> str:
    """The praise of an answer that is right for the check's values and for others.

    Args:
        number: the number of the exercise.
        seed: that of the course.
        tried: what the answer gave for all cases of all draws.

    Raises:
        CheckFailed: if it is wrong; the sentence says for what.
    """
    recorded = record(number)
    for draw in draws(number, seed):
        before = "right for the values of its check, not for others: " if draw else ""
        try:
            recorded.expect_right(tried, recorded.cases(draw))
        except NotAnswered as missing:
            told = f"Exercise {number}: not answered yet. {missing}"
            raise CheckFailed(told) from None
        except CheckFailed as failure:
            raise CheckFailed(f"Exercise {number}: {before}{failure}") from None
    return f"Exercise {number}: right. {recorded.praise}"
