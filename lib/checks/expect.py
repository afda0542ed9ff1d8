"""What a check expects of an answer; whatever is not so fails in one sentence.

`equal`, `close` and `shape` compare with what is right. Only where an answer differs
do they look through the slips that they are given, so that no slip can speak against a
right answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from lib.exercises.guard import CheckFailed, answered, brief, unwrap

__all__ = [
    "AnyOf",
    "Slips",
    "as_tensor",
    "close",
    "equal",
    "none_of",
    "pair",
    "shape",
    "tensor",
    "that",
]

Slips = Mapping[str, Any]
"""Sentences that name a slip, each with what gives it away: the wrong value that it
leads to, a function that tells from the value, or `AnyOf` these."""


class AnyOf:
    """Several values that are told by the same sentence."""

    def __init__(self, *values: Any) -> None:
        self.values = values


def that(condition: object, sentence: str) -> None:
    """Fail with the sentence unless the condition holds."""
    if not condition:
        raise CheckFailed(sentence)


def none_of(slips: Mapping[str, object]) -> None:
    """Fail with the first sentence whose condition holds."""
    for sentence, condition in slips.items():
        that(not condition, sentence)


def pair(got: Any, sentence: str) -> None:
    """Expect a list or tuple of two parts."""
    that(isinstance(got, list | tuple) and len(got) == 2, sentence)


def tensor(got: Any, what: str, dtype: torch.dtype | None = None) -> None:
    """Expect a tensor, of the given dtype if there is one."""
    answered(got)
    that(
        isinstance(got, torch.Tensor),
        f"{what} should be a tensor, but is {brief(got)}.",
    )
    if dtype is not None and got.dtype != dtype:
        raise CheckFailed(f"{what} should have dtype {dtype}, but has {got.dtype}.")


def shape(
    got: Any, right: Sequence[int], what: str, slips: Slips | None = None
) -> None:
    """Expect a tensor of this shape; slips are told by wrong shapes."""
    tensor(got, what)
    found = tuple(got.shape)
    if found != tuple(right):
        _name_slip(got, slips, lambda wrong: found == tuple(wrong))
        raise CheckFailed(_other_shape(what, right, found))


def equal(got: Any, right: Any, what: str, slips: Slips | None = None) -> None:
    """Expect exactly this value (tensors, arrays and tuples count as lists)."""
    answered(got)
    if _plain(got) != _plain(right):
        _name_slip(got, slips, lambda wrong: _plain(got) == _plain(wrong))
        raise CheckFailed(_difference(got, right, what))


def close(
    got: Any, right: Any, what: str, slips: Slips | None = None, atol: float = 1e-4
) -> None:
    """Expect numbers within `atol` of these."""
    answered(got)
    target = torch.as_tensor(right, dtype=torch.float64)
    try:
        number = torch.as_tensor(got, dtype=torch.float64).detach()
    except (TypeError, ValueError, RuntimeError):
        _name_slip(got, slips, lambda wrong: False)
        raise CheckFailed(_difference(got, right, what)) from None

    def same(other: Any) -> bool:
        value = torch.as_tensor(other, dtype=torch.float64)
        return value.shape == number.shape and torch.allclose(
            number, value, rtol=1e-5, atol=atol
        )

    if not same(target):
        _name_slip(got, slips, same)
        if number.shape != target.shape:
            raise CheckFailed(_other_shape(what, target.shape, number.shape))
        off = ~torch.isclose(number, target, rtol=1e-5, atol=atol)
        raise CheckFailed(_difference(number, target, what, off))


def as_tensor(got: Any) -> Any:
    """Take numbers in a list or a NumPy array as the tensor that they stand for."""
    if isinstance(got, torch.Tensor):
        return got
    try:
        return torch.as_tensor(got)
    except (TypeError, ValueError, RuntimeError):
        return got


def _name_slip(got: Any, slips: Slips | None, same: Callable[[Any], bool]) -> None:
    """Fail with the sentence of the first slip that leads to this value."""
    for sentence, wrong in (slips or {}).items():
        for one in wrong.values if isinstance(wrong, AnyOf) else [wrong]:
            try:
                found = bool(one(got)) if callable(one) else same(one)
            except Exception:  # a test that cannot read this answer says nothing of it
                found = False
            that(not found, sentence)


def _plain(value: Any) -> Any:
    if isinstance(value, torch.Tensor | np.ndarray):
        return value.tolist()
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def _other_shape(what: str, right: Sequence[int], found: Sequence[int]) -> str:
    return f"{what} should have the shape {tuple(right)}, but has {tuple(found)}."


def _difference(
    got: Any, right: Any, what: str, off: torch.Tensor | None = None
) -> str:
    """Say what should be and what is, in words that never read alike."""
    wanted, found = brief(right), brief(got)
    places = _places(got, right) if off is None else off
    large = places is not None and places.numel() > (12 if off is None else 6)
    if wanted != found and not large:
        return f"{what} should be {wanted}, but is {found}."
    if places is not None and bool(places.any()):
        return _first_difference(got, right, what, places)
    if wanted != found:
        return f"{what} should be {wanted}, but is {found}."
    kinds = f"a {type(right).__name__}", f"a {type(unwrap(got)).__name__}"
    return f"{what} should be {wanted} as {kinds[0]}, but is {found} as {kinds[1]}."


def _first_difference(got: Any, right: Any, what: str, places: torch.Tensor) -> str:
    """Say where two tables of numbers differ, and how they do in the first place."""
    index = tuple(places.nonzero()[0].tolist())
    one, other = _numbers(right)[index].item(), _numbers(got)[index].item()
    wanted, found = brief(one), brief(other)
    if wanted == found:
        wanted, found = repr(one), repr(other)
    if not index:
        return f"{what} should be {wanted}, but is {found}."
    return (
        f"{what} is off in {int(places.sum())} of {places.numel()} places: at "
        f"[{', '.join(map(str, index))}] it should be {wanted}, but is {found}."
    )


def _places(got: Any, right: Any) -> torch.Tensor | None:
    """Where two tables of numbers of one shape differ; None if they are no such."""
    one, other = _numbers(got), _numbers(right)
    tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return one != other if tensors and one.shape == other.shape else None


def _numbers(value: Any) -> Any:
    """The numbers as a tensor, those of Python with all their digits."""
    found = as_tensor(value)
    exact = isinstance(found, torch.Tensor) and found.is_floating_point()
    return torch.as_tensor(value, dtype=torch.float64) if exact else found
