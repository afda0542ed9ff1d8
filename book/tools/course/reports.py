"""What a teacher is told of a submission, beside its marks: one text a student.

They stand in `reports`, as feedback stands in `feedback`.
"""

import re
from collections.abc import Iterable
from pathlib import Path

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


def begin(student: str, assignment: str) -> None:
    """Begin a report anew."""
    _place(student, assignment).unlink(missing_ok=True)


def reaches(code: str) -> list[str]:
    """The lines of some code in which it may look for answers."""
    return [each.strip() for each in code.splitlines() if _REACHES.search(each)]


def _place(student: str, assignment: str) -> Path:
    return Path("reports") / student / f"{assignment}.txt"
