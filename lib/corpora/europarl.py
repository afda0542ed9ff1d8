"""Debates of the European Parliament: Europarl, version 7, Italian and English."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from pathlib import Path

from lib.corpora.base import Corpus, Pair
from lib.corpora.remote.archives import Archive, gzip_lines, tar_lines
from lib.corpora.remote.folder import RemoteFile, download_folder, fetch
from lib.corpora.splitting import MAX_WORDS, split_by_source, tidy

ATTRIBUTION = (
    "Europarl v7 (https://www.statmt.org/europarl/): P. Koehn, Europarl: A Parallel "
    "Corpus for Statistical Machine Translation, MT Summit 2005; proceedings of the "
    "European Parliament, on which its makers know of no copyright restrictions. "
    "Please cite the paper."
)
FILE = RemoteFile(
    "europarl/it-en.tgz", "https://www.statmt.org/europarl/v7/it-en.tgz", "gzip"
)
LINES = 200_000


def load(
    seed: int = 0, max_words: int = MAX_WORDS, lines: int | None = LINES
) -> Corpus:
    """Load debates in Italian and English.

    The text is read out of the archive, which is never unpacked. Where there
    is none, but europarl/sample.it-en.it.gz and europarl/sample.it-en.en.gz are in the
    download folder, this sample is taken instead.

    Args:
        seed: chooses the sources that are held out.
        max_words: longest sentence, in words and punctuation marks.
        lines: how many to read, from the first on; None for all, which are 1.9 million
            and want some gigabytes of memory.
    """
    if lines is not None and (not isinstance(lines, int) or lines < 1):
        raise ValueError(
            "lines is the number of lines to read, at least 1, or None for all, but it "
            f"is {lines!r}."
        )
    sample = [download_folder() / f"europarl/sample.it-en.{code}.gz" for code in _CODES]
    whole = (download_folder() / FILE.place).exists()
    notes = []
    if not whole and all(file.is_file() for file in sample):
        notes.append(
            "read from the sample in the download folder, not from the whole corpus"
        )
        rows = _sample_rows(sample)
    else:
        rows = _rows(fetch(FILE, _rows))
    pairs = list(islice(rows, lines))
    if len(pairs) == lines and next(rows, None):
        notes.append(f"only the first lines = {lines:,} were read")
    pairs, more = tidy(pairs, max_words)
    splits = split_by_source(pairs, seed)
    return Corpus("europarl-it-en", "it", "en", splits, ATTRIBUTION, (*notes, *more))


_CODES = ("it", "en")


def _rows(archive: Archive) -> Iterator[Pair]:
    """Read both texts, hand in hand, so that neither lies in memory whole."""
    sides = [tar_lines(archive, f"europarl-v7.it-en.{code}") for code in _CODES]
    return _side_by_side(sides, archive)


def _sample_rows(files: list[Path]) -> Iterator[Pair]:
    """Read the two files of the sample, in whose place the archive can come."""
    advice = "delete it, and the whole corpus is downloaded"
    sides = [gzip_lines(Archive(file, str(file), advice)) for file in files]
    folder = files[0].parent
    return _side_by_side(sides, Archive(folder, f"the sample in {folder}", advice))


def _side_by_side(sides: list[Iterator[str]], archive: Archive) -> Iterator[Pair]:
    """Pair the lines; one side that ends first means that the other is not its own."""
    for number, (source, target) in enumerate(zip_longest(*sides), start=1):
        if source is None or target is None:
            raise ValueError(
                f"One language ends after {number - 1:,} lines in {archive.origin} "
                "and the other goes on, so they do not belong together; "
                f"{archive.advice}."
            )
        yield source, target
