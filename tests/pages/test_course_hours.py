"""One record of the exercises, and every page for teachers that tells its minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from book.tools.course.exercises import exercises
from book.tools.course.plan import exercise, read_plan
from tests.book_sources import CHAPTERS, NAMES, read
from tests.pages.test_course_pages import COURSE, LESSONS, sections, tables, text_of

PLAN = read_plan()
WORDS_A_MINUTE = 200
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
UNSEEN = {"setup", "hide-input", "hide-cell", "remove-input"}


def minutes_of(numbers: Iterable[str]) -> int:
    return sum(PLAN.minutes_of(exercise(number)) for number in numbers)


def numbers_in(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\b\d+\.\d+\b", text))


def reading(number: int, until: str = "Exercises") -> float:
    """The minutes that a chapter takes to read as far as a heading, code included."""
    words = 0
    for cell in read(CHAPTERS[number - 1]).cells:
        text = cell.source
        if cell.cell_type == "markdown":
            end = re.search(rf"^#+ {re.escape(until)}", text, re.MULTILINE)
            words += len(FOLDED.sub("", text[: end.start()] if end else text).split())
            if end:
                return words / WORDS_A_MINUTE
        elif not UNSEEN & set(cell.metadata.get("tags", [])):
            words += len(text.split())
    raise ValueError(f"Chapter {number} has no heading {until!r}.")


def expect(told: str, minutes: float) -> None:
    """A number of hours is what it holds, with the quarter of an hour that is begun."""
    assert 0 <= 60 * float(told) - minutes < 15, (
        f"{told} hours for {minutes:.0f} minutes"
    )


def test_every_exercise_stands_in_the_record_once() -> None:
    for one, path in zip(PLAN.assignments, CHAPTERS, strict=True):
        numbers = [each.number for each in exercises(read(path))]
        assert sorted((*one.in_class, *one.exercises, *one.more)) == sorted(numbers)


@pytest.mark.parametrize("place", range(len(CHAPTERS)), ids=NAMES)
def test_a_lesson_has_the_exercises_and_minutes_of_the_record(place: int) -> None:
    text, one = text_of(LESSONS[place]), PLAN.assignments[place]
    rows = [row for row in tables(text)[0] if "In pairs: exercise" in row[2]]
    assert [(int(row[1]), numbers_in(row[2])) for row in rows] == [
        (minutes_of(one.in_class), one.in_class)
    ]
    found = re.search(
        r"\*\*At home\.\*\* Exercises (.+?), (\d+) minutes "
        r"\(for those who want more: (.+?)\)",
        " ".join(text.split()),
    )
    assert found and numbers_in(found[1]) == one.exercises
    assert int(found[2]) == minutes_of(one.exercises)
    assert numbers_in(found[3]) == one.more
    deck = text_of(COURSE / "slides" / LESSONS[place].name)
    last = " ".join(deck.rpartition("\n---\n")[2].split())
    told = re.search(r"At home: exercises (.+?), for more ([\d., and]+)", last)
    assert told and numbers_in(told[1]) == one.exercises
    assert numbers_in(told[2]) == one.more
    told = re.search(r"[Ii]n pairs[^.]*?: exercise (\d+\.\d+)", last)
    assert told and (told[1],) == one.in_class


def test_the_seven_weeks_add_up() -> None:
    text = text_of(COURSE / "seven_weeks.md")
    weeks = tables(text)[0][1:-1]
    parts = re.split(r"^### Week \d", text, flags=re.MULTILINE)[1:]
    steps = tables(text_of(COURSE / "project.md"))[0][1:-1]
    taught: list[int] = []
    for row, part in zip(weeks, parts, strict=True):
        chapters = [int(found) for found in re.findall(r"\((\d\d)_", row[2])]
        given = [PLAN.assignments[number - 1] for number in chapters]
        for words, field in (
            ("In class", "in_class"),
            ("Hand in", "exercises"),
            (r"For those who\s+want\s+more", "more"),
        ):
            told = re.search(rf"{words}.*?(?=[;.]\s)", part, re.DOTALL)
            wanted = [n for one in given for n in getattr(one, field)]
            assert told and sorted(numbers_in(told[0])) == sorted(wanted)
        self_tests = 15 * part.partition("## Grading")[0].count("../self_test_")
        taught += chapters
        assert float(row[3]) == 1.5 * len(chapters)
        assert sum(map(float, row[3:-1])) == pytest.approx(float(row[-1]))
        expect(row[4], sum(map(reading, chapters)) + self_tests)
        expect(row[5], minutes_of(n for one in given for n in one.exercises))
        assert float(row[6]) == sum(float(s[2]) for s in steps if s[1] == row[0])
    assert taught == [*range(1, len(CHAPTERS) + 1)]


def test_the_two_days_add_up() -> None:
    """In a session, exercises take ten minutes a lesson; at home, what is read too."""
    text = text_of(COURSE / "two_days.md")
    for table in tables(text)[:2]:
        for _, minutes, what, named in table[1:]:
            lessons = len(re.findall(r"\[[Ll]esson", what))
            room = 10 * lessons if lessons else int(minutes)
            assert minutes_of(numbers_in(named)) <= room, what
    for _, what, hours in tables(text)[2][1:-1]:
        read_up_to, numbers = what.partition("xercise")[0], numbers_in(what)
        parts = re.findall(r"\b(\d+)(?!\.)(?: as far as \*([^*]+))?", read_up_to)
        least = sum(reading(int(n), until or "Exercises") for n, until in parts)
        expect(hours, least + minutes_of(numbers))


def test_the_weights_of_the_pages_are_those_of_the_record() -> None:
    text = sections(text_of(COURSE / "assignments.md"))["What is assigned"]
    head, *rows = next(table for table in tables(text) if table[0][0] == "difficulty")
    for name, wanted in (("points", PLAN.points), ("minutes", PLAN.minutes)):
        assert {row[0]: int(row[head.index(name)]) for row in rows} == wanted
    weeks = sections(text_of(COURSE / "seven_weeks.md"))["Grading"]
    told = re.findall(r"an? (\w+) one (\d)", weeks)
    assert {level: int(points) for level, points in told} == PLAN.points
