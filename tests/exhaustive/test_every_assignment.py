"""nbgrader grades every assignment: its solution, an empty one, and mistakes.

The checks themselves meet every slip in `make test`.
"""

from __future__ import annotations

import html
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from book.tools.course.hidden import record
from book.tools.course.plan import exercise, exercises_of, read_plan
from book.tools.project.address import ROOT
from lib.exercises import CheckFailed, slips
from tests.graded_course import Course, not_on_windows, part, set_up, solutions

pytestmark = not_on_windows
PLAN = read_plan()
ROUNDS = 2  # how many of each exercise's mistakes are graded
NAMES = [one.name for one in PLAN.assignments]


@pytest.fixture(scope="session", autouse=True)
def _environment() -> None:
    set_up()


def slip_cell(number: str, turn: int) -> tuple[str, str]:
    """A cell that brings a slip along for its answer, and the sentence that it gets."""
    recorded = record(number)
    _, lines = slips.read(recorded.name, recorded.inputs.__module__)
    sentences = list(lines)
    # Spread over the slips, which begin with the commonest.
    sentence = sentences[turn * (len(sentences) - 1) // max(1, ROUNDS - 1)]
    # What is right, which a slip may ask for, is not where an answer is tried.
    line = next(line for _, line in lines[sentence] if ".right" not in line)
    with pytest.raises(CheckFailed) as failure:
        recorded(slips.wrong(recorded.answer, line))
    module, name = recorded.answer.__module__, recorded.answer.__name__
    cell = 'import sys\nimport types\n\nbrought = types.ModuleType("brought")\n'
    if module == f"lib.exercises.{recorded.chapter}":
        path = ROOT / "lib" / "exercises" / f"{recorded.chapter}.py"
        cell += f"exec({path.read_text(encoding='utf-8')!r}, vars(brought))\n"
    else:
        cell += (
            f"import {module}\nvars(brought).update(vars(sys.modules[{module!r}]))\n"
        )
        cell += 'brought.__name__ = "brought"\n'
    cell += f"exec({slips.code(recorded.answer, line)!r}, vars(brought))\n"
    return f"{cell}{exercise(number).answer} = brought.{name}", str(failure.value)


@pytest.mark.parametrize("name", NAMES)
def test_marks_and_feedback(name: str, tmp_path: Path) -> None:
    course = Course(tmp_path, part(PLAN, name))
    course.nbgrader("generate_assignment", name)
    (assignment,) = course.plan.assignments
    wrong = [
        {number: slip_cell(number, turn) for number in assignment.exercises}
        for turn in range(ROUNDS)
    ]
    course.hand_in("solution", name, solutions(PLAN, name))
    course.hand_in("empty", name, {})
    for turn, found in enumerate(wrong):
        cells = {number: cell for number, (cell, _) in found.items()}
        course.hand_in(f"mistakes-{turn}", name, cells)
    course.nbgrader("autograde", name)
    course.nbgrader("generate_feedback", name)
    most = sum(map(PLAN.points_of, exercises_of(assignment)))
    scores: dict[str, Any] = defaultdict(dict, course.scores(name))
    assert scores["solution"]["sum"] == scores["solution"]["most"] == most
    assert scores["empty"]["sum"] == 0
    for turn, found in enumerate(wrong):
        assert scores[f"mistakes-{turn}"]["sum"] == 0
        told = html.unescape(course.feedback(f"mistakes-{turn}", name))
        for number, (_, words) in found.items():
            assert words in told, number
