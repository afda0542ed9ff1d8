"""How `lib` is built: one direction, small modules, no pickle, whole docstrings."""

from __future__ import annotations

import ast
import doctest
import graphlib
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from offline_site import LIB_ORDER

ROOT = Path(__file__).parent.parent
LIB = ROOT / "lib"

# Each module imports only those above it; the site lists the middle ones in this order.
ORDER = ("files", *LIB_ORDER, "commands", "__main__")
LONGEST_MODULE = 300
LONGEST_FUNCTION = 40  # lines of code, the docstring and the signature aside
LONGEST_CHECK = 70  # a check is a list of the wrong answers that it can name
DRAWING = {"matplotlib", "seaborn", "IPython", "bertviz"}
PICKLING = {"pickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def dotted(path: Path) -> str:
    """Return the name that imports this file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {dotted(path): path for path in sorted(LIB.rglob("*.py"))}
TREES = {
    name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()
}
EVERY_MODULE = pytest.mark.parametrize(
    "name", [name for name in FILES if name != "lib"]
)


def place(name: str) -> int:
    """Return where in the order the module or its package stands."""
    return ORDER.index(name.split(".")[1])


def imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield every imported module with its line, wherever in the file it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole if whole in FILES else str(node.module)), node.lineno


# --- direction ------------------------------------------------------------------------


def test_the_order_holds_every_module_and_no_other() -> None:
    found = {name.split(".")[1] for name in FILES if name != "lib"}
    assert found == set(ORDER)


def test_the_order_is_the_one_that_lib_tells_its_readers() -> None:
    told = " ".join((ast.get_docstring(TREES["lib"]) or "").split())
    places = [told.find(name) for name in ORDER if re.search(rf"\b{name}\b[,:]?", told)]
    assert len(places) >= 15
    assert places == sorted(places)


@EVERY_MODULE
def test_imports_point_downward(name: str) -> None:
    for imported, line in imports(TREES[name]):
        if not imported.startswith("lib."):
            assert imported != "lib", f"{name}, line {line}: name the module"
            continue
        inside_one_package = name.split(".")[1] == imported.split(".")[1]
        assert inside_one_package or place(imported) < place(name), (
            f"{name}, line {line}: imports {imported}, which stands below it"
        )


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        name: {imported for imported, _ in imports(tree) if imported in FILES}
        for name, tree in TREES.items()
    }
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert set(order) == set(FILES)


def top_level(tree: ast.Module) -> Iterator[str]:
    """Yield what is imported as soon as the module is."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for imported, _ in imports(ast.Module([node], [])):
                yield imported


@EVERY_MODULE
def test_only_figures_and_what_follows_can_draw(name: str) -> None:
    if place(name) < place("lib.figures"):
        for imported, line in imports(TREES[name]):
            assert imported.split(".")[0] not in DRAWING, f"line {line}"
    elif name.split(".")[1] in ("commands", "checks", "__main__"):
        # Translating and checking start quickly, without a drawing library.
        for imported in top_level(TREES[name]):
            assert imported.split(".")[0] not in DRAWING
            assert not imported.startswith(("lib.figures", "lib.views"))


# --- safety ---------------------------------------------------------------------------


@EVERY_MODULE
def test_nothing_is_pickled(name: str) -> None:
    tree = TREES[name]
    for imported, line in imports(tree):
        assert imported.split(".")[0] not in PICKLING, f"{name}, line {line}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            called = f"{node.value.id}.{node.attr}"
            assert called not in ("torch.load", "torch.save"), f"line {node.lineno}"
        if isinstance(node, ast.keyword):
            assert node.arg not in ("allow_pickle", "weights_only"), node.lineno


@EVERY_MODULE
def test_inputs_are_not_checked_by_assert(name: str) -> None:
    lines = [n.lineno for n in ast.walk(TREES[name]) if isinstance(n, ast.Assert)]
    assert lines == [], f"{name} asserts in lines {lines}: python -O would drop them"


# --- size -----------------------------------------------------------------------------

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def lines_of_code(function: Function) -> int:
    """Return the lines of the body, the docstring left out."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    if not body:
        return 0
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


@EVERY_MODULE
def test_modules_and_functions_can_be_held_in_mind(name: str) -> None:
    length = len(FILES[name].read_text(encoding="utf-8").splitlines())
    assert length <= LONGEST_MODULE, f"{name} has {length} lines"
    limit = LONGEST_CHECK if ".chapter_" in name else LONGEST_FUNCTION
    for function in functions(TREES[name]):
        length = lines_of_code(function)
        assert length <= limit, f"{name}.{function.name} has {length} lines"


# --- public names ---------------------------------------------------------------------


def exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and getattr(node.targets[0], "id", "") == "__all__"
        ):
            return list(ast.literal_eval(node.value))
    return None


def is_inside_a_package(name: str) -> bool:
    """Tell a file that only its own package imports, such as lib.training.task."""
    return name.count(".") == 2 and ".chapter_" not in name


@EVERY_MODULE
def test_every_module_says_what_is_public(name: str) -> None:
    names = exported(TREES[name])
    if names is None:
        assert is_inside_a_package(name), f"{name} has no __all__"
        return
    assert len(set(names)) == len(names)
    module = importlib.import_module(name)
    for public in names:
        assert hasattr(module, public), f"{name} has no {public}"
    defined = {
        node.name
        for node in TREES[name].body
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")
    }
    missing = defined - set(names)
    assert not missing or is_inside_a_package(name), f"__all__ lacks {missing}"


def public_pieces() -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that readers meet: those of the first level.

    The checks and commands are left out; they are called by notebooks and by the shell.
    """
    for name in ORDER[: ORDER.index("checks")]:
        module = importlib.import_module(f"lib.{name}")
        for public in module.__all__:
            piece = getattr(module, public)
            if inspect.isfunction(piece) or inspect.isclass(piece):
                yield f"lib.{name}.{public}", piece


PIECES = dict(public_pieces())
EVERY_PIECE = pytest.mark.parametrize("name", PIECES)


def parts(docstring: str) -> set[str]:
    """Return the Google headings of a docstring."""
    return set(re.findall(r"^(\w[\w ]*):$", docstring, flags=re.MULTILINE))


@EVERY_PIECE
def test_docstrings_have_their_parts(name: str) -> None:
    piece = PIECES[name]
    docstring = inspect.getdoc(piece) or ""
    first = docstring.split("\n\n")[0]
    assert re.search(r"[.)]$", first), "the first paragraph is a sentence"
    found = parts(docstring)
    parameters = [
        p for p in inspect.signature(piece).parameters if p not in ("self", "cls")
    ]
    if parameters:
        assert "Args" in found, "the arguments are not explained"
        for parameter in parameters:
            assert re.search(rf"^ +\**{parameter}: ", docstring, re.MULTILINE), (
                parameter
            )
    assert "Example" in found
    assert ">>> " in docstring
    assert re.search(r"\nBuilt in chapter \d+\.$", docstring), "the chapter is missing"


@EVERY_PIECE
def test_docstrings_name_what_is_raised(name: str) -> None:
    """A function that raises by itself says so."""
    piece = PIECES[name]
    source = ast.parse(inspect.cleandoc("\n" + inspect.getsource(piece)))
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
    docstring = inspect.getdoc(piece) or ""
    for kind in raised:
        assert re.search(rf"^ +{kind}: ", docstring, re.MULTILINE), f"raises {kind}"


@EVERY_MODULE
def test_examples_in_docstrings_run(name: str) -> None:
    module = importlib.import_module(name)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, _ = doctest.testmod(module, optionflags=flags)
    assert failed == 0
