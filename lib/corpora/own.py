"""Sentence pairs of the reader's own: from the bytes of a file to a corpus."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import gzip
import html
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from babel import Locale, core, localedata

from lib.corpora.corpus import (
    Corpus,
    counted,
    keep_apart,
    left_out,
    looks_like_prose,
    normalize,
    split_by_source,
    tidy,
)
from lib.text import Pair
from lib.text.reading import printable

SAMPLE = Path(__file__).with_name("sample-en-de.tsv")
"""240 English sentences with their German, to try things out; CC BY 4.0."""
Columns = tuple[int, int]
Read = tuple[list[Pair], list[str]]  # pairs, and notes on what was left out and mended
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:[\s/][^<>]*)?>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:div|li|p)\b[^<>]*>", re.IGNORECASE)
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
    if forms[0] not in _READERS:
        return _cut(texts[0], "" if forms[0] == "csv" else "tab")
    records = [*_READERS[forms[0]](texts[0])]
    names = [*max(records, key=len, default={})]
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


_READERS = {"jsonl": _objects, "json": _objects, "tmx": _units}


def load(
    files: Path | str | Sequence[Path],
    languages: str,
    attribution: str = "",
    columns: Columns | None = None,
) -> Corpus:
    r"""Load a file of the reader's own: one pair a line, source, tab, target.

    The page *Your own language pair* has a table of what else is read. The splits are
    made as those of the other corpora are, by source.

    Args:
        files: a file, or two with equally many lines, one in each language.
        languages: the two codes, such as "en-de".
        attribution: whose sentences they are, and under which license.
        columns: those of source and target, from 1 on, if the file does not tell them.

    Returns:
        A corpus with the splits "train", "validation" and "test". Its name begins with
        "own-", so that it is never taken for one of the named corpora. Its note tells
        what was read, left out and mended.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if the languages are not two codes, a line is no pair, or there are
            too few pairs.

    Example:
        >>> import tempfile
        >>> lines = [f"{n} cats\t{n} Katzen" for n in range(20)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "cats.tsv"
        ...     _ = file.write_text("\n".join(lines), encoding="utf-8")
        ...     load(file, "en-de")
        Corpus('own-cats-en-de', en to de, train: 16, validation: 2, test: 2)
    """
    if not re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", languages):
        raise ValueError(
            "The languages are two codes of two or three small letters, such as en-de, "
            f"but they are {languages!r}."
        )
    source, target = languages.split("-")
    paths = [*map(Path, [files] if isinstance(files, Path | str) else files)]
    pairs, told = read_pairs(paths, languages, columns)
    kept, notes = tidy(pairs)
    try:
        splits = split_by_source(kept)
    except ValueError as error:
        raise ValueError(f"{paths[0]}: {error}") from error
    stem = re.sub(r"[^\w.]+", "-", paths[0].stem).strip("-.") or "pairs"
    name = "own" + f"-{stem}".removesuffix(f"-{languages}") + f"-{languages}"
    prose = looks_like_prose(text for text, _ in splits["train"])
    about = attribution, (in_one_line(pairs, [*told, *notes]),)
    return Corpus(name, source, target, splits, *about, prose=prose, columns=columns)


def read_pairs(
    files: Sequence[Path], languages: str, columns: Columns | None = None
) -> Read:
    """Read pairs from a file in any of the forms that are taken.

    Args:
        files: one, or one for each language.
        languages: the two codes, by which titles name the columns.
        columns: as :func:`load` takes them.

    Returns:
        The pairs, and notes on what was left out and mended.

    Raises:
        OSError: if a file cannot be read.
        ValueError: if it is of another form, does not tell its columns, or has a line
            that is no pair.
    """
    try:
        return _read(read_table(files), languages, columns)
    except ValueError as error:
        raise ValueError(f"{' and '.join(map(str, files))}: {error}") from error


def with_more(
    corpus: Corpus,
    more: Sequence[Sequence[Path]],
    attribution: str,
    columns: Columns | None = None,
) -> Corpus:
    """Add the pairs of more files to those to train on; none that is held out."""
    languages = f"{corpus.source_language}-{corpus.target_language}"
    held_out = {**corpus.splits}
    train, notes = [*held_out.pop("train")], [*corpus.notes]
    times = Counter[str]()
    for files in more:
        pairs, told = read_pairs(files, languages, columns)
        file = " and ".join(each.name for each in files)
        apart, lost = keep_apart({**held_out, file: pairs})
        train += apart[file]
        notes.append(f"{file}: {in_one_line(pairs, [*told, *lost])}")
        times[f"`{file}`, {counted(len(apart[file]), 'pair')}"] += 1
    learned = (what + f", {n} times" * (n > 1) for what, n in times.items())
    credit = f"It learned from {', and from '.join(learned)}, too: {attribution}"
    return dataclasses.replace(
        corpus,
        splits={**corpus.splits, "train": train},
        notes=tuple(notes),
        attribution=f"{corpus.attribution}\n\n{credit}".strip(),
    )


def in_one_line(pairs: Sequence[Pair], notes: Sequence[str]) -> str:
    """Tell what was read from a file: how much, what was left out, the first pair.

    Args:
        pairs: what was read.
        notes: what was left out and mended.

    Example:
        >>> in_one_line([("yes", "sí")], ["left out: line 1"])
        'read 1 pair; left out: line 1; the first: yes → sí'
    """
    source, target = (" ".join(text.split())[:60] for text in pairs[0])
    first = printable(f"the first: {source} → {target}")
    return "; ".join([f"read {counted(len(pairs), 'pair')}", *notes, first])


def _read(table: Table, languages: str, wanted: Columns | None) -> Read:
    """Read all pairs, or refuse the file in a sentence that names its bad lines."""
    rows, counts = table.rows, Counter[str]()
    while len(rows) > 1 and not any(map(str.strip, rows[-1])):
        rows.pop()
    width = max(2, Counter(map(len, rows)).most_common(1)[0][0])
    columns, header = _columns(table, width, languages, wanted)
    number, pairs, faults = 1 + len(table.told) + header - table.is_named, [], []
    for cells in rows[header:]:
        fits = len(cells) > max(columns) if wanted else len(cells) == width
        pair = [_mended(cells[c], table, counts) for c in columns if fits]
        if pair and all(map(normalize, pair)):
            pairs.append((pair[0], pair[1]))
        else:
            faults.append(f"not line {number:,}, {cells!s:.60}")
        number += 1 + "".join(cells).count("\n")
    if not pairs or (faults and not table.is_named):
        what = f"{len(pairs):,} of {len(rows):,} lines hold a pair in {width} columns"
        advice = "correct the others, or leave them out, or choose with --columns."
        raise ValueError("; ".join([what, *faults[:3], advice]))
    lost = left_out(len(faults), "without words on one side")
    told = (f"{what} in {counted(n, 'sentence')}" for what, n in counts.items())
    return pairs, [*_notes(table, columns, width, header), *lost, *told]


def _notes(table: Table, columns: Columns, width: int, header: bool) -> list[str]:
    """Tell which columns were read, and what was left out before and above them."""
    (one, other), number = (c + 1 for c in columns), 1 + len(table.told)
    notes = [f"columns {one} and {other} of {width}"] * (width > 2) + [*table.notes]
    if header and not table.is_named:
        titles = printable(", ".join(title[:60] for title in table.rows[0]))
        notes.append(f"left out: line {number}, which names the columns: {titles}")
    return notes


def _columns(
    table: Table, width: int, languages: str, wanted: Columns | None
) -> tuple[Columns, bool]:
    """Find source and target among so many columns, and tell if line 1 has titles."""
    rows = [cells for cells in table.rows if len(cells) == width] or [[""] * width]
    is_number = re.compile(r"\s*[0-9]+\s*").fullmatch
    free = [c for c in range(width) if f"{c + 1}" not in table.told.values()]
    numbers = [c for c in free if all(is_number(row[c]) for row in rows[1:] or rows)]
    again = rows[1] if len(rows) > 1 else []  # Tatoeba can write eng and spa in each
    named = _by_name(["" if title in again else title for title in rows[0]], languages)
    words_above = width > 2 and not all(is_number(rows[0][c]) for c in numbers)
    header = table.is_named or bool(named) or words_above
    if len(free) > 2:  # of two, both stay: numerals are a corpus
        free = [c for c in free if c not in numbers]
    same = (len({row[c] for row in rows[header:]}) == 1 < len(rows) for c in free[:2])
    doubt = table.is_named or len(free) < 2 or (width > 2 and any(same))
    columns = named if doubt or named else (free[0], free[1])
    columns = (wanted[0] - 1, wanted[1] - 1) if wanted else columns
    if not columns or max(columns) >= width:
        what = f"it begins with {[cell[:60] for cell in table.rows[0]]}"
        raise ValueError(
            f"{what}, which does not tell the two columns to read; choose, such as "
            "--columns 1,2 for the first two."
        )
    return columns, header


def _by_name(titles: Sequence[str], languages: str) -> Columns | None:
    """Find the columns with codes of the languages, or names in English or in them."""
    codes = [_canonical(code) for code in languages.split("-")]
    known = [Locale(c).languages for c in ("en", *codes) if localedata.exists(c)]
    found = []
    for code, side in zip(codes, ("source", "target"), strict=True):
        names = {code, side, *(normalize(each.get(code, code)) for each in known)}
        fits = (names & {_canonical(title), normalize(title)} for title in titles)
        found += [column for column, fit in enumerate(fits) if fit][:1]
    return (found[0], found[1]) if len({*found}) == 2 else None


def _canonical(code: str) -> str:
    """Return the one code that stands for a language: es for spa, en for en-US."""
    code = re.split("[-_]", code.strip().lower())[0]
    return str(core.get_global("language_aliases").get(code, code))


def _mended(cell: str, table: Table, counts: Counter[str]) -> str:
    """Return a sentence without what HTML writes instead of characters."""
    text = _BREAK.sub(" ", cell)
    if table.told.get("html") == "true":
        text = _TAG.sub("", _BLOCK.sub(" ", text))
    counts.update(["kept: tags"] * bool(_TAG.search(text)))
    text = re.sub(r"&#?\w{1,32};", lambda entity: html.unescape(entity[0]), text)
    text = re.sub("[\0\t\n\r\ud800-\udfff]", " ", text)
    counts.update(["mended: markup or line breaks"] * (text != cell))
    return text
