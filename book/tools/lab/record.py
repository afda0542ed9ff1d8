"""The files of what was measured: begun, gone on with, and written."""

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

    Args:
        file: where it would stand; None for a trial.
        head: how all is measured: sizes, settings, the machine.
    """
    head = json.loads(json.dumps(head))
    try:
        found = read_json(file) if file and file.is_file() else {}
    except ValueError:  # damaged: measured anew
        found = {}
    return found if head.items() <= found.items() else head


def weights_of(name: str) -> str:
    """Return a checksum of the weights that a shipped model has."""
    weights = (SHIPPED / name / "model.safetensors").read_bytes()
    return hashlib.sha256(weights).hexdigest()


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
    head = {
        "environment": environment(),
        "date": datetime.date.today().isoformat(),
        "model": MODEL,
        "weights": weights_of(MODEL),
    }
    with TemporaryDirectory() as place:
        found = head | measure(Path(place), limit)
    print(json.dumps(found, indent=1))
    if limit is None:
        write_json(RECORDS / file, found)
    return 0
