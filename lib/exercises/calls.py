"""Which functions a learner's code calls: some exercises ask to do without a few."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from lib.exercises.guard import CheckFailed

__all__ = ["ATTENTION", "SOFTMAX", "Watch", "Without"]

SOFTMAX = frozenset(
    {"softmax", "special_softmax", "log_softmax", "special_log_softmax"}
)
"""PyTorch's functions that are a softmax, or nearly one."""
ATTENTION = frozenset({"scaled_dot_product_attention"})
"""PyTorch's attention, that of `lib`, and the one that chapter 3 writes."""


class Watch(TorchFunctionMode):
    """Note whether a function of PyTorch's is called.

    Args:
        names: of such functions.
        least: only calls that are handed a tensor of so many numbers count.
    """

    def __init__(self, names: Collection[str], least: int = 0) -> None:
        super().__init__()
        self.names, self.least, self.seen = names, least, False

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        named = kwargs or {}
        if getattr(func, "__name__", "") in self.names:
            given = [*args, *named.values()]
            sizes = [one.numel() for one in given if isinstance(one, Tensor)]
            self.seen |= max(sizes, default=0) >= self.least
        return func(*args, **named)


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
        watch, before = Watch(self.of_torch), sys.getprofile()

        def profile(frame: FrameType, event: str, argument: Any) -> None:
            watch.seen |= event == "call" and frame.f_code.co_name in self.named

        with watch:
            sys.setprofile(profile if self.named else before)
            try:
                yield
            finally:
                sys.setprofile(before)
        if watch.seen:
            raise CheckFailed(self.sentence)
