"""What `make course` writes: editions of the chapters, assignments, questions."""

import argparse
import shutil
import sys
from pathlib import Path

from nbformat import NotebookNode

from book.tools.course.assignments import STUB, assignment_notebook
from book.tools.course.exercises import solution_edition, student_edition
from book.tools.course.plan import Plan, read_plan
from book.tools.course.questions import write_questions
from book.tools.notebooks.files import chapters, read
from book.tools.notebooks.normal_form import serialize
from book.tools.project.address import ROOT, read_address

FOLDER = ROOT / "_course"  # not in _build, which `make clean` removes: marks stand here
_CONFIG = '''\
"""The settings of nbgrader for this course, written by `make course`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "grader"))  # what grades: the folder can be moved
programs = str(Path(sys.executable).parent)  # nbgrader calls one that lies beside it
os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]

from book.tools.course.autograder import Grade
from book.tools.course.marking import AutogradeAll, Export
from nbgrader import preprocessors as usual
from nbgrader.apps import api, autogradeapp

c = get_config()
c.CourseDirectory.root = str(HERE)
c.CourseDirectory.course_id = "transformer"
c.ClearSolutions.code_stub = {{"python": {stub!r}}}

# Hand-ins are taken as they come, and who cannot be graded has no mark: no zero.
autogradeapp.Autograde = api.Autograde = AutogradeAll
c.Autograde.sanitize_preprocessors = []  # what is graded is written anew
c.ExportApp.plugin_class = Export

# A cell runs within bounds, in a scratch folder, away from what knows answers.
c.Autograde.autograde_preprocessors = [
    Grade,
    usual.IgnorePattern,
    usual.LimitOutput,
    usual.SaveAutoGrades,
    usual.AssignLatePenalties,
    usual.CheckCellMetadata,
]
c.Grade.seed = {plan.seed}
c.Grade.timeout = {plan.seconds}
c.Grade.characters = {plan.characters}
'''


def write_editions(folder: Path) -> None:
    """Write the student and the solution edition of every chapter."""
    for path in chapters():
        _write(folder / "student" / path.name, student_edition(read(path)))
        _write(folder / "solutions" / path.name, solution_edition(read(path)))


def write_assignments(folder: Path, plan: Plan) -> None:
    """Write a folder that nbgrader works in: its settings and the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = _CONFIG.format(stub=STUB, plan=plan)
    (folder / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    _write_grader(folder / "grader")
    address = read_address()
    for one in plan.assignments:
        notebook = assignment_notebook(one, plan, address)
        _write(folder / "source" / one.name / f"{one.name}.ipynb", notebook)


def _write_grader(folder: Path) -> None:
    """Copy what grades, so that the folder needs no book beside it."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("lib", "book/tools/course", "book/tools/project"):
        apart = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, folder / part, ignore=apart)


def _write(path: Path, notebook: NotebookNode) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(serialize(notebook), encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> int:
    """Write the course into a folder; 1 if a source stands in the way."""
    parser = argparse.ArgumentParser(prog="make course", description=__doc__)
    help_ = "the folder (default: _course)"
    parser.add_argument("--into", type=Path, default=FOLDER, help=help_)
    folder: Path = parser.parse_args(arguments).into.resolve()
    try:
        plan = read_plan()
        write_editions(folder)
        write_assignments(folder / "nbgrader", plan)
        write_questions(folder / "questions", plan.seed)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        f"{len(chapters())} chapters in {folder / 'student'} and "
        f"{folder / 'solutions'}, {len(plan.assignments)} assignments in "
        f"{folder / 'nbgrader'}, questions and an exam in {folder / 'questions'}."
    )
    return 0
