"""Debates of the European Parliament: Europarl, version 7, Italian and English."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lib.corpora.archives import side_by_side, tar_lines
from lib.corpora.base import Corpus
from lib.corpora.remote import RemoteFile, read_remote
from lib.corpora.splitting import split_by_source, tidy
from lib.text import Pair

ATTRIBUTION = (
    "Europarl v7 (https://www.statmt.org/europarl/): P. Koehn, Europarl: A Parallel "
    "Corpus for Statistical Machine Translation, MT Summit 2005; proceedings of the "
    "European Parliament, on which its makers know of no copyright restrictions. "
    "Please cite the paper."
)
FILE = RemoteFile("europarl/it-en.tgz", "https://www.statmt.org/europarl/v7/it-en.tgz")
LINES = 200_000  # all of them, 1.9 million, want some gigabytes of memory


def load() -> Corpus:
    """Load debates in Italian and English: the first lines of the archive."""
    rows = read_remote(FILE, _rows)
    pairs, notes = tidy(islice(rows, LINES))
    if next(rows, None):
        notes.insert(0, f"only the first {LINES:,} lines were read")
    name, splits = "europarl-it-en", split_by_source(pairs)
    return Corpus(name, "it", "en", splits, ATTRIBUTION, tuple(notes), prose=True)


def _rows(archive: Path) -> Iterator[Pair]:
    """Read both texts, hand in hand: neither is unpacked, or lies in memory whole."""
    names = (f"europarl-v7.it-en.{code}" for code in ("it", "en"))
    return side_by_side(*(tar_lines(archive, name) for name in names))
