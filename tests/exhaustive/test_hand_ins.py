"""Hand-ins as they come: nbgrader gives each the marks that its answers deserve.

Which of several files counts, and why, is tried in tests/tools/test_grading.py.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from book.tools.course.plan import read_plan
from book.tools.course.wall import no_wall
from tests.graded_course import (
    Course,
    cell_name,
    not_on_windows,
    part,
    set_up,
    solutions,
)

pytestmark = not_on_windows
NAME = "03-attention"
ONE = f"{NAME}.ipynb"
PLAN = part(read_plan(), NAME)
ANSWERS = solutions(PLAN, NAME)
Change = Callable[[NotebookNode], Any]
DESERVED = {"has-an-error": [0, 4], "stub-last": [0, 4], "cut-off": [None, None]}
SLOW = """
c.Grade.shell_timeout_interval = 1  # PyTorch takes longer to load than nbclient waits
"""
HONEST = [
    "from google.colab import drive\ndrive.mount('/content/drive')",
    "%pip install -q torch no-such-package\n!nvidia-smi",
    "import torch\ntorch.zeros(2).cuda()",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('a.png')",
    "name = input('Who?')",
]


def solved(released: NotebookNode, change: Change = lambda notebook: None) -> bytes:
    """The assignment with right answers, and a change; as a file."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        number = cell_name(cell).removeprefix("answer-").replace("-", ".")
        cell.source = ANSWERS.get(number, cell.source)
    change(notebook)
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def again(name: str, text: str = "", first: str = "") -> Change:
    """Paste a cell behind itself, with another text, and another text in the first."""

    def change(notebook: NotebookNode) -> None:
        index = [cell_name(cell) for cell in notebook.cells].index(name)
        cell = copy.deepcopy(notebook.cells[index])
        notebook.cells[index].source = first or cell.source
        cell.id, cell.source = "pasted", text or cell.source
        notebook.cells.insert(index + 1, cell)

    return change


def saved(minor: int, about: dict[str, Any], of_cells: dict[str, Any]) -> Change:
    """Save a notebook as another program does."""

    def change(notebook: NotebookNode) -> None:
        notebook.metadata, notebook.nbformat_minor = about, minor
        for cell in notebook.cells:
            cell.metadata.update(of_cells)
            if minor < 5:
                del cell["id"]
                cell.source = cell.source.splitlines(keepends=True)

    return change


WIDGETS = {"abc": {"model_module": "@jupyter-widgets/controls", "state": {}}}
STATE = {"application/vnd.jupyter.widget-state+json": WIDGETS}
COLAB = saved(0, {"colab": {"gpuType": "T4"}, "widgets": STATE}, {"id": "cell"})
KERNEL = {"kernelspec": {"name": "venv311", "display_name": "venv311"}}
EDITOR = saved(5, KERNEL, {"vscode": {"languageId": "python"}})


def loses(*kinds: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            if cell_name(cell).startswith(kinds):
                cell.metadata = {}

    return change


def has_honest_cells(notebook: NotebookNode) -> None:
    notebook.cells[2:2] = [new_code_cell(source) for source in HONEST]


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(ONE, content)
    return file.getvalue()


def hand_ins(released: NotebookNode) -> dict[str, dict[str, bytes]]:
    """What students hand in: files by their paths."""
    blank, right = json.dumps(released).encode(), solved(released)
    changes = {
        "right-last": again("answer-3-1", first="def softmax(x):\n    return x"),
        "stub-last": again("answer-3-1", "def softmax(x):\n    ..."),
        "check-twice": again("check-3-1"),
        "from-colab": COLAB,
        "honest-cells": has_honest_cells,
        "from-an-editor": EDITOR,
        "old-format": saved(2, {}, {}),
        "answers-without-names": loses("answer"),
        "nothing-with-a-name": loses(""),
    }
    return {
        **{student: {ONE: solved(released, how)} for student, how in changes.items()},
        "right": {ONE: right},
        "has-an-error": {ONE: right.replace(b"softmax(x):", b"softmax(x)")},
        "copy-of": {f"Copy of {ONE}": right},
        "two-copies": {f"{NAME} (1).ipynb": blank, f"{NAME} (2).ipynb": right},
        "blank-and-copy": {f"{NAME} (1).ipynb": right, ONE: blank},
        "with-a-mark": {ONE: b"\xef\xbb\xbf" + right},
        "in-a-folder": {f"{NAME}/{ONE}": right},
        "checkpoint": {ONE: right, f".ipynb_checkpoints/{ONE}": blank},
        "letters": {f"{NAME} – Álvaro.ipynb": right},
        "Ana Pérez": {ONE: right},
        "windows": {ONE: right.decode().encode("cp1252", "replace")},
        "cut-off": {ONE: right[:2000]},
        "zipped": {f"{NAME}.zip": zipped(right)},
    }


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Everything handed in, and graded where all starts slowly."""
    set_up()
    made = Course(tmp_path_factory.mktemp("course"), PLAN)
    with (made.folder / "nbgrader_config.py").open("a") as file:
        file.write(SLOW)
    made.nbgrader("generate_assignment", NAME)
    for student, files in hand_ins(made.released(NAME)).items():
        for label, content in files.items():
            path = made.folder / "submitted" / student / NAME / label
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    before = stand(made)
    told = made.nbgrader("autograde", NAME, refuses="Not graded: cut-off. They have no")
    assert told.count("No wall stands") == bool(no_wall())
    assert stand(made) == before
    return made


def stand(course: Course) -> dict[Path, bytes]:
    """All that was handed in."""
    files = (course.folder / "submitted").rglob("*")
    return {path: path.read_bytes() for path in files if path.is_file()}


def marks(course: Course, student: str) -> list[float | None]:
    """What each check earned, and what `export` writes, which must agree."""
    course.nbgrader("export")
    with (course.folder / "grades.csv").open(newline="", encoding="utf-8") as file:
        (row,) = (one for one in csv.DictReader(file) if one["student_id"] == student)
    scores = course.scores(NAME)[student]
    found = [scores["check-3-1"], scores["check-3-3"]]
    total = "" if None in found else str(scores["sum"])
    assert (row["raw_score"], row["score"], row["max_score"]) == (total, total, "8.0")
    return found


def test_each_has_the_marks_that_it_deserves(course: Course) -> None:
    students = [path.name for path in (course.folder / "submitted").iterdir()]
    assert len(students) == 22
    found = {student: marks(course, student) for student in students}
    assert found == {name: DESERVED.get(name, [4, 4]) for name in students}


def test_of_honest_cells_no_word_is_said(course: Course) -> None:
    assert course.report("honest-cells", NAME) == ""
    path = course.folder / "autograded" / "honest-cells" / NAME / ONE
    assert "PIP_" not in path.read_text() and "refus" not in path.read_text().lower()


def test_who_was_not_graded_is_graded_next_time(course: Course) -> None:
    assert "it is cut off" in course.report("cut-off", NAME)
    path = course.folder / "submitted" / "cut-off" / NAME / ONE
    path.write_bytes(solved(course.released(NAME)))
    told = course.nbgrader("autograde", NAME)
    assert told.count("Sanitizing") == 1
    assert marks(course, "cut-off") == [4, 4]
    assert course.report("cut-off", NAME) == ""


def test_what_goes_wrong_in_the_grader_is_no_zero(course: Course) -> None:
    broken = course.folder / "grader/book/tools/course/desk/answer.py"
    text = broken.read_text(encoding="utf-8")
    broken.write_text("raise OSError('the disk is full')", encoding="utf-8")
    who = "--student=right"
    told = "Not graded: right. They have no mark"
    course.nbgrader("autograde", NAME, "--force", who, refuses=told)
    assert marks(course, "right") == [None, None]
    assert "what grades went wrong" in course.report("right", NAME)
    broken.write_text(text, encoding="utf-8")
    course.nbgrader("autograde", NAME, who)
    assert marks(course, "right") == [4, 4]


FAILS = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"


@pytest.mark.parametrize("program", ["", FAILS], ids=["absent", "cannot start"])
def test_without_a_wall_all_is_graded_and_one_line_says_so(
    program: str, course: Course, tmp_path: Path
) -> None:
    (tmp_path / "bwrap").write_text(program)
    (tmp_path / "bwrap").chmod(stat.S_IRWXU if program else stat.S_IRUSR)
    usual = course.environment["PATH"].split(os.pathsep)
    paths = [one for one in usual if not (Path(one) / "bwrap").exists()]
    course.environment["PATH"] = os.pathsep.join([str(tmp_path), *paths])
    told = course.nbgrader("autograde", NAME, "--force", "--student=honest-cells")
    course.environment["PATH"] = os.pathsep.join(usual)
    (line,) = (one for one in told.splitlines() if "No wall stands" in one)
    assert ("No permissions to create" in line) == bool(program)
    assert marks(course, "honest-cells") == [4, 4]
    assert course.report("honest-cells", NAME) == ""
