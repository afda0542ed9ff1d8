"""What stands between a check and the learner's code: copies, sentences, stubs."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

REPLACE = "Replace the … and run the cell again."


class CheckFailed(AssertionError):  # noqa: N818 - it names what happened
    """A wrong answer; its message is the one sentence that the learner sees."""

    def _render_traceback_(self) -> list[str]:
        # Jupyter asks an exception for this method before it prints a traceback.
        return [str(self)]


def that(condition: object, sentence: str) -> None:
    """Fail with the sentence unless the condition holds."""
    if not condition:
        raise CheckFailed(sentence)


class NotAnswered(Exception):  # noqa: N818 - it is no error
    """Raised inside a check when it meets what the stub left behind."""


class MissingPart(NotAnswered, AttributeError):  # noqa: N818
    """The learner's class lacks a method or attribute that the check needs."""


def answered(value: Any, who: str = "") -> Any:
    """Give the value back, or raise `NotAnswered` if it is what a stub leaves."""
    if value is None and who:
        raise NotAnswered(
            f"{who} gives back None: replace the …, end with `return`, "
            "and run the cell again."
        )
    blank = isinstance(value, str) and value.strip() in ("...", "…")
    if value is None or value is ... or blank:
        raise NotAnswered(REPLACE)
    if isinstance(value, list | tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            if part is ...:
                answered(part)
    return value


class Guarded:
    """A learner's function, class or module, safe to call from a check.

    Attributes are those of the wrapped object, which is `unwrap(guarded)`; `formed`
    takes what it gives back.
    """

    def __init__(
        self,
        target: Any,
        name: str = "",
        formed: Callable[[Any], Any] = lambda got: got,
    ) -> None:
        self._target, self._formed = target, formed
        self._name = name or getattr(target, "__name__", type(target).__name__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not hasattr(self._target, name):
            raise MissingPart(
                f"{self._name} has no `{name}` yet: define it and run the cell again."
            )
        value = getattr(self._target, name)
        inner = callable(value) and not isinstance(value, torch.nn.Module)
        return Guarded(value, f"{self._name}.{name}") if inner else value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the learner's code; what goes wrong there becomes one sentence."""
        if isinstance(self._target, type) and _is_empty_class(self._target):
            raise NotAnswered(REPLACE)
        given = [brief(a) for a in args]
        given += [f"{key}={brief(value)}" for key, value in kwargs.items()]
        call = f"{self._name}({', '.join(given)})"
        try:
            result = self._target(*_copy(args), **_copy(kwargs))
        except NotImplementedError as error:  # PyTorch: a module without `forward`
            raise NotAnswered(REPLACE) from error
        except Exception as error:
            if "ellipsis" in str(error).lower():
                raise NotAnswered(REPLACE) from error
            raise CheckFailed(f"{call} stopped with {reason(error)}") from error
        if isinstance(self._target, type):
            return Guarded(result, self._name) if callable(result) else result
        if result is None and _is_stub(self._target):
            raise NotAnswered(REPLACE)
        return self._formed(answered(result, who=call))


def reason(error: Exception) -> str:
    """Name an error and its message in one line, however long the message is."""
    message = " ".join(str(error).split())
    message = message if len(message) <= 240 else message[:239] + "…"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def unwrap(value: Any) -> Any:
    """The learner's own object behind a guarded one; anything else unchanged."""
    return value._target if isinstance(value, Guarded) else value


def leaves_alone(answer: Any, *given: Any) -> bool:
    """Whether an answer leaves the tensors and lists that it is handed as they are."""
    handed_in = _copy(given)
    unwrap(answer)(*handed_in)
    return all(
        torch.equal(now, before) if isinstance(before, torch.Tensor) else now == before
        for now, before in zip(handed_in, given, strict=True)
    )


def _is_stub(target: Any) -> bool:
    """Whether a function has no more code than one whose body is `...`."""
    function = getattr(type(target), "forward", target)  # a module's work is there
    code = getattr(function, "__code__", None)
    return code is not None and len(code.co_code) <= len(_empty.__code__.co_code)


def _empty() -> None: ...


def _is_empty_class(cls: type) -> bool:
    """Whether a class's body holds nothing but `...`, `pass` or a docstring."""
    return all(
        name.startswith("__") and not callable(part) for name, part in vars(cls).items()
    )


def _copy(value: Any) -> Any:
    """Copy tensors and containers (gradients still flow), so inputs stay as given."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copy(part) for part in value)
    return unwrap(value)


def brief(value: Any) -> str:
    """Write a value in a few words: rounded, and a large tensor by its shape."""
    if isinstance(value, torch.Tensor | np.ndarray | np.generic):
        if math.prod(value.shape) <= 12:
            return brief(value.tolist())
        kind = "a tensor" if isinstance(value, torch.Tensor) else "an array"
        return f"{kind} of shape {tuple(value.shape)}"
    if isinstance(value, torch.nn.Module):
        return f"a {type(value).__name__}"
    if isinstance(value, float):
        return f"{round(value, 4) + 0.0:g}" if abs(value) < 1e6 else f"{value:.4g}"
    if isinstance(value, list | tuple):
        if len(value) > 60:
            return f"a {type(value).__name__} of {len(value)}"
        ends = "[]" if isinstance(value, list) else "()"
        parts = ", ".join(brief(part) for part in value)
        comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return f"{ends[0]}{parts}{comma}{ends[1]}"
    text = " ".join(repr(unwrap(value)).split())
    return text if len(text) <= 120 else text[:119] + "…"
