"""Forms that several exercises ask for: each in words, with the test of it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.exercises.cases import Parts
from lib.exercises.compare import as_tensor

__all__ = ["NUMBER", "TENSOR", "TEXT", "TRUTH", "named", "pair", "several"]

Form = tuple[str, Callable[[Any], object]]


def pair(words: str) -> Form:
    """The form of two things, told in these words."""
    return words, lambda got: isinstance(got, list | tuple) and len(got) == 2


def several(words: str, kind: type) -> Form:
    """The form of a list of one kind of things, told in these words."""
    return (
        words,
        lambda got: (
            isinstance(got, list | tuple) and all(isinstance(one, kind) for one in got)
        ),
    )


def named(*names: str) -> Callable[[Any], Parts]:
    """What an answer gives back, one thing after the other, under these names."""
    return lambda got: Parts(zip(names, got, strict=True))


def _is_truth(got: Any) -> bool:
    """Whether it is one `bool`, also as a tensor's or as NumPy's."""
    one = as_tensor(got)
    return isinstance(one, Tensor) and one.numel() == 1 and one.dtype == torch.bool


NUMBER: Form = ("a number", lambda got: isinstance(got, int | float | Tensor))
TENSOR: Form = ("a tensor", lambda got: isinstance(got, Tensor))
TEXT: Form = ("a text", lambda got: isinstance(got, str))
TRUTH: Form = ("True or False", _is_truth)
