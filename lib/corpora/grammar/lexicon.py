"""The words of the grammar: what each of them holds, and the tables they stand in.

A noun's kinds say what it is. A verb, an adjective or a place asks for a kind, so that
nobody eats a house. The Spanish is that of Spain: coche, patata, zumo.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from lib.corpora.grammar.forms import spanish_plural
from lib.corpora.grammar.tables import read


@dataclass(frozen=True)
class Word:
    """What needs no more than its name in both languages: a city, a number."""

    english: str
    spanish: str


@dataclass(frozen=True)
class GenderedWord:
    """A name of a person or a part of the body, with its Spanish gender."""

    english: str
    spanish: str
    gender: str  # "m" or "f"


@dataclass(frozen=True)
class Time:
    """When something happens, and the tenses that may stand with it."""

    english: str
    spanish: str
    tenses: frozenset[str]


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
    copula: str  # "ser" or "estar"
    modifies: frozenset[str]  # kinds of noun that it may stand beside
    predicated: frozenset[str]  # kinds of noun that may *be* so
    short: str = ""  # its form before a noun, if it stands there: "un buen libro"


@dataclass(frozen=True)
class Verb:
    """A verb of both languages and the classes of words that it goes with."""

    english: str
    past: str
    spanish: str  # infinitive
    objects: frozenset[str] = frozenset()  # kinds of noun as its object
    places: frozenset[str] = frozenset()  # kinds of place
    traits: frozenset[str] = frozenset()  # of those in traits.csv
    particle: str = ""  # "for" in "look for"

    @property
    def name(self) -> str:
        """The English verb with its particle."""
        return f"{self.english} {self.particle}".strip()


class Trait(NamedTuple):
    """What decides how a verb is used, besides its objects and its places."""

    trait: str
    meaning: str


class Chain(NamedTuple):
    """What somebody may do with a thing, and then do with it again."""

    before: str
    after: str


class Reason(NamedTuple):
    """What somebody who feels so does, and what he cannot do."""

    state: str
    does: tuple[str, ...]
    cannot: tuple[str, ...]


GENDERS = ("m", "f")
TENSES = ("present", "past", "future")

NOUNS = tuple(
    replace(noun, kinds=noun.kinds | {noun.english})  # each is a kind of its own
    for noun in read("nouns.csv", Noun, gender=GENDERS)
)
_KINDS = frozenset().union(*(noun.kinds for noun in NOUNS))

_TRAITS = frozenset(each.trait for each in read("traits.csv", Trait))


def _read_verbs(file: str) -> tuple[Verb, ...]:
    return read(file, Verb, objects=_KINDS, places=_KINDS, traits=_TRAITS)


VERBS = _read_verbs("verbs.csv")
SAYINGS = _read_verbs("sayings.csv")
# The Spanish verb turns the sentence round. In "Ana is interested in art", the copula
# and its words do the verb's work.
FEELINGS = _read_verbs("feelings.csv")
BE = Verb("be", "was", "ser")

ADJECTIVES = read(
    "adjectives.csv",
    Adjective,
    copula=("ser", "estar"),
    modifies=_KINDS,
    predicated=_KINDS,
)
# The Spanish is masculine; the feminine follows the rules of adjectives.
PROFESSIONS = read("professions.csv", Word)
CITIES = read("cities.csv", Word)
# What one is in English and has in Spanish.
IDIOMS = read("idioms.csv", Word)
SMALL_NUMBERS = read("small_numbers.csv", Word)
LARGE_NUMBERS = read("large_numbers.csv", Word)
NAMES = read("names.csv", GenderedWord, gender=GENDERS)
BODY = read("body.csv", GenderedWord, gender=GENDERS)
TIMES = read("times.csv", Time, tenses=TENSES)

_NAMES_OF_VERBS = frozenset(verb.name for verb in VERBS)
_STATES = {each.english for each in ADJECTIVES} | {each.english for each in IDIOMS}
CHAINS = read("chains.csv", Chain, before=_NAMES_OF_VERBS, after=_NAMES_OF_VERBS)
REASONS = read(
    "reasons.csv",
    Reason,
    state=_STATES,
    does=_NAMES_OF_VERBS,
    cannot=_NAMES_OF_VERBS,
)


def verb(name: str) -> Verb:
    """Find a verb by its English name; "play" gives the first of the two.

    Example:
        >>> verb("look for").spanish
        'buscar'
    """
    return next(each for each in VERBS if each.name == name)


def times_of(tense: str) -> list[Time]:
    """The times that may stand with a tense, in the order of the table."""
    return [time for time in TIMES if tense in time.tenses]


def kinds(text: str) -> frozenset[str]:
    """Name some kinds of noun, or traits of verbs, with spaces between them."""
    return frozenset(text.split())
