"""What students hand in, as it comes: which notebook counts, and its cells put right.

Notebooks are looked for in sub-folders and in zip files, whatever they are called, and
known by their cells. Nothing of what was handed in is changed, and nothing is unpacked:
what is graded is written anew.
"""

import copy
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

_MOST = 100_000_000  # bytes that are read of a file in a zip
_CUT_OFF = "is cut off"
_CHECK = re.compile(r"^assert check\.\w+\((\w+)\)", re.MULTILINE)


@dataclass
class HandIn:
    """A notebook that was handed in: where, when, and its cells or what is wrong."""

    label: str
    folder: Path
    time: tuple[float, ...]
    wrong: str = ""
    told: list[str] = field(default_factory=list)
    cells: list[NotebookNode] = field(default_factory=list)

    @property
    def age(self) -> tuple[tuple[float, ...], int]:
        """What is larger for a newer one: its time, then the number of its copy."""
        number = re.search(r"\((\d+)\)", self.label)
        return self.time, int(number[1]) if number else 0


class Release:
    """An assignment as it was given out, which tells what a cell is."""

    def __init__(self, notebook: NotebookNode) -> None:
        self.notebook = notebook
        self.cells = {name_of(one): one for one in notebook.cells if name_of(one)}
        self._named = {_plain(one.source): name for name, one in self.cells.items()}
        answers = filter(None, map(checked, self.cells.values()))
        names = "|".join(map(re.escape, answers)) or "(?!)"
        self._binds = re.compile(rf"^((def|class) +({names})\b|({names}) *[:=])", re.M)

    def name(self, cell: NotebookNode) -> str:
        """The name of a cell, also of one that has lost it; else nothing."""
        name = name_of(cell)
        return name if name in self.cells else self._named.get(_plain(cell.source), "")

    def is_answered(self, cells: list[NotebookNode]) -> bool:
        """Whether a cell that answers differs from the one that was given out."""
        return any(map(self._answers, cells))

    def _answers(self, cell: NotebookNode) -> bool:
        given = self.cells.get(self.name(cell))
        if given is None:
            return self._binds.search(cell.source) is not None
        is_solution = given.metadata.nbgrader.solution
        return is_solution and _plain(cell.source) != _plain(given.source)

    def put_right(self, cells: list[NotebookNode]) -> tuple[NotebookNode, list[str]]:
        """The notebook to grade, and what the teacher is told of it.

        Checks and given cells are as they were given out. Of a cell that stands twice
        the last keeps its name; the others are run as cells of the student's own.
        """
        made: list[NotebookNode] = []
        told, there = [], set()
        for cell in reversed(cells):
            name = self.name(cell)
            cell.metadata.clear()
            if name in there:
                told.append(f"{name} stands more than once: the last counts.")
            elif name:
                there.add(name)
                given = copy.deepcopy(self.cells[name])
                if not given.metadata.nbgrader.locked:
                    given.source = cell.source
                elif _plain(cell.source) != _plain(given.source):
                    told.append(f"{name} had another text: it was put back.")
                cell = given
            made.append(cell)
        for name, cell in self.cells.items():
            if cell.metadata.nbgrader.locked and name not in there:
                told.append(f"{name} was missing: it was put back.")
                place = 0 if cell.metadata.nbgrader.grade else len(made)
                made.insert(place, cell)
        metadata = self.notebook.metadata
        return v4.new_notebook(cells=made[::-1], metadata=metadata), told


def find(folder: Path) -> Iterator[HandIn]:
    """The notebooks in a folder, also those in folders and zip files below it."""
    for path in sorted(folder.rglob("*")):
        label = path.relative_to(folder).as_posix()
        known = is_notebook(path.name) and not _is_hidden(label)
        if known and path.is_file() and not path.is_symlink():
            time = (path.stat().st_mtime,)
            if path.name.lower().endswith(".zip"):
                yield from _unpacked(path, label, time)
            else:
                yield _read(path.read_bytes(), label, path.parent, time)


def is_notebook(name: str) -> bool:
    """Whether a file may hold a notebook; browsers add .txt or .json to its name."""
    return ".ipynb" in name.lower() or name.lower().endswith(".zip")


def choose(
    folder: Path, name: str, release: Release
) -> tuple[HandIn | None, list[str]]:
    """The notebook that counts, if there is one, and what the teacher is told.

    Of those whose answers differ from what was given out, it is the newest.

    Args:
        folder: what a student handed in.
        name: that of the assignment.
        release: what was given out.
    """
    found = list(find(folder))
    for one in found:
        if not one.wrong and not any(map(release.name, one.cells)):
            one.wrong = "holds no cell of this assignment"
    ours = [one for one in found if not one.wrong]
    answered = [one for one in ours if release.is_answered(one.cells)]
    newest = max(answered or ours, key=lambda one: one.age, default=None)
    for one in ours:
        if newest and one is not newest:
            is_older = one in (answered or ours)
            one.wrong = f"is older than {newest.label}" if is_older else "has no answer"
    told = [f"{one.label} is not graded: it {one.wrong}." for one in found if one.wrong]
    is_lost = any(one.wrong.startswith(_CUT_OFF) for one in found)
    if newest is None or (is_lost and not answered):
        return None, told or ["No notebook was handed in."]
    if newest.label != f"{name}.ipynb":
        told.insert(0, f"{newest.label} is taken for {name}.ipynb.")
    return newest, told + newest.told


def name_of(cell: NotebookNode) -> str:
    """The name by which nbgrader knows a cell."""
    about = cell.metadata.get("nbgrader")
    return str(about.get("grade_id", "")) if isinstance(about, dict) else ""


def checked(cell: NotebookNode) -> str:
    """The name of the answer that a check is called with; nothing for other cells."""
    found = _CHECK.search(cell.source)
    return found[1] if found and cell.metadata.nbgrader.get("grade") else ""


def _unpacked(path: Path, label: str, time: tuple[float, ...]) -> Iterator[HandIn]:
    """The notebooks in a zip file: they are read there, and no path is followed."""
    try:
        with zipfile.ZipFile(path) as packed:
            for one in packed.infolist():
                name = one.filename
                if ".ipynb" in name and not (one.is_dir() or _is_hidden(name)):
                    with packed.open(one) as file:
                        content = file.read(_MOST)
                    when = (*time, *one.date_time)
                    yield _read(content, f"{label}/{name}", path.parent, when)
    except Exception:  # whatever a file may hold
        wrong = f"{_CUT_OFF}, locked, or is no zip file"
        yield HandIn(label, path.parent, time, wrong)


def _read(content: bytes, *about: Any) -> HandIn:
    """A notebook out of bytes in any of the codes that editors save."""
    found = HandIn(*about)
    try:
        try:
            text = content.decode(json.detect_encoding(content))
        except UnicodeDecodeError:
            text = content.decode("cp1252", "replace")
            found.told.append(f"{found.label} is not in UTF-8: it was read as cp1252.")
        notebook = nbformat.convert(nbformat.reader.reads(text), 4)  # of any age
        found.cells = [_fresh(each) for each in notebook.cells]
    except Exception:  # whatever a file may hold
        found.wrong = f"{_CUT_OFF}, or is no notebook"
    return found


def _fresh(cell: NotebookNode) -> NotebookNode:
    """A cell with its text, its name and nothing else."""
    kinds = {"markdown": v4.new_markdown_cell, "raw": v4.new_raw_cell}
    text = cell.source.encode("utf-8", "replace").decode()
    made = kinds.get(cell.cell_type, v4.new_code_cell)(text)
    if cell.get("attachments") and cell.cell_type == "markdown":
        made.attachments = cell.attachments
    if name := name_of(cell):
        made.metadata["nbgrader"] = {"grade_id": name}
    return made


def _is_hidden(label: str) -> bool:
    return re.search(r"(^|/)\.[^./]", label) is not None


def _plain(code: str) -> str:
    """A text without what editors and codes change: spaces, and rare letters."""
    return re.sub(r"[^!->@-~]", "", code)
