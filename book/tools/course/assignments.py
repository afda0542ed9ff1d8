"""The assignments as nbgrader wants them: answers, checks, points.

nbgrader's metadata is written here, into generated files, and nowhere in the book.
"""

import re
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.tools.course.context import given
from book.tools.course.exercises import Exercise
from book.tools.course.hidden import record
from book.tools.course.plan import Assignment, Plan, chapter, exercises_of
from book.tools.notebooks.files import chapters
from book.tools.notebooks.normal_form import NOTEBOOK_METADATA
from book.tools.notebooks.setup_cell import setup_cell
from book.tools.project.address import Address

STUB = "# your code here\n..."  # what nbgrader leaves of a solution
_PLACEHOLDER = re.compile(r"^( *)# your code here\n(?: *\.\.\.\n)?", re.MULTILINE)
_STRICT = """\
from lib.exercises import strict

strict()  # in an assignment, an exercise that is not answered fails its check"""
_HEAD = """\
# Assignment: {title}

{count} from {chapters}
of *The Transformer, Piece by Piece*; {points} points, about {minutes} minutes.

Write your answers where `...` stands, and run the cell below each: it tells a right
answer from a wrong one. You may add cells of your own. Leave the cells with the checks
as they are: they are put back before your answers are graded, and each answer is then
also tried on values that you do not see here."""


def assignment_notebook(
    assignment: Assignment, plan: Plan, address: Address
) -> NotebookNode:
    """The source of an assignment: solutions and checks, with points."""
    found = exercises_of(assignment)
    cells = [new_markdown_cell(_head(assignment, plan, address))]
    cells.append(_marked(new_code_cell(_STRICT), "strict", locked=True))
    for number in assignment.chapters:
        of_chapter = [one for one in found if one.chapter == number]
        code = given(chapter(number), of_chapter)
        if code:
            cells.append(_marked(new_code_cell(code), f"given-{number}", locked=True))
        for one in of_chapter:
            cells += _cells(one, plan, address)
    cells.insert(1, setup_cell(address))
    cells[1].metadata.tags = ["setup"]
    for place, cell in enumerate(cells, start=1):
        cell.id = f"cell-{place:02d}"
    return new_notebook(cells=cells, metadata=from_dict(NOTEBOOK_METADATA))


def _head(assignment: Assignment, plan: Plan, address: Address) -> str:
    found = exercises_of(assignment)
    links = [_link(number, address) for number in assignment.chapters]
    return _HEAD.format(
        title=assignment.title,
        count=f"{len(found)} exercise{'s' * (len(found) > 1)}",
        chapters=" and ".join(links),
        points=sum(map(plan.points_of, found)),
        minutes=sum(map(plan.minutes_of, found)),
    )


def _link(number: int, address: Address) -> str:
    return f"[chapter {number}]({address.site}/book/{chapters()[number - 1].stem}.html)"


def _cells(exercise: Exercise, plan: Plan, address: Address) -> list[NotebookNode]:
    name = exercise.number.replace(".", "-")
    answer = new_code_cell(solution_region(exercise))
    check = new_code_cell(_check(exercise))
    points = plan.points_of(exercise)
    return [
        new_markdown_cell(_task(exercise, plan, address)),
        _marked(answer, f"answer-{name}", solution=True),
        _marked(check, f"check-{name}", locked=True, points=points),
    ]


def _task(exercise: Exercise, plan: Plan, address: Address) -> str:
    """The task with its points, and with links that lead to the book's site."""
    points, minutes = plan.points_of(exercise), plan.minutes_of(exercise)
    old = f"*Difficulty: {exercise.difficulty}.*"
    new = f"{old[:-1]} {points} points, about {minutes} minutes.*"
    task = exercise.task.replace(old, new)
    return re.sub(r"\]\((\d\d_\w+)\.ipynb", rf"]({address.site}/book/\1.html", task)


def solution_region(exercise: Exercise) -> str:
    """The cell of the answer, solved; nbgrader puts the stub back between the marks.

    The lines of the stub around its placeholders stay outside the marks, so that the
    `def` lines survive. Comments of the stub need not stand in the solution.

    Raises:
        ValueError: If the solution does not have these lines.
    """
    rest = exercise.solution + "\n"
    written: list[str] = []
    kept = _PLACEHOLDER.split(exercise.blank + "\n")  # lines, indent, lines, indent, …
    for lines, indent in zip(kept[::2], ["", *kept[1::2]], strict=True):
        found = re.search(_pattern(lines), rest)
        if found is None:
            raise ValueError(
                f"The solution of exercise {exercise.number} lacks {lines.strip()!r}, "
                "which its stub has."
            )
        answer, rest = rest[: found.start()].strip("\n"), rest[found.end() :]
        if answer:
            written += [f"{indent}### BEGIN SOLUTION", answer]
            written += [f"{indent}### END SOLUTION"]
        written += lines.splitlines()
    if rest.strip():
        raise ValueError(f"A solution without a place for it: {exercise.number}.")
    return "\n".join(written).strip("\n")


def _pattern(lines: str) -> str:
    """What finds lines of code whatever the comments; the end where there are none."""
    code = [line.split("#")[0].rstrip() for line in lines.splitlines()]
    found = [re.escape(line) + r" *(?:#.*)?\n" for line in code if line]
    return r"\s*?".join(found) or r"\Z"


def _check(exercise: Exercise) -> str:
    recorded = record(exercise.number)
    if not recorded.draws_inputs:
        raise ValueError(
            f"Exercise {exercise.number} has no hidden values: let its record draw "
            f"some, in lib/exercises/{recorded.chapter}.py, or take it out of the "
            "assignment."
        )
    where = f"from lib.exercises import {recorded.chapter} as check"
    return f"{where}\n\nassert {exercise.call}"


def _marked(cell: NotebookNode, name: str, **about: Any) -> NotebookNode:
    """A cell with nbgrader's metadata: what it is, and what it is worth."""
    plain: dict[str, Any] = {"schema_version": 3, "grade_id": name}
    plain |= dict.fromkeys(("solution", "locked", "task"), False)
    cell.metadata["nbgrader"] = plain | {"grade": "points" in about} | about
    return cell
