"""The two editions of every chapter: without the solutions, and with them filled in."""

import copy
import re

from nbformat import NotebookNode

from book.tools.course.exercises import exercises, tags

_ANSWER = re.compile(
    r"<details><summary>Answer</summary>\n.*?^</details>", re.DOTALL | re.MULTILINE
)
_BLANK = "*Your answer:*"


def student_edition(notebook: NotebookNode) -> NotebookNode:
    """A chapter without its solutions, and with room for the pencil's answers."""
    written = copy.deepcopy(notebook)
    written.cells = [cell for cell in written.cells if "solution" not in tags(cell)]
    for cell in written.cells:
        if cell.cell_type == "markdown":
            cell.source = _ANSWER.sub(_BLANK, cell.source)
    return written


def solution_edition(notebook: NotebookNode) -> NotebookNode:
    """A chapter with each solution where its stub was, ready to run."""
    written = copy.deepcopy(notebook)
    for one in exercises(notebook):
        cell = written.cells[one.index]
        cell.source, cell.outputs, cell.execution_count = one.solved, [], None
    return written
