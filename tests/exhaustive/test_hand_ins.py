"""Hand-ins as they come: nbgrader gives each the marks that its answers deserve.

Which of several files counts, and why, is tried in tests/tools/test_grading.py.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import zipfile
from pathlib import Path

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
ANSWER = 5  # the place of the cell of exercise 3.1
DESERVED = {
    "has-an-error": [0, 4],
    "has_a_stub_last": [0, 4],
    "cut-off": [None, None],
}
WIDGETS = {"abc": {"model_module": "@jupyter-widgets/controls", "state": {}}}
STATE = {"application/vnd.jupyter.widget-state+json": WIDGETS}
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


def solved(released: NotebookNode) -> NotebookNode:
    """The assignment with right answers."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        number = cell_name(cell).removeprefix("answer-").replace("-", ".")
        cell.source = ANSWERS.get(number, cell.source)
    return notebook


def as_file(notebook: NotebookNode) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def has_a_stub_last(notebook: NotebookNode) -> None:
    pasted = copy.deepcopy(notebook.cells[ANSWER])
    pasted.update(id="pasted", source="def softmax(x):\n    ...")
    notebook.cells.insert(ANSWER + 1, pasted)


def comes_from_colab(notebook: NotebookNode) -> None:
    notebook.metadata = {"colab": {"gpuType": "T4"}, "widgets": STATE}
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        cell.metadata["id"] = cell.pop("id")
        cell.source = cell.source.splitlines(keepends=True)


def has_lost_all_names(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata = {}


def has_honest_cells(notebook: NotebookNode) -> None:
    notebook.cells[2:2] = [new_code_cell(source) for source in HONEST]


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr(ONE, content)
    return file.getvalue()


def hand_ins(released: NotebookNode) -> dict[str, dict[str, bytes]]:
    """What students hand in: files by their paths."""
    found = {}
    for change in (
        has_a_stub_last,
        comes_from_colab,
        has_lost_all_names,
        has_honest_cells,
    ):
        notebook = solved(released)
        change(notebook)
        found[change.__name__] = {ONE: as_file(notebook)}
    right = as_file(solved(released))
    return found | {
        "right": {ONE: right},
        "has-an-error": {ONE: right.replace(b"softmax(x):", b"softmax(x)")},
        "in-a-folder": {f"{NAME}/{ONE}": right, ONE: as_file(released)},
        "cut-off": {ONE: right[:2000]},
        "Ana Pérez": {f"{NAME}.zip": zipped(right)},
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
    assert len(students) == 9
    found = {student: marks(course, student) for student in students}
    assert found == {name: DESERVED.get(name, [4, 4]) for name in students}


def test_of_honest_cells_no_word_is_said(course: Course) -> None:
    assert course.report("has_honest_cells", NAME) == ""
    path = course.folder / "autograded" / "has_honest_cells" / NAME / ONE
    assert "PIP_" not in path.read_text() and "refus" not in path.read_text().lower()


def test_who_was_not_graded_is_graded_next_time(course: Course) -> None:
    assert "it is cut off" in course.report("cut-off", NAME)
    path = course.folder / "submitted" / "cut-off" / NAME / ONE
    path.write_bytes(as_file(solved(course.released(NAME))))
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


@pytest.mark.usefixtures("no_bubblewrap")
def test_without_a_wall_all_is_graded_and_one_line_says_so(course: Course) -> None:
    told = course.nbgrader("autograde", NAME, "--force", "--student=has_honest_cells")
    (line,) = (one for one in told.splitlines() if "No wall stands" in one)
    assert "No permissions to create" in line
    assert marks(course, "has_honest_cells") == [4, 4]
    assert course.report("has_honest_cells", NAME) == ""


@pytest.fixture
def no_bubblewrap(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of its name that can build no wall."""
    fails = "#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n"
    (tmp_path / "bwrap").write_text(fails)
    (tmp_path / "bwrap").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{course.environment['PATH']}"
    monkeypatch.setitem(course.environment, "PATH", path)
