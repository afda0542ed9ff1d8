"""Who and what a sentence speaks of: people, things and places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lib.corpora.grammar.lexicon import Adjective, GenderedWord, Noun, Word


class Combination(NamedTuple):
    """Two English words that meet: a verb and its object, an adjective and a noun."""

    kind: str  # "verb" or "adjective", which is what the first word is
    word: str
    noun: str


@dataclass(frozen=True)
class Pronoun:
    """A person of the conversation, with its forms in both languages."""

    english: str
    english_object: str
    english_owner: str
    spanish: str
    direct: str
    indirect: str
    person: str
    gender: str = "m"  # of speakers and hearers: the unmarked masculine
    dropped: bool = False  # Spanish leaves it out as a subject

    @property
    def plural(self) -> bool:
        """Whether it stands for several."""
        return self.person.endswith("p")

    @property
    def third(self) -> bool:
        """Whether it is neither the speaker nor the hearer."""
        return self.person.startswith("3")


I = Pronoun("I", "me", "my", "yo", "me", "me", "1s", dropped=True)  # noqa: E741
YOU = Pronoun("you", "you", "your", "tú", "te", "te", "2s", dropped=True)
HE = Pronoun("he", "him", "his", "él", "lo", "le", "3s")
SHE = Pronoun("she", "her", "her", "ella", "la", "le", "3s", gender="f")
WE = Pronoun("we", "us", "our", "nosotros", "nos", "nos", "1p", dropped=True)
THEY = Pronoun("they", "them", "their", "ellos", "los", "les", "3p")
WHO = Pronoun("who", "whom", "whose", "quién", "", "", "3s")
PRONOUNS = (I, YOU, HE, SHE, WE, THEY)


@dataclass(frozen=True)
class People:
    """One person, or two, by name."""

    names: tuple[GenderedWord, ...]

    @property
    def gender(self) -> str:
        """Feminine if everyone is."""
        return "f" if all(name.gender == "f" for name in self.names) else "m"

    @property
    def plural(self) -> bool:
        """Whether there are several."""
        return len(self.names) > 1

    @property
    def person(self) -> str:
        """The person of the verb."""
        return "3p" if self.plural else "3s"


@dataclass(frozen=True)
class Phrase:
    """A noun with its determiner and perhaps an adjective: "the red car"."""

    noun: Noun
    determiner: str = "the"
    plural: bool = False
    adjective: Adjective | None = None

    @property
    def gender(self) -> str:
        """The gender of the Spanish noun."""
        return self.noun.gender

    @property
    def person(self) -> str:
        """The person of the verb."""
        return "3p" if self.plural else "3s"

    def combinations(self) -> Iterator[Combination]:
        """The adjective together with the noun that it stands beside."""
        if self.adjective:
            yield Combination("adjective", self.adjective.english, self.noun.english)


@dataclass(frozen=True)
class Both:
    """Two phrases joined by "and": "bread and cheese"."""

    first: Phrase
    second: Phrase


@dataclass(frozen=True)
class Again:
    """A pronoun for a phrase named before: "it", "them"."""

    phrase: Phrase


Subject = Pronoun | People | Phrase
Object = Phrase | Both | Pronoun | People | Again


@dataclass(frozen=True)
class Place:
    """Where something happens: a phrase, the name of a city, or home."""

    way: str  # "in", "on", "to", "from"
    where: Phrase | Word
    preposition: str = ""  # the English one
