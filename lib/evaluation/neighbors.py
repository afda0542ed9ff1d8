"""How near a test sentence stands to training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lib.corpora import Pair, normalize

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
        having: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            numbers = [self.ids.setdefault(word, len(self.ids)) for word in row]
            self.table[place, : len(row)] = numbers
            for word in {*row}:
                having.setdefault(word, []).append(place)
        self.having = {word: np.array(found) for word, found in having.items()}

    def nearest(self, words: list[str]) -> int:
        """Return the distance of the nearest sentence."""
        bound = np.maximum(self.sizes, len(words))
        for word in words:
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
        inserted = np.arange(table.shape[1] + 1, dtype=np.int32)
        # costs[:, j]: from the words so far to the first j words of a row.
        costs = np.tile(inserted, (len(rows), 1))
        for place, word in enumerate(words, 1):
            replaced = costs[:, :-1] + (table != word)
            costs[:, 1:] = np.minimum(replaced, costs[:, 1:] + 1)
            costs[:, 0] = place
            # Or else as many words too many in the row as it has behind another place.
            costs = np.minimum.accumulate(costs - inserted, axis=1) + inserted
        found: _Ids = costs[np.arange(len(rows)), sizes]
        return found
