"""What no tool says of `lib`: its modules are short, and each says what is public.

The order of the imports stands in pyproject.toml, where import-linter reads it; what
ruff can tell of functions, asserts and pickles stands there too.
"""

from __future__ import annotations

import ast
import importlib
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from book.tools.project.address import ROOT
from lib.exercises.record import CHAPTERS
from tests.book_sources import definitions

LONGEST_MODULE = 300
DRAWING = {"matplotlib", "seaborn", "IPython", "bertviz", "lib.figures"}


def dotted(path: Path) -> str:
    """Return the name that imports this file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in sorted((ROOT / "lib").rglob("*.py"))}
EVERY_MODULE = pytest.mark.parametrize("name", [n for n in MODULES if n != "lib"])


@EVERY_MODULE
def test_a_module_can_be_held_in_mind(name: str) -> None:
    if name.split(".")[1] == "exercises" and name.split(".")[-1] in CHAPTERS:
        return  # a list of exercises, of which each is read alone
    length = code_lines(MODULES[name].read_text(encoding="utf-8"))
    assert length <= LONGEST_MODULE, f"{name} has {length} lines of code"


def code_lines(text: str) -> int:
    """Count lines but for blank ones, comments and docstrings."""
    told = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, told) and ast.get_docstring(node) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        line
        for token in tokens
        if token.type in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


def is_inside_a_package(name: str) -> bool:
    """Tell a file for which its package speaks, such as lib.training.task."""
    return name.count(".") >= 2


@EVERY_MODULE
def test_every_module_says_what_is_public(name: str) -> None:
    """A package says it for its files: what it exports is public, all else is not."""
    names = getattr(importlib.import_module(name), "__all__", None)
    if names is None:
        assert is_inside_a_package(name), f"{name} has no __all__"
        return
    of_exercises = name.startswith("lib.exercises.")
    if MODULES[name].stem != "__init__" and not of_exercises:
        assert not is_inside_a_package(name), f"{name} leaves that to its package"
    assert len(set(names)) == len(names)
    written = definitions(MODULES[name].read_text(encoding="utf-8"))
    public = {node.name for node in written if not node.name.startswith("_")}
    missing = public - set(names)
    assert not missing or is_inside_a_package(name), f"__all__ lacks {missing}"


def test_commands_and_exercises_start_without_a_drawing_library() -> None:
    quick = [n for n in MODULES if n.split(".")[1:2] in (["commands"], ["exercises"])]
    code = f"import sys, lib.__main__, {', '.join(quick)}\n"
    code += f"print({DRAWING!r} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"
