"""When two results are the same, and in which words they differ."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lib.exercises.guard import brief

__all__ = ["as_tensor", "difference", "same", "wrong_alike"]


def same(got: Any, wanted: Any, atol: float = 1e-4) -> bool:
    """Whether a result is what is wanted: numbers with room for rounding.

    Lists, tuples, arrays and tensors stand for one another, but a wanted tensor of
    `bool`, of whole numbers or of half precision is no tensor of another type.

    Args:
        got: a result.
        wanted: what it is compared with.
        atol: how far a fractional number may be off, besides 1e-5 of its size.

    Example:
        >>> same([0.5, 1.0], torch.tensor([0.5, 1.00001]))
        True
        >>> same("a", ["a"])
        False
    """
    if _wrong_type(got, wanted):
        return False
    one, other = _plain(got), _plain(wanted)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(one[key], value, atol) for key, value in other.items()
        )
    if isinstance(other, list | tuple) and not isinstance(one, str):
        parts = list(one) if isinstance(one, Iterable) else None
        return parts is not None and (
            len(parts) == len(other)
            and all(same(*pair, atol) for pair in zip(parts, other, strict=True))
        )
    if isinstance(one, int | float) and isinstance(other, float):
        if math.isfinite(one) and math.isfinite(other):
            return abs(one - other) <= atol + 1e-5 * abs(other)
        return one == other or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def wrong_alike(got: Any, slip: Any, right: Any) -> bool:
    """Whether a result is wrong as a slip is: in its shape, or in having NaN.

    Whole numbers are none, nor is a list: two lists may be too short for different
    reasons.

    Example:
        >>> wrong_alike(torch.ones(3), torch.zeros(3), right=torch.ones(2))
        True
    """
    one, other, wanted = as_tensor(got), as_tensor(slip), right
    if not all(isinstance(value, Tensor) for value in (one, other, wanted)):
        return False
    if one.shape != other.shape or not other.is_floating_point():
        return False
    holds_nan = bool(one.isnan().any() and other.isnan().any())
    return one.shape != wanted.shape or (holds_nan and not wanted.isnan().any())


def as_tensor(value: Any) -> Any:
    """Take numbers in a list or a NumPy array as the tensor that they stand for."""
    if isinstance(value, Tensor):
        return value
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        return value


def difference(got: Any, wanted: Any, what: str, atol: float = 1e-4) -> str:
    """Say what should be and what is, in words that hardly ever read alike.

    Args:
        got: a result that is not the `same`.
        wanted: what it should be.
        what: the result's name, which the sentence begins with.
        atol: as for `same`.

    Example:
        >>> difference(torch.ones(2), torch.ones(3), "weights")
        'weights should have the shape (3,), but has (2,).'
    """
    one, other = as_tensor(got), as_tensor(wanted)
    right, found = brief(wanted), brief(got)
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape == other.shape:
            if _wrong_type(got, wanted):
                return _other_type(one.dtype, other.dtype, what)
            places, most = one != other, 12
            if other.is_floating_point():
                given = one.double(), other.double()
                places, most = ~torch.isclose(*given, rtol=1e-5, atol=atol), 6
            if places.any() and (right == found or places.numel() > most):
                return _first_difference(one, other, places, what)
        elif isinstance(wanted, float | Tensor):
            right, found = str(tuple(other.shape)), str(tuple(one.shape))
            return f"{what} should have the shape {right}, but has {found}."
    return f"{what} should be {right}, but is {found}."


def _other_type(got: torch.dtype, wanted: torch.dtype, what: str) -> str:
    if wanted == torch.bool:
        return (
            f"{what} should be boolean, but its dtype is {got}: compare with "
            "something, or use dtype=torch.bool."
        )
    if not wanted.is_floating_point:
        return f"{what} should hold whole numbers, but its dtype is {got}."
    return f"{what} should have dtype {wanted}, but has {got}."


def _wrong_type(got: Any, wanted: Any) -> bool:
    """Whether a tensor has a type that cannot stand for the wanted one."""
    if not (isinstance(got, Tensor) and isinstance(wanted, Tensor)):
        return False
    if wanted.is_floating_point():
        return wanted.element_size() < 4 and got.dtype != wanted.dtype
    if wanted.dtype == torch.bool:
        return got.dtype != torch.bool
    return got.is_floating_point()


def _plain(value: Any) -> Any:
    is_array = isinstance(value, Tensor | np.ndarray | np.generic)
    return value.tolist() if is_array else value


def _first_difference(got: Tensor, wanted: Tensor, places: Tensor, what: str) -> str:
    """Say where two tables of numbers differ, and how they do in the first place."""
    index = tuple(places.nonzero()[0].tolist())
    one, other = wanted[index].item(), got[index].item()
    right, found = brief(one), brief(other)
    if right == found:
        right, found = repr(one), repr(other)
    if not index:
        return f"{what} should be {right}, but is {found}."
    return (
        f"{what} is off in {int(places.sum())} of {places.numel()} places: at "
        f"[{', '.join(map(str, index))}] it should be {right}, but is {found}."
    )
