"""Files of sentences as people bring them: from bytes to rows of cells."""

from __future__ import annotations

import contextlib
import csv
import gzip
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

_REFUSED = {
    ".xlsx": "a workbook; save its sheet as Unicode Text or as CSV in UTF-8",
    ".parquet": "Parquet; write it as .jsonl (pandas: orient='records', lines=True)",
}
_MARKS = {"tab": "\t", "semicolon": ";", "comma": ","}
# How Anki tells what its columns are, in the first lines of what it exports.
_TOLD = re.compile("#(separator|html|(guid|notetype|deck|tags) column):")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

Rows = list[list[str]]


class Table(NamedTuple):
    """What the lines of a file hold.

    Args:
        rows: the cells of each line.
        is_named: whether the first row is no line, but has the names of all columns.
        told: what Anki tells in the first lines, by its name there.
        notes: what was left out.
    """

    rows: Rows
    is_named: bool = False
    told: Mapping[str, str] = {}
    notes: Sequence[str] = ()


def read_sentences(source: Path | bytes) -> list[str]:
    r"""Read sentences, one a line, as they were typed.

    Args:
        source: a file, or what was read from standard input.

    Returns:
        The sentences; a line that is empty is an empty one.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it is not text.

    Example:
        >>> read_sentences("One.\r\nTwo &amp; three.\n".encode("utf-16"))
        ['One.', 'Two &amp; three.']
    """
    try:
        return _lines(source) if isinstance(source, bytes) else _opened(source)[1]
    except ValueError as error:
        what = "Standard input" if isinstance(source, bytes) else source
        raise ValueError(f"{what}: {error}") from error


def read_table(files: Sequence[Path]) -> Table:
    """Read a file of pairs by the form that its name tells, or several side by side.

    Args:
        files: one file, or one for each column.

    Raises:
        OSError: if a file cannot be read.
        ValueError: if it is of no form that is taken.
    """
    forms, texts = zip(*map(_opened, files), strict=True)
    counts = [f"{len(lines):,}" for lines in texts]
    if len({*counts}) > 1:
        raise ValueError(f"it has {' and '.join(counts)} lines, which must be as many.")
    if len(files) > 1:
        return Table([[*forms], *map(list, zip(*texts, strict=True))], is_named=True)
    if forms[0] not in ("jsonl", "json", "tmx"):
        return _cut(texts[0], "" if forms[0] == "csv" else "tab")
    records = [*(_units if forms[0] == "tmx" else _objects)(texts[0])]
    names = [*max(records, key=lambda record: len(record), default={})]
    rows = [[record.get(name, "") for name in names] for record in records]
    return Table([names, *rows], is_named=bool(names))


def _opened(file: Path) -> tuple[str, list[str]]:
    """Return the form and the lines of a file, or of the one that it packs."""
    name, data = file.name, file.read_bytes()
    if why := _REFUSED.get(file.suffix.lower()):
        raise ValueError(f"it is {why}.")
    try:
        if data.startswith(b"\x1f\x8b"):
            name, data = name.removesuffix(".gz"), gzip.decompress(data)
        elif data.startswith(b"PK\3\4"):
            archive = zipfile.ZipFile(file)
            names = [n for n in archive.namelist() if not re.search("/$|^__MACOSX", n)]
            if len(names) != 1:
                raise ValueError(f"it holds {len(names):,} files, and one is read")
            name, data = names[0], archive.read(names[0])
    except Exception as error:  # a damaged archive can raise nearly anything
        raise ValueError(f"it cannot be unpacked: {error}.") from error
    return Path(name).suffix[1:].lower(), _lines(data)


def _lines(data: bytes) -> list[str]:
    """Return the lines of a text in UTF-8, or in UTF-16 also without its mark.

    Only line ends part lines: U+2028, U+000B or U+0085 may stand inside a sentence.
    """
    encoding = json.detect_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, at := error.start) + 1
        what = f"byte {at} is 0x{data[at]:02x}, in line {line:,}"
        raise ValueError(f"it is not {encoding.upper()} text: {what}.") from error
    if "\0" in text:
        raise ValueError("it holds a NUL, which is no character of a text.")
    return re.sub("\r\n?", "\n", text).removesuffix("\n").split("\n")


def _cut(lines: list[str], mark: str) -> Table:
    """Cut lines into cells, at what Anki says, or else where it comes out even."""
    head = [*takewhile(_TOLD.match, lines[:-1])]
    told = dict(re.split(": *", line[1:].lower(), maxsplit=1) for line in head)
    name = told.get("separator", mark)
    marks = [mark for each, mark in _MARKS.items() if name in (each, mark, "")]
    if not marks:
        raise ValueError(f"its #separator is {name!r}; it can be {', '.join(_MARKS)}.")
    ways = (way for mark in marks for way in _ways(lines[len(head) :], mark))
    rows, unquoted = max(ways, key=lambda way: _evenness(way[0]))
    notes = ["left out: the quotes that a spreadsheet sets"] * unquoted
    if told:
        notes.append(f"left out: {len(told)} lines in which Anki tells of the file")
    return Table(rows, False, told, notes)


def _ways(lines: list[str], mark: str) -> Iterator[tuple[Rows, bool]]:
    """Give the cells without their quotes, if a spreadsheet can have set these, and as
    they are.

    It sets them around a cell for what is in it, Excel for a comma too, or around all,
    or all but numbers; and it doubles those inside. So it would write this text again.
    """
    text = "\n".join(lines)
    with contextlib.suppress(csv.Error):  # from a lone quote, a cell can go on and on
        ends = (f"{line}\n" for line in lines if '"' in text)
        rows = [*csv.reader(ends, delimiter=mark)]
        for why in (f'["\n{mark}]', f'["\n,{mark}]', "", r"^(?!\d+$)"):
            again = "\n".join(mark.join(_quoted(row, why)) for row in rows)
            if rows and again == text:
                yield rows, True
    yield [line.split(mark) for line in lines], False


def _quoted(cells: Sequence[str], why: str) -> Iterator[str]:
    for cell in cells:
        yield '"' + cell.replace('"', '""') + '"' if re.search(why, cell) else cell


def _evenness(rows: Rows) -> float:
    """Return the share of rows with the commonest number of columns, two or more."""
    widths = [len(cells) for cells in rows if any(cells)]
    return max(map(widths.count, {*widths} - {1}), default=0) / max(1, len(widths))


def _objects(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Read lines of JSON, an object each."""
    for number, line in enumerate(lines, start=1):
        try:
            value = json.loads(line or "{}")
            inner = value.get("translation")
            items = (inner if isinstance(inner, dict) else value).items()
        except (ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"it has no object of JSON in line {number:,}.") from error
        yield {k: str(v) for k, v in items if isinstance(v, str | int)}


def _units(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Read a translation memory, TMX: of each unit, the segments by their languages."""
    try:
        text = "\n".join(lines)
        if "<!ENTITY" in text:  # a few of them can grow until no memory is left
            raise ValueError("it defines entities")
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(f"it is no TMX: {error}.") from error
    for name in ("bpt", "ept", "it", "ph", "ut"):  # codes, no text of a sentence
        for code in root.iterfind(f".//{{*}}{name}"):
            code.text = ""
    for unit in root.iterfind(".//{*}tu"):
        yield {
            side.get(_LANGUAGE, ""): "".join(segment.itertext())
            for side in unit.iterfind("{*}tuv")
            for segment in side.iterfind("{*}seg")
        }
