"""Write what the time machine of chapter 19 shows: the curves of its six stages.

-m book.tools.site.since_numbers
"""

from typing import Any

from book.tools.site.page_numbers import FOLDER, module_of
from lib.text.files import read_json, write_whole
from lib.translator import SHIPPED

FILE = FOLDER / "since_numbers.js"
WAY = ["pre-norm", "RMS norm", "gated", "rotary", "grouped"]  # by year
SEEDS, RATE = (0, 1, 2), 4e-3  # of what was measured, those that the page shows
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
    return module_of(NOTE, "SINCE", parts)


def runs_of(measured: dict[str, Any], changes: list[str]) -> list[dict[str, Any]]:
    """The runs with these changes, one for each of the three seeds."""
    wanted = [{"changes": changes, "rate": RATE, "seed": seed} for seed in SEEDS]
    return [r for w in wanted for r in measured["runs"] if w.items() <= r.items()]


if __name__ == "__main__":
    write_whole(FILE, text())
