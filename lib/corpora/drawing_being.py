"""Drawing what people and things are: states, places, tastes and pains."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.drawing_acts import is_clear
from lib.corpora.drawing_phrases import (
    HOME,
    KNOWN,
    NEW,
    NEW_PLURAL,
    at_or_in,
    draw_phrase,
    draw_place_phrase,
    draw_pronoun,
    draw_subject,
    nouns_of,
)
from lib.corpora.lexicon import (
    ADJECTIVES,
    BODY,
    CITIES,
    IDIOMS,
    LARGE_NUMBERS,
    PROFESSIONS,
    TIMES,
)
from lib.corpora.meaning import (
    Age,
    Clause,
    Cost,
    Exist,
    Feel,
    Hurt,
    Idiom,
    Location,
    Origin,
    Phrase,
    Place,
    Profession,
    Quality,
)
from lib.corpora.verbs import FEELINGS, verb
from lib.corpora.words import Noun, Verb, kinds

_OF_PEOPLE = tuple(a for a in ADJECTIVES if "kin" in a.predicated)
_STATES = tuple(a for a in _OF_PEOPLE if a.copula == "estar")
_OF_THINGS = tuple(a for a in ADJECTIVES if a.predicated and "kin" not in a.predicated)
_ROOMS = kinds("room place stay")
_SMALL = kinds("small counted")
_THERE = kinds("person pet small counted mass occasion")
_LIKED_ACTS = ("read", "write", "dance", "sing", "swim", "run", "sleep", "eat", "study")
_OWN = {"my": 6, "your": 5, "his": 3, "her": 3, "our": 4, "their": 4}


def _finish(random: Random, clause: Clause, question_chance: float = 0.18) -> Clause:
    """Negate a clause, ask it, or leave it."""
    if random.random() < question_chance:
        return replace(clause, question="yes-no")
    return replace(clause, negative=random.random() < 0.2)


def _with_time(random: Random, clause: Clause) -> Clause:
    """A state in the past or the future needs its time: "estuvo enferma ayer"."""
    tense = random.choice(("present", "present", "past", "future"))
    if tense == "present":
        today = next(time for time in TIMES if time[0] == "today")
        return replace(clause, time=today) if random.random() < 0.15 else clause
    times = [time for time in TIMES if tense in time[2] and time[0] != "today"]
    return replace(clause, tense=tense, time=random.choice(times))


def draw_being(random: Random) -> Clause | None:
    """Draw a sentence that English says with "to be", or the price of a thing."""
    return random.choices(_BEINGS, _BEING_WEIGHTS)[0](random)


def draw_state(random: Random) -> Clause:
    """Somebody is tired: estar."""
    clause = Clause(draw_subject(random), Quality(random.choice(_STATES)))
    clause = _finish(random, _with_time(random, clause))
    plain = clause.tense == "present" and not clause.time
    if plain and not clause.negative and not clause.question and random.random() < 0.12:
        return replace(clause, frequency=random.choice(("always", "never")))
    return clause


def _draw_trait(random: Random) -> Clause:
    """Somebody is tall: ser."""
    adjective = random.choice([a for a in _OF_PEOPLE if a.copula == "ser"])
    return _finish(random, Clause(draw_subject(random), Quality(adjective)))


def _draw_thing(random: Random) -> Clause:
    """A thing is new, a film was long, a door is closed."""
    adjective = random.choice(_OF_THINGS)
    noun = random.choice(nouns_of(adjective.predicated))
    subject = draw_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.0)
    clause = Clause(subject, Quality(adjective))
    if "event" in noun.kinds and random.random() < 0.5:
        clause = replace(clause, tense="past")
    elif adjective.copula == "estar" and noun.kinds & kinds("shop place"):
        clause = _with_time(random, clause)
    return _finish(random, clause)


def _draw_profession(random: Random) -> Clause:
    """Somebody is a doctor, or wants to be one."""
    clause = Clause(draw_subject(random), Profession(random.choice(PROFESSIONS)))
    if random.random() < 0.25:
        clause = replace(clause, modal="want")
    return _finish(random, clause)


def _draw_origin(random: Random) -> Clause:
    """Somebody is from Spain."""
    clause = Clause(draw_subject(random), Origin(random.choice(CITIES)))
    return _finish(random, clause)


def _draw_location(random: Random) -> Clause:
    """Somebody is somewhere."""
    subject = draw_subject(random)
    if random.random() < 0.25:
        return Clause(subject, Location(None), question="where")
    clause = _with_time(random, Clause(subject, Location(_draw_where(random))))
    return _finish(random, clause)


def _draw_where(random: Random) -> Place:
    """Draw where somebody is."""
    chance = random.random()
    if chance < 0.15:
        return Place("in", HOME, "at")
    if chance < 0.35:
        return Place("in", random.choice(CITIES), "in")
    noun = random.choice(nouns_of(_ROOMS))
    return Place("in", draw_place_phrase(random, noun), at_or_in(noun))


def _draw_surface(random: Random) -> Place:
    """Draw something to put things on."""
    noun = random.choice(nouns_of(kinds("surface")))
    return Place("on", draw_place_phrase(random, noun), "on")


def _draw_lying(random: Random) -> Clause:
    """A thing is on the table, or where is it?"""
    noun = random.choice(nouns_of(_SMALL))
    subject = draw_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.2)
    if random.random() < 0.3:
        return Clause(subject, Location(None), question="where")
    return _finish(random, Clause(subject, Location(_draw_surface(random))))


def _draw_idiom(random: Random) -> Clause:
    """Somebody is hungry: tener hambre."""
    return _finish(random, Clause(draw_subject(random), Idiom(random.choice(IDIOMS))))


def _draw_age(random: Random) -> Clause:
    """Somebody is ten years old."""
    clause = Clause(draw_subject(random), Age(random.choice(LARGE_NUMBERS)))
    return _finish(random, clause)


def _draw_cost(random: Random) -> Clause:
    """A thing costs ten euros."""
    noun = random.choice(nouns_of(kinds("thing")))
    subject = draw_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.3)
    return _finish(random, Clause(subject, Cost(random.choice(LARGE_NUMBERS))))


_BEINGS = (
    draw_state,
    _draw_trait,
    _draw_thing,
    _draw_profession,
    _draw_origin,
    _draw_location,
    _draw_lying,
    _draw_idiom,
    _draw_age,
    _draw_cost,
)
_BEING_WEIGHTS = (16, 12, 22, 9, 6, 12, 8, 8, 4, 4)


def draw_existing(random: Random) -> Clause:
    """There is a cat in the kitchen: hay."""
    noun = random.choice(nouns_of(_THERE))
    phrase = draw_phrase(
        random, noun, NEW, NEW_PLURAL, bare=True, adjective_chance=0.15
    )
    if "mass" in noun.kinds:
        phrase = replace(phrase, determiner="")
    tense = "present"
    if "occasion" in noun.kinds:
        tense = random.choice(("present", "past", "future"))
    on_table = noun.kinds & _SMALL and random.random() < 0.7
    place = _draw_surface(random) if on_table else _draw_where(random)
    clause = Clause(phrase, Exist(place), tense)
    if phrase.determiner == "":
        return _finish(random, clause)
    return replace(clause, question="yes-no" if random.random() < 0.2 else "")


def draw_hurting(random: Random) -> Clause | None:
    """My head hurts: me duele la cabeza."""
    part = random.choice(BODY)
    paired = part[0] not in ("head", "back")
    plural = paired and random.random() < 0.6
    clause = Clause(draw_pronoun(random), Hurt(part, plural))
    clause = _finish(random, _with_time(random, clause))
    return clause if is_clear(clause) else None


def draw_feeling(random: Random) -> Clause | None:
    """I like the red car: me gusta el coche rojo."""
    feeling = random.choice(FEELINGS)
    thing: Phrase | Verb
    if feeling.english != "be" and random.random() < 0.2:
        thing = verb(random.choice(_LIKED_ACTS))
    else:
        thing = _draw_liked(random, random.choice(nouns_of(feeling.objects)))
    clause = Clause(draw_subject(random), Feel(feeling, thing))
    if isinstance(thing, Phrase) and thing.determiner and random.random() < 0.4:
        clause = replace(clause, tense=random.choice(("past", "future")))
    if feeling.english == "love":
        asked = random.random() < 0.1
        return replace(clause, question="yes-no" if asked else "")
    if feeling.english == "be" and clause.tense == "future":
        clause = replace(clause, tense="past")
    return _finish(random, clause)


def _draw_liked(random: Random, noun: Noun) -> Phrase:
    """Draw what somebody likes: all of a kind, or one of them."""
    if noun.kinds & kinds("art sport language"):
        return Phrase(noun, "")
    general = noun.kinds & kinds("food drink pet flower")
    if general and random.random() < 0.6:
        return Phrase(noun, "", plural="mass" not in noun.kinds)
    return draw_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.35)
