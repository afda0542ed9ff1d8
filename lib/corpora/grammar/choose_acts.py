"""Choosing what people do: a verb with an object, a recipient, a place, a time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.grammar.choose_phrases import (
    NEW,
    NEW_PLURAL,
    POINTED,
    choose_named,
    choose_people,
    choose_person,
    choose_phrase,
    choose_place,
    choose_place_phrase,
    choose_subject,
    nouns_of,
    others,
)
from lib.corpora.grammar.choose_tenses import settle
from lib.corpora.grammar.lexicon import VERBS, Verb, kinds
from lib.corpora.grammar.meaning import (
    PRONOUNS,
    WHO,
    Act,
    Both,
    Clause,
    Object,
    Phrase,
    Place,
    Subject,
)

_GIVEN = {"the": 40, "a": 25, "this": 8, "that": 6}
_GIVEN_PLURAL = {"the": 40, "this": 6, "that": 5, **NEW_PLURAL}
_SUBJECTS = {
    "animals": kinds("animal"),
    "fed": kinds("dog cat"),
    "trains": kinds("awaited"),
}
# What dogs and cats eat and drink.
_FED = kinds("bread meat fish water milk")
_SURFACES = kinds("surface")
# "What does she play?" leaves open which verb Spanish needs.
_NEVER_ASKED = kinds("puts gives told-apart")
# Of these, only "where did she go?" asks for the place.
_MOVING = kinds("toward from")


def choose_act(random: Random, act: Verb, subject: Subject, what: bool = False) -> Act:
    """Choose what stands around a verb; not its object, if the question is what."""
    thing = None if what else choose_object(random, act, subject)
    recipient = choose_recipient(random, subject) if "gives" in act.traits else None
    place = None
    if "puts" in act.traits:
        noun = random.choice(nouns_of(_SURFACES))
        place = Place("on", choose_place_phrase(random, noun), "on")
    elif (
        (act.places and random.random() < (0.2 if act.objects else 0.85))
        or "toward" in act.traits
        or act.english == "live"
    ):
        place = choose_place(random, act)
    return Act(act, thing, recipient, place)


def choose_object(random: Random, act: Verb, subject: Subject) -> Object | None:
    """Choose an object that the verb goes with, or nothing if it takes none."""
    if "people" in act.traits and (not act.objects or random.random() < 0.55):
        return _choose_seen(random, subject)
    if not act.objects:
        return None
    noun = random.choice(nouns_of(act.objects))
    bare = "bare" in act.traits
    if noun.kinds & {"sport", "language"}:
        return _choose_named(random, act, Phrase(noun, ""))
    if act.english == "have":
        return choose_phrase(random, noun, NEW, NEW_PLURAL)
    if "instrument" in noun.kinds and act.english == "play":
        return Phrase(noun, "the")
    if "gives" in act.traits:
        return choose_phrase(random, noun, _GIVEN, _GIVEN_PLURAL)
    if "art" in noun.kinds:
        return Phrase(noun, "")
    phrase = choose_phrase(random, noun, bare=bare)
    if bare and phrase.determiner == "" and not phrase.adjective:
        return _choose_named(random, act, phrase)
    return phrase


def _choose_named(random: Random, act: Verb, phrase: Phrase) -> Object:
    """Add a second thing now and then: "bread and cheese"."""
    if random.random() > 0.2 or act.english == "play":
        return phrase
    second = random.choice(nouns_of(act.objects))
    same = second.kinds & phrase.noun.kinds & kinds("mass")
    if second == phrase.noun or not same:
        return phrase
    return Both(phrase, Phrase(second, ""))


def _choose_seen(random: Random, subject: Subject) -> Object:
    """Choose a person as an object: him, Ana, the girl."""
    chance = random.random()
    if chance < 0.5:
        return random.choice(others(subject, PRONOUNS))
    return choose_people(random, 0.1) if chance < 0.7 else choose_person(random, True)


def choose_recipient(random: Random, subject: Subject) -> Subject:
    """Choose somebody to whom something is given."""
    chance = random.random()
    if chance < 0.65:
        return random.choice(others(subject, PRONOUNS))
    return choose_people(random, 0.0) if chance < 0.8 else choose_person(random, True)


def choose_simple(random: Random) -> Clause | None:
    """Choose a statement or a question with one act in it."""
    verb = random.choice(VERBS)
    asked = _choose_question(random, verb)
    subject = WHO if asked == "who" else _choose_doer(random, verb, asked)
    act = choose_act(random, verb, subject, what=asked == "what")
    if asked == "where":
        act = replace(act, place=None)
    elif _is_thing(subject):
        act = _tame(random, act, what=asked == "what")
    clause = Clause(subject, act, question=asked, negative=_negated(random, asked))
    return settle(random, clause, 0.0 if _is_thing(subject) else 0.16)


def _choose_doer(random: Random, act: Verb, asked: str) -> Subject:
    """Choose a subject: mostly people, an animal or a train where the verb allows."""
    for trait, sorts in _SUBJECTS.items():
        if trait in act.traits and random.random() < 0.2:
            noun = random.choice(nouns_of(sorts))
            return choose_phrase(random, noun, POINTED, POINTED, adjective_chance=0.2)
    # Only a question puts the verb before these: ask about them often.
    named = asked == "yes-no" and random.random() < 0.35
    return choose_named(random) if named else choose_subject(random)


def _tame(random: Random, act: Act, what: bool) -> Act:
    """Keep animals to their food, and trains to the station."""
    if act.verb.objects:
        food = [noun for noun in nouns_of(_FED) if noun.kinds & act.verb.objects]
        thing = None if what else Phrase(random.choice(food), "the")
        return replace(act, object=thing, place=None)
    if "trains" in act.verb.traits and act.place:
        station = random.choice(nouns_of(kinds("station")))
        where, way = choose_place_phrase(random, station), act.place.way
        return replace(act, place=Place(way, where, "at" if way == "to" else ""))
    return act


def _is_thing(subject: Subject) -> bool:
    """Whether the subject is an animal or a train, which has no plans."""
    return isinstance(subject, Phrase) and not subject.noun.kinds & {"person", "kin"}


def _choose_question(random: Random, act: Verb) -> str:
    """Choose the sort of question, or none."""
    if random.random() > 0.3:
        return ""
    sorts = ["yes-no"] * 5 + ["who"]
    if act.objects and not act.traits & _NEVER_ASKED and act.english != "speak":
        sorts.append("what")
    if act.places and (act.english == "go" or not act.traits & _MOVING):
        sorts.append("where")
    if "stative" not in act.traits:
        sorts.append("when")
    return random.choice(sorts)


def _negated(random: Random, asked: str) -> bool:
    """Negate one statement in five, and no question."""
    return not asked and random.random() < 0.24
