"""The code of a chapter that an exercise leans on: imports, functions, classes.

An assignment is no whole chapter. What its tasks, stubs and solutions name is looked up
in the cells before them, and what that code names in turn. A piece that `lib` has too
is imported from there, as a test holds the two to be the same.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from book.tools.course.exercises import Exercise, tags
from book.tools.project.address import ROOT
from book.tools.project.statements import (
    Definition,
    Statement,
    free_names,
    needed,
    statements,
)

_BASE = {"math", "torch", "nn", "F"}  # what every answer may need


def given(notebook: NotebookNode, wanted: Sequence[Exercise]) -> str:
    """The code that these exercises of a chapter lean on, laid out for a cell."""
    return _laid_out(leaned_on(notebook, wanted))


def leaned_on(notebook: NotebookNode, wanted: Sequence[Exercise]) -> str:
    """The imports and definitions that exercises lean on, as the chapter has them.

    Args:
        notebook: the chapter.
        wanted: some of its exercises.

    Raises:
        ValueError: If two of them mean different things by one name.
    """
    pieces: dict[str, Statement] = {}
    for exercise in wanted:
        for name, piece in _pieces(notebook, exercise).items():
            if pieces.setdefault(name, piece).text != piece.text:
                raise ValueError(
                    f"{name} has changed in the chapter before exercise "
                    f"{exercise.number}: put it into another assignment."
                )
    imports = [p for p in pieces.values() if p.is_import]
    others = {p.place: p for p in pieces.values() if not p.is_import}
    in_order = [others[place] for place in sorted(others)]
    return "\n".join(p.text for p in [*imports, *in_order])


def _pieces(notebook: NotebookNode, exercise: Exercise) -> dict[str, Statement]:
    """What stands behind the names in an exercise, and behind those in that."""
    found = _statements(notebook, exercise.index)
    known = {name: _from_lib(name, one) for name, one in found.items()}
    code = f"{exercise.stub}\n{exercise.solution}"
    named = _named(exercise.task) & known.keys()
    wanted = {n for n in named if not isinstance(known[n].node, ast.Assign)}
    wanted |= free_names(code) | _BASE
    return dict(sorted(needed(wanted - {"check"}, known).items()))


def _statements(notebook: NotebookNode, end: int) -> dict[str, Statement]:
    """What each name means just before a cell: its last definition."""
    found: dict[str, Statement] = {}
    for index, cell in enumerate(notebook.cells[:end]):
        if cell.cell_type == "code" and not {"setup", "exercise"} & set(tags(cell)):
            found |= statements(cell.source, index)
    return found


def _named(task: str) -> set[str]:
    """The names between backticks in a text."""
    quoted = re.findall(r"`([^`\n]+)`", task)
    return {word for text in quoted for word in re.findall(r"[A-Za-z_]\w*", text)}


def _from_lib(name: str, statement: Statement) -> Statement:
    """The statement that gives a name its meaning; an import, where `lib` has it."""
    if isinstance(statement.node, Definition) and name in _exported():
        one = ast.ImportFrom(_exported()[name], [ast.alias(name)], 0)
        return Statement(statement.place, one, ast.unparse(one))
    return statement


@cache
def _exported(lib: Path = ROOT / "lib") -> dict[str, str]:
    """What `lib` names in an `__all__`, and the modules to import it from."""
    found: dict[str, str] = {}
    for path in sorted(lib.rglob("*.py")):
        module = ".".join(path.relative_to(lib.parent).with_suffix("").parts)
        named = statements(path.read_text(encoding="utf-8")).get("__all__")
        if named and ".exercises." not in module:
            names = ast.literal_eval(named.text.removeprefix("__all__ = "))
            found |= dict.fromkeys(names, module.removesuffix(".__init__"))
    return found


def _laid_out(code: str) -> str:
    """The code with its imports sorted, in the layout of the project."""
    for command in (["check", "--fix-only", "--select=I", "-"], ["format", "-"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--quiet"]
        done = subprocess.run(
            ruff, input=code, cwd=ROOT, capture_output=True, text=True, check=True
        )
        code = done.stdout
    return code.strip("\n")
