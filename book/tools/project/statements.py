"""What the names in a piece of code stand for: imports, functions, classes, values."""

import ast
import copy
import symtable
from collections.abc import Mapping
from dataclasses import dataclass

Import = ast.Import | ast.ImportFrom
Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Statement:
    """A statement at the top of some code: its place, what it is, and its text."""

    place: tuple[int, int]  # of the piece of code, and of the line in it
    node: ast.stmt
    text: str

    @property
    def is_import(self) -> bool:
        """Whether it imports."""
        return isinstance(self.node, Import)


def statements(code: str, piece: int = 0) -> dict[str, Statement]:
    r"""What gives each name its meaning in a piece of code: its last definition.

    Example:
        >>> statements("import torch, math\nx = 1")["math"].text
        'import math'
    """
    found: dict[str, Statement] = {}
    lines = code.splitlines()
    for node in ast.parse(code).body:
        place = (piece, node.lineno)
        if isinstance(node, Import):
            for alias in node.names:
                one = copy.copy(node)
                one.names = [alias]
                name = alias.asname or alias.name
                found[name] = Statement(place, one, ast.unparse(one))
        elif isinstance(node, Definition | ast.Assign | ast.AnnAssign):
            decorators = getattr(node, "decorator_list", [])
            first = min(each.lineno for each in (node, *decorators))
            text = "\n".join(lines[first - 1 : node.end_lineno])
            names = _given(symtable.symtable(text, "<code>", "exec"))
            found |= dict.fromkeys(names, Statement(place, node, text))
    return found


def _given(table: symtable.SymbolTable) -> set[str]:
    """The names that a piece of code gives a meaning to."""
    symbols = table.get_symbols()
    return {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}


def needed(names: set[str], known: Mapping[str, Statement]) -> dict[str, Statement]:
    """What stands behind some names, behind the names in that, and so on."""
    found: dict[str, Statement] = {}
    waiting = names & known.keys()
    while waiting:
        name = waiting.pop()
        found[name] = known[name]
        waiting |= (free_names(known[name].text) & known.keys()) - found.keys()
    return found


def free_names(code: str) -> set[str]:
    r"""The names that a piece of code takes from outside.

    Example:
        >>> sorted(free_names("def f(x):\n    y = g(x)\n    return y + z"))
        ['g', 'z']
    """
    top = symtable.symtable(code, "<code>", "exec")
    found = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    waiting = list(top.get_children())
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        found |= {s.get_name() for s in table.get_symbols() if s.is_global()}
    return found - _given(top)
