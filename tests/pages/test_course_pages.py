"""The pages for teachers: sums, numbers, what is named, and commands."""

from __future__ import annotations

import argparse
import functools
import math
import re
import shlex
from pathlib import Path

import pytest

from book.tools.course.exercises import exercises
from book.tools.course.plan import exercise, read_plan
from book.tools.course.written import reading, summed, written
from book.tools.project.address import ROOT
from book.tools.site.front_page import title_of
from lib import corpora
from lib.commands import evaluate, export, train, translate
from tests.book_sources import CHAPTERS, read

COURSE = ROOT / "book" / "course"
LESSONS = sorted(COURSE.glob("[0-9][0-9]_*.md"))
PAGES = sorted(COURSE.glob("*.md"))
DECKS = sorted(COURSE.glob("slides/*.md"))
PLAN = read_plan()
SECTIONS = [
    "The lesson, 90 minutes",
    "On the board",
    "Questions to ask",
    "Misunderstandings",
    "When time is short",
    "Two open tasks",
]

each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
each_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def text_of(path: Path) -> str:
    return written(path.read_text(encoding="utf-8"), path.stem)


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a page: rows of cells, without the line below the head."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE)
    return [
        [
            [cell.strip(" *") for cell in line.strip("|").split("|")]
            for line in block.splitlines()
            if not re.fullmatch(r"[|\-: ]+", line)
        ]
        for block in blocks
    ]


def minutes(clock: str) -> int:
    hours, rest = clock.split(":")
    return 60 * int(hours) + int(rest)


def timetables(text: str) -> list[tuple[int, int, list[list[str]]]]:
    """Of each table with a clock: when it begins and ends, and its rows.

    Each row ends where the next one begins.
    """
    found = []
    for head, *rows in tables(text):
        if head[:2] == ["clock", "minutes"]:
            ends = [minutes(row[0]) + int(row[1]) for row in rows]
            starts = [minutes(row[0]) for row in rows]
            assert ends[:-1] == starts[1:], rows
            found.append((starts[0], ends[-1], rows))
    return found


# --- lessons ------------------------------------------------------------------


def test_every_chapter_has_its_lesson_with_its_title() -> None:
    assert [path.stem for path in LESSONS] == [path.stem for path in CHAPTERS]
    for number, (lesson, chapter) in enumerate(zip(LESSONS, CHAPTERS, strict=True), 1):
        title = f"# Lesson {number} · {title_of(chapter)}\n"
        assert text_of(lesson).startswith(title)


@each_lesson
def test_a_lesson_takes_ninety_minutes_and_has_all_its_sections(path: Path) -> None:
    """A question has an answer to expect; what is cleared up has a section."""
    text = text_of(path)
    assert [(start, end) for start, end, _ in timetables(text)] == [(0, 90)]
    assert list(sections(text)) == SECTIONS
    _, board, asked, wrong, _, tasks = (
        re.split(r"^(?:-|\d+\.) ", section, flags=re.MULTILINE)[1:]
        for section in sections(text).values()
    )
    assert len(board) >= 2 == len(tasks) and min(len(asked), len(wrong)) >= 5
    for item in asked:
        question, _, answer = item.partition("*Expect:*")
        assert re.match(r"\*\*[\s\S]+\?\*\*\s", question), item
        assert len(answer.split()) > 3, item
    for item in wrong:
        places = rf"\]\(\.\./({path.stem}|same_as_pytorch)\.ipynb#"
        assert re.search(places, item) or "same section" in item


# --- what the pages name ------------------------------------------------------


@functools.cache
def headings(path: Path) -> tuple[str, ...]:
    """The headings of a chapter, of every level."""
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    text = re.sub(r"```.*?```", "", "\n\n".join(cells), flags=re.DOTALL)
    return tuple(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


def named_exercises(text: str) -> set[str]:
    """The numbers behind "exercise" and "exercises", and those of a table's column."""
    runs = re.findall(
        r"\b[Ee]xercises?\s+((?:\d+\.\d+(?:,\s+|\s+and\s+|;\s+)?)+)", text
    )
    runs += re.findall(r"or those who\s+want\s+more:\s+((?:\d+\.\d+[,\s.and]*)+)", text)
    for table in tables(text):
        if "exercises" in table[0] and "minutes" in table[0]:
            runs += [row[table[0].index("exercises")] for row in table[1:]]
    return {number for run in runs for number in re.findall(r"\d+\.\d+", run)}


@each_page
def test_exercises_exist_and_sections_are_called_by_their_names(path: Path) -> None:
    """What students read "as far as" is a heading of a chapter."""
    for number in named_exercises(text_of(path)):
        exercise(number)  # or it says that no chapter has it
    text = " ".join(text_of(path).split())
    titles = [re.sub(r"[*`]", "", h) for c in CHAPTERS for h in headings(c)]
    named = re.findall(r"as far as \*([^*]+)\*", text)
    lost = [n for n in named if not any(t.startswith(n) for t in titles)]
    assert lost == []


# Numbers of the lessons' own: a quotient on the board, a range, a task, a command.
OWN_NUMBERS = {
    "02_positions": {"0.44"},
    "07_layers": {"0.05"},
    "11_corpus": {"100000", "200"},
    "12_training": {"0.09", "0.24", "0.67", "2000"},
    "14_inside": {"127"},
    "17_speed": {"0.135"},
}
NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\d{3,})(?![\w,]*\d)")


def numbers_in(text: str) -> set[str]:
    """The numbers that a reader would look up: with a point, or of three digits."""
    return {number.replace(",", "") for number in NUMBER.findall(text)}


def everything_in(chapter: Path) -> str:
    """What a chapter says and prints."""
    parts: list[str] = []
    for cell in read(chapter).cells:
        parts.append(cell.source)
        for output in cell.get("outputs", []):
            parts.append(output.get("text", ""))
            parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts).replace("{,}", ",").replace("_", "")


def is_rounded(number: str, exact: set[str]) -> bool:
    """Whether a number is one of others, said with fewer digits."""
    digits = len(number.partition(".")[2])
    return any(f"{float(other):.{digits}f}" == number for other in exact)


@each_lesson
def test_the_numbers_of_a_lesson_stand_in_its_chapter(path: Path) -> None:
    text = re.sub(r"\]\([^)]*\)", "]", text_of(path))
    text = re.sub(r"^\| \d:\d\d \|", "|", text, flags=re.MULTILINE)
    listed = r"(?:figures?|exercises?)\s+\d+\.\d+(?:(?:,\s+|,?\s+and\s+)\d+\.\d+)*"
    text = re.sub(listed, "", text, flags=re.IGNORECASE)
    exact = numbers_in(everything_in(ROOT / "book" / f"{path.stem}.ipynb"))
    lost = {n for n in numbers_in(text) - exact if not is_rounded(n, exact)}
    assert lost <= OWN_NUMBERS.get(path.stem, set())


# --- syllabuses ---------------------------------------------------------------


def test_the_two_days_run_from_nine_to_five() -> None:
    text = text_of(COURSE / "two_days.md")
    days = timetables(text)
    for (start, end, rows), day in zip(days, ("one", "two"), strict=True):
        assert (start, end) == (minutes("9:00"), minutes("17:00"))
        taught = [int(row[1]) for row in rows if row[2] not in ("Break", "Lunch")]
        hours = re.search(rf"in class, day {day}, .*\| ([\d.]+) \|", text)
        assert hours and sum(taught) == 60 * float(hours[1])


# --- the project --------------------------------------------------------------


def commands() -> list[str]:
    """The commands of the pages, each on one line."""
    text = "\n".join(map(text_of, PAGES)).replace("\\\n", " ")
    found = re.findall(r"^(python -m lib .+)$|`(python -m lib [^`]+)`", text, re.M)
    return [" ".join((block or inline).split()) for block, inline in found]


@pytest.mark.parametrize("command", commands())
def test_a_command_is_one_that_the_command_line_takes(command: str) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    added = parser.add_subparsers(required=True)
    for module in (train, translate, evaluate, export):
        module.add_parser(added)
    options = parser.parse_args(shlex.split(command.removeprefix("python -m lib ")))
    assert callable(options.run)


def test_the_program_of_the_project_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """On the sample that ships, with a translator that ships."""
    (program,) = re.findall(
        r"```python\n(.*?)```", text_of(COURSE / "project.md"), re.DOTALL
    )
    assert "FILE.tsv" in program
    assert "runs/mine" in program
    program = program.replace("FILE.tsv", str(corpora.SAMPLE))
    exec(program.replace("runs/mine", "grammar-en-es"), {})
    assert re.match(r"Interval\(value=[\d.]+, low=", capsys.readouterr().out)


# --- numbers that the build writes --------------------------------------------


@pytest.mark.parametrize("path", [*PAGES, *DECKS], ids=lambda path: path.stem)
def test_nothing_is_left_for_the_build_to_write(path: Path) -> None:
    left = r"\{(?:hours|minutes|reading|in class|hand in|more|project|points|sum)"
    assert re.findall(left + r"|\{(?:across|down)\}", text_of(path)) == []


def test_the_build_writes_what_stands_in_braces() -> None:
    caption = re.compile(r"\*\*Figure 3\.2\.\*\* (.{20})")
    (begun,) = (
        found for c in read(CHAPTERS[2]).cells if (found := caption.match(c.source))
    )
    three = PLAN.assignments[2]
    took = sum(PLAN.minutes_of(exercise(n)) for n in three.exercises)
    text = f'{{"{begun[1]}"}}; {{in class}}; {{minutes hand in}}; {{hours hand in 3-3}}'
    assert written(text, "03_attention") == (
        f"3.2; {three.in_class[0]}; {took}; {math.ceil(took / 15) / 4}"
    )
    many = written("{hand in 1-2}", "seven_weeks").replace(" and", ",").split(", ")
    assert many == PLAN.assignments[0].exercises + PLAN.assignments[1].exercises
    with pytest.raises(ValueError, match="0 captions begin with 'No such words'"):
        written('{"No such words"}', "03_attention")


def test_the_build_adds_up_what_stands_before_and_above() -> None:
    asked = written("| a | Read chapter 3 as far as *Step 3* | {hours} |", "two_days")
    assert asked.endswith(f"| {math.ceil(reading(3, 'Step 3') / 15) / 4} |")
    assert summed(
        "| 1 | 1.5 | 2.25 | {across} | 40% |\n| 2 | 0.5 | 0.0 | {across} | 60% |\n"
        "| **all** | {down} | **{down}** | {down} | {down} |\n\n| b | {sum of all} |"
    ) == (
        "| 1 | 1.5 | 2.25 | 3.75 | 40% |\n| 2 | 0.5 | 0.0 | 0.5 | 60% |\n"
        "| **all** | 2.0 | **2.25** | 4.25 | 100% |\n\n| b | 100% |"
    )


# --- the record of the exercises ----------------------------------------------


def test_every_exercise_stands_in_the_record_once() -> None:
    for one, path in zip(PLAN.assignments, CHAPTERS, strict=True):
        numbers = [each.number for each in exercises(read(path))]
        assert sorted((*one.in_class, *one.exercises, *one.more)) == sorted(numbers)


def test_in_the_two_days_exercises_have_the_time_they_take() -> None:
    """In a session, ten minutes a lesson."""
    for table in tables(text_of(COURSE / "two_days.md"))[:2]:
        for _, room, what, named in table[1:]:
            lessons = len(re.findall(r"\[[Ll]esson", what))
            least = sum(
                map(PLAN.minutes_of, map(exercise, re.findall(r"\d+\.\d+", named)))
            )
            assert least <= (10 * lessons or int(room)), what


def test_the_weights_of_the_page_are_those_of_the_record() -> None:
    text = sections(text_of(COURSE / "assignments.md"))["What is assigned"]
    head, *rows = next(table for table in tables(text) if table[0][0] == "difficulty")
    for name, wanted in (("points", PLAN.points), ("minutes", PLAN.minutes)):
        assert {row[0]: int(row[head.index(name)]) for row in rows} == wanted
