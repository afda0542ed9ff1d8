"""What every corpus has in common: its name, its languages and its splits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lib.text import Pair


def normalize(sentence: str) -> str:
    """Reduce a sentence to what decides whether two sources count as the same.

    Upper and lower case, punctuation and spacing do not count.

    Args:
        sentence: one sentence.

    Returns:
        The words in lower case, one space between two of them.

    Example:
        >>> normalize("Where  is Ana?")
        'where is ana'
    """
    composed = unicodedata.normalize("NFKC", sentence).replace("\u2019", "'")
    folded = composed.casefold()
    # Marks on letters count: in Hindi, they are the vowels.
    marks = {sign for sign in folded if unicodedata.category(sign)[0] == "M"}
    return " ".join(re.findall(rf"[\w'][\w'{''.join(sorted(marks))}]*", folded))


@dataclass(frozen=True, repr=False)
class Corpus:
    """Sentence pairs of two languages, divided into named splits.

    Args:
        name: the name that `load` knows the corpus by.
        source_language: language code of the first sentence of a pair.
        target_language: language code of the second sentence of a pair.
        splits: the pairs (source, target) of each split, by the split's name.
        attribution: whose sentences they are, and under which license.
        notes: what was left out of the corpus, and why.
        generated: whether this project wrote the sentences, so that the one right
            answer to each of them is known.
        punctuated: whether each source begins with a capital and ends with a mark, so
            that a translator trained on it adds to a sentence what of these it lacks.
        prose: whether its sentences are what people write, with capitals where they
            belong, so that a translator trained on it may read what others type.
        columns: those of a file of one's own, from 1 on, if they were chosen by hand.

    Raises:
        ValueError: if there is no split at all.

    Example:
        >>> corpus = Corpus("two", "en", "es", {"train": [("yes", "sí")]})
        >>> corpus
        Corpus('two', en to es, train: 1)
    """

    name: str
    source_language: str
    target_language: str
    splits: Mapping[str, Sequence[Pair]]
    attribution: str = ""
    notes: tuple[str, ...] = ()
    generated: bool = False
    punctuated: bool = False
    prose: bool = False
    columns: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Refuse a corpus that holds nothing."""
        if not self.splits:
            raise ValueError(
                f"The corpus {self.name!r} has no splits; "
                'give at least one, such as {"train": pairs}.'
            )

    def __repr__(self) -> str:
        """Name, languages and sizes: never the thousands of pairs themselves."""
        sizes = ", ".join(
            f"{name}: {len(rows):,}" for name, rows in self.splits.items()
        )
        languages = f"{self.source_language} to {self.target_language}"
        return f"Corpus({self.name!r}, {languages}, {sizes})"

    @property
    def title(self) -> str:
        """The name with both languages, as translators and their folders are called."""
        languages = f"{self.source_language}-{self.target_language}"
        return self.name.removesuffix(f"-{languages}") + f"-{languages}"
