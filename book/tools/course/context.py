"""The code of a chapter that an exercise leans on: imports, functions, classes.

An assignment is no whole chapter. What its tasks, stubs and solutions name is looked up
in the cells before them, and what that code names in turn. A piece that `lib` has too
is imported from there, as a test holds the two to be the same.
"""

import ast
import re
import subprocess
import symtable
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from book.tools.course.exercises import Exercise, tags
from book.tools.project.address import ROOT

_BASE = {"math", "torch", "nn", "F"}  # what every answer may need
_Import = ast.Import | ast.ImportFrom
_Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Statement:
    """A statement of a chapter: where it stands, what it is, and its text."""

    place: tuple[int, int]
    node: ast.stmt
    text: str


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
    imports = [p for p in pieces.values() if isinstance(p.node, _Import)]
    others = {p.place: p for p in pieces.values() if not isinstance(p.node, _Import)}
    in_order = [others[place] for place in sorted(others)]
    return "\n".join(p.text for p in [*imports, *in_order])


def _pieces(notebook: NotebookNode, exercise: Exercise) -> dict[str, Statement]:
    """What stands behind the names in an exercise, and behind those in that."""
    known = _statements(notebook, exercise.index)
    code = f"{exercise.stub}\n{exercise.solution}"
    wanted = (free_names(code) | _BASE) & known.keys()
    named = _named(exercise.task) & known.keys()
    wanted |= {n for n in named if not isinstance(known[n].node, ast.Assign)}
    wanted.discard("check")
    pieces: dict[str, Statement] = {}
    while wanted:
        name = wanted.pop()
        pieces[name] = _only(name, known[name])
        wanted |= (free_names(pieces[name].text) & known.keys()) - pieces.keys()
    return dict(sorted(pieces.items()))


def free_names(code: str) -> set[str]:
    r"""The names that a piece of code takes from outside.

    Example:
        >>> sorted(free_names("def f(x):\n    y = g(x)\n    return y + z"))
        ['g', 'z']
    """
    top = symtable.symtable(code, "<cell>", "exec")
    symbols = top.get_symbols()
    given = {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}
    found = {s.get_name() for s in symbols if s.is_referenced()}
    waiting = list(top.get_children())
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        found |= {s.get_name() for s in table.get_symbols() if s.is_global()}
    return found - given


def _statements(notebook: NotebookNode, end: int) -> dict[str, Statement]:
    """What each name means just before a cell: its last definition."""
    found: dict[str, Statement] = {}
    for index, cell in enumerate(notebook.cells[:end]):
        if cell.cell_type != "code" or {"setup", "exercise"} & set(tags(cell)):
            continue
        lines = cell.source.splitlines()
        for node in ast.parse(cell.source).body:
            first = min([node.lineno, *(d.lineno for d in _decorators(node))])
            text = "\n".join(lines[first - 1 : node.end_lineno])
            for name in _defines(node):
                found[name] = Statement((index, node.lineno), node, text)
    return found


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, _Definition) else []


def _defines(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, _Definition):
        yield node.name
    elif isinstance(node, _Import):
        yield from (alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            names = [n for n in ast.walk(target) if isinstance(n, ast.Name)]
            yield from (n.id for n in names if isinstance(n.ctx, ast.Store))


def _named(task: str) -> set[str]:
    """The names between backticks in a text."""
    quoted = re.findall(r"`([^`\n]+)`", task)
    return {word for text in quoted for word in re.findall(r"[A-Za-z_]\w*", text)}


def _only(name: str, statement: Statement) -> Statement:
    """The statement that gives a name its meaning, and other names where it must."""
    node = statement.node
    if isinstance(node, _Import):
        alias = [a for a in node.names if name == (a.asname or a.name)]
        one: _Import = ast.Import(alias)
        if isinstance(node, ast.ImportFrom):
            one = ast.ImportFrom(node.module, alias, node.level)
        return Statement(statement.place, one, ast.unparse(one))
    if isinstance(node, _Definition) and name in _exported():
        one = ast.ImportFrom(_exported()[name], [ast.alias(name)], 0)
        return Statement(statement.place, one, ast.unparse(one))
    return statement


@cache
def _exported(lib: Path = ROOT / "lib") -> dict[str, str]:
    """What `lib` names in an `__all__`, and the modules to import it from."""
    found: dict[str, str] = {}
    for path in sorted(lib.rglob("*.py")):
        module = ".".join(path.relative_to(lib.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if (
                isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) == "__all__"
                and ".checks." not in module
            ):
                names = ast.literal_eval(node.value)
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
