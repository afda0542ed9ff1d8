"""Train a shipped translator from nothing: all runs of its card, one after the other.

    chain.py                 the one of real sentences, into runs/chain
    chain.py FOLDER OUT      another, into another folder

A run that was interrupted goes on, and one that has ended is not run again.
"""

import argparse
import itertools
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from book.tools.lab.record import MODEL
from lib.__main__ import main as lib
from lib.text.files import read_json
from lib.training.averaging import average_weights, copied_weights
from lib.translator import SHIPPED, Translator
from lib.translator.card import REPORT_FILE

WATCHED = "watched.txt"  # what these become after each epoch is kept by each run


class Run(NamedTuple):
    """One run of the chain: its options, its folder, and what it begins with."""

    options: list[str]
    folder: Path
    start: Path | None
    averaged: bool  # with what it began with

    @property
    def result(self) -> Path:
        """The folder that the next run begins with."""
        name = self.folder.name + "-mean" * self.averaged
        return self.folder.with_name(name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the chain to its end, or to the first run that fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=SHIPPED / MODEL)
    parser.add_argument("out", type=Path, nargs="?", default=Path("runs/chain"))
    options = parser.parse_args(arguments)
    for run in read_chain(options.folder, options.out):
        # The card is the last thing that a run writes; a mean, its config.
        if (run.folder / "README.md").is_file():
            print(f"{run.folder} has ended.", file=sys.stderr)
        elif code := lib([*run.options, "--out", str(run.folder), "--resume"]):
            return code
        is_there = (run.result / "config.json").is_file()
        if run.averaged and run.start and not is_there:
            write_mean(run.start, run)
        print(f"{run.result} holds the translator of this run.", file=sys.stderr)
    return 0


def read_chain(folder: Path, out: Path) -> Iterator[Run]:
    """Read the runs from the report of a translator, the first one first."""
    report: dict[str, Any] = read_json(folder / REPORT_FILE)
    told = [*report.get("earlier", []), report]
    results: dict[str, Path] = {}
    for line, run in zip(report["command"].splitlines(), told, strict=True):
        words = shlex.split(line)[3:]  # without: python -m lib
        given = dict(itertools.pairwise(words))
        name, start = given.get("--out", "last"), results.get(given.get("--from", ""))
        places = {given["--settings"]: str(folder / given["--settings"])}
        places |= {before: str(result) for before, result in results.items()}
        words = [places.get(word, word) for word in words]
        if "--out" in words:
            del words[(place := words.index("--out")) : place + 2]
        if (folder / WATCHED).is_file():
            words += ["--watch", str(folder / WATCHED)]
        found = Run(words, out / name, start, run.get("averaged_runs") == 2)
        results[name] = found.result
        yield found


def write_mean(start: Path, run: Run) -> None:
    """Write the mean of the weights that a run began and ended with."""
    began, ended = map(Translator.load, (start, run.folder))
    mean = average_weights([copied_weights(each.model) for each in (began, ended)])
    ended.model.load_state_dict(mean, strict=False)
    ended.save(run.result, half=True)


if __name__ == "__main__":
    raise SystemExit(main())
