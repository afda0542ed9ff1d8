"""``--set NAME=VALUE``: the settings of a run, as the user wrote them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lib.training import TrainingSettings

__all__ = ["read_settings"]


def read_settings(
    assignments: list[str], fixed: Mapping[str, Any] | None = None
) -> TrainingSettings:
    """Turn ``NAME=VALUE`` into settings, each with the type of its default.

    Args:
        assignments: what the user wrote after each ``--set``.
        fixed: settings that the translator to begin with decides.

    Raises:
        ValueError: if a name is unknown, a value is not of its type, or it contradicts
            what is fixed.

    Example:
        >>> read_settings(["epochs=3"]).epochs
        3

    Built in chapter 9.
    """
    from lib.training import TrainingSettings

    defaults = dataclasses.asdict(TrainingSettings())
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or name not in defaults:
            raise ValueError(
                f"--set takes NAME=VALUE, not {assignment!r}; the names are: "
                f"{', '.join(defaults)}."
            )
        values[name] = _read_value(name, text, defaults[name])
    for name, value in (fixed or {}).items():
        if values.setdefault(name, value) != value:
            raise ValueError(
                f"The translator to begin with has {name} = {value}; leave out "
                f"--set {name}={values[name]}."
            )
    return TrainingSettings(**values)


def _read_value(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{name} must be true or false, but it is {text!r}.")
        return text.lower() == "true"
    try:
        return type(default)(text)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise ValueError(f"{name} must be {kind}, but it is {text!r}.") from None
