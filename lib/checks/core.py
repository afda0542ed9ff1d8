"""What every exercise check is made of: three outcomes, one sentence each.

An exercise is not answered yet (a printed hint, no error), right (a printed
praise) or wrong (`CheckFailed`, which Jupyter shows as one sentence). Where answers
are graded, `strict` lets a missing one fail too.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from lib.checks.calls import ATTENTION, SOFTMAX, without
from lib.checks.guard import (
    CheckFailed,
    Guarded,
    NotAnswered,
    answered,
    brief,
    reason,
    unwrap,
)

__all__ = [
    "ATTENTION",
    "SOFTMAX",
    "CheckFailed",
    "NotAnswered",
    "answered",
    "as_tensor",
    "brief",
    "exercise",
    "expect",
    "expect_close",
    "expect_equal",
    "expect_shape",
    "expect_tensor",
    "strict",
    "unwrap",
    "without",
]

Check = Callable[..., None]
Run = Callable[..., bool | None]
Diagnoses = Iterable[tuple[Any, str]]
"""Pairs (wrong value or test of the value, the sentence that names the mistake)."""


_is_strict = False


def strict(on: bool = True) -> None:
    """Let the checks grade: a missing answer fails, and a right one returns True.

    Without it a cell with a stub raises nothing, which a grader takes for right.

    Example:
        >>> @exercise("0.1", praise="Doubling is adding a number to itself.")
        ... def double(answer):
        ...     expect_equal(answer(3), 6, "double(3)")
        >>> strict()
        >>> double(lambda x: x + x)
        Exercise 0.1: right. Doubling is adding a number to itself.
        True
        >>> double(...)
        Traceback (most recent call last):
            ...
        lib.checks.guard.CheckFailed: Exercise 0.1: not answered yet. ...
        >>> strict(False)
    """
    global _is_strict
    _is_strict = on


def exercise(number: str, praise: str) -> Callable[[Check], Run]:
    """Turn a function that tests an answer into the check of one exercise.

    The check hands its function guarded answers: calling one copies the inputs,
    names the learner's error in a sentence, and notices a stub. It runs with a
    random seed of its own, so that the cells after it see the same random numbers
    whether or not the exercise is solved.

    Args:
        number: the exercise's number, such as "2.1".
        praise: one sentence of why the answer is right, or of what comes next.

    Example:
        >>> @exercise("0.1", praise="Doubling is adding a number to itself.")
        ... def double(answer):
        ...     expect_equal(answer(3), 6, "double(3)", [(9, "That is the square.")])
        >>> double(lambda x: x + x)
        Exercise 0.1: right. Doubling is adding a number to itself.
        >>> double(lambda x: ...)
        Exercise 0.1: not answered yet. Replace the … and run the cell again.
    """

    def decorate(check: Check) -> Run:
        @functools.wraps(check)
        def run(*answers: Any) -> bool | None:
            try:
                _run(check, answers)
            except NotAnswered as missing:
                sentence = f"Exercise {number}: not answered yet. {missing}"
                if _is_strict:
                    raise CheckFailed(sentence) from missing.__cause__
                print(sentence)
                return None
            except CheckFailed as failure:
                # The cause stays for those who test a check; Jupyter does not show it.
                raise CheckFailed(
                    f"Exercise {number}: {failure}"
                ) from failure.__cause__
            print(f"Exercise {number}: right. {praise}")
            return True if _is_strict else None

        return run

    return decorate


def _run(check: Check, answers: tuple[Any, ...]) -> None:
    for answer in answers:
        answered(answer)
    guarded = [Guarded(a) if callable(a) else a for a in answers]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        try:
            check(*guarded)
        except (NotAnswered, CheckFailed):
            raise
        except Exception as error:
            raise CheckFailed(
                f"the answer could not be read ({reason(error)}); "
                "compare what it gives back with what the task asks for."
            ) from error


def _diagnose(got: Any, diagnoses: Diagnoses, same: Callable[[Any], bool]) -> None:
    for wrong, sentence in diagnoses:
        try:
            found = bool(wrong(got)) if callable(wrong) else same(wrong)
        except Exception:  # a test that cannot read this answer does not apply to it
            found = False
        if found:
            raise CheckFailed(sentence)


def expect(condition: object, sentence: str) -> None:
    """Fail with the sentence unless the condition holds."""
    if not condition:
        raise CheckFailed(sentence)


def as_tensor(got: Any) -> Any:
    """Take numbers in a list or a NumPy array as the tensor that they stand for."""
    if isinstance(got, torch.Tensor):
        return got
    try:
        return torch.as_tensor(got)
    except (TypeError, ValueError, RuntimeError):
        return got


def expect_tensor(got: Any, what: str, dtype: torch.dtype | None = None) -> None:
    """Expect a tensor, of the given dtype if there is one."""
    answered(got)
    if not isinstance(got, torch.Tensor):
        raise CheckFailed(f"{what} should be a tensor, but is {brief(got)}.")
    if dtype is not None and got.dtype != dtype:
        raise CheckFailed(f"{what} should have dtype {dtype}, but has {got.dtype}.")


def expect_shape(
    got: Any, shape: Sequence[int], what: str, diagnoses: Diagnoses = ()
) -> None:
    """Expect a tensor of this shape; a diagnosis may name a wrong shape."""
    expect_tensor(got, what)
    found = tuple(got.shape)
    if found != tuple(shape):
        _diagnose(got, diagnoses, lambda wrong: found == tuple(wrong))
        raise CheckFailed(
            f"{what} should have the shape {tuple(shape)}, but has {found}."
        )


def expect_equal(got: Any, expected: Any, what: str, diagnoses: Diagnoses = ()) -> None:
    """Expect exactly this value (tensors, arrays and tuples count as lists)."""
    answered(got)
    if _plain(got) != _plain(expected):
        _diagnose(got, diagnoses, lambda wrong: _plain(got) == _plain(wrong))
        raise CheckFailed(_difference(got, expected, what))


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor | np.ndarray):
        return value.tolist()
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def expect_close(
    got: Any, expected: Any, what: str, diagnoses: Diagnoses = (), atol: float = 1e-4
) -> None:
    """Expect numbers within `atol` of these; a diagnosis may hold wrong numbers."""
    answered(got)
    target = torch.as_tensor(expected, dtype=torch.float64)
    try:
        number = torch.as_tensor(got, dtype=torch.float64).detach()
    except (TypeError, ValueError, RuntimeError):
        _diagnose(got, diagnoses, lambda wrong: False)
        raise CheckFailed(_difference(got, expected, what)) from None

    def same(other: Any) -> bool:
        value = torch.as_tensor(other, dtype=torch.float64)
        return value.shape == number.shape and torch.allclose(
            number, value, rtol=1e-5, atol=atol
        )

    if not same(target):
        _diagnose(got, diagnoses, same)
        if number.shape != target.shape:
            raise CheckFailed(
                f"{what} should have the shape {tuple(target.shape)}, "
                f"but has {tuple(number.shape)}."
            )
        off = ~torch.isclose(number, target, rtol=1e-5, atol=atol)
        raise CheckFailed(_difference(number, target, what, off))


def _difference(
    got: Any, expected: Any, what: str, off: torch.Tensor | None = None
) -> str:
    """Say what should be and what is, in words that never read alike."""
    wanted, found = brief(expected), brief(got)
    places = _places(got, expected) if off is None else off
    large = places is not None and places.numel() > (12 if off is None else 6)
    if wanted != found and not large:
        return f"{what} should be {wanted}, but is {found}."
    if places is not None and bool(places.any()):
        index = tuple(places.nonzero()[0].tolist())
        one, other = _numbers(expected)[index].item(), _numbers(got)[index].item()
        wanted, found = brief(one), brief(other)
        if wanted == found:
            wanted, found = repr(one), repr(other)
        if not index:
            return f"{what} should be {wanted}, but is {found}."
        return (
            f"{what} is off in {int(places.sum())} of {places.numel()} places: at "
            f"[{', '.join(map(str, index))}] it should be {wanted}, but is {found}."
        )
    if wanted != found:
        return f"{what} should be {wanted}, but is {found}."
    kinds = f"a {type(expected).__name__}", f"a {type(unwrap(got)).__name__}"
    return f"{what} should be {wanted} as {kinds[0]}, but is {found} as {kinds[1]}."


def _places(got: Any, expected: Any) -> torch.Tensor | None:
    """Where two tables of numbers of one shape differ; None if they are no such."""
    one, other = _numbers(got), _numbers(expected)
    tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return one != other if tensors and one.shape == other.shape else None


def _numbers(value: Any) -> Any:
    """The numbers as a tensor, those of Python with all their digits."""
    found = as_tensor(value)
    exact = isinstance(found, torch.Tensor) and found.is_floating_point()
    return torch.as_tensor(value, dtype=torch.float64) if exact else found
