"""``--settings FILE`` and ``--set NAME=VALUE``: the settings of a run, as written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.text.files import read_toml

if TYPE_CHECKING:
    from lib.training import TrainingSettings

_TRUTH = {"true": True, "false": False}


def read_settings(
    assignments: Sequence[str],
    file: Path | None = None,
    fixed: Mapping[str, Any] | None = None,
    usual: Mapping[str, Any] | None = None,
) -> TrainingSettings:
    """Turn a file and ``NAME=VALUE`` into settings, each with the type of its default.

    Args:
        assignments: what the user wrote after each ``--set``.
        file: a TOML file with more settings; what is assigned goes before it.
        fixed: settings that the translator to begin with decides.
        usual: what takes the place of a default.

    Raises:
        OSError: if the file cannot be read.
        TypeError: if a value has the wrong type.
        ValueError: if a name is unknown, a value is impossible, or it contradicts what
            is fixed.
    """
    from lib.training import TrainingSettings

    defaults = dataclasses.asdict(TrainingSettings())
    given = {} if file is None else read_toml(file)
    names = f"the names are: {', '.join(defaults)}."
    for name in given:
        if name not in defaults:
            raise ValueError(f"{file} has {name!r}, which is no setting; {names}")
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or name not in defaults:
            raise ValueError(f"--set takes NAME=VALUE, not {assignment!r}; {names}")
        given[name] = _read_value(text, type(defaults[name]))
    for name, value in (fixed or {}).items():
        if given.setdefault(name, value) != value:
            raise ValueError(
                f"The translator to begin with has {name} = {value}; leave out "
                f"{name} = {given[name]}."
            )
    return TrainingSettings(**{**(usual or {}), **given})


def suited_to(pairs: int) -> dict[str, int]:
    """Return what suits so many sentence pairs of any two languages.

    Sub-words, because words are many where endings are, and none where no spaces are:
    few of them for few pairs, so that each is seen often. And so many epochs that a
    few hundred pairs are learned at all.

    Args:
        pairs: those to train on.

    Example:
        >>> suited_to(320), suited_to(20_000)
        ({'vocab_size': 200, 'epochs': 40}, {'vocab_size': 4000, 'epochs': 20})
    """
    return {
        "vocab_size": min(8000, max(200, pairs // 5)),
        "epochs": min(40, max(5, 400_000 // pairs)),
    }


def _read_value(text: str, kind: type) -> Any:
    try:
        return _TRUTH[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        return text  # the settings say what it must be
