"""The mistakes of the gallery as whole programs: copied out, each runs by itself.

The tests in tests/lib/pitfalls hold each mistake and what catches it, in pieces. Here
the pieces that one mistake needs are put together: imports, helpers, the wrong
variant, the properties, and the test that runs them.
"""

import ast
from pathlib import Path

from book.tools.project.address import ROOT
from book.tools.project.statements import needed, statements

PITFALLS = ROOT / "tests" / "lib" / "pitfalls"


class Program:
    """What one mistake needs: imports, and pieces of the tests in their order."""

    def __init__(self) -> None:
        self.imports: set[str] = set()
        self.pieces: dict[tuple[int, str, int], str] = {}

    def need(self, names: set[str], file: Path, depth: int = 0) -> None:
        """Take in what names of a file stand for, and all that it needs in turn."""
        known = statements(file.read_text(encoding="utf-8"))
        for found in needed(names, known).values():
            node = found.node
            if isinstance(node, ast.ImportFrom) and "tests" in (node.module or ""):
                home = ROOT / f"{str(node.module).replace('.', '/')}.py"
                self.need({node.names[0].name}, home, depth + 1)
            elif found.is_import:
                self.imports.add(found.text)
            else:
                self.pieces[-depth, file.name, found.place[1]] = found.text

    @property
    def text(self) -> str:
        """The whole program."""
        first = "from __future__ import annotations\n"
        imports = "\n".join([first, *sorted(self.imports)])
        pieces = [self.pieces[place] for place in sorted(self.pieces)]
        return "\n\n\n".join([imports, *pieces])


def snippet(number: int) -> str:
    """The program that shows one mistake, and that the property catches it.

    Raises:
        ValueError: If there is no test of that number.
    """
    program, calls = Program(), []
    for path in sorted(PITFALLS.glob("test_*.py")):
        for name, found in statements(path.read_text(encoding="utf-8")).items():
            test = found.node
            if name.startswith(f"test_pitfall_{number:02d}_") and isinstance(
                test, ast.FunctionDef
            ):
                program.need({name}, path)
                folders = len(test.args.args)
                if folders:
                    program.imports |= {"import tempfile", "from pathlib import Path"}
                calls.append(f"{name}({'Path(tempfile.mkdtemp())' * folders})")
    if not calls:
        raise ValueError(f"tests/lib/pitfalls has no test_pitfall_{number:02d}_…")
    calls.append('print("caught in the wrong code, and passed by lib")')
    return program.text + "\n\n\n" + "\n".join(calls) + "\n"


def folded(number: int) -> str:
    """The program as a folded part of the gallery's page."""
    return (
        '<details class="whole"><summary>The whole of it, to copy and run</summary>\n\n'
        f"```python\n{snippet(number)}```\n\n</details>\n\n"
    )
