"""What a teacher is told of a submission, beside its marks: one text a student.

nbgrader calls `recognize` before it grades what a student handed in; what grades adds
its sentences with `report`. They stand in `reports`, as feedback stands in `feedback`.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from traitlets.log import get_logger

# What honest answers have no use for; a teacher reads such a line again.
_REACHES = re.compile(
    r"\bsys\.modules\b|\b__file__\b|\.ipynb\b|\b_getframe\b|\bget_(objects|referrers)\b"
    r"|\bctypes\b|/proc\b|\baddaudithook\b|\b(book|course)\.\w*\.?(hidden|tools)\b"
    r"|\bcourse\.hidden\b|\b(lib\.exercises|desk)\.\w+|\bcheck\.\w+\.\w+"
)


def report(student: str, assignment: str, sentences: Iterable[str]) -> None:
    """Add sentences to what is told of a submission, in the course's folder."""
    path = _place(student, assignment)
    for sentence in sentences:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{sentence}\n")
        get_logger().warning("%s: %s", student, sentence)


def recognize(notebooks: list[str], **_: Any) -> None:
    """Begin a report, and find the assignment's notebook whatever its name.

    Args:
        notebooks: the paths of what a student handed in for an assignment; the list
            becomes what is graded.
    """
    folder = Path(notebooks[0]).parent
    student, name = folder.parent.name, folder.name
    _place(student, name).unlink(missing_ok=True)
    wanted = folder / f"{name}.ipynb"
    cells = _grade_ids(Path("source") / name / f"{name}.ipynb")
    shares = {path: len(cells & _grade_ids(path)) for path in map(Path, notebooks)}
    alike = sorted((path for path in shares if shares[path]), key=lambda p: -shares[p])
    others = [path for path in shares if path != wanted]
    if wanted not in shares and len(alike) == 1:
        alike[0].rename(wanted)
        notebooks[:] = [str(wanted)]
        report(student, name, [f"{alike[0].name} is taken for {wanted.name}."])
        return
    told = "holds cells of this assignment" if alike else "holds no cell of it"
    report(student, name, (f"{one.name} is not graded: it {told}." for one in others))


def reaches(code: str) -> list[str]:
    """The lines of some code in which it may look for answers."""
    return [each.strip() for each in code.splitlines() if _REACHES.search(each)]


def _place(student: str, assignment: str) -> Path:
    return Path("reports") / student / f"{assignment}.txt"


def _grade_ids(path: Path) -> set[str]:
    """The names of a notebook's cells; none if it cannot be read."""
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        about = [cell["metadata"].get("nbgrader", {}) for cell in cells]
        return {one["grade_id"] for one in about if "grade_id" in one}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()
