"""The frame of every check: an answer is missing, right or wrong.

An exercise is not answered yet (a printed hint, no error), right (a printed
praise) or wrong (`CheckFailed`, which Jupyter shows as one sentence). Where answers
are graded, `strict` lets a missing one fail too.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch

from lib.exercises import record
from lib.exercises.guard import CheckFailed, Guarded, NotAnswered, answered, reason

__all__ = ["exercise"]

Check = Callable[..., None]
Run = Callable[..., bool | None]


def exercise(
    number: str, praise: str, cases: Iterable[tuple[Any, ...]] = ((),)
) -> Callable[[Check], Run]:
    """Turn a function that tests an answer into the check of one exercise.

    The check hands its function guarded answers: calling one copies the inputs,
    names the learner's error in a sentence, and notices a stub. It runs with a
    random seed of its own, so that the cells after it see the same random numbers
    whether or not the exercise is solved.

    Args:
        number: the exercise's number, such as "2.1".
        praise: one sentence of why the answer is right, or of what comes next.
        cases: what the function is given after the answer; it runs once for each.

    Example:
        >>> from lib.checks import expect
        >>> @exercise("0.1", praise="Doubling is adding a number to itself.")
        ... def double(answer):
        ...     expect.equal(answer(3), 6, "double(3)", {"That is the square.": 9})
        >>> double(lambda x: x + x)
        Exercise 0.1: right. Doubling is adding a number to itself.
        >>> double(lambda x: ...)
        Exercise 0.1: not answered yet. Replace the … and run the cell again.
        >>> double(lambda x: x * x)
        Traceback (most recent call last):
            ...
        lib.exercises.guard.CheckFailed: Exercise 0.1: That is the square.
    """

    def decorate(check: Check) -> Run:
        @functools.wraps(check)
        def run(*answers: Any) -> bool | None:
            try:
                _run(check, answers, tuple(cases))
            except NotAnswered as missing:
                sentence = f"Exercise {number}: not answered yet. {missing}"
                if record._is_strict:
                    raise CheckFailed(sentence) from missing.__cause__
                print(sentence)
                return None
            except CheckFailed as failure:
                # The cause stays for those who test a check; Jupyter does not show it.
                raise CheckFailed(
                    f"Exercise {number}: {failure}"
                ) from failure.__cause__
            print(f"Exercise {number}: right. {praise}")
            return True if record._is_strict else None

        return run

    return decorate


def _run(
    check: Check, answers: tuple[Any, ...], cases: tuple[tuple[Any, ...], ...]
) -> None:
    for answer in answers:
        answered(answer)
    guarded = [Guarded(a) if callable(a) else a for a in answers]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        try:
            for case in cases:
                check(*guarded, *case)
        except (NotAnswered, CheckFailed):
            raise
        except Exception as error:
            raise CheckFailed(
                f"the answer could not be read ({reason(error)}); "
                "compare what it gives back with what the task asks for."
            ) from error
