"""The corpora by name: `load("grammar")` gives the default one.

Two lie here, `grammar` and `phrases`. The others are downloaded when they are
first loaded, and kept in the folder that TRANSFORMER_BOOK_CACHE names. `load_own` reads
a file of the reader's own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lib.corpora import grammar, remote
from lib.corpora.corpus import Corpus, limit_training, normalize, references
from lib.corpora.own import SAMPLE
from lib.corpora.own import load as load_own
from lib.corpora.remote import download_folder
from lib.text import Pair

__all__ = [
    "SAMPLE",
    "Corpus",
    "Pair",
    "download_folder",
    "limit_training",
    "load",
    "load_own",
    "names",
    "normalize",
    "references",
]

_LOADERS: dict[str, Callable[[], Corpus]] = {
    "grammar": grammar.load,
    "phrases": grammar.load_phrases,
    **{name: partial(remote.load_archive, name) for name in remote.TEXTS},
    **{
        f"multi30k-{languages}": partial(remote.load_multi30k, f"multi30k-{languages}")
        for languages in ("de-en", "en-de", "en-fr")
    },
}


def names() -> list[str]:
    """List the corpora that `load` knows."""
    return sorted(_LOADERS)


def load(name: str = "grammar") -> Corpus:
    """Load a corpus by its name.

    Args:
        name: one of `names()`.

    Returns:
        The corpus with all its splits.

    Raises:
        ValueError: if there is no such corpus, or if a downloaded file is not what it
            should be.
        OSError: if a file cannot be downloaded; the message says what to do.

    Example:
        >>> load("phrases").splits["train"][0]
        ('I like the red car', 'me gusta el coche rojo')
    """
    if name not in _LOADERS:
        known = ", ".join(map(repr, names()))
        raise ValueError(f"There is no corpus {name!r}; choose one of {known}.")
    return _LOADERS[name]()
