"""The files of what was measured: begun, gone on with, and written."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from book.tools.lab.timing import environment
from lib.text.files import read_json, write_json
from lib.translator import SHIPPED

RECORDS = SHIPPED / "measurements"
MODEL = "tatoeba-en-es"  # what is served, and what the page translates with


def begun(file: Path | None, head: dict[str, Any]) -> dict[str, Any]:
    """Return what a file holds, if it was measured in this way; else the head alone.

    A setting that came later had the value in an older file that it has now.

    Args:
        file: where it would stand; None for a trial.
        head: how all is measured: sizes, settings, the machine.
    """
    head = json.loads(json.dumps(head))
    try:
        found = read_json(file) if file and file.is_file() else {}
    except ValueError:  # damaged: measured anew
        found = {}
    told = {name: found.get(name) for name in head}
    for name, value in head.items():
        if isinstance(value, dict):
            told[name] = value | (told[name] or {})
    return found | head if found and told == head else head


def record(
    measure: Callable[[Path, int | None], dict[str, Any]],
    file: str,
    told: str,
    arguments: Sequence[str] | None,
) -> int:
    """Measure the shipped translator; written if nothing was limited.

    Args:
        measure: gets a folder that goes away and the most sentences.
        file: the name of the record.
        told: what the program does, for --help.
        arguments: those of the command line.
    """
    parser = argparse.ArgumentParser(description=told.splitlines()[0])
    parser.add_argument("--limit", type=int, help="sentences, for a trial; no file")
    limit = parser.parse_args(arguments).limit
    weights = (SHIPPED / MODEL / "model.safetensors").read_bytes()
    head = {
        "environment": environment(),
        "date": datetime.date.today().isoformat(),
        "model": MODEL,
        "weights": hashlib.sha256(weights).hexdigest(),
    }
    with TemporaryDirectory() as place:
        found = head | measure(Path(place), limit)
    print(json.dumps(found, indent=1))
    if limit is None:
        write_json(RECORDS / file, found)
    return 0
