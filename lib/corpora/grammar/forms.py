"""The regular forms of words: plurals, endings, agreement."""

from __future__ import annotations

from typing import NamedTuple

from lib.corpora.grammar.tables import read

VOWELS = "aeiou"
_UNACCENTED = str.maketrans("áéíóú", "aeiou")


class _Plural(NamedTuple):
    """A plural that the rules below get wrong."""

    language: str
    singular: str
    plural: str


_PLURALS = {
    (each.language, each.singular): each.plural
    for each in read("plurals.csv", _Plural, language=("en", "es"))
}


def english_plural(noun: str) -> str:
    """Put an English noun into the plural.

    Example:
        >>> [english_plural(noun) for noun in ("church", "story", "boy", "man")]
        ['churches', 'stories', 'boys', 'men']
    """
    return _PLURALS.get(("en", noun)) or add_s(noun)


def add_s(word: str) -> str:
    """Add -s, -es or -ies: the plural of a noun, the third person of a verb.

    Example:
        >>> [add_s(word) for word in ("wash", "study", "play", "go")]
        ['washes', 'studies', 'plays', 'goes']
    """
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in ("go", "do"):
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def spanish_plural(word: str) -> str:
    """Put a Spanish noun or adjective into the plural, accents included.

    Example:
        >>> [spanish_plural(word) for word in ("casa", "jardín", "lápiz", "rey")]
        ['casas', 'jardines', 'lápices', 'reyes']
    """
    if ("es", word) in _PLURALS:
        return _PLURALS["es", word]
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if len(word) > 2 and word[-2] in "áéíóú" and word[-1] in "ns":
        # The stress stays where it was, so its mark is no longer needed.
        return word[:-2] + word[-2].translate(_UNACCENTED) + word[-1] + "es"
    return word + "es"


def spanish_adjective(word: str, gender: str, plural: bool) -> str:
    """Let a Spanish adjective agree with a noun.

    Example:
        >>> spanish_adjective("francés", "f", True)
        'francesas'
    """
    if gender == "f":
        if word.endswith("o"):
            word = word[:-1] + "a"
        elif word.endswith(("or", "ol")):
            word += "a"
        elif word.endswith(("és", "án")):
            word = word[:-2] + word[-2].translate(_UNACCENTED) + word[-1] + "a"
    return spanish_plural(word) if plural else word


def join(*words: str) -> str:
    """Join the words that are there."""
    return " ".join(filter(None, words))
