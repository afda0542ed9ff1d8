"""Which words meet in a sentence, found in its meaning and not in its letters."""

from __future__ import annotations

from collections.abc import Iterator

from lib.corpora.grammar.lexicon import Verb
from lib.corpora.grammar.meaning import (
    Act,
    Because,
    Chain,
    Clause,
    Contrast,
    Exist,
    Feel,
    Joined,
    Location,
    Predicate,
    Quality,
    Report,
    Sentence,
)
from lib.corpora.grammar.referents import (
    Again,
    Both,
    Combination,
    Object,
    Phrase,
    Place,
    Subject,
)

_Part = Sentence | Subject | Object | Act | Place


def combinations(sentence: Sentence) -> frozenset[Combination]:
    """Collect each verb with its object, each adjective with the noun it describes."""
    return frozenset(_walk(sentence))


def verb_and_noun(verb: Verb, noun: str) -> Combination:
    """The combination of a verb with its object."""
    return Combination("verb", verb.name, noun)


def _walk(sentence: _Part | None) -> Iterator[Combination]:
    """Visit every part of a meaning."""
    match sentence:
        case Clause(subject=subject, predicate=predicate):
            yield from _walk(subject)
            yield from _predicate(subject, predicate)
        case Chain(first=first, second=second):
            yield from _walk(first)
            yield from _walk(second)
        case Because(main=first, reason=second) | Joined(first=first, second=second):
            yield from _walk(first)
            yield from _walk(second)
        case Report(subject=subject, content=content):
            yield from _walk(subject)
            yield from _walk(content)
        case Contrast(first=first, other=other):
            yield from _walk(first)
            yield from _walk(Clause(other, first.predicate))
        case Act():
            yield from _act(sentence)
        case Place(where=Phrase() as phrase) | Again(phrase=phrase):
            yield from phrase.combinations()
        case Phrase():
            yield from sentence.combinations()
        case Both(first=first_phrase, second=second_phrase):
            yield from first_phrase.combinations()
            yield from second_phrase.combinations()


def _predicate(subject: Subject, predicate: Predicate) -> Iterator[Combination]:
    """The combinations that a predicate makes, some of them with its subject."""
    match predicate:
        case Act():
            yield from _act(predicate)
        case Quality(adjective=adjective) if isinstance(subject, Phrase):
            yield Combination("adjective", adjective.english, subject.noun.english)
        case Feel(verb=verb, thing=Phrase() as thing):
            yield verb_and_noun(verb, thing.noun.english)
            yield from thing.combinations()
        case Exist(place=place) | Location(place=place):
            yield from _walk(place)


def _act(act: Act) -> Iterator[Combination]:
    """The verb with each noun in its object, and what stands around them."""
    for phrase in _phrases(act.object):
        yield verb_and_noun(act.verb, phrase.noun.english)
    for part in (act.object, act.recipient, act.place):
        yield from _walk(part)


def _phrases(part: Object | None) -> Iterator[Phrase]:
    """The noun phrases of an object, through "it" and "and"."""
    match part:
        case Phrase():
            yield part
        case Again(phrase=phrase):
            yield phrase
        case Both(first=first, second=second):
            yield first
            yield second
