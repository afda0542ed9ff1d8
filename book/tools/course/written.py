"""What the build writes into pages for teachers and slides: numbers, and their sums.

In braces stands what is meant:

    {"The query of"}          the number of the figure whose caption begins so, of those
                              of the page's chapter, or of another one
    {in class}                the exercises of the lesson that the page or deck is for,
    {hand in}, {more}         and those that are handed in, or for who wants more
    {minutes hand in}         how long they take
    {hand in 4-6}             those of three chapters; {hours hand in 4-6} likewise
    {reading 4-6}             hours to read them, {reading 4-6, self-test} with a test
    {project 4}               hours that the project takes in week 4
    {points easy}             what an easy exercise is worth

and in a row of a table:

    {hours}                   what the row asks to read and to solve
    {across}, {down}          the sum of the hours before it, or of what stands above it
    {sum of at home}          the sum in the row of that name, above

A quarter of an hour that is begun counts.
"""

import math
import re
from collections.abc import Iterable
from functools import cache

from book.tools.course.exercises import tags
from book.tools.course.plan import PLAN, chapter, exercise, read_plan
from book.tools.notebooks.files import chapters
from book.tools.site.captions import chapter_of

FIELDS = {"in class": "in_class", "hand in": "exercises", "more": "more"}
FIGURE = re.compile(r'\{"([^"{}]+)"\}')
EXERCISES = re.compile(
    rf"\{{(minutes |hours )?({'|'.join(FIELDS)})(?: (\d+)-(\d+))?\}}"
)
READING = re.compile(r"\{reading (\d+)-(\d+)(, self-test)?\}")
PROJECT = re.compile(r"\{project (\d)\}")
POINTS = re.compile(r"\{points (\w+)\}")
SUM = re.compile(r"\{sum of ([\w ]+)\}")
AMOUNT = re.compile(r"[ *]*(\d+(\.\d+)?)(%?)[ *]*")
WORDS_A_MINUTE, SELF_TEST = 200, 15
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
UNSEEN = {"setup", "hide-input", "hide-cell", "remove-input"}


def written(text: str, name: str) -> str:
    """A page or deck with its numbers.

    Args:
        text: its Markdown.
        name: of its file, such as 04_masks.

    Raises:
        ValueError: If what is meant is not there, or not once.
    """
    plan = read_plan()

    def listed(found: re.Match[str]) -> str:
        took, field, first, last = found.groups()
        start = int(first or name[:2])
        lessons = plan.assignments[start - 1 : int(last or start)]
        numbers = [n for one in lessons for n in getattr(one, FIELDS[field])]
        if took:
            minutes = minutes_of(numbers)
            return hours(minutes) if took == "hours " else str(minutes)
        return " and ".join(", ".join(numbers).rsplit(", ", 1))

    def read(found: re.Match[str]) -> str:
        numbers = range(int(found[1]), int(found[2]) + 1)
        return hours(sum(map(reading, numbers)) + SELF_TEST * bool(found[3]))

    text = FIGURE.sub(lambda found: figure_number(found[1], name), text)
    text = READING.sub(read, EXERCISES.sub(listed, text))
    text = PROJECT.sub(lambda found: project_hours(found[1]), text)
    text = POINTS.sub(lambda found: str(plan.points[found[1]]), text)
    return summed(text)


@cache
def captions() -> dict[str, str]:
    """The captions of all figures of the book, each with its number."""
    cells = (cell for path in chapters() for cell in chapter(chapter_of(path)).cells)
    captions = (
        re.match(r"\*\*Figure ([\d.]+)\.\*\*\s+(.+)", c.source, re.S) for c in cells
    )
    return {" ".join(found[2].split()): found[1] for found in captions if found}


def figure_number(beginning: str, name: str) -> str:
    """The number of the one figure whose caption begins so, here or anywhere.

    Raises:
        ValueError: If there is none, or several.
    """
    words = " ".join(beginning.split())
    found = [n for caption, n in captions().items() if caption.startswith(words)]
    found = [n for n in found if n.startswith(f"{name[:2].lstrip('0')}.")] or found
    if len(found) != 1:
        raise ValueError(f"{len(found)} captions begin with {words!r}: name one.")
    return found[0]


def minutes_of(numbers: Iterable[str]) -> int:
    """How long exercises take."""
    return sum(read_plan().minutes_of(exercise(number)) for number in numbers)


def reading(number: int, until: str = "Exercises") -> float:
    """The minutes that a chapter takes to read as far as a heading, code included."""
    cells = (c for c in chapter(number).cells if not UNSEEN.intersection(tags(c)))
    text = FOLDED.sub("", "\n".join(cell.source for cell in cells))
    read = re.split(rf"^#+ {re.escape(until)}", text, flags=re.MULTILINE)[0]
    return len(read.split()) / WORDS_A_MINUTE


def hours(minutes: float) -> str:
    """Minutes in hours, with the quarter of an hour that is begun."""
    return str(math.ceil(minutes / 15) / 4)


def hours_asked(row: str) -> str:
    """The hours that a row asks for: chapters, or parts of them, then exercises."""
    chapters_read, _, solved = row.partition("xercise")
    parts = re.findall(r"\b(\d+)(?!\.)(?: as far as \*([^*]+))?", chapters_read)
    read = sum(reading(int(n), until or "Exercises") for n, until in parts)
    return hours(read + minutes_of(re.findall(r"\d+\.\d+", solved)))


def project_hours(week: str) -> str:
    """The hours that the steps of the project take in a week."""
    steps = PLAN.with_name("project.md").read_text(encoding="utf-8")
    found = re.findall(rf"\| {week} \| ([\d.]+) \|", steps)
    return str(sum(map(float, found), 0.0))


def summed(text: str) -> str:
    """A page with the sums in its tables."""
    above: list[list[str]] = []
    sums: dict[str, str] = {}
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if not line.startswith("|"):
            above = []
            continue
        line = SUM.sub(lambda found: sums[found[1]], line)
        if "{hours}" in line:
            line = line.replace("{hours}", hours_asked(line))
        cells = line.split("|")
        for column, cell in enumerate(cells):
            cell = cell.replace("{across}", total(cells[:column]))
            if "{down}" in cell:
                sums[cells[1].strip(" *")] = found = total(row[column] for row in above)
                cell = cell.replace("{down}", found)
            cells[column] = cell
        above.append(cells)
        lines[place] = "|".join(cells)
    return "\n".join(lines)


def total(cells: Iterable[str]) -> str:
    """The sum of the hours in some cells, or of whole numbers where there are none."""
    found = [amount for cell in cells if (amount := AMOUNT.fullmatch(cell))]
    timed = [float(amount[1]) for amount in found if amount[2]]
    mark = "%" if any(amount[3] for amount in found) else ""
    return f"{sum(timed) if timed else sum(int(one[1]) for one in found)}{mark}"
