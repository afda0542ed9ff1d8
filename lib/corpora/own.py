"""Sentence pairs of the reader's own: a file with two languages and a tab between."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from lib.corpora.base import Corpus, normalize
from lib.corpora.splitting import looks_like_prose, split_by_source, tidy
from lib.text import Pair

SAMPLE = Path(__file__).with_name("sample-en-de.tsv")
"""240 English sentences with their German, to try things out; CC BY 4.0."""
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_SHOWN = 3  # bad lines that a message names; all of them are counted
# What the columns of a file are called, besides the codes of the languages.
_TITLES = (
    "source|src|target|tgt|trg|original|translation|sentences?|text|english|german|"
    "deutsch|french|français|spanish|español|italian|italiano|portuguese|português|"
    "dutch|nederlands|russian|русский|polish|polski|turkish|türkçe|arabic|العربية|"
    "hebrew|עברית|hindi|हिन्दी|chinese|中文|japanese|日本語|korean|한국어"
)


def load(file: Path | str, languages: str, attribution: str = "") -> Corpus:
    r"""Load a file of the reader's own: one pair a line, source, tab, target.

    Lines may have further columns, which are not read, if all of them do. A first line
    that names the columns is left out, with a note, and so are blank lines at the end.
    The splits are made as those of the other corpora are, by source.

    Args:
        file: a text file in UTF-8.
        languages: the two codes, such as "en-de".
        attribution: whose sentences they are, and under which license.

    Returns:
        A corpus with the splits "train", "validation" and "test". Its name begins with
        "own-", so that it is never taken for one of the named corpora.

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
    file = Path(file)
    pairs, told = read_pairs(file, languages)
    pairs, notes = tidy(pairs)
    try:
        splits = split_by_source(pairs)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    stem = re.sub(r"[^\w.]+", "-", file.stem).strip("-.") or "pairs"
    name = "own" + f"-{stem}".removesuffix(f"-{languages}") + f"-{languages}"
    prose = looks_like_prose(text for text, _ in splits["train"])
    told = [*told, *notes]
    return Corpus(name, source, target, splits, attribution, tuple(told), prose=prose)


def read_pairs(file: Path, languages: str) -> tuple[list[Pair], list[str]]:
    """Read a file of pairs, also one that gzip has packed.

    Args:
        file: as :func:`load` takes it.
        languages: the two codes, which may stand as titles in its first line.

    Returns:
        The pairs, and a note if its first line names the columns.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if a line is no pair.
    """
    lines = _lines(file)
    header = _header(lines[0], f"{languages.replace('-', '|')}|{_TITLES}")
    return _read(file, lines, skip=bool(header)), header


def _language_codes(languages: str) -> tuple[str, str]:
    source, _, target = languages.partition("-")
    if not _LANGUAGE.fullmatch(source) or not _LANGUAGE.fullmatch(target):
        raise ValueError(
            "The languages are two codes of two or three small letters with a hyphen "
            f"between them, such as en-de, but they are {languages!r}."
        )
    return source, target


def _lines(file: Path) -> list[bytes]:
    """Return the lines of a file, without blank ones at its end."""
    data = file.read_bytes()
    if file.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{file} cannot be unpacked: {error}") from error
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError(f"{file} is text in UTF-16; save it as UTF-8.")
    if b"\n" not in data:  # some programs end their lines with this alone
        data = data.replace(b"\r", b"\n")
    lines = data.split(b"\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise ValueError(f"{file} is empty; give it one pair a line.")
    return lines


def _header(line: bytes, titles: str) -> list[str]:
    """Return a note about a first line that names the columns; none if it does not."""
    cells = line.decode("utf-8", "replace").replace("_", " ").split("\t")[:2]
    names = [normalize(cell) for cell in cells]
    told = all(re.fullmatch(rf"({titles})( ({titles}))*", name) for name in names)
    # One and the same word twice may be a pair.
    if not told or len(set(names)) < 2:
        return []
    return [f"left out: line 1, which names the columns: {' and '.join(names)}"]


def _read(file: Path, lines: Sequence[bytes], skip: bool) -> list[Pair]:
    """Read all pairs, or refuse the file in a sentence that names its bad lines."""
    columns = next((n + 1 for line in lines if (n := line.count(b"\t"))), 2)
    pairs, faults = [], []
    for number, line in enumerate(lines[skip:], start=1 + skip):
        pair = _pair(line, columns)
        if isinstance(pair, str):
            faults.append(f"line {number:,} {pair}")
        else:
            pairs.append(pair)
    if faults:
        raise ValueError(f"{file}: {_summary(faults, len(lines))}")
    return pairs


def _pair(line: bytes, columns: int) -> Pair | str:
    """Return the pair of a line, or what is wrong with it."""
    try:
        cells = line.removesuffix(b"\r").decode("utf-8").split("\t")
    except UnicodeDecodeError:
        return "is not UTF-8"
    if not line.strip():
        return "is empty"
    if b"\0" in line:
        return "holds a NUL, which is no character of a text"
    if len(cells) < 2:
        return "has no tab"
    if len(cells) != columns:
        return f"has {len(cells)} columns instead of {columns}"
    source, target, *_ = cells
    for name, sentence in (("source", source), ("target", target)):
        if not normalize(sentence):
            return f"has no words in its {name}"
    return source, target


def _summary(faults: list[str], lines: int) -> str:
    more = len(faults) - _SHOWN
    shown = ", ".join(faults[:_SHOWN])
    rest = f", and {more:,} more" if more > 0 else ""
    return (
        f"{len(faults):,} of {lines:,} lines {'is' if len(faults) == 1 else 'are'} no "
        f"sentence, tab and translation: {shown}{rest}; correct them, or leave them "
        "out."
    )
