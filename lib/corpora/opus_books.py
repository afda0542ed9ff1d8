"""Sentences of books, from OPUS by way of the Hugging Face hub."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from lib.corpora.base import Corpus, Pair
from lib.corpora.cache import cache_folder
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
        seed: Chooses the sources that are held out.
        max_words: Longest sentence, in words and punctuation marks.

    Returns:
        A corpus with the splits "train", "validation" and "test".

    Raises:
        OSError: If the library `datasets` is missing, or cannot fetch the books.
        ValueError: If what came has another form.

    Built in chapter 14.
    """
    pairs, notes = tidy(_read(_fetch()), max_words)
    splits = split_by_source(pairs, seed)
    return Corpus("opus-books-en-it", "en", "it", splits, ATTRIBUTION, tuple(notes))


def _fetch() -> Any:
    """Let the library download, resume, check and keep the data, as it does for all."""
    try:
        # Only this corpus needs it, so it is not among the requirements of lib.
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise OSError(
            "The corpus 'opus-books-en-it' is read with the library datasets, which "
            "is missing here; install it with: pip install datasets"
        ) from error
    folder = cache_folder() / "opus_books"
    try:
        return datasets.load_dataset(
            DATASET, "en-it", split="train", cache_dir=str(folder)
        )
    except Exception as error:  # of many libraries below, each with errors of its own
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise OSError(
            f"The dataset {DATASET} cannot be loaded ({reason}); check the network, "
            f"and that {folder} can be written."
        ) from error


def _read(rows: Any) -> Iterator[Pair]:
    for number, row in enumerate(rows, start=1):
        both = row.get("translation") if isinstance(row, dict) else None
        if not isinstance(both, dict) or not {"en", "it"} <= both.keys():
            raise ValueError(
                f"Row {number:,} of the dataset {DATASET} has no English and Italian "
                "translation, so its form has changed; use another corpus."
            )
        yield both["en"], both["it"]
