"""Kinds of mistakes: what a Spanish translation of an English sentence got wrong."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence

from lib.text.words import tokenize

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


def group_by(
    values: Sequence[int], edges: Sequence[int]
) -> list[tuple[str, list[int]]]:
    """Sort sentences into groups by a number, such as their length.

    Args:
        values: one number for each sentence.
        edges: the smallest number of each group, in growing order.

    Returns:
        For each group its name and which sentences are in it, by their place.

    Raises:
        ValueError: if a number lies below the first edge, or the edges do not grow.

    Example:
        >>> group_by([1, 3, 9, 2], edges=[1, 3, 6])
        [('1 to 2', [0, 3]), ('3 to 5', [1]), ('6 or more', [2])]
    """
    if list(edges) != sorted(set(edges)) or not edges:
        raise ValueError(f"The edges must grow from one to the next: {list(edges)}.")
    if values and min(values) < edges[0]:
        raise ValueError(f"{min(values)} lies below the first edge, {edges[0]}.")
    groups = []
    for place, low in enumerate(edges):
        high = edges[place + 1] if place + 1 < len(edges) else None
        members = [
            number
            for number, value in enumerate(values)
            if value >= low and (high is None or value < high)
        ]
        groups.append((_range_name(low, high), members))
    return groups


def _range_name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return f"{low}" if high == low + 1 else f"{low} to {high - 1}"


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
