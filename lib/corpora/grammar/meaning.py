"""What a sentence means, before it is said in any language.

English and Spanish are both made from these classes, so the right translation of
every sentence is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

from lib.corpora.grammar.lexicon import (
    Adjective,
    GenderedWord,
    Noun,
    Time,
    Verb,
    Word,
)

# Who and what a sentence speaks of: people, things and places.


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


# What is said of them.


@dataclass(frozen=True)
class Act:
    """Somebody does something: a verb with what stands around it."""

    verb: Verb
    object: Object | None = None
    recipient: Subject | None = None
    place: Place | None = None


@dataclass(frozen=True)
class Quality:
    """To be tall, to be tired: the adjective decides between ser and estar."""

    adjective: Adjective


@dataclass(frozen=True)
class Profession:
    """To be a doctor."""

    word: Word


@dataclass(frozen=True)
class Origin:
    """To be from Spain."""

    word: Word


@dataclass(frozen=True)
class Location:
    """To be in the kitchen."""

    place: Place | None


@dataclass(frozen=True)
class Idiom:
    """To be hungry, where Spanish has hunger."""

    word: Word


@dataclass(frozen=True)
class Age:
    """To be ten years old."""

    number: Word


@dataclass(frozen=True)
class Cost:
    """To cost ten euros."""

    number: Word


@dataclass(frozen=True)
class Feel:
    """To like something, or to like to do something."""

    verb: Verb
    thing: Phrase | Verb


@dataclass(frozen=True)
class Hurt:
    """A part of the subject's body hurts."""

    part: GenderedWord
    plural: bool


@dataclass(frozen=True)
class Exist:
    """There is something somewhere; the clause's subject is what there is."""

    place: Place | None


# What English says with "to be", but for the price of a thing.
Being = Quality | Profession | Origin | Location | Idiom | Age | Cost
Predicate = Act | Being | Feel | Hurt | Exist


@dataclass(frozen=True)
class Clause:
    """One statement or question: who does what, when, and whether at all."""

    subject: Subject
    predicate: Predicate
    tense: str = "present"
    modal: str = ""  # "want", "need", "have", "can", "must", "going"
    negative: bool = False
    question: str = ""  # "yes-no", "what", "where", "when", "who"
    time: Time | None = None
    time_first: bool = False
    frequency: str = ""  # "always", "never"
    referring: bool = False  # the subject was named before: a pronoun is enough


@dataclass(frozen=True)
class Chain:
    """Two acts of one subject, the second upon the same object."""

    first: Clause
    second: Act


@dataclass(frozen=True)
class Because:
    """A clause and its reason."""

    main: Clause
    reason: Clause


@dataclass(frozen=True)
class Report:
    """To say, think or know that something is so."""

    subject: Subject
    verb: Verb
    content: Clause
    tense: str = "present"


@dataclass(frozen=True)
class Joined:
    """Two clauses side by side."""

    first: Clause
    second: Clause


@dataclass(frozen=True)
class Contrast:
    """One does, the other does not: "Ana is tired, but Carlos isn't"."""

    first: Clause
    other: Subject


Sentence = Clause | Chain | Because | Report | Joined | Contrast
