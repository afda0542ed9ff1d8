"""Choosing what people and things are: states, places, tastes and pains."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.grammar.choose_phrases import (
    HOME,
    KNOWN,
    NEW,
    NEW_PLURAL,
    at_or_in,
    choose_people,
    choose_phrase,
    choose_place_phrase,
    choose_subject,
    nouns_of,
    pick,
)
from lib.corpora.grammar.lexicon import (
    ADJECTIVES,
    CITIES,
    IDIOMS,
    LARGE_NUMBERS,
    PROFESSIONS,
    TIMES,
    Noun,
    kinds,
    times_of,
)
from lib.corpora.grammar.meaning import (
    Age,
    Clause,
    Cost,
    Exist,
    I,
    Idiom,
    Location,
    Origin,
    People,
    Phrase,
    Place,
    Predicate,
    Profession,
    Quality,
    Subject,
)

_OF_PEOPLE = tuple(a for a in ADJECTIVES if "kin" in a.predicated)
_STATES = tuple(a for a in _OF_PEOPLE if a.copula == "estar")
_OF_THINGS = tuple(a for a in ADJECTIVES if a.predicated and "kin" not in a.predicated)
_ROOMS = kinds("room place stay")
_PLACES = kinds("place room outdoor sight")
_STABLES = kinds("outdoor house farm kitchen")
_STORED = kinds("kitchen house restaurant hotel")
_SMALL = kinds("small counted")
_THERE = kinds("common pet small counted food drink occasion")
_FORESEEN = frozenset({"busy", "tired", "happy", "open", "closed", "full", "empty"})


def finish(random: Random, clause: Clause, question_chance: float = 0.18) -> Clause:
    """Negate a clause, ask it, or leave it."""
    asks_self = clause.subject == I
    if not asks_self and random.random() < question_chance:
        return replace(clause, question="yes-no")
    return replace(clause, negative=random.random() < 0.2)


def with_time(random: Random, clause: Clause) -> Clause:
    """A state in the past or the future needs its time: "estuvo enferma ayer"."""
    tenses = ["present", "present", "past"]
    if _can_be_foreseen(clause.predicate):
        tenses.append("future")
    tense = random.choice(tenses)
    if tense == "present":
        today = next(time for time in TIMES if time.english == "today")
        return replace(clause, time=today) if random.random() < 0.15 else clause
    times = [time for time in times_of(tense) if time.english != "today"]
    return replace(clause, tense=tense, time=random.choice(times))


def _can_be_foreseen(predicate: Predicate) -> bool:
    """Whether one knows today that it will be so tomorrow."""
    if isinstance(predicate, Quality):
        return predicate.adjective.english in _FORESEEN
    return isinstance(predicate, Location)


def choose_being(random: Random) -> Clause | None:
    """Choose a sentence that English says with "to be", or the price of a thing."""
    return pick(random, _BEINGS)(random)


def choose_state(random: Random) -> Clause:
    """Somebody is tired: estar."""
    clause = Clause(choose_subject(random), Quality(random.choice(_STATES)))
    clause = finish(random, with_time(random, clause))
    plain = clause.tense == "present" and not clause.time
    if plain and not clause.negative and not clause.question and random.random() < 0.12:
        return replace(clause, frequency=random.choice(("always", "never")))
    return clause


def _choose_trait(random: Random) -> Clause:
    """Somebody is tall: ser."""
    adjective = random.choice([a for a in _OF_PEOPLE if a.copula == "ser"])
    return finish(random, Clause(choose_subject(random), Quality(adjective)))


def _choose_thing(random: Random) -> Clause:
    """A thing is new, a film was long, a door is closed."""
    adjective = random.choice(_OF_THINGS)
    noun = random.choice(nouns_of(adjective.predicated))
    plural = {} if noun.kinds & _PLACES else KNOWN
    subject = choose_phrase(random, noun, KNOWN, plural, adjective_chance=0.0)
    clause = Clause(subject, Quality(adjective))
    if noun.kinds & kinds("event hard") and random.random() < 0.5:
        clause = replace(clause, tense="past")
    elif adjective.copula == "estar" and noun.kinds & kinds("shop place"):
        clause = with_time(random, clause)
    return finish(random, clause)


def _choose_profession(random: Random) -> Clause:
    """Somebody is a doctor, or wants to be one."""
    clause = Clause(_choose_worker(random), Profession(random.choice(PROFESSIONS)))
    if random.random() < 0.25:
        clause = replace(clause, modal="want")
    return finish(random, clause)


def _choose_worker(random: Random) -> Subject:
    """Choose somebody whose profession or age is not known: neither king nor waiter."""
    while True:
        subject = choose_subject(random)
        if isinstance(subject, People):
            return choose_people(random, pair_chance=0.5)
        if not isinstance(subject, Phrase) or "relative" in subject.noun.kinds:
            return subject


def _choose_origin(random: Random) -> Clause:
    """Somebody is from Spain."""
    clause = Clause(choose_subject(random), Origin(random.choice(CITIES)))
    return finish(random, clause)


def _choose_location(random: Random) -> Clause:
    """Somebody is somewhere."""
    subject = choose_subject(random)
    if random.random() < 0.25:
        return Clause(subject, Location(None), question="where")
    clause = with_time(random, Clause(subject, Location(_choose_where(random))))
    return finish(random, clause)


def _choose_where(random: Random) -> Place:
    """Choose where somebody is."""
    chance = random.random()
    if chance < 0.15:
        return Place("in", HOME, "at")
    if chance < 0.35:
        return Place("in", random.choice(CITIES), "in")
    return _choose_room(random)


def _choose_room(random: Random, sorts: frozenset[str] = _ROOMS) -> Place:
    """Choose a room, a building or a park."""
    noun = random.choice(nouns_of(sorts))
    return Place("in", choose_place_phrase(random, noun), at_or_in(noun))


def _choose_surface(random: Random, thing: Noun) -> Place:
    """Choose something to put a thing on; food and cups stand on tables."""
    on_table = thing.kinds & kinds("food drink tableware")
    noun = random.choice(nouns_of(kinds("table" if on_table else "surface")))
    return Place("on", choose_place_phrase(random, noun), "on")


def _choose_lying(random: Random) -> Clause:
    """A thing is on the table, or where is it?"""
    noun = random.choice(nouns_of(_SMALL))
    subject = choose_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.2)
    if random.random() < 0.3:
        return Clause(subject, Location(None), question="where")
    return finish(random, Clause(subject, Location(_choose_surface(random, noun))))


def _choose_idiom(random: Random) -> Clause:
    """Somebody is hungry: tener hambre."""
    return finish(random, Clause(choose_subject(random), Idiom(random.choice(IDIOMS))))


def _choose_age(random: Random) -> Clause:
    """Somebody is ten years old."""
    clause = Clause(_choose_worker(random), Age(random.choice(LARGE_NUMBERS)))
    return finish(random, clause)


def _choose_cost(random: Random) -> Clause:
    """A thing costs ten euros."""
    noun = random.choice(nouns_of(kinds("thing")))
    subject = choose_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.3)
    return finish(random, Clause(subject, Cost(random.choice(LARGE_NUMBERS))))


_BEINGS = {
    choose_state: 18,
    _choose_trait: 11,
    _choose_thing: 27,
    _choose_profession: 10,
    _choose_origin: 5,
    _choose_location: 12,
    _choose_lying: 6,
    _choose_idiom: 7,
    _choose_age: 4,
    _choose_cost: 4,
}


def _where_kept(noun: Noun) -> frozenset[str]:
    """The kinds of place where there may be milk, a horse or a party."""
    if "mass" in noun.kinds:
        return _STORED
    return _STABLES if "pet" in noun.kinds else _ROOMS


def choose_existing(random: Random) -> Clause:
    """There is a cat in the kitchen: hay."""
    noun = random.choice(nouns_of(_THERE))
    phrase = choose_phrase(
        random, noun, NEW, NEW_PLURAL, bare=True, adjective_chance=0.15
    )
    if "mass" in noun.kinds:
        phrase = replace(phrase, determiner="")
    tense = "present"
    if "occasion" in noun.kinds:
        tense = random.choice(("present", "past", "future"))
    if noun.kinds & _SMALL:
        place = _choose_surface(random, noun)
    else:
        place = _choose_room(random, _where_kept(noun))
    clause = Clause(phrase, Exist(place), tense)
    if phrase.determiner == "":
        return finish(random, clause)
    return replace(clause, question="yes-no" if random.random() < 0.2 else "")
