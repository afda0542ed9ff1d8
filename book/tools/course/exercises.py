"""The exercises of a chapter, and its editions: without solutions, and with them."""

import ast
import copy
import re
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

_TITLE = re.compile(r"^### Exercise (\d+\.\d+) · (\S.*)$", re.MULTILINE)
_FOLDED = re.compile(
    r"\A<details><summary>Solution</summary>\n.*?^```python\n(.*?)^```.*</details>\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Exercise:
    """One exercise: its task, its cell, and the solution behind the fold."""

    number: str
    title: str
    task: str
    index: int
    stub: str
    solution: str

    @property
    def chapter(self) -> int:
        """The number of its chapter."""
        return int(self.number.split(".")[0])

    @cached_property
    def _last(self) -> ast.stmt:
        return ast.parse(self.stub).body[-1]

    @property
    def call(self) -> str:
        """The last statement of the cell, which hands the answer to its check."""
        return "\n".join(self.stub.splitlines()[self._last.lineno - 1 :])

    @property
    def blank(self) -> str:
        """The cell without that statement: what the reader fills in."""
        return "\n".join(self.stub.splitlines()[: self._last.lineno - 1]).rstrip()

    @property
    def answer(self) -> str:
        """The name that the check is given: that of a function, class or value."""
        value = getattr(self._last, "value", None)
        if not isinstance(value, ast.Call) or not isinstance(value.args[0], ast.Name):
            raise ValueError(
                f"Exercise {self.number} ends in {self.call!r}: let it end in a call "
                "of its check with the name of the answer."
            )
        return value.args[0].id

    @property
    def difficulty(self) -> str:
        """The word that the task states: easy, medium or hard."""
        found = re.search(r"^\*Difficulty: (\w+)\.\*$", self.task, re.MULTILINE)
        return found[1] if found else ""

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
        before = _markdown(notebook, index - 1)
        title = _TITLE.search(before)
        if title is None:
            raise ValueError(f"{cell.id} stands behind no '### Exercise N.k · Title'")
        solution = _FOLDED.search(_markdown(notebook, index + 1))
        if solution is None or "solution" not in tags(notebook.cells[index + 1]):
            raise ValueError(f"no cell tagged 'solution' follows {cell.id}")
        found.append(
            Exercise(
                number=title[1],
                title=title[2],
                task=before[title.start() :].rstrip(),
                index=index,
                stub=cell.source,
                solution=solution[1].strip("\n"),
            )
        )
    return found


def _markdown(notebook: NotebookNode, index: int) -> str:
    cells = notebook.cells
    inside = 0 <= index < len(cells) and cells[index].cell_type == "markdown"
    return str(cells[index].source) if inside else ""


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
