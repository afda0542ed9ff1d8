"""Debates of the European Parliament: Europarl, version 7, Italian and English."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lib.corpora.archives import gzip_lines, side_by_side, tar_lines
from lib.corpora.base import Corpus
from lib.corpora.remote import RemoteFile, download_folder, read_remote, usable
from lib.corpora.splitting import MAX_WORDS, split_by_source, tidy
from lib.text import Pair

ATTRIBUTION = (
    "Europarl v7 (https://www.statmt.org/europarl/): P. Koehn, Europarl: A Parallel "
    "Corpus for Statistical Machine Translation, MT Summit 2005; proceedings of the "
    "European Parliament, on which its makers know of no copyright restrictions. "
    "Please cite the paper."
)
FILE = RemoteFile("europarl/it-en.tgz", "https://www.statmt.org/europarl/v7/it-en.tgz")
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
    rows = read_remote(FILE, _rows)
    if not whole and all(file.is_file() for file in sample):
        notes.append(
            "read from the sample in the download folder, not from the whole corpus"
        )
        rows = _sample_rows(sample)
    pairs = list(islice(rows, lines))
    if len(pairs) == lines and next(rows, None):
        notes.append(f"only the first lines = {lines:,} were read")
    pairs, more = tidy(pairs, max_words)
    splits = split_by_source(pairs, seed)
    notes = [*notes, *more]
    return Corpus(
        "europarl-it-en", "it", "en", splits, ATTRIBUTION, tuple(notes), prose=True
    )


_CODES = ("it", "en")


def _rows(archive: Path) -> Iterator[Pair]:
    """Read both texts, hand in hand, so that neither lies in memory whole."""
    return side_by_side(
        *(tar_lines(archive, f"europarl-v7.it-en.{code}") for code in _CODES)
    )


def _sample_rows(files: list[Path]) -> Iterator[Pair]:
    """Read the two files of the sample, in whose place the archive can come."""
    advice = "delete it, and the whole corpus is downloaded"
    with usable(f"the sample in {files[0].parent}", advice):
        yield from side_by_side(*map(gzip_lines, files))
