"""The course's record of the exercises, `book/course/assignments.toml`."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from book.tools.course.exercises import Exercise, exercises
from book.tools.notebooks.files import chapters, read
from book.tools.project.address import ROOT

PLAN = ROOT / "book" / "course" / "assignments.toml"


@dataclass(frozen=True)
class Assignment:
    """One assignment: its name, which is its folder's, its title and its exercises.

    Beside it stand those that its lesson solves, and those for who wants more.
    """

    name: str
    title: str
    exercises: list[str]
    in_class: list[str]
    more: list[str]

    @property
    def chapters(self) -> list[int]:
        """The chapters that its exercises come from."""
        return sorted({int(number.split(".")[0]) for number in self.exercises})


@dataclass(frozen=True)
class Plan:
    """The course: its assignments, what exercises are worth, what grading allows."""

    seed: int
    seconds: int
    characters: int
    points: dict[str, int]
    minutes: dict[str, int]
    assignments: list[Assignment]

    def points_of(self, exercise: Exercise) -> int:
        """What an exercise is worth."""
        return self.points[exercise.difficulty]

    def minutes_of(self, exercise: Exercise) -> int:
        """How long an exercise is thought to take."""
        return self.minutes[exercise.difficulty]


@cache
def read_plan(path: Path = PLAN) -> Plan:
    """Read the course's table of contents.

    Raises:
        ValueError: If it names an exercise that no chapter has, or something twice.
    """
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    listed = [Assignment(**row) for row in found.pop("assignment")]
    named = Counter(one.name for one in listed)
    for one in listed:
        numbers = [*one.in_class, *one.exercises, *one.more]
        named.update(exercise(number).number for number in numbers)
    name, count = named.most_common(1)[0]
    if count > 1:
        raise ValueError(f"{path.name} has {name!r} twice: leave one of them.")
    return Plan(assignments=listed, **found)


@cache
def chapter(number: int) -> NotebookNode:
    """The notebook of a chapter."""
    return read(chapters()[number - 1])


@cache
def _exercises() -> dict[str, Exercise]:
    """All exercises of the book, by their numbers."""
    notebooks = (chapter(number) for number in range(1, len(chapters()) + 1))
    return {one.number: one for notebook in notebooks for one in exercises(notebook)}


def exercise(number: str) -> Exercise:
    """The exercise of this number.

    Raises:
        ValueError: If no chapter has it.
    """
    if number not in _exercises():
        raise ValueError(
            f"No chapter has an exercise {number}: mend book/course/assignments.toml."
        )
    return _exercises()[number]


def exercises_of(assignment: Assignment) -> list[Exercise]:
    """The exercises of an assignment."""
    return [exercise(number) for number in assignment.exercises]
