"""The other process of ``examine``: it runs the file, and writes what it found."""

from __future__ import annotations

import faulthandler
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any


class _Counted:
    """Standard output that keeps nothing but how many lines it was."""

    encoding, lines = "utf-8", 0

    def write(self, text: str) -> int:
        _Counted.lines += text.count("\n")
        return len(text)

    def flush(self) -> None:
        return None

    def isatty(self) -> bool:
        return False


def main(asked: dict[str, Any]) -> None:
    """Import, build, examine; every way to fail becomes a sentence."""
    folder = Path(asked["folder"])
    with (folder / "stack.txt").open("w", encoding="utf-8") as stack:
        faulthandler.enable(stack)
        faulthandler.dump_traceback_later(asked["seconds"], file=stack)
        sys.stdout = sys.stderr = _Counted()
        status, text = _examined(asked, folder)
        faulthandler.cancel_dump_traceback_later()
    if _Counted.lines:
        text += f"\n  (It printed {_Counted.lines:,} lines, which are not shown.)"
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
    main(json.loads(sys.argv[1]))
