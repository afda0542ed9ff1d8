"""From the text of a file to rows: at what its lines and cells are cut."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from xml.etree import ElementTree

from lib.corpora.files import decoded, unpacked
from lib.corpora.splitting import left_out
from lib.corpora.titles import canonical, named_columns

_MARKS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":"}
# How Anki tells what its columns are, in the first lines of what it exports.
_TOLD = re.compile(
    r"(?:#(?:separator|html|tags|columns|notetype|deck|if matches"
    r"|(?:guid|notetype|deck|tags) column):[^\n]*(?:\n|\Z))+"
)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = ("bpt", "ept", "ph", "it", "ut")  # in TMX, what is no text of a sentence


Rows = list[tuple[int, list[str] | str]]


@dataclass(frozen=True)
class Table:
    """The rows of a file, each with its number; a text instead of cells is a fault."""

    rows: Rows
    titles: Sequence[str] = ()  # what names the columns, where no row does
    apart: frozenset[int] = frozenset()  # columns that are said to hold no sentence
    mark: str = ""  # what stands between two cells
    is_html: bool = False
    unit: str = "line"
    notes: tuple[str, ...] = ()


def read_table(file: Path, languages: str) -> Table:
    """Read a file of pairs, packed or not, by the form that its name tells."""
    name, data = unpacked(file)
    form = PurePath(name).suffix.lower()
    if form == ".tmx":
        return _memory(data, languages)
    text = decoded(data, "surrogateescape")  # what is no UTF-8 is told by line
    if form in (".jsonl", ".ndjson", ".json"):
        return _objects(text)
    return _cells(text, form == ".csv")


def side_by_side(files: Sequence[Path], languages: str) -> Table:
    """Read two files, of which each line of the one translates that of the other."""
    if len(files) != 2:
        raise ValueError("a file of pairs is one, or two with a language each.")
    read = [unpacked(file) for file in files]
    texts = (decoded(data, "surrogateescape") for _, data in read)
    one, other = (text.removesuffix("\n").split("\n") for text in texts)
    if len(one) != len(other):
        raise ValueError(
            f"the one has {len(one):,} lines and the other {len(other):,}; each line "
            "of the one has its translation in the same line of the other."
        )
    rows: Rows = [
        (number, "has a tab" if "\t" in "".join(cells) else list(cells))
        for number, cells in enumerate(zip(one, other, strict=True), start=1)
    ]
    titles = [PurePath(name).suffix for name, _ in read]
    return Table(rows, titles if named_columns(titles, languages) else ())


def _cells(text: str, is_csv: bool) -> Table:
    """Cut a text into rows and cells, at what Anki or the form of the file says."""
    head = _TOLD.match(text)
    lines = head[0].removesuffix("\n").split("\n") if head else []
    told = dict(line[1:].split(":", 1) for line in lines)
    text = text[head.end() :] if head else text
    name = told.get("separator", "").strip().lower()
    mark = _MARKS.get(name, name) or (_csv_mark(text) if is_csv else "\t")
    if len(mark) != 1:
        known = ", ".join(_MARKS)
        raise ValueError(f"its #separator is {name!r}; the names are: {known}.")
    rows, quoted = _cut(text, mark, len(lines) + 1)
    numbers = [value.strip() for key, value in told.items() if key.endswith(" column")]
    return Table(
        rows,
        told["columns"].split(mark) if "columns" in told else (),
        frozenset(int(n) - 1 for n in numbers if re.fullmatch("[0-9]{1,4}", n)),
        mark,
        told.get("html", "").strip().lower() == "true",
        notes=("left out: the quotes that a spreadsheet sets",) * quoted
        + (f"left out: {len(lines)} lines in which Anki tells of the file",)
        * bool(lines),
    )


def _cut(text: str, mark: str, first: int = 1) -> tuple[Rows, bool]:
    """Cut a text into cells, and take off quotes if they are those of a spreadsheet."""
    lines = [line.split(mark) for line in text.split("\n")]
    # A tab or a line break needs quotes; but where no line lacks a cell, nothing did.
    even = mark == "\t" and len({len(cells) for cells in lines if any(cells)}) == 1
    unquoted = _unquoted(text, mark, first, even) if '"' in text else None
    return unquoted or list(enumerate(lines, start=first)), bool(unquoted)


def _unquoted(text: str, mark: str, first: int, even: bool) -> Rows | None:
    """Return the cells without the quotes of a spreadsheet; None if some are others.

    It sets them around a cell for what is in it, throughout a file, or around all but
    numbers; and it doubles those inside. Excel does so for commas, too.
    """
    cut = re.escape(mark)
    cell = re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^"\n{cut}]*+))({cut}|\n|\Z)')
    rows: Rows = []
    row: list[str] = []
    bare: list[str] = []
    quoted: list[str] = []
    position, number, end = 0, first, mark
    while end:
        found = cell.match(text, position)
        if not found or (even and re.search(rf"[\n{cut}]", found[1] or "")):
            return None
        (bare if found[1] is None else quoted).append(found[1] or found[2] or "")
        row.append((found[1] or found[2] or "").replace('""', '"'))
        position, end = found.end(), found[3]
        if end != mark:
            rows.append((number, row))
            number, row = number + 1 + sum(each.count("\n") for each in row), []
    needs = re.compile(rf'["\n{cut}{"" if any("," in each for each in bare) else ","}]')
    all_quoted = not any(re.search(r"[^\d\s]", each) for each in bare)
    return rows if all_quoted or all(map(needs.search, quoted)) else None


def _csv_mark(text: str) -> str:
    """Tell what parts the cells: it gives all rows equally many, and has no space
    behind it.
    """
    fits = []
    for mark in "\t;,":
        rows = [cells for _, cells in _cut(text, mark)[0] if any(cells)]
        spaced = all(cell.startswith(" ") for cells in rows for cell in cells[1:])
        if rows and len({*map(len, rows)} | {1}) == 2:
            fits.append((spaced, mark))
    best = [mark for spaced, mark in fits if spaced == min(fits)[0]]
    if len(best) > 1:
        raise ValueError(
            f"its lines can be cut at {best[0]!r} and at {best[1]!r}; save it with "
            "tabs between the columns."
        )
    lines = text.split("\n")
    return (
        best[0] if best else max(",;\t", key=lambda m: sum(m in line for line in lines))
    )


def _objects(text: str) -> Table:
    """Read lines of JSON: an object each, whose keys are the titles of columns."""
    rows: Rows = []
    titles: list[str] = []
    for number, line in enumerate(text.rstrip().split("\n"), start=1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        inner = value.get("translation") if isinstance(value, dict) else None
        value = inner if isinstance(inner, dict) else value
        if not isinstance(value, dict):
            rows.append((number, "is no object of JSON"))
            continue
        titles = titles or list(value)
        lacks = [title for title in titles if title not in value]
        cells = [_plain(value.get(title)) for title in titles]
        rows.append((number, f"has no {lacks[0]!r}" if lacks else cells))
    return Table(rows, titles)


def _plain(value: object) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _memory(data: bytes, languages: str) -> Table:
    """Read a translation memory, TMX: of each unit, the segments in both languages."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise ValueError(f"it is no TMX: {error}.") from error
    rows: Rows = []
    known: dict[str, None] = {}
    units = list(root.iterfind(".//{*}tu"))
    for number, unit in enumerate(units, start=1):
        texts: dict[str, str] = {}
        for variant in unit.iterfind("{*}tuv"):
            tag = canonical(variant.get(_LANGUAGE) or variant.get("lang") or "")
            texts.setdefault(tag, _segment(variant))
        cells = [texts.get(canonical(code)) for code in languages.split("-")]
        known.update(dict.fromkeys(texts))
        if None not in cells:
            rows.append((number, [cell or "" for cell in cells]))
    if not rows:
        raise ValueError(
            f"no unit has both of {languages}; its languages are: {', '.join(known)}."
        )
    lost = left_out(len(units) - len(rows), "without both languages")
    return Table(rows, languages.split("-"), notes=tuple(lost), unit="unit")


def _segment(variant: ElementTree.Element) -> str:
    segment = variant.find("{*}seg")
    for part in [] if segment is None else [*segment.iter()]:
        if part.tag.rpartition("}")[2] in _CODES:
            tail = part.tail
            part.clear()
            part.tail = tail
    return "" if segment is None else "".join(segment.itertext())
