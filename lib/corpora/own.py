"""Sentence pairs of the reader's own: from the rows of a file to a corpus."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from babel import Locale, core, localedata

from lib.corpora.base import Corpus, normalize
from lib.corpora.files import Table, read_table
from lib.corpora.splitting import left_out, looks_like_prose, split_by_source, tidy
from lib.text import Pair
from lib.text.reading import printable

SAMPLE = Path(__file__).with_name("sample-en-de.tsv")
"""240 English sentences with their German, to try things out; CC BY 4.0."""
Columns = tuple[int, int]
Files = Path | str | Sequence[Path]
Read = tuple[list[Pair], list[str]]  # pairs, and notes on what was left out and mended
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:[\s/][^<>]*)?>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:div|li|p)\b[^<>]*>", re.IGNORECASE)


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
    if not re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", languages):
        what = (
            "The languages are two codes of two or three small letters, such as en-de"
        )
        raise ValueError(f"{what}, but they are {languages!r}.")
    source, target = languages.split("-")
    first = Path(files if isinstance(files, str | Path) else files[0])
    pairs, told = read_pairs(files, languages, columns)
    kept, notes = tidy(pairs)
    try:
        splits = split_by_source(kept)
    except ValueError as error:
        raise ValueError(f"{first}: {error}") from error
    stem = re.sub(r"[^\w.]+", "-", first.stem).strip("-.") or "pairs"
    name = "own" + f"-{stem}".removesuffix(f"-{languages}") + f"-{languages}"
    prose = looks_like_prose(text for text, _ in splits["train"])
    about = attribution, (in_one_line(pairs, [*told, *notes]),)
    return Corpus(name, source, target, splits, *about, prose=prose, columns=columns)


def read_pairs(files: Files, languages: str, columns: Columns | None = None) -> Read:
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
    paths = [Path(files)] if isinstance(files, str | Path) else [*map(Path, files)]
    try:
        return _read(read_table(paths), languages, columns)
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
    source, target = (" ".join(text.split())[:60] for text in pairs[0])
    number = f"read {len(pairs):,} pair{'s' * (len(pairs) != 1)}"
    return "; ".join([number, *notes, printable(f"the first: {source} → {target}")])


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
            faults.append(f"line {number:,} {_fault(cells, pair, width)}")
        number += 1 + "".join(cells).count("\n")
    if not pairs or (faults and not table.is_named):
        raise ValueError(_summary(faults or ["none is below the titles"], len(rows)))
    lost = left_out(len(faults), "without words on one side")
    told = (f"{what} in {n:,} sentence{'s' * (n != 1)}" for what, n in counts.items())
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


def _fault(cells: Sequence[str], pair: Sequence[str], width: int) -> str:
    if not "".join(cells).strip():
        return "is empty"
    if not pair:
        return f"has {len(cells)} column{'s' * (len(cells) != 1)} instead of {width}"
    return f"has no words in its {'target' if normalize(pair[0]) else 'source'}"


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


def _summary(faults: Sequence[str], lines: int) -> str:
    some = [*faults[:3], *[f"and {len(faults) - 3:,} more"] * (len(faults) > 3)]
    what = f"{len(faults):,} of {lines:,} lines hold no pair: {', '.join(some)}"
    return f"{what}; correct or leave them out, or choose columns with --columns."
