"""Write what the time machine of chapter 19 shows: the curves of its six stages.

-m book.tools.site.since_numbers
"""

import json
import sys
from pathlib import Path
from typing import Any

from book.tools.lab.since_2017 import RATE, SEEDS, WAY
from book.tools.project.address import ROOT
from lib.text.files import read_json
from lib.translator import SHIPPED

FILE = ROOT / "book" / "interactive" / "since_numbers.js"
NOTE = """\
// Losses of a small language model, for six stages from 2017 to today and three seeds.
//
// Written by book/tools/site/since_numbers.py, of what was measured for chapter 19.

"""


def text() -> str:
    """The module that holds the numbers."""
    measured = read_json(SHIPPED / "measurements" / "since_2017.json")
    stages = [runs_of(measured, WAY[:count]) for count in range(len(WAY) + 1)]
    parts = {
        "steps": [int(step) for step in stages[0][0]["curve"]][1:],
        "curves": [
            [[round(n, 3) for n in [*run["curve"].values()][1:]] for run in runs]
            for runs in stages
        ],
        "cache": [runs[0]["cache"] for runs in stages],
    }
    lines = ",\n".join(f"  {name}: {json.dumps(part)}" for name, part in parts.items())
    return f"{NOTE}export const SINCE = {{\n{lines},\n}};\n"


def runs_of(measured: dict[str, Any], changes: list[str]) -> list[dict[str, Any]]:
    """The runs with these changes, one for each of the three seeds."""
    wanted = [{"changes": changes, "rate": RATE, "seed": seed} for seed in SEEDS]
    return [r for w in wanted for r in measured["runs"] if w.items() <= r.items()]


def main(path: Path = FILE) -> int:
    """Write the file, and say how large it is."""
    path.write_text(text(), encoding="utf-8", newline="\n")
    print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
