"""The docstrings of `lib`: one dialect, whole parts, and no chapter named in vain."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

from book.tools.site.offline_site import LIB_ORDER
from tests.book_sources import CHAPTERS, definitions, read
from tests.lib_sources import TREES, Function

# Names keep their capital where a sentence begins in lower case.
NAMES = (
    r"[A-Z](?![a-z])|English|Spanish|True|False|None|PyTorch|Lightning|Marian|Adam|"
    r"Latin|Jupyter|Python"
)


def built() -> dict[str, set[int]]:
    """The names of the classes and functions that chapters define, and in which."""
    found: dict[str, set[int]] = {}
    for path in CHAPTERS:
        for cell in read(path).cells:
            for node in definitions(cell.source) if cell.cell_type == "code" else []:
                found.setdefault(node.name, set()).add(int(path.stem[:2]))
    return found


BUILT = built()


def documented() -> Iterator[tuple[str, str]]:
    """Yield every function and class of `lib` that has a docstring."""
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.ClassDef):
                docstring = ast.get_docstring(node)
                if docstring:
                    yield f"{module}.{node.name}", docstring


def section(docstring: str, heading: str) -> str:
    """Return the entries under one of Google's headings."""
    lines = rf"^{heading}:\n((?:(?:  .*)?\n)*)"
    found = re.search(lines, docstring + "\n", re.MULTILINE)
    return found.group(1) if found else ""


def test_entries_begin_in_lower_case() -> None:
    entry = re.compile(rf"^    \**[\w., ]+: ((?!{NAMES})[A-Z].*)", re.MULTILINE)
    found = {
        f"{name}: {words}"
        for name, docstring in documented()
        for heading in ("Args", "Attributes", "Raises")
        for words in entry.findall(section(docstring, heading))
    }
    assert found == set()


def test_built_in_a_chapter_is_true_and_comes_with_an_example() -> None:
    said = 0
    for name, docstring in documented():
        for chapter in re.findall(r"Built in chapters? (.*)", docstring):
            said += 1
            found = name.split(".")[-1]
            assert int(chapter.removesuffix(".")) in BUILT.get(found, set()), name
            assert ">>> " in section(docstring, "Example"), name
    assert said >= 20


def public_names() -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that readers meet: those of the first level.

    Exercises and commands are left out; notebooks and the shell call them.
    """
    for name in LIB_ORDER[: LIB_ORDER.index("exercises")]:
        module = importlib.import_module(f"lib.{name}")
        assert set(module.__all__) <= set(dir(module)), "the reference lists dir()"
        for public in module.__all__:
            found = getattr(module, public)
            if inspect.isfunction(found) or inspect.isclass(found):
                yield f"lib.{name}.{public}", found


PUBLIC = dict(public_names())
EVERY_NAME = pytest.mark.parametrize("name", PUBLIC)


@EVERY_NAME
def test_what_a_chapter_builds_says_so(name: str) -> None:
    chapters = BUILT.get(name.split(".")[-1], set())
    told = re.findall(r"Built in chapter (\d+)\.$", inspect.getdoc(PUBLIC[name]) or "")
    assert {int(chapter) for chapter in told} == chapters


@EVERY_NAME
def test_docstrings_have_their_parts(name: str) -> None:
    found = PUBLIC[name]
    docstring = inspect.getdoc(found) or ""
    first = docstring.split("\n\n")[0]
    assert re.search(r"[.)]$", first), "the first paragraph is a sentence"
    # Nobody calls a protocol, so it has no arguments of its own.
    called = {} if getattr(found, "_is_protocol", False) else inspect.signature(found)
    parameters = [
        p for p in getattr(called, "parameters", {}) if p not in ("self", "cls")
    ]
    for parameter in parameters:
        assert re.search(
            rf"^ +\**{parameter}: ", section(docstring, "Args"), re.MULTILINE
        ), f"{parameter} is not explained"


@EVERY_NAME
def test_docstrings_name_what_is_raised(name: str) -> None:
    """A function that raises by itself says so."""
    found = PUBLIC[name]
    source = ast.parse(inspect.cleandoc("\n" + inspect.getsource(found)))
    node = source.body[0]
    body: list[ast.AST] = [node]
    if isinstance(node, ast.ClassDef):
        body = [
            n
            for n in node.body
            if isinstance(n, Function)
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
    docstring = inspect.getdoc(found) or ""
    for kind in raised:
        assert re.search(rf"^ +{kind}: ", docstring, re.MULTILINE), f"raises {kind}"
