"""nbgrader grades an assignment for real: right, half, and mischief.

Mistakes in every assignment, and empty ones: test_every_assignment.py.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from book.tools.course.plan import Assignment, read_plan
from book.tools.course.wall import no_wall
from book.tools.project.address import ROOT
from tests.graded_course import Course, cell_name, not_on_windows, set_up, solutions

pytestmark = not_on_windows
NAME = "03-attention"
# The four of a chapter, whatever the course gives out of them.
FOUR = Assignment(NAME, "Attention", ["3.1", "3.2", "3.3", "3.4"], [], [])
PLAN = dataclasses.replace(read_plan(), assignments=(FOUR,))
RIGHT = solutions(PLAN, NAME)
UNSCALED = """\
def attend(query, keys, values):
    return (keys @ query).softmax(dim=-1) @ values
"""
OVERWRITES = """\
from lib.exercises import attention as check
from lib.exercises import compare

check.softmax.right = lambda x: x
check.softmax.tried = lambda *answers: iter(answers)
compare.same = lambda *values, **more: True
torch.allclose = lambda *values, **more: True


def softmax(x):
    return x
"""
REACHES = {
    "3.1": """\
try:
    from book.tools.course.hidden import record
except ImportError:
    softmax = None
else:
    softmax = record("3.1").right
""",
    "3.2": """\
import sys
from lib.exercises import attention as check

attend = getattr(sys.modules["lib.exercises.attention"].attend, "right", None)
""",
    "3.3": """\
import json
from pathlib import Path

import lib

chapter = Path(lib.__file__).parents[1] / "book" / "03_attention.ipynb"
try:
    cells = json.loads(chapter.read_text())["cells"]
except OSError:
    cells = []
for cell in cells:
    text = "".join(cell["source"])
    if "<summary>Solution" in text and "def spread" in text:
        exec(text.split("```python")[1].split("```")[0])
""",
    "3.4": """\
import gc

answers = [
    one
    for one in gc.get_objects()
    if type(one).__name__ == "function"
    and str(one.__module__).startswith("lib.exercises")
    and one.__name__ in ("look_back", "answer")
]
look_back = answers[0] if answers else ...
try:
    torch.UntypedStorage.from_file("CHAPTER", False, 9)
    print("Compiled code", "reads it.")
except RuntimeError:
    pass
""".replace("CHAPTER", str(ROOT / "book" / "03_attention.ipynb")),
}
# Words of the page that a student gets back.
FEEDBACK = {
    "half": ("The scores were not scaled", "not answered yet"),
    "overwrites-and-loops": (
        "This cell was stopped: it had not ended after 30 seconds.",
    ),
}
CHEATS = {
    "deletes-and-prints": (
        "No such file or directory",
        "This cell was stopped: it printed more than 100,000 characters.",
    ),
    "reaches": ("not answered yet",),
}
behind_a_wall = pytest.mark.skipif(bool(no_wall()), reason=no_wall())
LOOPS = """\
from IPython.display import clear_output


def attend(query, keys, values):
    while True:
        try:
            clear_output()  # nor does that clear away what the grader says
        except BaseException:
            pass
"""
DELETES = """\
import shutil
from pathlib import Path

for place in Path(".").iterdir():
    place.unlink()
for place in {places}:
    try:
        shutil.rmtree(place)
    except OSError as error:
        print(error)
    try:
        (Path(place) / "gradebook.db").unlink()
    except OSError as error:
        print(error)
shutil.rmtree({places}[0])
"""
PRINTS = """\
while True:
    print("on and on " * 100)
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The assignment, handed in, moved, graded, with feedback.

    Cheats hand in where a wall stands: elsewhere they could do what they try.
    """
    set_up()
    folder = tmp_path_factory.mktemp("course")
    made = Course(folder, PLAN)
    hub, precious = folder / "hub" / "course", folder / "precious"
    precious.mkdir()
    (precious / "gradebook.db").write_text("all the marks")
    deletes = DELETES.format(places=[str(precious), str(hub)])
    made.nbgrader("generate_assignment", NAME)
    made.nbgrader("release_assignment", NAME)
    for student, answers in {
        "solution": RIGHT,
        "half": {"3.1": RIGHT["3.1"], "3.2": UNSCALED, "3.3": RIGHT["3.3"]},
        "overwrites-and-loops": RIGHT | {"3.1": OVERWRITES, "3.2": LOOPS},
        "pastes-and-deletes": RIGHT,
        "deletes-and-prints": RIGHT | {"3.3": deletes, "3.4": PRINTS},
        "reaches": REACHES,
    }.items():
        if student not in CHEATS or not no_wall():
            made.hand_in(student, NAME, answers)
    paste_and_delete(made, "pastes-and-deletes")
    hand_in_by_exchange(made, folder, "solution")
    made.move(hub)
    made.nbgrader("autograde", NAME)
    made.nbgrader("generate_feedback", NAME)
    return made


def paste_and_delete(course: Course, student: str) -> None:
    """Delete an exercise, its check with it; paste cells out of another assignment."""
    path = course.folder / "submitted" / student / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    lost = ("answer-3-1", "check-3-1")
    notebook.cells = [cell for cell in notebook.cells if cell_name(cell) not in lost]
    for cell in notebook.cells[-2:]:
        about = {**cell.metadata.nbgrader, "grade_id": f"{cell_name(cell)}-elsewhere"}
        notebook.cells.append(new_code_cell("1 / 0", metadata={"nbgrader": about}))
    nbformat.write(notebook, path)


def hand_in_by_exchange(course: Course, folder: Path, student: str) -> None:
    """Take the way of nbgrader's exchange: fetch, submit, collect."""
    desk = folder / "desk"
    desk.mkdir()
    course.nbgrader("fetch_assignment", NAME, folder=desk)
    written = course.folder / "submitted" / student / NAME
    (written / f"{NAME}.ipynb").replace(desk / NAME / f"{NAME}.ipynb")
    written.rmdir()
    written.parent.rmdir()
    course.nbgrader("submit", NAME, f"--student={student}", folder=desk)
    course.nbgrader("collect", NAME)
    assert (written / f"{NAME}.ipynb").is_file()


def test_each_gets_the_marks_of_what_is_right(course: Course) -> None:
    found = course.scores(NAME)
    worth = {"3.1": 4, "3.2": 2, "3.3": 4, "3.4": 6}
    for student, right in {
        "solution": {*worth},
        "half": {"3.1", "3.3"},
        "overwrites-and-loops": {"3.3", "3.4"},
        "deletes-and-prints": {"3.1", "3.2"},
        "pastes-and-deletes": {"3.2", "3.3", "3.4"},
        "reaches": set[str](),
    }.items():
        if student in CHEATS and no_wall():
            continue
        marks = {number: worth[number] * (number in right) for number in worth}
        checks = {f"check-{n.replace('.', '-')}": mark for n, mark in marks.items()}
        wanted = {"most": 16, "sum": sum(marks.values()), **checks}
        assert wanted.items() <= found[student].items(), student


def test_student_and_teacher_are_told(course: Course) -> None:
    expect_told(course, FEEDBACK)
    assert "check-3-1 was missing" in course.report("pastes-and-deletes", NAME)
    for student in ("solution", "half"):
        assert course.report(student, NAME) == ""


def expect_told(course: Course, words_of: dict[str, tuple[str, ...]]) -> None:
    for student, words in words_of.items():
        told = course.feedback(student, NAME)
        assert [each for each in words if each not in told] == []
        assert len(told) < 2_000_000


@behind_a_wall
def test_behind_the_wall_cheats_find_nothing(course: Course) -> None:
    expect_told(course, CHEATS)
    assert "Compiled code reads it." not in course.feedback("reaches", NAME)
    precious = course.exchange.parent / "precious" / "gradebook.db"
    assert precious.read_text() == "all the marks"
    handed_in = course.folder / "submitted" / "deletes-and-prints" / NAME
    assert "rmtree" in (handed_in / f"{NAME}.ipynb").read_text(encoding="utf-8")


def test_students_see_stubs_open_checks_and_no_seed(course: Course) -> None:
    cells = {cell_name(cell): cell.source for cell in course.released(NAME).cells}
    assert cells["answer-3-1"] == "def softmax(x):\n    # your code here\n    ..."
    assert cells["check-3-1"].endswith("\nassert check.softmax(softmax)")
    told = "".join(cells.values()) + course.feedback("half", NAME)
    assert "hand_in" not in told and str(PLAN.seed) not in told
