"""Reading the book's sources for the tests: notebooks, their exercises, lib's code."""

import ast
import functools
import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

from book.tools.course.context import leaned_on
from book.tools.course.plan import chapter, exercise
from book.tools.notebooks import files
from book.tools.project.address import ROOT
from book.tools.project.statements import Definition
from book.tools.site.offline_site import LIB_ORDER
from lib.exercises import record

CHAPTERS = files.chapters()
NAMES = [path.stem for path in CHAPTERS]
NOTEBOOKS = files.notebooks()  # the appendix that runs, too

each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=NAMES)
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)

read = files.read


def text_pages() -> list[Path]:
    """The Markdown files that people read."""
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [*top, *sorted((ROOT / "book").rglob("*.md"))]


def imported(file: Path) -> set[str]:
    """The modules that a file imports, and the names that it takes out of them."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
    return found


def definitions(source: str) -> list[Definition]:
    """The classes and functions at the top level of a piece of code."""
    body = ast.parse(source).body
    return [node for node in body if isinstance(node, Definition)]


def without_docstrings(node: ast.AST) -> str:
    """The code of a definition, whatever its layout, comments and docstrings."""
    node = ast.parse(ast.unparse(node))
    for inner in ast.walk(node):
        if isinstance(inner, Definition) and ast.get_docstring(inner) is not None:
            inner.body = inner.body[1:] or [ast.Pass()]
    return ast.unparse(node)


@functools.cache
def exported() -> dict[str, Any]:
    """The functions and classes of lib that readers meet, by their dotted names.

    Exercises and commands are left out; notebooks and the shell call them.
    """
    found = {}
    for package in LIB_ORDER[: LIB_ORDER.index("exercises")]:
        module = importlib.import_module(f"lib.{package}")
        assert set(module.__all__) <= set(dir(module)), "the reference lists dir()"
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isfunction(one) or inspect.isclass(one):
                found[f"lib.{package}.{name}"] = one
    return found


def solution(number: str) -> Any:
    """The book's solution of an exercise, made in a namespace of its own."""
    one = exercise(number)
    name = f"lib.exercises.{record.CHAPTERS[one.chapter - 1]}"
    space = {"__name__": "solution", "check": importlib.import_module(name)}
    for code in (leaned_on(chapter(one.chapter), [one]), one.solution):
        exec(compile(code, f"<exercise {number}>", "exec"), space)
    return space[one.answer]
