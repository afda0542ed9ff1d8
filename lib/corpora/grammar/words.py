"""The kinds of words that the lexicon is made of, and their regular forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

VOWELS = "aeiou"

# Words that the rules below get wrong.
_ENGLISH_PLURALS = {
    "foot": "feet",
    "knife": "knives",
    "man": "men",
    "mouse": "mice",
    "potato": "potatoes",
    "scarf": "scarves",
    "tomato": "tomatoes",
    "tooth": "teeth",
    "wolf": "wolves",
    "woman": "women",
}
_SPANISH_PLURALS = {
    "examen": "exámenes",
    "joven": "jóvenes",
    "paraguas": "paraguas",
}
_UNACCENTED = str.maketrans("áéíóú", "aeiou")


class Word(NamedTuple):
    """What needs no more than its name in both languages: a city, a number."""

    english: str
    spanish: str


class GenderedWord(NamedTuple):
    """A name of a person or a part of the body, with its Spanish gender."""

    english: str
    spanish: str
    gender: str  # "m" or "f"


class Time(NamedTuple):
    """When something happens, and the tenses that may stand with it."""

    english: str
    spanish: str
    tenses: tuple[str, ...]


class VerbKey(NamedTuple):
    """What tells one verb from all others."""

    english: str  # with its particle: "look for"
    spanish: str


@dataclass(frozen=True)
class Noun:
    """A noun in both languages, with what decides its forms and its partners."""

    english: str
    spanish: str
    gender: str  # "m" or "f"
    kinds: frozenset[str]  # what it is: selects verbs, adjectives, determiners

    def spanish_form(self, plural: bool) -> str:
        """The Spanish word in the number asked for."""
        return spanish_plural(self.spanish) if plural else self.spanish


@dataclass(frozen=True)
class Adjective:
    """An adjective, the nouns it goes with and the copula it asks for."""

    english: str
    spanish: str  # masculine singular
    modifies: frozenset[str]  # kinds of noun that it may stand beside
    predicated: frozenset[str]  # kinds of noun that may *be* so
    copula: str  # "ser" or "estar"
    before: bool = False  # stands before its noun: "un buen libro"


@dataclass(frozen=True)
class Verb:
    """A verb of both languages and the classes of words that it goes with."""

    english: str
    past: str
    spanish: str  # infinitive
    objects: frozenset[str] = frozenset()  # kinds of noun as its object
    places: frozenset[str] = frozenset()  # kinds of place
    traits: frozenset[str] = frozenset()  # see lexicon.py
    particle: str = ""  # "for" in "look for"

    @property
    def key(self) -> VerbKey:
        """What tells "play" (jugar) from "play" (tocar)."""
        return VerbKey(f"{self.english} {self.particle}".strip(), self.spanish)


def kinds(text: str) -> frozenset[str]:
    """Read the kinds that stand in a cell of a table."""
    return frozenset(text.split())


def english_plural(noun: str) -> str:
    """Put an English noun into the plural.

    Example:
        >>> [english_plural(noun) for noun in ("church", "story", "boy", "man")]
        ['churches', 'stories', 'boys', 'men']
    """
    return _ENGLISH_PLURALS.get(noun) or add_s(noun)


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
    if word in _SPANISH_PLURALS:
        return _SPANISH_PLURALS[word]
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
