"""What an answer is tried on: cases, fixed or drawn from a seed."""

import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

__all__ = ["Case", "Cases", "Draw", "Parts", "case"]


class Draw(random.Random):
    """Python's random numbers, and tensors of them.

    Example:
        >>> draw = Draw("any seed")
        >>> draw.normal(2, 3).shape
        torch.Size([2, 3])
        >>> 4 <= int(draw.ids(4, 9, 1)) <= 9
        True
    """

    def normal(self, *shape: int) -> Tensor:
        """Numbers of mean 0 and standard deviation 1."""
        return torch.randn(shape, generator=self._generator())

    def ids(self, low: int, high: int, *shape: int) -> Tensor:
        """Whole numbers from `low` to `high`, both included."""
        return torch.randint(low, high + 1, shape, generator=self._generator())

    def _generator(self) -> torch.Generator:
        return torch.Generator().manual_seed(self.getrandbits(48))


class Parts(dict[str, Any]):
    """Several things to compare, one after the other; a sentence begins with a key."""


@dataclass(frozen=True)
class Case:
    """What an answer is tried on once; `case` makes one."""

    args: tuple[Any, ...]
    what: str
    use: Callable[..., Any] | None

    def name(self, exercise: str, right: Any) -> str:
        """A name of the result: the call as it would be typed."""
        if self.what:
            return self.what
        given = [repr(arg) if _is_short(arg) else "" for arg in self.args]
        names = given if all(given) else [*inspect.signature(right).parameters]
        call = [one or name for one, name in zip(given, names, strict=False)]
        return f"{exercise}({', '.join(call)})"


Cases = Iterator[Case]


def case(
    *args: Any,
    what: str = "",
    use: Callable[..., Any] | None = None,
) -> Case:
    """Try an answer on these arguments.

    Args:
        args: what the answer is called with.
        what: the name of the result, which sentences begin with; without one it is the
            call, such as `softmax(x)` or `spread(64, 1.0)`.
        use: what to do instead of calling the answer: it is given the answer and the
            arguments, and gives back what is compared.
    """
    return Case(args, what, use)


def _is_short(value: Any) -> bool:
    """Whether a value is written out in a call, and not named."""
    plain = isinstance(value, int | float | str | list | tuple)
    return plain and "tensor" not in repr(value) and len(repr(value)) <= 24


def drawn_by(cases: Callable[[Draw], Any], name: str, module: str) -> Any:
    """A function that yields cases, given by tuples of arguments or as they are."""

    def inputs(draw: Draw) -> Cases:
        for one in cases(draw):
            yield one if isinstance(one, Case) else case(*one)

    inputs.__name__, inputs.__module__ = name, module
    return inputs
