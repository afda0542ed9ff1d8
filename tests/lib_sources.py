"""Reading the sources of `lib` for the tests: its modules, their trees and names."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent

Function = ast.FunctionDef | ast.AsyncFunctionDef


def dotted(path: Path) -> str:
    """Return the name that imports this file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {dotted(path): path for path in sorted((ROOT / "lib").rglob("*.py"))}
TREES = {
    name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()
}


def exported(tree: ast.Module) -> list[str] | None:
    """Return the names in a module's `__all__`, if it has one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return None
