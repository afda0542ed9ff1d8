"""The course: its plan, its editions, and its assignments."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest

from book.tools.course.assignments import _check, assignment_notebook, solution_region
from book.tools.course.command import main
from book.tools.course.context import given
from book.tools.course.exercises import exercises, solution_edition, student_edition
from book.tools.course.plan import PLAN, chapter, exercise, read_plan
from book.tools.project.address import ROOT, Address
from book.tools.site.solutions import leave_out, leave_out_of_downloads
from tests.book_sources import CHAPTERS, NAMES, each_chapter, read

COURSE = read_plan()
ADDRESS = Address("https://github.com/owner/name", "main")
ASSIGNED = [number for one in COURSE.assignments for number in one.exercises]
each_exercise = pytest.mark.parametrize("number", ASSIGNED)
each_assignment = pytest.mark.parametrize(
    "assignment", COURSE.assignments, ids=lambda one: one.name
)


# --- the plan -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('exercises = ["3.9"]', "No chapter has an exercise 3.9"),
        ('exercises = ["3.4"]', "has '3.4' twice"),
    ],
)
def test_a_wrong_plan_is_refused_in_a_sentence(
    line: str, sentence: str, tmp_path: Any
) -> None:
    text = re.sub(r'exercises = \["3.1".*', line, PLAN.read_text(encoding="utf-8"))
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence):
        read_plan(tmp_path / "plan.toml")


def test_an_exercise_without_hidden_values_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"Exercise 4\.5 has no hidden values"):
        _check(exercise("4.5"))


# --- the editions ---------------------------------------------------------------------


@each_chapter
def test_the_editions_have_the_tasks_without_and_with_solutions(path: Any) -> None:
    """That solutions run, and their checks agree, is for the run of the chapters."""
    notebook = read(path)
    text = "\n".join(cell.source for cell in student_edition(notebook).cells)
    solved = solution_edition(notebook)
    for one in exercises(notebook):
        assert one.task in text
        assert one.stub in text
        assert one.solution not in text
        assert solved.cells[one.index].source == one.solved
        assert solved.cells[one.index].outputs == []
    for fold in ("Solution", "Answer"):
        assert f"<summary>{fold}</summary>" not in text
    assert text.count("*Your answer:*") == text.count("**With a pencil.**")


@pytest.mark.parametrize("show", [True, False])
def test_one_setting_leaves_the_solutions_out_of_site_and_downloads(
    show: bool, tmp_path: Path
) -> None:
    text = CHAPTERS[0].read_text(encoding="utf-8")
    offered = tmp_path / "_sources" / "book" / CHAPTERS[0].name
    offered.parent.mkdir(parents=True)
    offered.write_text(text, encoding="utf-8")
    source, other = [text], [text]
    names = {"book/1": str(CHAPTERS[0]), "book/index": "index.md"}
    site: Any = SimpleNamespace(
        env=SimpleNamespace(doc2path=names.get),
        config=SimpleNamespace(show_solutions=show),
        outdir=tmp_path,
    )
    leave_out(site, "book/1", source)
    leave_out(site, "book/index", other)
    leave_out_of_downloads(site, None)
    assert other == [text]
    for text in (source[0], offered.read_text(encoding="utf-8")):
        for fold in ("Solution", "Answer"):
            assert (f"<summary>{fold}</summary>" in text) == show
        assert "### Exercise 1.1" in text and nbformat.reads(text, 4)


# --- the assignments ------------------------------------------------------------------


def test_what_an_exercise_leans_on_comes_from_lib_if_it_is_there() -> None:
    code = given(chapter(6), [exercise("6.3")])
    assert "from lib.attention import scaled_dot_product_attention" in code


@each_exercise
def test_def_lines_survive(number: str) -> None:
    one = exercise(number)
    solved = r"(?ms)^ *### BEGIN SOLUTION\n.*?^ *### END SOLUTION$"
    kept = re.sub(solved, "", solution_region(one))
    for node in ast.walk(ast.parse(one.blank)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            assert one.blank.splitlines()[node.lineno - 1] in kept.splitlines()
    assert one.solution not in kept
    assert ast.parse(solution_region(one))


ELSEWHERE = re.compile(
    r"\babove\b(?! \d| it\b)|\b(figure|plot|the formula|this chapter|this section)\b"
    r"|\bnext section\b|in the part before|!\[|<img|\{\w+\}`"
)


@each_assignment
def test_an_assignment_states_its_points_and_stands_alone(assignment: Any) -> None:
    cells = assignment_notebook(assignment, COURSE, ADDRESS).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    told = r"^\*Difficulty: (?:easy|medium|hard)\. (\d+) points, about \d+ minutes\.\*$"
    stated = [int(points) for points in re.findall(told, text, re.MULTILINE)]
    about = [cell.metadata.get("nbgrader", {}) for cell in cells]
    assert [one["points"] for one in about if one.get("grade")] == stated
    many = f"{len(stated)} exercise{'s' * (len(stated) > 1)} from"
    assert len(stated) == len(assignment.exercises) and many in cells[0].source
    assert f"{sum(stated)} points" in cells[0].source
    for number in assignment.chapters:
        page = next(name for name in NAMES if name.startswith(f"{number:02d}_"))
        link = f"[chapter {number}]({ADDRESS.site}/book/{page}.html)"
        assert link in cells[0].source
    for cell in cells[1:]:
        if cell.cell_type == "markdown":
            found = ELSEWHERE.search(cell.source)
            assert found is None, f"{found and found[0]!r} in {cell.source[:60]}"


def test_make_course_writes_all_of_it(tmp_path: Any) -> None:
    assert main(["--into", str(tmp_path)]) == 0
    for edition in ("student", "solutions"):
        written = {path.stem for path in (tmp_path / edition).iterdir()}
        assert written == set(NAMES)
    sources = (tmp_path / "nbgrader" / "source").rglob("*.ipynb")
    assert {path.stem for path in sources} == {one.name for one in COURSE.assignments}
    written = {path.name for path in (tmp_path / "questions").iterdir()}
    pages = {"exam.html", "exam_solutions.html"}
    assert written == {f"{name}.gift" for name in NAMES} | pages
    texts = [*(tmp_path / "nbgrader").rglob("*.py"), *tmp_path.rglob("*.ipynb")]
    assert [one for one in texts if str(ROOT) in one.read_text(encoding="utf-8")] == []


def test_what_the_two_environments_share_has_one_version() -> None:
    names = ("requirements-course.txt", "requirements.lock")
    texts = [(ROOT / name).read_text(encoding="utf-8").lower() for name in names]
    pin = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
    course, book = (dict(pin.findall(text.replace("_", "-"))) for text in texts)
    for name in course.keys() & book.keys():
        assert course[name] == book[name], name
    assert course["nbgrader"] == "0.9.6"
