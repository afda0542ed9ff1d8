"""Which functions a learner's code calls: some exercises ask to do without a few."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch.overrides import TorchFunctionMode

from lib.exercises.guard import CheckFailed

__all__ = ["ATTENTION", "SOFTMAX", "Without"]

SOFTMAX = frozenset(
    {"softmax", "special_softmax", "log_softmax", "special_log_softmax"}
)
"""PyTorch's functions that are a softmax, or nearly one."""
ATTENTION = frozenset({"scaled_dot_product_attention"})
"""PyTorch's attention, that of `lib`, and the one that chapter 3 writes."""


class _Watch(TorchFunctionMode):
    """Note which of the named functions are called, PyTorch's or Python's."""

    def __init__(self, torch_names: Collection[str], names: Collection[str]) -> None:
        super().__init__()
        self.torch_names, self.names = torch_names, names
        self.seen = False

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        self.seen |= getattr(func, "__name__", "") in self.torch_names
        return func(*args, **(kwargs or {}))

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        """Python calls this at each call while the watch is on (`sys.setprofile`)."""
        self.seen |= event == "call" and frame.f_code.co_name in self.names


@dataclass(frozen=True)
class Without:
    """What an answer may not call.

    Args:
        sentence: what the learner is told.
        like: an answer that calls one of them, for the test of the exercise. Where a
            course is graded, whatever is handed over under this name is taken out.
        of_torch: names of PyTorch's functions and methods; a function of the learner's
            own may bear the same name.
        named: names of functions wherever they were written.
    """

    sentence: str
    like: Callable[..., Any]
    of_torch: Collection[str] = ()
    named: Collection[str] = ()

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Refuse the calls while this is open.

        Raises:
            CheckFailed: if one of them was made.
        """
        watch, before = _Watch(self.of_torch, self.named), sys.getprofile()
        with watch:
            sys.setprofile(watch.profile if self.named else before)
            try:
                yield
            finally:
                sys.setprofile(before)
        if watch.seen:
            raise CheckFailed(self.sentence)
