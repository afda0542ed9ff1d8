"""Sentences of books, from OPUS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lib.corpora.archives import side_by_side, zip_lines
from lib.corpora.base import Corpus
from lib.corpora.remote import RemoteFile, read_remote
from lib.corpora.splitting import split_by_source, tidy
from lib.text import Pair

ATTRIBUTION = (
    "OPUS Books (https://opus.nlpl.eu/Books.php): J. Tiedemann, Parallel Data, Tools "
    "and Interfaces in OPUS, LREC 2012; books aligned by Andras Farkas. For personal, "
    "educational and research use; no commercial use, no mass redistribution."
)
FILE = RemoteFile(
    "opus-books/en-it.txt.zip",
    "https://object.pouta.csc.fi/OPUS-Books/v1/moses/en-it.txt.zip",
)


def load() -> Corpus:
    """Load sentences of books in English and Italian."""
    pairs, notes = tidy(read_remote(FILE, _rows))
    name, splits = "opus-books-en-it", split_by_source(pairs)
    return Corpus(name, "en", "it", splits, ATTRIBUTION, tuple(notes), prose=True)


def _rows(archive: Path) -> Iterator[Pair]:
    """Read the two texts of the archive, one for each language."""
    names = (f"Books.en-it.{code}" for code in ("en", "it"))
    return side_by_side(*(zip_lines(archive, name) for name in names))
