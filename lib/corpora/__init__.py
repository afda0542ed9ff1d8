"""The corpora by name: `load("grammar")` gives the default one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from lib.corpora import grammar, phrases
from lib.corpora.base import Corpus, Pair, normalize

__all__ = ["Corpus", "Pair", "load", "names", "normalize"]

_LOADERS: dict[str, Callable[..., Corpus]] = {
    "grammar": grammar.load,
    "phrases": phrases.load,
}


def names() -> list[str]:
    """List the corpora that `load` knows.

    Returns:
        Their names, in alphabetical order.

    Example:
        >>> names()
        ['grammar', 'phrases']

    Built in chapter 10.
    """
    return sorted(_LOADERS)


def load(name: str = "grammar", **options: Any) -> Corpus:
    """Load a corpus by its name.

    Args:
        name: One of `names()`.
        **options: What that corpus lets one choose, such as `seed` and `size`.

    Returns:
        The corpus with all its splits.

    Raises:
        ValueError: If there is no such corpus, or it has no such option.

    Example:
        >>> load("phrases").splits["train"][0]
        ('I like the red car', 'me gusta el coche rojo')

    Built in chapter 10.
    """
    if name not in _LOADERS:
        raise ValueError(
            f"There is no corpus {name!r}; choose one of {_listed(names())}."
        )
    loader = _LOADERS[name]
    valid = list(inspect.signature(loader).parameters)
    for option in options:
        if option not in valid:
            raise ValueError(
                f"The corpus {name!r} has no option {option!r}; "
                f"its options are: {_listed(valid)}."
            )
    return loader(**options)


def _listed(words: list[str]) -> str:
    """Quote the words with commas between them, or say that there are none."""
    return ", ".join(repr(word) for word in words) or "none"
