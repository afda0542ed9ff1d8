"""The mistakes of the gallery as whole programs: copied out, each runs by itself.

The tests in tests/lib/pitfalls hold each mistake and what catches it, in pieces. Here
the pieces that one mistake needs are put together: imports, helpers, the wrong
variant, the properties, and the test that runs them.
"""

import ast
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from book.tools.project.address import ROOT

PITFALLS = ROOT / "tests" / "lib" / "pitfalls"


@dataclass(frozen=True)
class Source:
    """One file of tests, and the names that it defines and imports."""

    path: Path

    @cached_property
    def text(self) -> str:
        """Its code."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def defined(self) -> dict[str, ast.stmt]:
        """The statement behind each name that it defines."""
        found: dict[str, ast.stmt] = {}
        for node in ast.parse(self.text).body:
            for name in names_bound(node):
                found[name] = node
        return found

    @cached_property
    def imported(self) -> dict[str, tuple[str, ast.alias]]:
        """The module and the alias behind each name that it imports."""
        found = {}
        for node in ast.parse(self.text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                module = getattr(node, "module", None) or ""
                for alias in node.names:
                    found[alias.asname or alias.name.split(".")[0]] = (module, alias)
        return found

    def code(self, node: ast.stmt) -> str:
        """The text of a statement, its decorators included."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        return "\n".join(self.text.splitlines()[first - 1 : node.end_lineno])


def names_bound(node: ast.stmt) -> list[str]:
    """The names that a statement at the top of a file gives a meaning to."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


@dataclass
class Program:
    """What one mistake needs: imports, and pieces of the tests in their order."""

    imports: set[str] = field(default_factory=set)
    pieces: dict[tuple[int, str, int], str] = field(default_factory=dict)

    def need(self, name: str, source: Source, depth: int = 0) -> None:
        """Take in what a name stands for, and all that it needs in turn."""
        if name in source.defined:
            node = source.defined[name]
            place = (-depth, source.path.name, node.lineno)
            if place not in self.pieces:
                self.pieces[place] = source.code(node)
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Name):
                        self.need(inner.id, source, depth)
        elif name in source.imported:
            module, alias = source.imported[name]
            if module.startswith("tests"):
                file = ROOT / f"{module.replace('.', '/')}.py"
                self.need(alias.name, Source(file), depth + 1)
            elif module != "__future__":
                self.imports.add(written_import(module, alias))

    @property
    def text(self) -> str:
        """The whole program."""
        pieces = [self.pieces[place] for place in sorted(self.pieces)]
        head = "from __future__ import annotations\n\n" + "\n".join(
            sorted(self.imports)
        )
        return "\n\n\n".join([head, *pieces])


def written_import(module: str, alias: ast.alias) -> str:
    """The line that imports one name."""
    start = f"from {module} " if module else ""
    name = f"{alias.name} as {alias.asname}" if alias.asname else alias.name
    return f"{start}import {name}"


def tests_of(number: int) -> tuple[Source, list[ast.FunctionDef]]:
    """The tests of one mistake, and the file that they stand in.

    Raises:
        ValueError: If there is no test of that number.
    """
    for path in sorted(PITFALLS.glob("test_*.py")):
        source = Source(path)
        found = [
            node
            for name, node in source.defined.items()
            if name.startswith(f"test_pitfall_{number:02d}_")
            and isinstance(node, ast.FunctionDef)
        ]
        if found:
            return source, found
    raise ValueError(f"tests/lib/pitfalls has no test_pitfall_{number:02d}_…")


def snippet(number: int) -> str:
    """The program that shows one mistake, and that the property catches it."""
    source, tests = tests_of(number)
    program, calls = Program(), []
    for test in tests:
        program.need(test.name, source)
        folders = len(test.args.args)
        if folders:
            program.imports |= {"import tempfile", "from pathlib import Path"}
        calls.append(f"{test.name}({'Path(tempfile.mkdtemp())' * folders})")
    calls.append('print("caught in the wrong code, and passed by lib")')
    return program.text + "\n\n\n" + "\n".join(calls) + "\n"


def folded(number: int) -> str:
    """The program as a folded part of the gallery's page."""
    return (
        "<details><summary>The whole of it, to copy and run</summary>\n\n"
        f"```python\n{snippet(number)}```\n\n</details>\n\n"
    )
