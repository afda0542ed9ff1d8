"""The exercises of `lib` without what is right: what may lie on a student's desk.

Out of each module of records everything goes that the inputs do not need: right answers
and each function that only those call. The Markdown with the slips is not laid there.
"""

import ast
import shutil
from pathlib import Path

from book.tools.project.statements import free_names

DESK = Path(__file__).parent / "desk"
# What a record is told of a right answer besides: `Without(like=…)`. Every call in a
# module of records loses it, so nothing else there may be called so.
_ANSWERS = {"like"}


class _WithoutAnswers(ast.NodeTransformer):
    """Takes what is right out of the calls that make records and cases."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg in _ANSWERS:
                keyword.value = ast.Constant(None)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A right answer that is a record is left with its name."""
        self.generic_visit(node)
        if _is_record(node):
            node.body, node.returns = [ast.Expr(ast.Constant(...))], None
            node.args = _NOTHING
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        if _is_record(node) and isinstance(node.value, ast.Call):
            node.value.args = [ast.Constant(None)]
        return node


_NOTHING = ast.arguments([], [], None, [], [], None, [])


def inputs_only(source: str) -> str:
    """The code of a module of records, with what its inputs need and nothing else."""
    body = _WithoutAnswers().visit(ast.parse(source)).body
    kept = [node for node in body if _is_record(node)]
    while True:
        needed = free_names(_code(kept))
        more = [node for node in body if node in kept or _made(node) & needed]
        if len(more) == len(kept):
            return _code(kept)
        kept = more


def lay_desk(lib: Path, place: Path) -> None:
    """Write what a kernel that grades may import into a folder.

    Args:
        lib: the folder of `lib`.
        place: where `lib` without answers and `desk` shall stand.
    """
    apart = shutil.ignore_patterns("__pycache__")
    shutil.copytree(lib, place / "lib", ignore=apart)
    shutil.copytree(DESK, place / "desk", ignore=apart)
    exercises = place / "lib" / "exercises"
    (place / "desk" / "record.py").replace(exercises / "record.py")
    for path in exercises.glob("*.md"):
        path.unlink()
    for path in exercises.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        if "exercise(" in source and path.name != "record.py":
            path.write_text(inputs_only(source), encoding="utf-8")


def _is_record(node: ast.stmt) -> bool:
    made = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        made = [node.value.func]
    return any("exercise" in free_names(ast.unparse(each)) for each in made)


def _made(node: ast.stmt) -> set[str]:
    """The names that a statement gives or changes; none for a record's slips."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    return {each.id for each in names if isinstance(each.ctx, ast.Store)}


def _code(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.Module(nodes, []))
