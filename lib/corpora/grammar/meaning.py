"""What a sentence means, before it is said in any language.

English and Spanish are both made from these classes, so the right translation of
every sentence is known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

from lib.corpora.grammar.lexicon import Adjective, GenderedWord, Time, Verb, Word
from lib.corpora.grammar.referents import Object, Phrase, Place, Subject


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
