"""What stands in for `lib.exercises.record` where an answer is graded.

The modules of exercises come here without what is right, and without their slips.
"""

from collections.abc import Callable
from typing import Any

from lib.exercises.calls import Without
from lib.exercises.cases import Cases, Draw, Parts, case, drawn_by
from lib.exercises.guard import that
from lib.exercises.trial import Trial

__all__ = ["Cases", "Draw", "Parts", "Without", "case", "exercise", "strict", "that"]


def strict(on: bool = True) -> None:
    """Checks are strict where answers are graded."""


class Inputs(Trial):
    """The record of an exercise as far as a student's code may see it."""

    def __call__(self, answer: Any) -> bool:
        """Say that this is not where an answer is judged."""
        print(f"{self.name}: this is checked when your code has ended.")
        return True

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self.key} has no {name} while it is graded.")


def exercise(
    cases: Any = lambda draw: [()], name: str = "", **about: Any
) -> Callable[[Any], Inputs]:
    """Turn what gives cases into what an answer is tried on."""
    parts = {key: about.get(key) for key in ("read", "form", "without")}

    def record(answer: Any) -> Inputs:
        module = getattr(answer or cases, "__module__", "")
        return Inputs(drawn_by(cases, name or answer.__name__, module), **parts)

    return record
