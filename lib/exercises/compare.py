"""When two results are the same, and in which words they differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lib.exercises.guard import brief, unwrap

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
    if isinstance(wanted, dict) and isinstance(got, dict):
        return got.keys() == wanted.keys() and all(
            same(got[key], value, atol) for key, value in wanted.items()
        )
    if isinstance(wanted, list | tuple) and not isinstance(got, str):
        try:
            pairs = list(zip(got, wanted, strict=True))
        except (TypeError, ValueError):
            return False
        return all(same(one, other, atol) for one, other in pairs)
    if not _is_fractional(wanted):
        return bool(_plain(got) == _plain(wanted))
    one, other = (_as_float64(value) for value in (got, wanted))
    if one is None or other is None or one.shape != other.shape:
        return False
    return torch.allclose(one, other, rtol=1e-5, atol=atol, equal_nan=True)


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


def difference(got: Any, wanted: Any, what: str) -> str:
    """Say what should be and what is, in words that never read alike.

    Args:
        got: a result that is not the `same`.
        wanted: what it should be.
        what: the result's name, which the sentence begins with.

    Example:
        >>> difference(torch.ones(2), torch.ones(3), "weights")
        'weights should have the shape (3,), but has (2,).'
    """
    one, other = as_tensor(got), as_tensor(wanted)
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape and isinstance(wanted, float | Tensor):
            wanted_shape, found_shape = tuple(other.shape), tuple(one.shape)
            return (
                f"{what} should have the shape {wanted_shape}, but has {found_shape}."
            )
        if _wrong_type(got, wanted):
            return _other_type(one.dtype, other.dtype, what)
    return _off(got, wanted, what)


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


def _is_fractional(value: Any) -> bool:
    if isinstance(value, np.ndarray | np.generic):
        return bool(np.issubdtype(value.dtype, np.floating))
    return isinstance(value, float) or (
        isinstance(value, Tensor) and value.is_floating_point()
    )


def _as_float64(value: Any) -> Tensor | None:
    try:
        return torch.as_tensor(value, dtype=torch.float64).detach()
    except (TypeError, ValueError, RuntimeError):
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor | np.ndarray):
        return value.tolist()
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value


def _off(got: Any, wanted: Any, what: str) -> str:
    """Write both out if they are short, and else the first place that differs."""
    right, found, places = brief(wanted), brief(got), _places(got, wanted)
    most = 6 if _is_fractional(wanted) else 12
    if (
        places is not None
        and places.any()
        and (right == found or places.numel() > most)
    ):
        return _first_difference(got, wanted, what, places)
    if right != found:
        return f"{what} should be {right}, but is {found}."
    kinds = f"a {type(wanted).__name__}", f"a {type(unwrap(got)).__name__}"
    return f"{what} should be {right} as {kinds[0]}, but is {found} as {kinds[1]}."


def _first_difference(got: Any, wanted: Any, what: str, places: Tensor) -> str:
    """Say where two tables of numbers differ, and how they do in the first place."""
    index: Sequence[int] = tuple(places.nonzero()[0].tolist())
    one, other = _numbers(wanted)[index].item(), _numbers(got)[index].item()
    right, found = brief(one), brief(other)
    if right == found:
        right, found = repr(one), repr(other)
    if not index:
        return f"{what} should be {right}, but is {found}."
    return (
        f"{what} is off in {int(places.sum())} of {places.numel()} places: at "
        f"[{', '.join(map(str, index))}] it should be {right}, but is {found}."
    )


def _places(got: Any, wanted: Any) -> Tensor | None:
    """Where two tables of numbers differ, fractional ones by more than rounding."""
    one, other = _as_float64(got), _as_float64(wanted)
    if one is None or other is None or one.shape != other.shape:
        return None
    close = torch.isclose(one, other, rtol=1e-5, atol=1e-4)
    return ~close if _is_fractional(wanted) else one != other


def _numbers(value: Any) -> Any:
    """The numbers as a tensor, those of Python with all their digits."""
    found = as_tensor(value)
    exact = isinstance(found, Tensor) and found.is_floating_point()
    return torch.as_tensor(value, dtype=torch.float64) if exact else found
