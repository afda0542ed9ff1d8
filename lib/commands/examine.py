"""``python -m lib examine``: somebody's class in, what is wrong with it out."""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import importlib
import importlib.util
import io
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
        asked = {way: getattr(options, way) for way in ("kind", "build", "call")}
        asked |= {"place": place, "name": name, "folder": folder}
        asked["seconds"] = SECONDS - 3
        status, text = _elsewhere(json.dumps(asked), Path(folder))
    print(text)
    return status


def _elsewhere(asked: str, folder: Path) -> tuple[int, str]:
    child = subprocess.Popen(
        [sys.executable, "-m", "lib.commands.examine", asked],
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


# --- the other process: it runs the file, and writes what it found -------------------


class _Counted(io.TextIOBase):
    """Standard output that keeps nothing but how many lines it was."""

    lines = 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


def _main(asked: dict[str, Any]) -> None:
    """Import, build, examine; every way to fail becomes a sentence."""
    folder = Path(asked["folder"])
    with (folder / "stack.txt").open("w", encoding="utf-8") as stack:
        faulthandler.enable(stack)
        faulthandler.dump_traceback_later(asked["seconds"], file=stack)
        sys.stdout = sys.stderr = printed = _Counted()
        status, text = _examined(asked, folder)
        faulthandler.cancel_dump_traceback_later()
    if printed.lines:
        text += f"\n  (It printed {printed.lines:,} lines, which are not shown.)"
    part = folder / "answer.part"
    part.write_text(json.dumps({"status": status, "text": text}), "utf-8")
    part.rename(folder / "answer.json")


def _examined(asked: dict[str, Any], folder: Path) -> tuple[int, str]:
    stage = folder / "stage.txt"
    name = asked["name"]
    try:
        stage.write_text("the file was imported", "utf-8")
        space = vars(_module(asked["place"]))
        import torch

        from lib.doctor import built, examine  # after the file: it takes seconds

        torch.set_num_threads(1)  # many small steps: more only wait for each other

        if name not in space:
            return 2, f"{asked['place']} has nothing that is called {name}."
        stage.write_text(f"{name} was examined", "utf-8")
        thing = eval(asked["build"], space) if asked["build"] else space[name]
        call = None
        if asked["call"]:
            thing = built(thing, asked["kind"])
            call = eval(asked["call"], {**space, "piece": thing, "model": thing})
        report = examine(thing, kind=asked["kind"], call=call)
        return report.status, str(report)
    except BaseException as error:
        from lib.doctor.meeting import failure

        what = {
            SystemExit: "The file calls sys.exit",
            EOFError: "The file asks for input, and nobody answers",
        }
        began = f"It stopped while {stage.read_text('utf-8')}"
        return 2, f"{what.get(type(error), began)}: {failure(error)}"


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = Path(place).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is no file of Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
