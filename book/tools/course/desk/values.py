"""What an answer gives, as JSON and back: numbers, texts, tensors and lists of them."""

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
import torch

from lib.exercises.cases import Parts
from lib.exercises.guard import CheckFailed, NotAnswered, brief, unwrap
from lib.exercises.outcome import Outcome

MARK = "\x02"  # begins a line that is an outcome, and not what an answer prints
_MOST = 100_000  # numbers in one tensor
_KINDS: dict[str, type] = {"parts": Parts, "dict": dict, "tuple": tuple, "set": set}
_WHOLE = str | torch.Tensor | np.ndarray | torch.nn.Module


class Other:
    """Something that is told in words and not sent."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def line(found: Outcome | CheckFailed | NotAnswered) -> str:
    """An outcome, or why there is none, in one line of text."""
    if isinstance(found, Outcome):
        cause = found.error and found.error.__cause__
        about = {
            "value": _encoded(found.value),
            "error": found.error and str(found.error),
            "cause": cause and type(cause).__name__,
            "has_form": found.has_form,
        }
    else:
        about = {"ended": type(found).__name__, "error": str(found)}
    return MARK + json.dumps(about)


def read(text: str) -> Outcome:
    """The outcome in a line.

    Raises:
        CheckFailed: if it is none, or tells of a failure.
        NotAnswered: if it tells of a stub.
    """
    try:
        about = json.loads(text.removeprefix(MARK))
        error = about["error"] and CheckFailed(about["error"])
        if "ended" not in about:
            if error and about["cause"]:
                error.__cause__ = type(str(about["cause"]), (Exception,), {})()
            value = _decoded(about["value"])
            return Outcome(value, error or None, bool(about["has_form"]))
        missing = about["ended"] != "CheckFailed"
    except Exception:
        raise CheckFailed("what the answer gave could not be read.") from None
    raise NotAnswered(about["error"]) if missing else error


def _encoded(value: Any) -> Any:
    value = unwrap(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.Tensor) and value.numel() <= _MOST:
        kind = str(value.dtype).removeprefix("torch.")
        return _numbers("tensor", kind, value.detach())
    if isinstance(value, np.ndarray | np.generic) and value.size <= _MOST:
        return _numbers("array", str(value.dtype), value)
    if isinstance(value, list):
        return [_encoded(part) for part in value]
    for name, made in _KINDS.items():
        if isinstance(value, made):
            parts: Any = map(list, value.items()) if isinstance(value, dict) else value
            return {name: [_encoded(part) for part in parts]}
    if isinstance(value, Iterable) and not isinstance(value, _WHOLE):
        return {"tuple": [_encoded(part) for part in islice(value, _MOST)]}
    return {"other": brief(value)}


def _numbers(what: str, kind: str, value: Any) -> dict[str, Any]:
    if "complex" in kind or kind == "object":
        return {"other": brief(value)}
    return {what: value.tolist(), "kind": kind, "shape": list(value.shape)}


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        kind = getattr(torch, value["kind"])
        return torch.tensor(value["tensor"], dtype=kind).reshape(value["shape"])
    if "array" in value:
        return np.array(value["array"], value["kind"]).reshape(value["shape"])
    for name, kind in _KINDS.items():
        if name in value:
            return kind(_decoded(value[name]))
    return Other(str(value["other"]))
