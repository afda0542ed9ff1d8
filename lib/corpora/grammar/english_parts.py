"""English in parts: noun phrases, pronouns, places, and what follows a verb."""

from __future__ import annotations

from lib.corpora.grammar.forms import VOWELS, english_plural, join
from lib.corpora.grammar.meaning import (
    HE,
    SHE,
    THEY,
    Act,
    Again,
    Both,
    Object,
    People,
    Phrase,
    Place,
    Pronoun,
    Subject,
)

_PLURAL_DETERMINERS = {"this": "these", "that": "those", "a": ""}


def act_words(act: Act) -> str:
    """Object, recipient and place, in the order of English."""
    thing, place = object_words(act.object), place_words(act.place)
    recipient = object_words(act.recipient)
    # "gives me the book", but "gives the book to Ana" and "gives it to me".
    if isinstance(act.recipient, Pronoun) and not isinstance(act.object, Again):
        return join(act.verb.particle, recipient, thing, place)
    to = f"to {recipient}" if recipient else ""
    return join(act.verb.particle, thing, to, place)


def place_words(place: Place | None) -> str:
    """Name a place with its preposition."""
    if place is None:
        return ""
    if isinstance(place.where, Phrase):
        return join(place.preposition, phrase(place.where))
    return join(place.preposition, place.where.english)


def subject_words(subject: Subject) -> str:
    """Name a subject."""
    return subject.english if isinstance(subject, Pronoun) else object_words(subject)


def object_words(part: Object | None) -> str:
    """Name an object."""
    match part:
        case None:
            return ""
        case Pronoun():
            return part.english_object
        case People(names=names):
            return " and ".join(name.english for name in names)
        case Again(phrase=again):
            return "them" if again.plural else "it"
        case Both(first=first, second=second):
            return f"{phrase(first)} and {phrase(second)}"
    return phrase(part)


def phrase(part: Phrase) -> str:
    """Say a noun with its determiner and adjective."""
    noun = english_plural(part.noun.english) if part.plural else part.noun.english
    words = join(part.adjective.english if part.adjective else "", noun)
    determiner = part.determiner
    if part.plural:
        determiner = _PLURAL_DETERMINERS.get(determiner, determiner)
    return with_a(words) if determiner == "a" else join(determiner, words)


def with_a(words: str) -> str:
    """Put "a" or "an" before the words."""
    return f"an {words}" if words[0] in VOWELS else f"a {words}"


def pronoun_for(subject: Subject) -> Pronoun:
    """The pronoun that takes up a subject named before."""
    if isinstance(subject, Pronoun):
        return subject
    if subject.plural:
        return THEY
    return SHE if subject.gender == "f" else HE
