"""Reading the book's sources for the tests: notebooks, their exercises, lib's code."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from address import ROOT
from nbformat import NotebookNode
from notebooks import chapters

CHAPTERS = chapters()
NAMES = [path.stem for path in CHAPTERS]

Definition = ast.ClassDef | ast.FunctionDef


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def text_pages() -> list[Path]:
    """The Markdown files that people read."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [*top, *sorted((ROOT / "book").rglob("*.md"))]


def definitions(source: str) -> list[Definition]:
    """The classes and functions at the top level of a piece of code."""
    body = ast.parse(source).body
    return [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def without_docstrings(node: ast.AST) -> str:
    """The code of a definition, whatever its layout, comments and docstrings."""
    node = ast.parse(ast.unparse(node))
    for inner in ast.walk(node):
        if not isinstance(inner, ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(inner) is not None:
            inner.body = inner.body[1:] or [ast.Pass()]
    return ast.unparse(node)


def exported() -> dict[str, tuple[Path, Definition]]:
    """The classes and functions that lib's modules name in `__all__`, and where."""
    found: dict[str, tuple[Path, Definition]] = {}
    for path in sorted((ROOT / "lib").rglob("*.py")):
        if "checks" in path.parts:
            continue
        source = path.read_text(encoding="utf-8")
        names = _all_of(ast.parse(source))
        for node in definitions(source):
            if node.name in names:
                found[node.name] = (path, node)
    return found


def _all_of(tree: ast.Module) -> list[str]:
    """The names in a module's `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


@dataclass(frozen=True)
class Exercise:
    """One exercise: its title's number, its cell, and the solution behind the fold."""

    number: str
    index: int
    stub: str
    solution: str

    @property
    def call(self) -> str:
        """The last statement of the cell, which hands the answer to its check."""
        last = ast.parse(self.stub).body[-1]
        return "\n".join(self.stub.splitlines()[last.lineno - 1 :])

    @property
    def solved(self) -> str:
        """The cell with the solution where the stub was."""
        return f"{self.solution}\n\n\n{self.call}"


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """The exercises of a chapter; a malformed one is a ValueError that says how."""
    found = []
    for index, cell in enumerate(notebook.cells):
        if "exercise" not in cell.metadata.get("tags", []):
            continue
        task = _text(notebook, index - 1)
        title = re.search(r"^### Exercise (\d+\.\d+) · \S", task, re.MULTILINE)
        folded = _text(notebook, index + 1)
        solution = re.search(
            r"\A<details><summary>Solution</summary>\n.*?^```python\n(.*?)^```.*</details>",
            folded,
            re.DOTALL | re.MULTILINE,
        )
        if title is None:
            raise ValueError(f"{cell.id} stands behind no '### Exercise N.k · Title'")
        if solution is None:
            raise ValueError(f"no folded solution follows {cell.id}")
        found.append(Exercise(title[1], index, cell.source, solution[1].strip("\n")))
    return found


def _text(notebook: NotebookNode, index: int) -> str:
    cells = notebook.cells
    inside = 0 <= index < len(cells) and cells[index].cell_type == "markdown"
    return str(cells[index].source) if inside else ""
