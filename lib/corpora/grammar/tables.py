"""The tables of words, which stand in the folder `words`: one word a line.

A table is a text in UTF-8 with commas between its cells, as every spreadsheet reads and
writes it. Its first line names the columns. Several words in one cell have spaces
between them.
"""

from __future__ import annotations

import csv
import difflib
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_origin, get_type_hints

Entry = TypeVar("Entry")

FOLDER = Path(__file__).with_name("words")


def read(
    file: str,
    entry: Callable[..., Entry],
    folder: Path = FOLDER,
    **known: Collection[str],
) -> tuple[Entry, ...]:
    """Read a table, and make an entry of each line.

    Args:
        file: the name of the table, such as "nouns.csv".
        entry: the class of the entries; each of its fields is a column.
        folder: where the table lies.
        **known: what may stand in a column, where that is fixed.

    Raises:
        ValueError: if a line is wrong; the message names the file, the line and what
            is wrong there.

    Example:
        >>> from lib.corpora.grammar.lexicon import Word
        >>> read("cities.csv", Word)[2]
        Word(english='Seville', spanish='Sevilla')
    """
    path = folder / file
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines() or [""]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8; save it as text in UTF-8.") from error
    columns: list[_Column] = []
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            cells = _cells(line)
            if number == 1:
                columns = _columns(cells, entry, known)
            elif cells:
                entries.append(entry(**_values(cells, columns)))
        except ValueError as error:
            raise ValueError(f"Line {number} of {path} {error}.") from error
    return tuple(entries)


@dataclass(frozen=True)
class _Column:
    """What may stand in a column."""

    name: str
    several: Any  # tuple or frozenset, if a cell holds several words
    required: bool
    known: Collection[str] | None

    def value(self, cell: str) -> Any:
        """What a cell holds: a text, or several words."""
        if self.required and not cell:
            raise ValueError(f"has nothing in the column {self.name}")
        words = cell.split() if self.several else [cell]
        for word in words:
            if self.known is not None and word not in self.known:
                near = difflib.get_close_matches(word, self.known, cutoff=0.0)
                raise ValueError(
                    f"has {word!r} in the column {self.name}, where that is "
                    f"unknown; the nearest that is known: {', '.join(near)}"
                )
        return self.several(words) if self.several else cell


def _cells(line: str) -> list[str]:
    """Divide a line into its cells; an empty line has none."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True), [])]
    except csv.Error as error:
        raise ValueError("has a quotation mark without its other half") from error


def _columns(
    names: list[str],
    entry: Callable[..., object],
    known: Mapping[str, Collection[str]],
) -> list[_Column]:
    """The columns of a table, which may stand in any order."""
    fields, types = inspect.signature(entry).parameters, get_type_hints(entry)
    if sorted(names) != sorted(fields):
        raise ValueError(
            f"must name the columns {','.join(fields)}, but it is {','.join(names)!r}"
        )
    found = []
    for name in names:
        several = get_origin(types[name])
        required = not several and fields[name].default is inspect.Parameter.empty
        found.append(_Column(name, several, required, known.get(name)))
    return found


def _values(cells: list[str], columns: list[_Column]) -> dict[str, Any]:
    """What the cells of a line hold, by the names of their columns."""
    if len(cells) != len(columns):
        raise ValueError(
            f"has {len(cells)} cells, but there are {len(columns)} columns"
        )
    pairs = zip(columns, cells, strict=True)
    return {column.name: column.value(cell) for column, cell in pairs}
