"""Files that are whole or not there at all."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file under another name first, then move it into place.

    A program that is killed while it writes then leaves the old file behind, never half
    of the new one. Nor does a full disk.

    Args:
        file: where the content goes; folders are made as needed.
        content: what to write; a text is written as UTF-8.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        unfinished.write_bytes(data)
        os.replace(unfinished, file)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)  # half a file helps nobody
        if isinstance(error, OSError) and not error.filename:
            error.filename = str(file)  # a full disk does not say of what
        raise


def write_json(file: Path, value: Any) -> None:
    """Write plain values as JSON that a person can read, whole or not at all.

    Args:
        file: where they go.
        value: dictionaries, lists, texts, numbers.
    """
    write_whole(file, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(file: Path) -> Any:
    """Read a JSON file.

    Args:
        file: where it is.

    Raises:
        ValueError: if it is not JSON in UTF-8; the message names the file.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}.") from error


def to_toml(values: Mapping[str, bool | int | float | str]) -> str:
    """Write named values as TOML, one a line.

    Args:
        values: the values by their names.

    Example:
        >>> print(to_toml({"epochs": 5, "norm_first": True}), end="")
        epochs = 5
        norm_first = true
    """
    # JSON writes numbers, texts and true as TOML does.
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    return "".join(f"{line}\n" for line in lines)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        file: where it is.

    Raises:
        ValueError: if it is not TOML in UTF-8; the message names the file.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{file} is not TOML: {error}.") from error
