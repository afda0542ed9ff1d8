"""The docstrings of `lib`: whole parts, and no chapter named in vain."""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict

import pytest

from tests.book_sources import CHAPTERS, definitions, exported, read

# The names of the classes and functions that chapters define, and in which.
BUILT: dict[str, set[int]] = defaultdict(set)
for path in CHAPTERS:
    for cell in read(path).cells:
        for node in definitions(cell.source) if cell.cell_type == "code" else []:
            BUILT[node.name].add(int(path.stem[:2]))

EVERY_NAME = pytest.mark.parametrize("name", exported())


def docstring_of(name: str) -> str:
    return inspect.getdoc(exported()[name]) or ""


def section(docstring: str, heading: str) -> str:
    """Return the entries under one of Google's headings."""
    lines = rf"^{heading}:\n((?:(?:  .*)?\n)*)"
    found = re.search(lines, docstring + "\n", re.MULTILINE)
    return found.group(1) if found else ""


@EVERY_NAME
def test_what_a_chapter_builds_says_so_and_has_an_example(name: str) -> None:
    docstring = docstring_of(name)
    told = re.findall(r"Built in chapter (\d+)\.$", docstring)
    assert {int(chapter) for chapter in told} == BUILT[name.rpartition(".")[2]]
    assert not told or ">>> " in section(docstring, "Example")


@EVERY_NAME
def test_docstrings_have_their_parts(name: str) -> None:
    found, docstring = exported()[name], docstring_of(name)
    first = docstring.split("\n\n")[0]
    assert re.search(r"[.)]$", first), "the first paragraph is a sentence"
    # Nobody calls a protocol, so it has no arguments of its own.
    is_called = not getattr(found, "_is_protocol", False)
    for parameter in inspect.signature(found).parameters if is_called else ():
        explained = rf"^ +\**{parameter}: "
        assert re.search(explained, section(docstring, "Args"), re.MULTILINE), parameter


@EVERY_NAME
def test_docstrings_name_what_is_raised(name: str) -> None:
    """A function that raises by itself says so."""
    (node,) = definitions(inspect.getsource(exported()[name]))
    body: list[ast.AST] = [node]
    if isinstance(node, ast.ClassDef):
        body = [
            n
            for n in node.body
            if isinstance(n, ast.FunctionDef)
            and n.name in ("__init__", "forward", "__post_init__")
        ]
    raised = {
        inner.exc.func.id
        for part in body
        for inner in ast.walk(part)
        if isinstance(inner, ast.Raise)
        and isinstance(inner.exc, ast.Call)
        and isinstance(inner.exc.func, ast.Name)
    }
    for kind in raised:
        found = re.search(rf"^ +{kind}: ", docstring_of(name), re.MULTILINE)
        assert found, f"raises {kind}"
