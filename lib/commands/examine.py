"""``python -m lib examine``: somebody's class in, what is wrong with it out."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 60


def add_parser(commands: Any) -> None:
    """Describe the command to argparse."""
    parser = commands.add_parser(
        "examine",
        help="tell what is wrong with a piece of a Transformer that you wrote",
        description="Build a class or take a function of a file of yours, and tell "
        "what is wrong with it. The file is run, in a process of its own that ends "
        f"after {SECONDS} seconds. The exit code is 0 without a fault, 1 with one, and "
        "2 where it could not be built or called.",
    )
    parser.add_argument("target", metavar="FILE.py:NAME", help="or package.module:NAME")
    parser.add_argument("--kind", help="what it is, if its name does not tell")
    parser.add_argument(
        "--build", metavar="EXPRESSION", help="what builds it, in the file's own names"
    )
    parser.add_argument(
        "--call",
        metavar="LAMBDA",
        help="how it is called, such as 'lambda x, mask: piece(x, mask=mask)'; what is "
        "built is called piece and model there",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Examine in another process, and print what it found."""
    place, colon, name = options.target.rpartition(":")
    if not colon or not re.fullmatch(r"\w+", name):
        raise ValueError(
            f"{options.target!r} names no class: write FILE.py:NAME or "
            "package.module:NAME."
        )
    if place.endswith(".py") and not Path(place).is_file():
        raise ValueError(f"There is no file {place}.")
    with tempfile.TemporaryDirectory() as folder:
        asked = {
            **vars(options),
            "seconds": SECONDS - 3,
            "place": place,
            "name": name,
            "folder": folder,
        }
        asked = {k: v for k, v in asked.items() if k != "run"}
        status, text = _elsewhere(json.dumps(asked), Path(folder))
    print(text)
    return status


def _elsewhere(asked: str, folder: Path) -> tuple[int, str]:
    child = subprocess.Popen(
        [sys.executable, "-m", "lib.commands.examined", asked],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(["", *sys.path])},
    )
    try:
        child.wait(SECONDS)
        ended = f"The process ended by itself, with code {child.returncode}"
        if child.returncode < 0:
            ended = f"The process crashed ({signal.Signals(-child.returncode).name})"
    except subprocess.TimeoutExpired:
        ended = f"It was not through after {SECONDS} seconds"
    finally:
        _end(child)
    answer = folder / "answer.json"
    if answer.exists():
        found = json.loads(answer.read_text("utf-8"))
        return found["status"], found["text"]
    at = _line(folder / "stack.txt")
    stage = (folder / "stage.txt").read_text("utf-8") if at else "starting"
    return 2, f"{ended} while {stage}{at}."


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the process and all that it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()


def _line(stack: Path) -> str:
    """The line that was running, of theirs if one was."""
    text = stack.read_text("utf-8", "replace") if stack.exists() else ""
    frames = re.findall(r'File "([^"]+)", line (\d+)', text)
    theirs = [
        f for f in frames if not re.search(r"site-packages|[/\\]lib[/\\]|<froz", f[0])
    ]
    for file, number in theirs[:1]:
        return f", in line {number} of {Path(file).name}"
    return ""
