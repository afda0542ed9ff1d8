"""The exercises of a chapter, and its editions: without solutions, and with them."""

import copy
import re
from dataclasses import dataclass

from nbformat import NotebookNode

_TASK = re.compile(r"^### Exercise (\d+\.\d+) · \S.*\Z", re.DOTALL | re.MULTILINE)
_FOLDED = re.compile(
    r"\A<details><summary>Solution</summary>\n.*?^```python\n(.*?)^```.*</details>\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Exercise:
    """One exercise: its task, its cell, and the solution behind the fold."""

    number: str
    task: str
    index: int
    stub: str
    solution: str

    @property
    def chapter(self) -> int:
        """The number of its chapter."""
        return int(self.number.split(".")[0])

    @property
    def call(self) -> str:
        """The last line of the cell, which hands the answer to its check."""
        return self.stub.splitlines()[-1]

    @property
    def blank(self) -> str:
        """The cell without that line: what the reader fills in."""
        return self.stub.removesuffix(self.call).rstrip()

    @property
    def answer(self) -> str:
        """The name that the check is given: that of a function, class or value."""
        return self.call.partition("(")[2].rstrip(")")

    @property
    def difficulty(self) -> str:
        """The word that the task states: easy, medium or hard."""
        return re.findall(r"^\*Difficulty: (\w+)\.\*$", self.task, re.MULTILINE)[0]

    @property
    def solved(self) -> str:
        """The cell with the solution where the stub was."""
        return f"{self.solution}\n\n\n{self.call}"


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return list(cell.metadata.get("tags", []))


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """The exercises of a chapter, in order.

    Raises:
        ValueError: If one has no task before it, or no solution behind it.
    """
    found = []
    for index, cell in enumerate(notebook.cells):
        if "exercise" not in tags(cell):
            continue
        task = _TASK.search(notebook.cells[index - 1].source)
        solution = _FOLDED.search(notebook.cells[index + 1].source)
        if task is None or solution is None:
            raise ValueError(
                f"{cell.id} is an exercise: let '### Exercise N.k · Title' stand "
                "before it, and its folded solution behind it."
            )
        text, code = task[0].rstrip(), solution[1].strip("\n")
        found.append(Exercise(task[1], text, index, cell.source, code))
    return found


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
