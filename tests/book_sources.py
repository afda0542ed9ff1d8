"""Reading the book's sources for the tests: notebooks, their exercises, lib's code."""

import ast
import functools
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book.tools.notebooks.notebooks import chapters, notebooks
from book.tools.project.address import ROOT

CHAPTERS = chapters()
NAMES = [path.stem for path in CHAPTERS]
NOTEBOOKS = notebooks()  # the appendix that runs, too

Definition = ast.ClassDef | ast.FunctionDef


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def slug(heading: str) -> str:
    """The anchor that the site gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


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


@functools.cache
def exported() -> dict[str, tuple[Path, Definition]]:
    """The classes and functions that lib's modules name in `__all__`, and where."""
    found: dict[str, tuple[Path, Definition]] = {}
    for path in sorted((ROOT / "lib").rglob("*.py")):
        if path.relative_to(ROOT).parts[1] in ("checks", "exercises"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public = _all_of(tree)
        homes = {path: public}
        for node in tree.body:  # a package brings them out of its files
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("lib."):
                home = ROOT / f"{str(node.module).replace('.', '/')}.py"
                if home.is_file():
                    homes[home] = [a.name for a in node.names if a.name in public]
        for home, names in homes.items():
            for node in definitions(home.read_text("utf-8")):
                if node.name in names:
                    found[node.name] = (home, node)
    return found


def _all_of(tree: ast.Module) -> list[str]:
    """The names in a module's `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []
