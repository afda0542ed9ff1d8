"""Sentences of books, from OPUS by way of the Hugging Face hub."""

from __future__ import annotations

import contextlib
import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lib.corpora.base import Corpus, Pair
from lib.corpora.remote.folder import download_folder
from lib.corpora.splitting import MAX_WORDS, split_by_source, tidy

ATTRIBUTION = (
    "OPUS Books (https://opus.nlpl.eu/Books.php): J. Tiedemann, Parallel Data, Tools "
    "and Interfaces in OPUS, LREC 2012; books aligned by Andras Farkas. For personal, "
    "educational and research use; no commercial use, no mass redistribution."
)
DATASET = "Helsinki-NLP/opus_books"


def load(seed: int = 0, max_words: int = MAX_WORDS) -> Corpus:
    """Load sentences of books in English and Italian.

    Args:
        seed: chooses the sources that are held out.
        max_words: longest sentence, in words and punctuation marks.
    """
    folder = download_folder() / "opus_books"
    with _whole_or_not_there(folder):
        books = list(_pairs(_rows(_fetch(folder), folder)))
    pairs, notes = tidy(books, max_words)
    splits = split_by_source(pairs, seed)
    return Corpus("opus-books-en-it", "en", "it", splits, ATTRIBUTION, tuple(notes))


@contextlib.contextmanager
def _whole_or_not_there(folder: Path) -> Iterator[None]:
    """Take away what an attempt that failed has left; what was there before stays."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield
    except BaseException:
        if missing:
            shutil.rmtree(folder, ignore_errors=True)
        for each in missing[1:]:
            with contextlib.suppress(OSError):  # it was never made, or holds something
                each.rmdir()
        raise


def _fetch(folder: Path) -> Any:
    """Let the library download, resume, check and keep the data, as it does for all."""
    try:
        # Only this corpus needs it, so it is not among the requirements of lib.
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise OSError(
            "The corpus 'opus-books-en-it' is read with the library datasets, which "
            "is missing here; install it with: pip install datasets"
        ) from error
    again = ", or delete it, and it is downloaded again" if folder.exists() else ""
    try:
        return datasets.load_dataset(
            DATASET, "en-it", split="train", cache_dir=str(folder)
        )
    except Exception as error:  # of many libraries below, each with errors of its own
        raise OSError(
            f"The dataset {DATASET} cannot be loaded ({_reason(error)}); check the "
            f"network, and that {folder} can be written{again}."
        ) from error


def _reason(error: Exception) -> str:
    """What an error of another library says, in its first sentence."""
    said = str(error).strip() or type(error).__name__
    return said.splitlines()[0].partition(". ")[0].rstrip(".")


def _rows(dataset: Any, folder: Path) -> Iterator[Any]:
    """Read what lies in the folder, which may be damaged."""
    number = 0
    try:
        for row in dataset:
            yield row
            number += 1
    except Exception as error:  # of the same libraries
        raise ValueError(
            f"The dataset {DATASET} cannot be read after {number:,} rows "
            f"({_reason(error)}); delete {folder} if it is there, and try again."
        ) from error


def _pairs(rows: Iterator[Any]) -> Iterator[Pair]:
    """Take the two sentences out of each row."""
    for number, row in enumerate(rows, start=1):
        match row:
            case {"translation": {"en": str(english), "it": str(italian)}}:
                yield english, italian
            case _:
                raise ValueError(
                    f"Row {number:,} of the dataset {DATASET} has no English and "
                    "Italian translation, so its form has changed; use another corpus."
                )
