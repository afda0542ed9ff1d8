"""The packages that a chapter needs, found in its imports and in those of `lib`.

Their versions are the ranges of pyproject.toml. A chapter without training needs no
Lightning, so its setup cell does not fetch it.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from book.tools.project.address import ROOT


@cache
def ranges() -> dict[str, str]:
    """The requirements of `lib`, by the names of their packages."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed: list[str] = tomllib.loads(text)["project"]["dependencies"]
    return {re.split(r"[^\w-]", line)[0].lower(): line for line in listed}


def needs(notebook: NotebookNode) -> list[str]:
    """The requirements of `lib` that a notebook leads to, in the order of their names.

    What is imported inside a function counts: the chapter may call it.
    """
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    todo = [name for source in code for name in imported(source)]
    seen: set[str] = set()
    while todo:
        for module in with_parents(todo.pop()):
            if module not in seen:
                seen.add(module)
                todo += imported_by(module)
    packages = {module.lower() for module in seen}
    return [line for name, line in sorted(ranges().items()) if name in packages]


def imported(source: str) -> Iterator[str]:
    """The modules that a piece of code imports; a name out of a module may be one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def with_parents(module: str) -> Iterable[str]:
    """A module and the packages that it stands in."""
    parts = module.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


@cache
def imported_by(module: str) -> tuple[str, ...]:
    """What a module of `lib` imports; nothing for any other name."""
    if module.split(".")[0] != "lib":
        return ()
    place = ROOT.joinpath(*module.split("."))
    files: list[Path] = [place.with_suffix(".py"), place / "__init__.py"]
    found = (file.read_text(encoding="utf-8") for file in files if file.is_file())
    return tuple(name for source in found for name in imported(source))
