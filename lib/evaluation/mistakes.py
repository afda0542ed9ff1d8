"""Kinds of mistakes, and how near a test sentence stands to training."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.corpora import Pair, normalize
from lib.text.words import tokenize

FAR = 0.5
"""From this share of its words upward, a sentence is far from its nearest neighbor."""

_Ids = NDArray[np.int32]
_NONE = -1  # fills the short rows of a table; equals no word


def word_edits(one: str, other: str) -> int:
    """Count the words to insert, delete or replace to turn one sentence into another.

    Case, punctuation and spacing do not count (Levenshtein, 1966, on words).

    Args:
        one: a sentence.
        other: another one.

    Example:
        >>> word_edits("Where is my dog?", "Where was the dog, Ana?")
        3
    """
    return nearest_distances([one], [other])[0]


def nearest_distances(sentences: Iterable[str], training: Iterable[str]) -> list[int]:
    """Return the word edit distance of each sentence to its nearest training sentence.

    Exact: no training sentence is left out that could be nearer. Two sentences differ
    by at least the length of the longer less the words that they share, and an index
    of words gives this bound for all training sentences at once. Edit distances are
    computed in the order of the bound, until it reaches the best one found.

    Args:
        sentences: those to measure.
        training: those that training has seen, all of them or those of one language.

    Raises:
        ValueError: if there is no training sentence.

    Example:
        >>> nearest_distances(["Where is Ana?", "Go!"], ["Where is Tom?", "Stop it!"])
        [1, 2]
    """
    index = _Index(training)
    known: dict[str, int] = {}
    keys = [normalize(sentence) for sentence in sentences]
    for key in keys:
        if key not in known:
            known[key] = index.nearest(key.split())
    return [known[key] for key in keys]


def far_pairs(splits: Mapping[str, Sequence[Pair]], part: str = "test") -> list[Pair]:
    """Return the pairs of a part whose source has no near neighbor in training.

    A sentence is far if at least half of its words must change to turn it into any
    training sentence of its language. A source is kept if it is far, and if each of its
    translations is. So the part follows from the corpus alone, and stays fixed.

    Args:
        splits: the parts of a corpus, with ``"train"`` among them.
        part: the one to choose from.

    Raises:
        ValueError: if there are no training pairs, or there is no such part.

    Example:
        >>> train = [("Where is Tom?", "¿Dónde está Tom?")]
        >>> test = [("Where is Ana?", "¿Dónde está Ana?"), ("I slept well.", "Dormí.")]
        >>> far_pairs({"train": train, "test": test})
        [('I slept well.', 'Dormí.')]
    """
    for name in ("train", part):
        if not splits.get(name):
            raise ValueError(
                f"Far pairs need the parts 'train' and {part!r}, but there is no pair "
                f"in {name!r}; the parts are: {', '.join(splits)}."
            )
    pairs = list(splits[part])
    is_far = [
        _are_far(
            [pair[side] for pair in pairs], [pair[side] for pair in splits["train"]]
        )
        for side in (0, 1)
    ]
    near = {
        source
        for (source, _), *both in zip(pairs, *is_far, strict=True)
        if not all(both)
    }
    return [pair for pair in pairs if pair[0] not in near]


def with_far_parts(
    splits: Mapping[str, Sequence[Pair]], asked: Iterable[str]
) -> dict[str, Sequence[Pair]]:
    """Add the far parts that are asked for: ``"test-far"`` is that of ``"test"``.

    Args:
        splits: the parts of a corpus.
        asked: names of parts; those that do not end in ``-far`` change nothing.

    Raises:
        ValueError: if no sentence of such a part is far.

    Example:
        >>> splits = {"train": [("Hello!", "¡Hola!")], "test": [("We sing.", "Canto.")]}
        >>> list(with_far_parts(splits, ["test", "test-far"]))
        ['train', 'test', 'test-far']
    """
    found = dict(splits)
    for name in asked:
        part, dash, _ = name.rpartition("-far")
        if dash and name not in splits and part in splits:
            found[name] = far_pairs(splits, part)
            if not found[name]:
                raise ValueError(
                    f"No sentence of the part {part!r} is far from all training "
                    f"sentences, so there is no {name!r} to score."
                )
    return found


def _are_far(sentences: Sequence[str], training: Iterable[str]) -> list[bool]:
    distances = nearest_distances(sentences, training)
    sizes = [len(normalize(sentence).split()) for sentence in sentences]
    return [
        distance >= FAR * size for distance, size in zip(distances, sizes, strict=True)
    ]


class _Index:
    """The training sentences as a table of word numbers, and which hold a word."""

    def __init__(self, training: Iterable[str]) -> None:
        rows = [key.split() for key in dict.fromkeys(map(normalize, training))]
        if not rows:
            raise ValueError("There is no training sentence to compare with.")
        self.ids: dict[str, int] = {}
        self.sizes = np.array([len(row) for row in rows], dtype=np.int32)
        self.table = np.full((len(rows), max(1, self.sizes.max())), _NONE, np.int32)
        having: dict[tuple[str, int], list[int]] = {}
        for place, row in enumerate(rows):
            numbers = [self.ids.setdefault(word, len(self.ids)) for word in row]
            self.table[place, : len(row)] = numbers
            for word in _counted(row):
                having.setdefault(word, []).append(place)
        self.having = {word: np.array(found) for word, found in having.items()}

    def nearest(self, words: list[str]) -> int:
        """Return the distance of the nearest sentence."""
        bound = np.maximum(self.sizes, len(words))
        for word in _counted(words):
            if word in self.having:
                bound[self.having[word]] -= 1  # each place stands there once
        best = len(words) + int(self.sizes.min())
        numbers = [self.ids.get(word, _NONE - 1) for word in words]
        for least in range(int(bound.min()), int(bound.max()) + 1):
            if least >= best:
                break
            rows = np.flatnonzero(bound == least)
            if rows.size:
                best = min(best, int(self._edits(numbers, rows).min()))
        return best

    def _edits(self, words: list[int], rows: NDArray[Any]) -> _Ids:
        """Return the edit distance of some words to each of some rows."""
        sizes = self.sizes[rows]
        table = self.table[rows, : sizes.max()]
        # costs[:, j]: from the words so far to the first j words of a row.
        costs = np.tile(np.arange(table.shape[1] + 1, dtype=np.int32), (len(rows), 1))
        for place, word in enumerate(words, 1):
            replaced = costs[:, :-1] + (table != word)
            costs[:, 1:] = np.minimum(replaced, costs[:, 1:] + 1)
            costs[:, 0] = place
            for column in range(1, costs.shape[1]):  # a word too many in the row
                longer = costs[:, column - 1] + 1
                np.minimum(costs[:, column], longer, out=costs[:, column])
        found: _Ids = costs[np.arange(len(rows)), sizes]
        return found


def _counted(words: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Tell a word's first occurrence in a sentence from its second, and so on."""
    seen: dict[str, int] = {}
    for word in words:
        seen[word] = seen.get(word, 0) + 1
        yield word, seen[word]


KINDS = {
    "too short": "less than 0.6 of the words of the shortest reference",
    "too long": "more than 1.5 times the words of the longest reference",
    "repetition": "a word stands twice in a row",
    "copied word": "an English word was left as it is",
    "invented word": "a word that the training part does not hold",
    "negation": "a negation is missing, or there is one too many",
    "number": "the digits are not those of the source",
    "question": "a question became a statement, or the reverse",
    "other words": "none of these: other words, forms or order, right or wrong",
}
"""The kinds, each with what it means; the first eight can be told without a human."""

_NEGATIONS = {"no", "nunca", "jamás", "nada", "nadie", "ni", "tampoco", "sin"}
_NEGATIONS |= {"ningún", "ninguno", "ninguna", "ningunos", "ningunas"}


def kinds_of_mistakes(
    source: str,
    written: str,
    references: Sequence[str],
    known_words: Collection[str] | None = None,
) -> list[str]:
    """Name the mistakes of a translation that can be told without a human.

    A rule speaks only when no reference does what the translation does. One that
    equals a reference has no mistake; a good translation may still fall under "other
    words", because references are few.

    Args:
        source: the English sentence.
        written: what the model wrote.
        references: right translations.
        known_words: the Spanish words of the training part, in lower case; without
            them no word counts as invented.

    Returns:
        Names out of :data:`KINDS`, none for an exact match.

    Raises:
        ValueError: if there are no references.

    Example:
        >>> kinds_of_mistakes("He never eats.", "Él come come.", ["Él nunca come."])
        ['repetition', 'negation']
    """
    if not references:
        raise ValueError(f"There is no reference for {source!r}.")
    if written in references:
        return []
    words = _words(written)
    right = [_words(reference) for reference in references]
    lengths = [len(answer) for answer in right]
    allowed = set().union(*right)
    found = {
        "too short": len(words) < 0.6 * min(lengths),
        "too long": len(words) > 1.5 * max(lengths),
        "repetition": _repeats(words) and not any(map(_repeats, right)),
        "copied word": bool(_copied(source, written) - allowed),
        "invented word": known_words is not None
        and _invented(set(words) - allowed, known_words),
        "negation": _differs(words, right, _negated),
        "number": _differs(words, right, _digits)
        and _digits(words) != _digits(_words(source)),
        "question": ("?" in written) != ("?" in source)
        and not any(("?" in text) == ("?" in written) for text in references),
    }
    return [kind for kind, is_so in found.items() if is_so] or ["other words"]


def _words(sentence: str) -> list[str]:
    return [token.lower() for token in tokenize(sentence) if token[0].isalnum()]


def _repeats(words: Sequence[str]) -> bool:
    return any(one == other for one, other in itertools.pairwise(words))


def _copied(source: str, written: str) -> set[str]:
    # Names stay as they are, and short words may be words of both languages.
    english = {token for token in tokenize(source) if token.islower()}
    return {
        token
        for token in tokenize(written)
        if token in english and len(token) > 3 and token.isalpha()
    }


def _invented(words: Collection[str], known_words: Collection[str]) -> bool:
    return any(word not in known_words for word in words if word.isalpha())


def _differs(
    words: list[str],
    right: Sequence[list[str]],
    trait: Callable[[list[str]], object],
) -> bool:
    return all(trait(words) != trait(answer) for answer in right)


def _negated(words: list[str]) -> bool:
    return not _NEGATIONS.isdisjoint(words)


def _digits(words: list[str]) -> list[str]:
    return sorted(word for word in words if word.isdecimal())
