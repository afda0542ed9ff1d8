"""The pages for teachers: sums, numbers, what is named, and commands."""

from __future__ import annotations

import argparse
import functools
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from book.tools.course.plan import exercise
from book.tools.project.address import ROOT
from book.tools.site.captions import REFERENCE, carry_to_pages
from book.tools.site.front_page import title_of
from lib import corpora
from lib.commands import evaluate, export, train, translate
from tests.book_sources import CHAPTERS, read

COURSE = ROOT / "book" / "course"
LESSONS = sorted(COURSE.glob("[0-9][0-9]_*.md"))
SYLLABUSES = [COURSE / "two_days.md", COURSE / "seven_weeks.md"]
PAGES = sorted(COURSE.glob("*.md"))
DECKS = [f"slides/{path.stem}" for path in sorted(COURSE.glob("slides/*.md"))]
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
    return path.read_text(encoding="utf-8")


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
def test_a_lesson_takes_ninety_minutes(path: Path) -> None:
    assert [(start, end) for start, end, _ in timetables(text_of(path))] == [(0, 90)]


@each_lesson
def test_a_lesson_has_all_its_sections(path: Path) -> None:
    found = sections(text_of(path))
    assert list(found) == SECTIONS
    counts = {
        name: len(re.findall(r"^(?:-|\d+\.) ", text, re.M))
        for name, text in found.items()
    }
    assert counts["On the board"] >= 2 == counts["Two open tasks"]
    assert min(counts["Questions to ask"], counts["Misunderstandings"]) >= 5


def items(path: Path, section: str) -> list[str]:
    """The items of the list in a section of a lesson."""
    return re.split(r"^- ", sections(text_of(path))[section], flags=re.MULTILINE)[1:]


@each_lesson
def test_questions_have_answers_and_misunderstandings_a_place(path: Path) -> None:
    """An answer to expect, and a section where it is cleared up."""
    for item in items(path, "Questions to ask"):
        question, _, answer = item.partition("*Expect:*")
        assert re.match(r"\*\*[\s\S]+\?\*\*\s", question), item
        assert len(answer.split()) > 3, item
    for item in items(path, "Misunderstandings"):
        places = rf"\]\(\.\./({path.stem}|same_as_pytorch)\.ipynb#"
        assert re.search(places, item) or "same section" in item


# --- what the pages name ------------------------------------------------------


@functools.cache
def headings(path: Path) -> tuple[str, ...]:
    """The headings of a chapter, of every level."""
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    text = re.sub(r"```.*?```", "", "\n\n".join(cells), flags=re.DOTALL)
    return tuple(re.findall(r"^#+ (.+)$", text, re.MULTILINE))


@functools.cache
def figure_captions() -> dict[str, str]:
    """The caption of each figure of the book, by its number."""
    cells = [cell.source for path in CHAPTERS for cell in read(path).cells]
    found = [re.match(r"\*\*Figure (\d+\.\d+)\.\*\*\s+(.+)", cell) for cell in cells]
    return {match[1]: match[2] for match in found if match}


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
def test_the_exercises_that_are_named_exist(path: Path) -> None:
    for number in named_exercises(text_of(path)):
        exercise(number)  # or it says that no chapter has it


MEANT = tomllib.loads((ROOT / "tests/lesson_figures.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", [*(path.stem for path in PAGES), *DECKS])
def test_the_figures_that_are_named_are_those_that_are_meant(name: str) -> None:
    """A figure may get another number; what stands below it tells which one is meant.

    `tests/lesson_figures.toml` has the beginnings of their captions. When figures get
    new numbers, `-m book.tools.site.captions` carries them to lessons and slides.
    """
    matches = REFERENCE["figure"].finditer(text_of(COURSE / f"{name}.md"))
    named = {n for match in matches for n in re.findall(r"\d+\.\d+", match[2])}
    captions = {number: figure_captions().get(number, "") for number in named}
    meant = tuple(MEANT.get(name, ()))
    assert {n: c for n, c in captions.items() if not c.startswith(meant)} == {}
    assert len(named) == len(meant)


@each_page
def test_sections_are_called_by_their_names(path: Path) -> None:
    """What students read "as far as" is a heading of a chapter."""
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


@pytest.mark.parametrize(
    "path", [*SYLLABUSES, COURSE / "project.md"], ids=lambda path: path.stem
)
def test_sums_are_right(path: Path) -> None:
    """The last line of a table of numbers is the sum of those above it."""
    summed = 0
    for table in tables(text_of(path)):
        *rows, last = table[1:]
        if last[0] not in ("all", "together", "at home"):
            continue
        summed += 1
        for column, total in enumerate(last):
            if re.fullmatch(r"[\d.]+%?", total):
                parts = [float(row[column].rstrip("%")) for row in rows]
                assert sum(parts) == pytest.approx(float(total.rstrip("%"))), total
    assert summed >= 1


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


# --- numbers that move --------------------------------------------------------


def test_new_numbers_of_figures_reach_lessons_and_slides(tmp_path: Path) -> None:
    """Also where a line ends between the word and the number."""
    page = tmp_path / "course" / "slides" / "03_attention.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "See figure\n  3.1, figures 3.2 and 3.9; exercise 3.1 stays.", "utf-8"
    )
    carry_to_pages({"figure": {"3.1": "3.2", "3.2": "3.3"}, "equation": {}}, tmp_path)
    assert page.read_text("utf-8") == (
        "See figure\n  3.2, figures 3.3 and 3.9; exercise 3.1 stays."
    )
