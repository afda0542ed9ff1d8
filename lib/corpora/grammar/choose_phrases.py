"""Choosing nouns with what stands beside them: phrases, people, places."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from lib.corpora.grammar.lexicon import (
    ADJECTIVES,
    CITIES,
    NAMES,
    NOUNS,
    SMALL_NUMBERS,
    Adjective,
    Noun,
    Verb,
    Word,
    kinds,
)
from lib.corpora.grammar.meaning import (
    PRONOUNS,
    People,
    Phrase,
    Place,
    Pronoun,
    Subject,
)

Choice = TypeVar("Choice")

_OWNERS = {"my": 7, "your": 6, "his": 4, "her": 4, "our": 4, "their": 4}
_NUMBERS = {number.english: 4 for number in SMALL_NUMBERS}

# How often each determiner is chosen, by the sort of phrase that is wanted.
SINGULAR = {"the": 40, "a": 26, "this": 8, "that": 6, **_OWNERS}
PLURAL = {"the": 40, "this": 7, "that": 6, "many": 6, **_NUMBERS, **_OWNERS}
KNOWN = {"the": 40, "this": 9, "that": 7, **_OWNERS}
POINTED = {"the": 60, "this": 9, "that": 7}
SOMEBODY = {"the": 50, "a": 25, "this": 9, "that": 7}
_PLACES = {"the": 60, "this": 5, "that": 5, **_OWNERS}
_PUBLIC_PLACES = {"the": 80, "this": 6, "that": 6}
NEW = {"a": 10}
NEW_PLURAL = {"many": 4, **_NUMBERS}

HOME = Word("home", "casa")
_SUBJECTS = dict(zip(PRONOUNS, (16, 16, 7, 7, 16, 13), strict=True))
_PUBLIC = kinds("place sight outdoor watched awaited unowned")


@functools.cache
def nouns_of(sorts: frozenset[str]) -> tuple[Noun, ...]:
    """All nouns that are of one of the kinds, in the order of the lexicon."""
    found = tuple(noun for noun in NOUNS if noun.kinds & sorts)
    if not found:
        raise ValueError(
            f"No noun is of the kinds {', '.join(sorted(sorts))}, and sentences need "
            "one; add it to nouns.csv."
        )
    return found


@functools.cache
def adjectives_of(noun: Noun) -> tuple[Adjective, ...]:
    """The adjectives that may stand beside a noun."""
    return tuple(a for a in ADJECTIVES if a.modifies & noun.kinds)


def pick(random: Random, weights: Mapping[Choice, int]) -> Choice:
    """Choose one by its weight."""
    (chosen,) = random.choices(list(weights), list(weights.values()))
    return chosen


def choose_phrase(
    random: Random,
    noun: Noun,
    singular: dict[str, int] = SINGULAR,
    plural: dict[str, int] = PLURAL,
    bare: bool = False,
    adjective_chance: float = 0.3,
) -> Phrase:
    """Choose a determiner, a number and perhaps an adjective for a noun.

    Args:
        random: where the chances come from.
        noun: the noun.
        singular: determiners of the singular by weight.
        plural: determiners of the plural by weight; none means no plural.
        bare: whether a plural may stand without determiner.
        adjective_chance: how often an adjective is added, from 0 to 1.
    """
    adjectives = adjectives_of(noun)
    adjective = None
    if adjectives and random.random() < adjective_chance:
        adjective = random.choice(adjectives)
    singular, plural = _suit(noun, singular, plural)
    if "mass" in noun.kinds:
        weights = {"": 40, **singular} if bare else dict(singular)
        weights.pop("a", None)
        return Phrase(noun, pick(random, weights), False, adjective)
    if "single" in noun.kinds or not plural or random.random() < 0.62:
        return Phrase(noun, pick(random, singular), False, adjective)
    weights = {**plural, "": 30} if bare else plural
    return Phrase(noun, pick(random, weights), True, adjective)


def _suit(
    noun: Noun, singular: dict[str, int], plural: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """Keep the determiners that suit a noun: a mother is always somebody's."""
    if "kin" in noun.kinds and "the" in singular:
        return _OWNERS, _OWNERS
    if noun.kinds & _PUBLIC and "own" not in noun.kinds:
        return _without_owners(singular), _without_owners(plural)
    if "room" in noun.kinds:
        return singular, _without_owners(plural)
    return singular, plural


def _without_owners(weights: dict[str, int]) -> dict[str, int]:
    """Nobody speaks of "my beach", nor of "our bathrooms"."""
    return {name: weight for name, weight in weights.items() if name not in _OWNERS}


def choose_person(random: Random, new: bool = False) -> Phrase:
    """Choose somebody without a name: the girl, my uncle, and if new, a woman."""
    kind = "person" if random.random() < 0.6 else "kin"
    noun = random.choice(nouns_of(frozenset({kind})))
    return choose_phrase(
        random, noun, SOMEBODY if new else POINTED, POINTED, adjective_chance=0.15
    )


def choose_people(random: Random, pair_chance: float = 0.2) -> People:
    """Choose one name, or two different ones."""
    count = 2 if random.random() < pair_chance else 1
    return People(tuple(random.sample(NAMES, count)))


def choose_pronoun(random: Random) -> Pronoun:
    """Choose one of I, you, he, she, we, they."""
    return pick(random, _SUBJECTS)


def choose_subject(random: Random) -> Subject:
    """Choose somebody who acts."""
    return choose_pronoun(random) if random.random() < 0.7 else choose_named(random)


def choose_named(random: Random) -> People | Phrase:
    """Choose somebody by name or by a noun."""
    if random.random() < 0.43:
        return choose_people(random, pair_chance=0.25)
    return choose_person(random)


def others(subject: Subject, candidates: Sequence[Pronoun]) -> list[Pronoun]:
    """The pronouns that can be the object of a subject without being reflexive."""
    if not isinstance(subject, Pronoun):
        return list(candidates)
    first = {"1s", "1p"}
    return [
        other
        for other in candidates
        if other != subject and not (subject.person in first and other.person in first)
    ]


def choose_place(random: Random, verb: Verb) -> Place:
    """Choose a place for a verb: where it happens, its goal or its start."""
    way, preposition = "in", ""
    if "toward" in verb.traits:
        way, preposition = "to", "at" if verb.english == "arrive" else "to"
    elif "from" in verb.traits:
        way = "from"
    at_home = verb.english in ("arrive", "go", "leave", "return", "work")
    if at_home and random.random() < 0.12:
        return Place(way, HOME, "at" if way == "in" else "")
    if random.random() < 0.25 and verb.english in ("go", "return", "live"):
        return Place(way, random.choice(CITIES), "in" if way == "in" else "to")
    noun = random.choice(nouns_of(verb.places))
    if way == "in":
        preposition = at_or_in(noun)
    return Place(way, choose_place_phrase(random, noun), preposition)


def choose_place_phrase(random: Random, noun: Noun) -> Phrase:
    """Choose a noun for a place: mostly the only one that there is."""
    weights = _PLACES if "own" in noun.kinds else _PUBLIC_PLACES
    return choose_phrase(random, noun, weights, {}, adjective_chance=0.12)


def at_or_in(noun: Noun) -> str:
    """The English preposition of a place; Spanish has one for both."""
    return "at" if "at" in noun.kinds else "in"
