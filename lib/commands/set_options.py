"""``--settings FILE`` and ``--set NAME=VALUE``: the settings of a run, as written."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.text.files import read_toml

if TYPE_CHECKING:
    from lib.training import TrainingSettings


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """Let the user choose the settings of a run."""
    parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="a TOML file of settings, such as the one on the card of a translator",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the run, such as epochs=5; may stand several times, and "
        "goes before the file",
    )


def read_settings(
    assignments: list[str],
    file: Path | None = None,
    fixed: Mapping[str, Any] | None = None,
) -> TrainingSettings:
    """Turn a file and ``NAME=VALUE`` into settings, each with the type of its default.

    Args:
        assignments: what the user wrote after each ``--set``.
        file: a TOML file with more settings; what is assigned goes before it.
        fixed: settings that the translator to begin with decides.

    Raises:
        OSError: if the file cannot be read.
        TypeError: if a value of the file has the wrong type.
        ValueError: if a name is unknown, a value is impossible, or it contradicts what
            is fixed.
    """
    from lib.training import TrainingSettings

    defaults = dataclasses.asdict(TrainingSettings())
    given = {} if file is None else _read_file(file, defaults)
    given.update(_read_assignments(assignments, defaults))
    for name, value in (fixed or {}).items():
        if given.setdefault(name, value) != value:
            raise ValueError(
                f"The translator to begin with has {name} = {value}; leave out "
                f"{name} = {given[name]}."
            )
    return TrainingSettings(**given)


def _read_file(file: Path, defaults: Mapping[str, Any]) -> dict[str, Any]:
    given = read_toml(file)
    for name in given:
        if name not in defaults:
            raise ValueError(
                f"{file} has {name!r}, which is no setting; the names are: "
                f"{', '.join(defaults)}."
            )
    return given


def _read_assignments(
    assignments: list[str], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or name not in defaults:
            raise ValueError(
                f"--set takes NAME=VALUE, not {assignment!r}; the names are: "
                f"{', '.join(defaults)}."
            )
        values[name] = _read_value(name, text, defaults[name])
    return values


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
