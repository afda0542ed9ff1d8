"""Every exercise waits for an answer; `solutions_run` tries its own solution."""

import importlib
import re
from pathlib import Path

from book.tools.course.exercises import exercises
from book.tools.notebooks.normal_form import text_of
from lib.exercises.record import CHAPTERS
from lib.exercises.record import exercises as recorded
from tests.book_sources import each_chapter, read

WAITS = "Exercise {}: not answered yet. Replace the … and run the cell again."


@each_chapter
def test_are_the_exercises_that_have_a_record(path: Path) -> None:
    found = exercises(read(path))
    assert len(found) >= 3, "a chapter has three exercises or more"
    assert CHAPTERS[int(path.stem[:2]) - 1] == path.stem[3:]
    records = recorded(importlib.import_module(f"lib.exercises.{path.stem[3:]}"))
    assert [one.number for one in found] == [one.number for one in records]
    calls = [one.call.split("(")[0] for one in found]
    assert calls == [f"check.{one.name}" for one in records]


@each_chapter
def test_tasks_have_their_difficulty_and_a_hint(path: Path) -> None:
    notebook = read(path)
    for exercise in exercises(notebook):
        task = notebook.cells[exercise.index - 1].source
        assert re.search(r"^\*Difficulty: (easy|medium|hard)\.\*$", task, re.MULTILINE)
        assert re.search(r"<details><summary>Hint</summary>\n\n.+\n\n</details>", task)


@each_chapter
def test_solutions_have_cells_of_their_own(path: Path) -> None:
    """Editions without solutions leave out the cells of this tag, and nothing else."""
    notebook = read(path)
    tagged = [c for c in notebook.cells if "solution" in c.metadata.get("tags", [])]
    found = exercises(notebook)
    calls = [
        c for c in notebook.cells if c.source.rpartition("\n")[2].startswith("check.")
    ]
    assert calls == [notebook.cells[exercise.index] for exercise in found]
    assert tagged == [notebook.cells[exercise.index + 1] for exercise in found]
    assert [cell.source.count("details>") for cell in tagged] == [2] * len(found)


@each_chapter
def test_has_pencil_questions_and_something_to_discuss(path: Path) -> None:
    text = "\n\n".join(c.source for c in read(path).cells)
    asked = re.findall(r"^\*\*With a pencil\.\*\* ", text, re.MULTILINE)
    answered = re.findall(r"^<details><summary>Answer</summary>$", text, re.MULTILINE)
    assert len(asked) == len(answered) >= 3
    assert len(re.findall(r"^### For discussion$", text, re.MULTILINE)) == 1


@each_chapter
def test_stubs_are_not_answered_yet(path: Path) -> None:
    """The stored outputs, which nbval runs again, say so of every stub."""
    notebook = read(path)
    for exercise in exercises(notebook):
        outputs = notebook.cells[exercise.index].outputs
        assert WAITS.format(exercise.number) in "".join(map(text_of, outputs))
