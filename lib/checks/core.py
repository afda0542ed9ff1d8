"""What every exercise check is made of: three outcomes, one sentence each.

An exercise is not answered yet (a printed hint, no error), right (a printed
praise) or wrong (`CheckFailed`, which Jupyter shows as one sentence).
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

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
    "CheckFailed",
    "NotAnswered",
    "answered",
    "brief",
    "exercise",
    "expect",
    "expect_close",
    "expect_equal",
    "expect_shape",
    "expect_tensor",
    "unwrap",
]

Check = Callable[..., None]
Diagnoses = Iterable[tuple[Any, str]]
"""Pairs (wrong value or test of the value, the sentence that names the mistake)."""


def exercise(number: str, praise: str) -> Callable[[Check], Check]:
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

    def decorate(check: Check) -> Check:
        @functools.wraps(check)
        def run(*answers: Any) -> None:
            try:
                _run(check, answers)
            except NotAnswered as missing:
                print(f"Exercise {number}: not answered yet. {missing}")
            except CheckFailed as failure:
                # The cause stays for those who test a check; Jupyter does not show it.
                raise CheckFailed(
                    f"Exercise {number}: {failure}"
                ) from failure.__cause__
            else:
                print(f"Exercise {number}: right. {praise}")

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
    """Expect exactly this value (tensors and tuples count as lists)."""
    answered(got)
    if _plain(got) != _plain(expected):
        _diagnose(got, diagnoses, lambda wrong: _plain(got) == _plain(wrong))
        raise CheckFailed(f"{what} should be {brief(expected)}, but is {brief(got)}.")


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
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
        raise CheckFailed(
            f"{what} should be {brief(expected)}, but is {brief(got)}."
        ) from None

    def same(other: Any) -> bool:
        value = torch.as_tensor(other, dtype=torch.float64)
        return value.shape == number.shape and torch.allclose(
            number, value, rtol=1e-5, atol=atol
        )

    if not same(target):
        _diagnose(got, diagnoses, same)
        raise CheckFailed(_difference(number, target, what, atol))


def _difference(
    got: torch.Tensor, expected: torch.Tensor, what: str, atol: float
) -> str:
    if got.shape != expected.shape:
        return (
            f"{what} should have the shape {tuple(expected.shape)}, "
            f"but has {tuple(got.shape)}."
        )
    if expected.numel() <= 6:
        return f"{what} should be {brief(expected)}, but is {brief(got)}."
    off = ~torch.isclose(got, expected, rtol=1e-5, atol=atol)
    index = tuple(off.nonzero()[0].tolist())
    place = ", ".join(map(str, index))
    return (
        f"{what} is off in {int(off.sum())} of {off.numel()} places: at [{place}] it "
        f"should be {brief(expected[index])}, but is {brief(got[index])}."
    )
