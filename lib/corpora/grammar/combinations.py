"""Which words meet in a sentence, found in its meaning and not in its letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lib.corpora.grammar import meaning
from lib.corpora.grammar.lexicon import Adjective, Verb


class Combination(NamedTuple):
    """Two English words that meet: a verb and its object, an adjective and a noun."""

    kind: str  # "verb" or "adjective", which is what the first word is
    word: str
    noun: str


def combinations(sentence: meaning.Sentence) -> frozenset[Combination]:
    """Collect each verb with its object, each adjective with the noun it describes."""
    return frozenset(_walk(sentence))


def verb_and_noun(verb: Verb, noun: str) -> Combination:
    """The combination of a verb with its object."""
    return Combination("verb", verb.name, noun)


def _walk(
    part: meaning.Sentence | meaning.Object | meaning.Act | meaning.Place | None,
) -> Iterator[Combination]:
    """Visit every part of a meaning."""
    match part:
        case meaning.Clause(subject=subject, predicate=predicate):
            yield from _walk(subject)
            yield from _predicate(subject, predicate)
        case (
            meaning.Chain(first=first, second=second)
            | meaning.Because(main=first, reason=second)
            | meaning.Joined(first=first, second=second)
            | meaning.Report(subject=first, content=second)
            | meaning.Both(first=first, second=second)
        ):
            yield from _walk(first)
            yield from _walk(second)
        case meaning.Contrast(first=clause, other=other):
            yield from _walk(clause)
            yield from _walk(meaning.Clause(other, clause.predicate))
        case meaning.Act():
            yield from _act(part)
        case (
            meaning.Place(where=meaning.Phrase() as named) | meaning.Again(phrase=named)
        ):
            yield from _walk(named)
        case meaning.Phrase(noun=noun, adjective=Adjective() as adjective):
            yield Combination("adjective", adjective.english, noun.english)


def _predicate(
    subject: meaning.Subject, predicate: meaning.Predicate
) -> Iterator[Combination]:
    """The combinations that a predicate makes, some of them with its subject."""
    match predicate:
        case meaning.Act():
            yield from _act(predicate)
        case meaning.Quality(adjective=adjective) if isinstance(
            subject, meaning.Phrase
        ):
            yield Combination("adjective", adjective.english, subject.noun.english)
        case meaning.Feel(verb=verb, thing=meaning.Phrase() as thing):
            yield verb_and_noun(verb, thing.noun.english)
            yield from _walk(thing)
        case meaning.Exist(place=place) | meaning.Location(place=place):
            yield from _walk(place)


def _act(act: meaning.Act) -> Iterator[Combination]:
    """The verb with each noun in its object, and what stands around them."""
    for phrase in _phrases(act.object):
        yield verb_and_noun(act.verb, phrase.noun.english)
    for part in (act.object, act.recipient, act.place):
        yield from _walk(part)


def _phrases(part: meaning.Object | None) -> Iterator[meaning.Phrase]:
    """The noun phrases of an object, through "it" and "and"."""
    match part:
        case meaning.Phrase():
            yield part
        case meaning.Again(phrase=phrase):
            yield phrase
        case meaning.Both(first=first, second=second):
            yield first
            yield second
