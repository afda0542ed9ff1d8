"""How long a chapter takes to read: words, visible lines of code, and minutes.

The main line is all before "What goes wrong"; captions count, and what is folded does
not.
"""

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from book.tools.notebooks.files import read

PARTS = {  # by the heading that opens them; any other is of the main line
    "## What breaks without it": "opening",
    **dict.fromkeys(("## What goes wrong", "## Asked by readers"), "rest"),
    **dict.fromkeys(("## Exercises", "## Summary", "## Further reading"), "exercises"),
}
WORDS_A_MINUTE, LINES_A_MINUTE = 200, 10  # measured with readers of these chapters
_FOLDED = {"setup", "hide-cell", "hide-input", "remove-input", "remove-cell"}
_TIMES = re.compile(r"(\d+) minutes for the main line, (\d+) for the rest")


@dataclass
class Amount:
    """What there is to read in one part of a chapter."""

    words: int = 0
    lines: int = 0

    @property
    def minutes(self) -> int:
        return math.ceil(self.words / WORDS_A_MINUTE + self.lines / LINES_A_MINUTE)


def amounts(notebook: Path) -> dict[str, Amount]:
    """Count what there is to read: "opening", "main" (with it) and "rest"."""
    found: dict[str, Amount] = defaultdict(Amount)
    part = "main"
    for cell in read(notebook).cells:
        if heading := re.match(r"## .*", cell.source):
            part = PARTS.get(heading[0].strip(), "main")
        for name in {part, "main" if part == "opening" else part}:
            _add(found[name], cell)
    return found


def stated(notebook: Path) -> tuple[int, int]:
    """Return the minutes that the top of a chapter tells: main line and rest."""
    top = read(notebook).cells[0].source
    ((main, rest),) = _TIMES.findall(" ".join(top.split()))
    return int(main), int(rest)


def _add(amount: Amount, cell: Any) -> None:
    tags = set(cell.metadata.get("tags", ()))
    if cell.cell_type == "code":
        if not tags & (_FOLDED | {"exercise"}):
            amount.lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    elif not tags & {"solution"}:
        visible = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S)
        amount.words += len(re.findall(r"\S*\w\S*", visible))
