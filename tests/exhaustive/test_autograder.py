"""nbgrader grades an assignment for real: right, empty, half, wrong, and mischief."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from book.tools.course.plan import Assignment, read_plan
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
# The four of a chapter, whatever the course gives out of them.
FOUR = Assignment(NAME, "Attention", ("3.1", "3.2", "3.3", "3.4"))
PLAN = dataclasses.replace(read_plan(), assignments=(FOUR,))
RIGHT = solutions(PLAN, NAME)
MISTAKES = {
    "3.1": "def softmax(x):\n    powers = x.exp()\n    return powers / powers.sum()",
    "3.2": "def attend(query, keys, values):\n"
    "    return (keys @ query).softmax(dim=-1) @ values",
    "3.3": "def spread(d_k, sigma):\n    return math.sqrt(d_k) * sigma",
    "3.4": "def look_back(length):\n"
    "    queries = torch.zeros(length, length)\n"
    "    queries[1:] = 100 * torch.eye(length)[:-1]\n"
    "    return queries, torch.eye(length)",
}
NAMED = (
    "each row must sum to 1 on its own",
    "The scores were not scaled",
    "sigma counts twice",
    "The first position looks at all alike",
)
OVERWRITES = """\
from book.tools.course import hidden
from lib.exercises import attention as check
from lib.exercises import record

check.softmax.right = lambda x: x
check.softmax = lambda *answers: True
record.same = lambda *values, **more: True
hidden.expect_the_same = lambda *values, **more: None
torch.allclose = lambda *values, **more: True


def softmax(x):
    return x
"""
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
    """The assignment, handed in by seven students, graded, with feedback."""
    set_up()
    folder = tmp_path_factory.mktemp("course")
    made = Course(folder, part(PLAN, NAME))
    precious = folder / "precious"
    precious.mkdir()
    (precious / "gradebook.db").write_text("all the marks")
    made.nbgrader("generate_assignment", NAME)
    made.nbgrader("release_assignment", NAME)
    for student, answers in {
        "solution": RIGHT,
        "empty": {},
        "half": {number: RIGHT[number] for number in ("3.1", "3.3")},
        "mistakes": MISTAKES,
        "overwrites-and-loops": RIGHT | {"3.1": OVERWRITES, "3.2": LOOPS},
        "deletes-and-prints": RIGHT
        | {
            "3.3": DELETES.format(places=[str(precious), str(made.folder)]),
            "3.4": PRINTS,
        },
    }.items():
        made.hand_in(student, NAME, answers)
    made.hand_in("pastes-and-deletes", NAME, RIGHT)
    paste_and_delete(made, "pastes-and-deletes")
    hand_in_by_exchange(made, folder, "solution")
    made.nbgrader("autograde", NAME)
    made.nbgrader("generate_feedback", NAME)
    return made


@pytest.fixture(scope="module")
def scores(course: Course) -> dict[str, dict[str, float]]:
    return course.scores(NAME)


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


@pytest.mark.parametrize(
    ("student", "right"),
    [
        ("solution", {"3.1", "3.2", "3.3", "3.4"}),
        ("empty", set()),
        ("half", {"3.1", "3.3"}),
        ("mistakes", set()),
        ("overwrites-and-loops", {"3.3", "3.4"}),
        ("deletes-and-prints", {"3.1", "3.2"}),
        ("pastes-and-deletes", {"3.2", "3.3", "3.4"}),
    ],
)
def test_each_gets_the_marks_of_what_is_right(
    scores: dict[str, dict[str, float]], student: str, right: set[str]
) -> None:
    worth = {"3.1": 4, "3.2": 2, "3.3": 4, "3.4": 6}
    found = scores[student]
    assert found["most"] == 16
    for number, points in worth.items():
        got = found[f"check-{number.replace('.', '-')}"]
        assert got == (points if number in right else 0), number
    assert found["sum"] == sum(worth[number] for number in right)


@pytest.mark.parametrize("words", NAMED)
def test_the_feedback_names_the_mistake(course: Course, words: str) -> None:
    assert words in course.feedback("mistakes", NAME)


def test_the_feedback_says_what_was_stopped(course: Course) -> None:
    told = course.feedback("overwrites-and-loops", NAME)
    assert "This cell was stopped: it had not ended after 12 seconds." in told
    told = course.feedback("deletes-and-prints", NAME)
    assert "changes files in its own folder only" in told
    assert "This cell was stopped: it printed more than 100,000 characters." in told
    assert len(told) < 2_000_000
    assert "not answered yet" in course.feedback("empty", NAME)


def test_nothing_outside_the_scratch_folder_was_touched(course: Course) -> None:
    precious = course.folder.parent / "precious" / "gradebook.db"
    assert precious.read_text() == "all the marks"
    handed_in = course.folder / "submitted" / "deletes-and-prints" / NAME
    assert "rmtree" in (handed_in / f"{NAME}.ipynb").read_text(encoding="utf-8")


def test_students_get_stubs_and_no_hidden_checks(course: Course) -> None:
    cells = {cell_name(cell): cell.source for cell in course.released(NAME).cells}
    assert cells["answer-3-1"] == "def softmax(x):\n    # your code here\n    ..."
    assert cells["check-3-1"].endswith("\nassert check.softmax(softmax)")
    assert "hidden" not in "".join(cells.values())
