"""Files that are whole or not there at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["read_json", "write_json", "write_whole"]


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

    Returns:
        The plain values in it.

    Raises:
        ValueError: if it is not JSON in UTF-8; the message names the file.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}.") from error
