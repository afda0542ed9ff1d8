"""The course's record of the exercises, `book/course/assignments.toml`."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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
    exercises: tuple[str, ...]
    in_class: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

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
    assignments: tuple[Assignment, ...]

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
    rows: list[dict[str, Any]] = [
        {k: tuple(v) if isinstance(v, list) else v for k, v in one.items()}
        for one in found.pop("assignment")
    ]
    listed = [Assignment(**row) for row in rows]
    named = [one.name for one in listed]
    for one in listed:
        named += [*one.in_class, *one.exercises, *one.more]
    for name, count in Counter(named).items():
        if count > 1:
            raise ValueError(f"{path.name} has {name!r} twice: leave one of them.")
        if "." in name:
            exercise(name)
    return Plan(assignments=tuple(listed), **found)


def chapter_path(number: int) -> Path:
    """The file of a chapter.

    Raises:
        ValueError: If the book has no such chapter.
    """
    for path in chapters():
        if path.name.startswith(f"{number:02d}_"):
            return path
    raise ValueError(f"The book has no chapter {number}.")


@cache
def chapter(number: int) -> NotebookNode:
    """The notebook of a chapter."""
    return read(chapter_path(number))


def exercise(number: str) -> Exercise:
    """The exercise of this number.

    Raises:
        ValueError: If no chapter has it.
    """
    for one in exercises(chapter(int(number.split(".")[0]))):
        if one.number == number:
            return one
    raise ValueError(
        f"No chapter has an exercise {number}: mend book/course/assignments.toml."
    )


def exercises_of(assignment: Assignment) -> list[Exercise]:
    """The exercises of an assignment."""
    return [exercise(number) for number in assignment.exercises]
