"""A course in a folder, handed in, and graded by nbgrader itself, for the tests."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from book.tools.course.command import write_assignments
from book.tools.course.exercises import exercises
from book.tools.course.plan import Plan, chapter
from book.tools.project.address import ROOT

not_on_windows = pytest.mark.skipif(
    os.name == "nt", reason="nbgrader's exchange is for Linux and macOS"
)
VENV = Path(f"{sys.prefix}-course")
PROGRAMS = VENV / Path(sys.executable).parent.name
SCORES = """
import json, sys
from nbgrader.api import Gradebook
found = {}
with Gradebook("sqlite:///gradebook.db") as book:
    for one in book.assignment_submissions(sys.argv[1]):
        (notebook,) = one.notebooks
        scores = {each.name: each.auto_score for each in notebook.grades}
        found[one.student.id] = {"sum": one.score, "most": one.max_score, **scores}
print(json.dumps(found))
"""


def set_up() -> None:
    """Make the environment that grades, if it is not there."""
    known = {"VENV": sys.prefix, "BIN": str(Path(sys.executable).parent)}
    command = ["sh", "book/tools/course/setup.sh"]
    subprocess.run(command, cwd=ROOT, env=os.environ | known, check=True)


class Course:
    """A folder that nbgrader works in, and an exchange beside it.

    Args:
        folder: an empty folder.
        plan: the course, or a part of it.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan = folder / "teacher", plan
        self.exchange = folder / "exchange"
        self.exchange.mkdir()
        self.exchange.chmod(0o777)
        write_assignments(self.folder, plan)
        kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        own = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
        kept |= {name: str(folder / name) for name in own}
        self.environment = kept | {"OMP_NUM_THREADS": "1"}

    def nbgrader(
        self, *words: str, folder: Path | None = None, refuses: str = ""
    ) -> str:
        """Run nbgrader as a teacher does, or in another folder as a student does.

        Where it `refuses` a student's work, it says so at its end.
        """
        exchange = [f"--Exchange.root={self.exchange}", "--course=transformer"]
        done = subprocess.run(
            [str(PROGRAMS / "nbgrader"), *words, *exchange],
            cwd=folder or self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert (done.returncode == 0) != bool(refuses), done.stderr
        assert refuses in done.stderr
        return done.stderr

    def move(self, place: Path) -> None:
        """Carry the whole folder somewhere else."""
        place.parent.mkdir(parents=True)
        self.folder = self.folder.rename(place)

    def released(self, name: str) -> nbformat.NotebookNode:
        """What students get."""
        path = self.folder / "release" / name / f"{name}.ipynb"
        return nbformat.read(path, as_version=4)

    def hand_in(self, student: str, name: str, answers: dict[str, str]) -> None:
        """Put a student's answers into the cells of an assignment, and hand it in."""
        notebook = self.released(name)
        for cell in notebook.cells:
            exercise = cell_name(cell).removeprefix("answer-").replace("-", ".")
            cell.source = answers.get(exercise, cell.source)
        path = self.folder / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)

    def scores(self, name: str) -> dict[str, dict[str, Any]]:
        """The points of every student, in all and for each check; None without any."""
        command = [str(PROGRAMS / "python"), "-c", SCORES, name]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=True
        )
        found: dict[str, dict[str, Any]] = json.loads(done.stdout)
        return found

    def feedback(self, student: str, name: str) -> str:
        """The page that a student gets back."""
        path = self.folder / "feedback" / student / name / f"{name}.html"
        return path.read_text(encoding="utf-8")

    def report(self, student: str, name: str) -> str:
        """What the teacher is told of a student's work."""
        path = self.folder / "reports" / student / f"{name}.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""


def cell_name(cell: nbformat.NotebookNode) -> str:
    """The name by which nbgrader knows a cell."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def part(plan: Plan, name: str, seconds: int = 30) -> Plan:
    """A course of one assignment, with little patience."""
    chosen = tuple(one for one in plan.assignments if one.name == name)
    return dataclasses.replace(plan, assignments=chosen, seconds=seconds)


def solutions(plan: Plan, name: str) -> dict[str, str]:
    """The book's solutions of an assignment."""
    (one,) = part(plan, name).assignments
    return {
        each.number: each.solution
        for number in one.chapters
        for each in exercises(chapter(number))
        if each.number in one.exercises
    }
