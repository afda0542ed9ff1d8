"""nbgrader's `autograde` and `export`, for hand-ins as they come, without false zeros.

A zero is what a student's answers earn. Who cannot be graded, because of what was
handed in or because what grades went wrong, has no mark: that is said at the end, the
next `autograde` tries again, and `export` leaves the mark empty.
"""

import contextlib
import glob
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.converters import Autograde, NbGraderException
from nbgrader.plugins import CsvExportPlugin

from book.tools.course.handed_in import Release, choose, is_notebook
from book.tools.course.reports import begin, report
from book.tools.course.wall import no_wall

_OPEN = (
    "No wall stands around the students' code: %s. So it can read the solutions, and "
    "change your files and these marks. Read what you grade, or grade on a computer "
    "that has nothing to lose."
)
_STOPPED = "Not graded: what grades went wrong, as the messages above say."


class AutogradeAll(Autograde):  # type: ignore[misc]
    """Grades what can be graded, and names who is not graded and why."""

    def start(self) -> None:
        """Grade; nbgrader finds the notebooks that count in a folder of their own."""
        if no_wall():
            self.log.warning(_OPEN, no_wall())
        course = self.coursedir
        self._handed_in = course.submitted_directory
        with tempfile.TemporaryDirectory() as taken:
            course.submitted_directory = taken
            try:
                super().start()
            finally:
                course.submitted_directory = self._handed_in

    def init_notebooks(self) -> None:
        """Find the folders of students, whatever lies in them."""
        name = self.coursedir.assignment_id
        released = Path(
            self.coursedir.format_path(self.coursedir.release_directory, ".", name)
        )
        released /= f"{name}.ipynb"
        folders = glob.glob(self._folder(self.coursedir.student_id))
        if not (released.exists() and folders):
            what = f"nothing lies in {self._folder('NAME')}"
            if not released.exists():
                what = f"run `nbgrader generate_assignment {name}` first"
            self.log.error("%s is not graded: %s.", name, what)
            raise NbGraderException
        self._release = Release(nbformat.read(released, 4))
        self._not_graded: list[str] = []
        self.assignments = {}
        for folder in sorted(folders):
            student = Path(folder).parent.name
            if student in self.coursedir.student_id_exclude.split(","):
                continue
            taken = Path(self._format_source(name, student))
            taken.mkdir(parents=True)
            with contextlib.suppress(FileNotFoundError):
                shutil.copy2(Path(folder, "timestamp.txt"), taken)
            self.assignments[str(taken)] = [str(taken / f"{name}.ipynb")]

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Take what counts of a hand-in; False if it is graded, or cannot be."""
        if not super().init_destination(assignment_id, student_id):
            return False
        begin(student_id, assignment_id)
        self._take_marks_back(assignment_id, student_id)
        folder = Path(self._folder(student_id))
        counts, told = choose(folder, assignment_id, self._release)
        if counts is None:
            self._not_graded.append(student_id)
            report(student_id, assignment_id, told)
            return False
        notebook, changes = self._release.put_right(counts.cells)
        report(student_id, assignment_id, told + changes)
        taken = Path(self._format_source(assignment_id, student_id))
        shutil.copytree(counts.folder, taken, ignore=_apart, dirs_exist_ok=True)
        nbformat.write(notebook, taken / f"{assignment_id}.ipynb")
        return True

    def convert_notebooks(self) -> None:
        """Grade, and say at the end who has no mark."""
        with contextlib.suppress(NbGraderException):  # what went wrong is told
            super().convert_notebooks()
        name = self.coursedir.assignment_id
        for folder in self.assignments:
            student = Path(folder).parent.name
            there = os.path.exists(self._format_dest(name, student))
            if not there and student not in self._not_graded:
                self._not_graded.append(student)
                report(student, name, [_STOPPED])
        if self._not_graded:
            self.log.error(
                "Not graded: %s. They have no mark, and export leaves it empty; the "
                "next `nbgrader autograde %s` tries again.",
                ", ".join(self._not_graded),
                name,
            )
            raise NbGraderException

    def _folder(self, student: str) -> str:
        name = self.coursedir.assignment_id
        return str(self.coursedir.format_path(self._handed_in, student, name))

    def _take_marks_back(self, assignment: str, student: str) -> None:
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            if self.create_student:
                book.update_or_create_student(student)
            for grade in _grades(book.update_or_create_submission(assignment, student)):
                grade.auto_score = None
            book.db.commit()


class Export(CsvExportPlugin):  # type: ignore[misc]
    """Writes the marks as nbgrader does, and leaves empty what has no mark."""

    def export(self, gradebook: Gradebook) -> None:
        """Write a row for each assignment of each student."""
        super().export(gradebook)
        path = Path(self.to or "grades.csv")
        head, *rows = (line.split(",") for line in path.read_text().splitlines())
        for row in rows:
            if not self._has_mark(gradebook, row[0], row[3]):
                row[-4:-1] = "", "", ""  # names, which may have commas, stand before
        path.write_text("".join(",".join(row) + "\n" for row in [head, *rows]))

    def _has_mark(self, book: Gradebook, assignment: str, student: str) -> bool:
        try:
            grades = _grades(book.find_submission(assignment, student))
        except MissingEntry:  # who has handed in nothing has 0
            course = self.parent.coursedir
            place = course.format_path(course.submitted_directory, student, assignment)
            return not os.path.exists(place)
        return not any(one.auto_score is one.manual_score is None for one in grades)


def _grades(submission: SubmittedAssignment) -> list[Any]:
    return [grade for notebook in submission.notebooks for grade in notebook.grades]


def _apart(folder: str, names: list[str]) -> list[str]:
    """What of a folder is not laid beside the notebook that counts."""
    return [n for n in names if is_notebook(n) or Path(folder, n).is_symlink()]
