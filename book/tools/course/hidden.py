"""The hidden checks: an answer and the book's solution must give the same.

The checks of `lib` stand in the open, and their values with them. Here an answer is
tried on values that are drawn from a seed of the course, beside the solution in the
chapter, which stays the one source of what is right.
"""

import importlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import torch

from book.tools.course.context import leaned_on
from book.tools.course.exercises import exercises
from book.tools.course.plan import chapter, exercise
from lib.checks import CheckFailed, expect
from lib.exercises.cases import Draw as Draw
from lib.exercises.guard import Guarded, NotAnswered, reason, unwrap
from lib.exercises.record import CHAPTERS, Exercise
from lib.exercises.record import exercises as exercises_in

TRIES = 3  # how often each exercise's values are drawn


Observe = Callable[[Any], Any]
"""What is looked at: it is given an answer and hands back what it does."""
Draws = Callable[[Draw], Iterator[Observe]]

DRAWS: dict[str, Draws] = {}


def draws(number: str) -> Callable[[Draws], Draws]:
    """Make a function the one that draws the hidden values of an exercise."""

    def register(function: Draws) -> Draws:
        DRAWS[number] = function
        return function

    return register


def record(number: str) -> Exercise | None:
    """The record of an exercise."""
    name = CHAPTERS[int(number.split(".")[0]) - 1]
    try:
        module = importlib.import_module(f"lib.exercises.{name}")
    except ModuleNotFoundError:
        return None
    return next(one for one in exercises_in(module) if one.number == number)


def load(chapters: list[int]) -> None:
    """Read the draws and the solutions of some chapters, before the clock runs."""
    for number in chapters:
        if record(f"{number}.1"):
            continue
        importlib.import_module(f"book.tools.course.draws.chapter_{number:02d}")
        for one in exercises(chapter(number)):
            leaned_on(chapter(number), [one])


def call(*arguments: Any) -> Observe:
    """Call the answer with these arguments."""
    return lambda answer: answer(*arguments)


def solution(number: str) -> Any:
    """The book's solution of an exercise, made in a namespace of its own."""
    one = exercise(number)
    name = CHAPTERS[one.chapter - 1]
    space: dict[str, Any] = {"__name__": "solution"}
    if record(number):
        space["check"] = importlib.import_module(f"lib.exercises.{name}")
    for code in (leaned_on(chapter(one.chapter), [one]), one.solution):
        exec(compile(code, f"<exercise {number}>", "exec"), space)
    return space[one.answer]


def expect_the_same(number: str, answer: Any, seed: int) -> None:
    """Expect an answer to do what the solution does, for values drawn from a seed.

    Raises:
        CheckFailed: If it does not; the sentence says for what.
    """
    recorded = record(number)
    if recorded:
        _try_others(recorded, answer, seed)
        return
    load([exercise(number).chapter])
    draw = Draw(f"{seed} {number}")
    right = solution(number)
    for _ in range(TRIES):
        for observe in DRAWS[number](draw):
            _compare(number, observe, answer, right)


def _try_others(exercise: Exercise, answer: Any, seed: int) -> None:
    prefix = "right for the values of its check, not for others: "
    for turn in range(TRIES):
        cases = exercise.cases(f"{seed} {exercise.number} {turn}")
        try:
            exercise.expect_right(answer, cases)
        except (CheckFailed, NotAnswered) as failure:
            told = f"Exercise {exercise.number}: {prefix}{failure}"
            raise CheckFailed(told) from None


def _compare(number: str, observe: Observe, answer: Any, right: Any) -> None:
    drawn = random.getrandbits(32)
    torch.manual_seed(drawn)
    wanted = observe(right)
    torch.manual_seed(drawn)
    prefix = f"Exercise {number}: right for the values of its check, not for others: "
    try:
        found = observe(Guarded(answer) if callable(answer) else answer)
        _expect(unwrap(found), wanted, "the result")
    except (CheckFailed, NotAnswered) as failure:
        raise CheckFailed(prefix + str(failure)) from None
    except Exception as error:
        told = f"the answer could not be read ({reason(error)})."
        raise CheckFailed(prefix + told) from error


def _expect(found: Any, wanted: Any, what: str) -> None:
    """Compare numbers with room for rounding, and the rest exactly."""
    numbers = isinstance(wanted, float) or (
        isinstance(wanted, torch.Tensor) and wanted.is_floating_point()
    )
    if numbers:
        expect.close(found, wanted, what)
    elif isinstance(wanted, tuple | list) and any(
        isinstance(part, float | torch.Tensor | tuple) for part in wanted
    ):
        expect.equal(len(found), len(wanted), f"the length of {what}")
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            _expect(one, other, f"part {place} of {what}")
    else:
        expect.equal(found, wanted, what)
