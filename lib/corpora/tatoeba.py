"""Everyday sentences: Tatoeba's pairs, as ManyThings.org selects them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lib.corpora.archives import zip_lines
from lib.corpora.base import Corpus
from lib.corpora.remote import RemoteFile, read_remote
from lib.corpora.splitting import split_by_source, tidy
from lib.text import Pair

ATTRIBUTION = (
    "Sentences of the Tatoeba project (https://tatoeba.org), selected by "
    "www.manythings.org/anki; license CC BY 2.0 FR "
    "(https://creativecommons.org/licenses/by/2.0/fr/)."
)
# The Spanish file is the one of the Keras and TensorFlow tutorials, which stays as it
# is; the others are renewed from time to time.
FILES = {
    "es": RemoteFile(
        "spa-eng.zip",
        "https://storage.googleapis.com/download.tensorflow.org/data/spa-eng.zip",
        "0c4fd7825d3d872488d38c157f784e035edab4f2ff0df25a2a208790ecb5b58f",
    ),
    "fr": RemoteFile("fra-eng.zip", "https://www.manythings.org/anki/fra-eng.zip"),
    "it": RemoteFile("ita-eng.zip", "https://www.manythings.org/anki/ita-eng.zip"),
}


def load(target: str) -> Corpus:
    """Load everyday sentences in English and another language.

    Args:
        target: "es", "fr" or "it".
    """
    # spa-eng.zip holds spa.txt, in a folder or not.
    text = FILES[target].place.removesuffix("-eng.zip") + ".txt"
    rows = read_remote(FILES[target], partial(_rows, text=text))
    pairs, notes = tidy(rows)
    splits = split_by_source(pairs)
    name = f"tatoeba-en-{target}"
    return Corpus(name, "en", target, splits, ATTRIBUTION, tuple(notes), prose=True)


def _rows(archive: Path, text: str) -> Iterator[Pair]:
    """Newer files have a third column, which names the authors of the two sentences."""
    for number, line in enumerate(zip_lines(archive, text), start=1):
        columns = line.split("\t")
        if len(columns) >= 2:
            yield columns[0], columns[1]
        elif line.strip():
            raise ValueError(f"line {number:,} of {text} has no tab between sentences")
