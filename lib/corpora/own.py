"""Sentence pairs of the reader's own: from the rows of a file to a corpus."""

from __future__ import annotations

import contextlib
import html
import html.entities
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lib.corpora.base import Corpus, normalize
from lib.corpora.rows import Table, read_table, side_by_side
from lib.corpora.splitting import looks_like_prose, split_by_source, tidy
from lib.corpora.titles import named_columns
from lib.text import Pair
from lib.text.reading import printable

SAMPLE = Path(__file__).with_name("sample-en-de.tsv")
"""240 English sentences with their German, to try things out; CC BY 4.0."""
Columns = tuple[int, int]
Files = Path | str | Sequence[Path]
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_NAMES = {"\t": "tab", ",": "comma", ";": "semicolon"}
_TIPS = {
    "UTF-8": "save the file as UTF-8, ",
    "column": "name the columns with --columns, ",
}
_SHOWN = 3  # bad lines that a message names; all of them are counted
_LONGEST = 60  # characters of a sentence that is shown
_TAG = re.compile(r"</?([a-z][a-z0-9]*)(?:[\s/][^<>]*)?>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BETWEEN_WORDS = {"div", "p", "li", "td", "tr"}
# Without its semicolon, "&copy 2020" is text; html.unescape would change it.
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|([A-Za-z][A-Za-z0-9]*));")


def load(
    files: Files, languages: str, attribution: str = "", columns: Columns | None = None
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
    source, target = _language_codes(languages)
    first, *_ = paths = _paths(files)
    pairs, told = read_pairs(paths, languages, columns)
    kept, notes = tidy(pairs)
    try:
        splits = split_by_source(kept)
    except ValueError as error:
        raise ValueError(f"{first}: {error}") from error
    stem = re.sub(r"[^\w.]+", "-", first.stem).strip("-.") or "pairs"
    name = "own" + f"-{stem}".removesuffix(f"-{languages}") + f"-{languages}"
    prose = looks_like_prose(text for text, _ in splits["train"])
    note = in_one_line(pairs, [*told, *notes])
    about = attribution, (note,)
    return Corpus(name, source, target, splits, *about, prose=prose, columns=columns)


def read_pairs(
    files: Files, languages: str, columns: Columns | None = None
) -> tuple[list[Pair], list[str]]:
    """Read pairs from a file in any of the forms that are taken.

    Args:
        files: as :func:`load` takes them.
        languages: the two codes, by which titles name the columns.
        columns: as :func:`load` takes them.

    Returns:
        The pairs, and notes on what was left out and mended.

    Raises:
        OSError: if a file cannot be read.
        ValueError: if it is of another form, does not tell its columns, or has a line
            that is no pair.
    """
    paths = _paths(files)
    try:
        one = len(paths) == 1
        table = (
            read_table(paths[0], languages) if one else side_by_side(paths, languages)
        )
        return _read(table, languages, columns)
    except ValueError as error:
        raise ValueError(f"{' and '.join(map(str, paths))}: {error}") from error


def in_one_line(pairs: Sequence[Pair], notes: Sequence[str]) -> str:
    """Tell what was read from a file: how much, what was left out, the first pair.

    Args:
        pairs: what was read.
        notes: what was left out and mended.

    Example:
        >>> in_one_line([("yes", "sí")], ["left out: line 1"])
        'read 1 pair; left out: line 1; the first: yes → sí'
    """
    source, target = (_short(" ".join(text.split())) for text in pairs[0])
    number = f"read {len(pairs):,} pair{'s' * (len(pairs) != 1)}"
    return "; ".join([number, *notes, printable(f"the first: {source} → {target}")])


def _paths(files: Files) -> list[Path]:
    return [Path(files)] if isinstance(files, str | Path) else [*map(Path, files)]


def _language_codes(languages: str) -> tuple[str, str]:
    source, _, target = languages.partition("-")
    if not _LANGUAGE.fullmatch(source) or not _LANGUAGE.fullmatch(target):
        raise ValueError(
            "The languages are two codes of two or three small letters with a hyphen "
            f"between them, such as en-de, but they are {languages!r}."
        )
    return source, target


def _read(
    table: Table, languages: str, wanted: Columns | None
) -> tuple[list[Pair], list[str]]:
    """Read all pairs, or refuse the file in a sentence that names its bad lines."""
    rows = table.rows
    while rows and not any(map(str.strip, rows[-1][1])):
        rows.pop()
    if not rows:
        raise ValueError("it is empty; give it one pair a line.")
    columns, width, header = _columns(table, languages, wanted)
    counts: Counter[str] = Counter()
    pairs, faults = [], []
    for number, cells in rows[header:]:
        pair = _pair(cells, columns, 0 if wanted else width, table, counts)
        if isinstance(pair, str):
            faults.append(f"{table.unit} {number:,} {pair}")
        else:
            pairs.append(pair)
    if faults or not pairs:
        raise ValueError(_summary(faults, len(rows), table.unit))
    chosen = f"columns {columns[0] + 1} and {columns[1] + 1} of {width}"
    notes = [chosen] * (width > 2) + _notes(table, header)
    notes += [
        f"{what} in {n:,} sentence{'s' * (n != 1)}" for what, n in counts.items() if n
    ]
    return pairs, notes


def _notes(table: Table, header: bool) -> list[str]:
    """Tell what was left out of a table, the line of titles too."""
    if not header:
        return [*table.notes]
    number, cells = table.rows[0]
    titles = printable(", ".join(map(_short, cells)))
    named = f"left out: line {number}, which names the columns: {titles}"
    return [*table.notes, named]


def _columns(
    table: Table, languages: str, wanted: Columns | None
) -> tuple[Columns, int, bool]:
    """Find source and target among so many columns, and tell if line 1 has titles."""
    rows = [cells for _, cells in table.rows if isinstance(cells, list)]
    width = next((len(cells) for cells in rows if len(cells) > 1), 2)
    even = [cells for cells in rows if len(cells) == width]
    named = None
    with contextlib.suppress(*[ValueError] * bool(wanted)):
        named = named_columns(table.titles or rows[0] if rows else [], languages)
    numbers = _numbers(even[1:], width)
    words_above = len(even) > 2 < width and numbers != _numbers(even, width)
    header = not table.titles and bool(named or words_above)
    if wanted:
        named = wanted[0] - 1, wanted[1] - 1
    elif not named:
        numbers = numbers if header else _numbers(even, width)
        named = _first_two(table, even[header:], width, numbers)
    return named, width, header


def _numbers(rows: Sequence[list[str]], width: int) -> set[int]:
    """Return the columns that have a bare whole number in every row."""
    number = re.compile(r"\s*[0-9]+\s*")
    every = (c for c in range(width) if all(number.fullmatch(row[c]) for row in rows))
    return set(every if rows else ())


def _first_two(
    table: Table, rows: Sequence[list[str]], width: int, numbers: set[int]
) -> Columns:
    """Choose the first two columns that may hold sentences; refuse if in doubt."""
    free = [c for c in range(width) if c not in table.apart]
    if len(free) > 2:  # of two, both stay: numerals are a corpus
        free = [c for c in free if c not in numbers]
    doubt = ""
    if table.titles and not table.mark:
        doubt = f"its names {', '.join(map(repr, table.titles))} tell no languages"
    elif len(free) < 2:
        doubt = "it has fewer than two columns without numbers"
    for c in [] if doubt or width == 2 or len(rows) < 2 else free[:2]:
        if len({row[c] for row in rows}) == 1:
            doubt = f"its column {c + 1} is {_short(rows[0][c])!r} in every line"
    if doubt:
        raise ValueError(
            f"{doubt}; say which columns to read with --columns, such as --columns 2,3."
        )
    return free[0], free[1]


def _pair(
    cells: list[str] | str,
    columns: Columns,
    width: int,
    table: Table,
    counts: Counter[str],
) -> Pair | str:
    """Return the pair of a row, or what is wrong with it."""
    if fault := _fault(cells, width, max(columns) + 1, table.mark):
        return fault
    source, target = (_mended(cells[c], table.is_html, counts) for c in columns)
    for name, sentence in (("source", source), ("target", target)):
        if not normalize(sentence):
            return f"has no words in its {name}"
    return source, target


def _fault(cells: list[str] | str, width: int, last: int, mark: str) -> str:
    if isinstance(cells, str):
        return cells
    text = " ".join(cells)
    columns = f"has {len(cells)} column{'s' * (len(cells) != 1)}"
    faults = {
        "is not UTF-8": re.search("[\ud800-\udfff]", text),
        "is empty": not text.strip(),
        "holds a NUL, which is no character of a text": "\0" in text,
        f"has no {_NAMES.get(mark, repr(mark))}": len(cells) < 2,
        f"{columns} instead of {width}": width and len(cells) != width,
        f"{columns}, and no column {last}": len(cells) < last,
    }
    return next((fault for fault, is_there in faults.items() if is_there), "")


def _mended(cell: str, is_html: bool, counts: Counter[str]) -> str:
    """Return a sentence without what HTML writes instead of characters."""
    counts["kept: outer quotes"] += cell[:1] == cell[-1:] == '"'
    text = _BREAK.sub(" ", cell)
    if _TAG.search(text):
        if is_html:
            text = _TAG.sub(lambda t: " " * (t[1].lower() in _BETWEEN_WORDS), text)
        else:
            counts["kept: tags"] += 1
    text = _ENTITY.sub(_character, text).replace("\n", " ")
    if text != cell:
        counts["mended: markup or line breaks"] += 1
    return text


def _character(entity: re.Match[str]) -> str:
    if entity[1]:
        return html.entities.html5.get(f"{entity[1]};", entity[0])
    return html.unescape(entity[0])


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _summary(faults: list[str], lines: int, unit: str) -> str:
    if not faults:
        return "it has titles, and no pair below them."
    more = len(faults) - _SHOWN
    shown = ", ".join(faults[:_SHOWN])
    rest = f", and {more:,} more" if more > 0 else ""
    tips = [tip for word, tip in _TIPS.items() if any(word in each for each in faults)]
    return (
        f"{len(faults):,} of {lines:,} {unit}s {'is' if len(faults) == 1 else 'are'} "
        f"no pair: {shown}{rest}; correct them, {''.join(tips)}or leave them out."
    )
