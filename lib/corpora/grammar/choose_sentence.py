"""Choosing whole sentences: which kinds there are, and how often each is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from lib.corpora.grammar import meaning
from lib.corpora.grammar.choose_acts import choose_act, choose_recipient, choose_simple
from lib.corpora.grammar.choose_being import choose_being, choose_existing, choose_state
from lib.corpora.grammar.choose_feeling import choose_feeling, choose_hurting
from lib.corpora.grammar.choose_phrases import (
    NEW_PLURAL,
    POINTED,
    choose_people,
    choose_person,
    choose_phrase,
    choose_pronoun,
    choose_subject,
    nouns_of,
    others,
    pick,
)
from lib.corpora.grammar.choose_tenses import is_clear, settle
from lib.corpora.grammar.lexicon import (
    ADJECTIVES,
    CHAINS,
    IDIOMS,
    REASONS,
    SAYINGS,
    VERBS,
    times_of,
    verb,
)

_NAMED = {"the": 40, "a": 30, "this": 8, "that": 6}
_NAMED_PLURAL = {**POINTED, **NEW_PLURAL}
# What people do side by side: "Ana sings and I dance".
_ACTIVITIES = ("sing", "dance", "work", "sleep", "run", "study")
# What one does and another does not: "Ana speaks French, but I don't".
_ABILITIES = ("speak", "play", "sing", "dance", "work", "study", "eat", "drink")
_ABLE = tuple(each for each in VERBS if each.english in _ABILITIES)


def choose_sentence(random: Random) -> meaning.Sentence:
    """Choose one meaning."""
    while True:
        chosen = pick(random, _KINDS)(random)
        if chosen is not None:
            return chosen


def _choose_chain(random: Random) -> meaning.Chain | None:
    """Two acts upon one thing: "Ana bought the book and read it"."""
    before, after = (verb(name) for name in random.choice(CHAINS))
    shared = [n for n in nouns_of(before.objects) if n.kinds & after.objects]
    thing = choose_phrase(random, random.choice(shared), _NAMED, _NAMED_PLURAL)
    subject = choose_subject(random)
    tense = random.choice(("past", "past", "future"))
    first = meaning.Clause(subject, meaning.Act(before, thing), tense)
    if random.random() < 0.25:
        time = random.choice(times_of(tense))
        first = replace(first, time=time, time_first=True)
    recipient = choose_recipient(random, subject) if "gives" in after.traits else None
    second = meaning.Act(after, meaning.Again(thing), recipient)
    return meaning.Chain(first, second) if is_clear(first) else None


def _choose_because(random: Random) -> meaning.Because | None:
    """An act and its reason: "I can't work because I am sick"."""
    state, does, cannot = random.choice(REASONS)
    positive = random.random() < len(does) / (len(does) + len(cannot))
    subject = choose_subject(random)
    act = choose_act(random, verb(random.choice(does if positive else cannot)), subject)
    if positive:
        modal = random.choice(("want", "need", "have", "going", "must"))
    else:
        modal = random.choice(("can", "want", "going"))
    main = meaning.Clause(subject, act, modal=modal, negative=not positive)
    reason = meaning.Clause(subject, _state_or_idiom(state), referring=True)
    return meaning.Because(main, reason)


def _state_or_idiom(name: str) -> meaning.Predicate:
    """To be so: with an adjective, or with tener in Spanish."""
    for word in IDIOMS:
        if word.english == name:
            return meaning.Idiom(word)
    return meaning.Quality(next(a for a in ADJECTIVES if a.english == name))


def _choose_report(random: Random) -> meaning.Report | None:
    """What somebody says: "Ana says that Carlos is sick"."""
    subject = choose_subject(random)
    make = random.choice((choose_being, choose_simple, choose_feeling))
    content = make(random)
    if content is None or content.question:
        return None
    content = replace(content, time_first=False)
    if not is_clear(content) or _could_be_same(subject, content.subject):
        return None
    told = random.choice(SAYINGS)
    past = told.english == "say" and content.tense != "present"
    return meaning.Report(subject, told, content, "past" if past else "present")


def _could_be_same(subject: meaning.Subject, other: meaning.Subject) -> bool:
    """Whether a pronoun might mean the subject, so that Spanish would drop it."""
    if subject == other:
        return not isinstance(subject, meaning.Pronoun) or not subject.dropped
    if isinstance(subject, meaning.People) and isinstance(other, meaning.People):
        return bool(set(subject.names) & set(other.names))
    third = not isinstance(subject, meaning.Pronoun) or subject.third
    return third and isinstance(other, meaning.Pronoun) and other.third


def _choose_joined(random: Random) -> meaning.Joined | None:
    """Two short clauses: "Ana sings and I dance"."""
    first, second = choose_subject(random), choose_subject(random)
    if not _differ(first, second):
        return None
    tense = random.choice(("present", "past", "future"))
    names = random.sample(_ACTIVITIES, 2)
    clauses = (
        meaning.Clause(subject, meaning.Act(verb(name)), tense)
        for subject, name in zip((first, second), names, strict=True)
    )
    return meaning.Joined(*clauses)


def _choose_contrast(random: Random) -> meaning.Contrast | None:
    """One does, another does not: "Ana is tired, but Carlos isn't"."""
    choose = random.choice((choose_pronoun, choose_people, choose_person))
    other: meaning.Subject = choose(random)
    if random.random() < 0.5:
        first: meaning.Clause | None = choose_state(random)
    else:
        subject = choose_subject(random)
        act = choose_act(random, random.choice(_ABLE), subject)
        first = settle(random, meaning.Clause(subject, act), modal_chance=0.4)
    if first is None or first.question or first.negative or first.frequency:
        return None
    if not _differ(first.subject, other):
        return None
    return meaning.Contrast(replace(first, time_first=False), other)


def _differ(one: meaning.Subject, other: meaning.Subject) -> bool:
    """Whether two subjects are surely not the same people."""
    if isinstance(one, meaning.Pronoun) and isinstance(other, meaning.Pronoun):
        return bool(others(one, [other]))
    if isinstance(one, meaning.Pronoun) or isinstance(other, meaning.Pronoun):
        pronoun = one if isinstance(one, meaning.Pronoun) else other
        return isinstance(pronoun, meaning.Pronoun) and not pronoun.third
    if isinstance(one, meaning.People) and isinstance(other, meaning.People):
        return not set(one.names) & set(other.names)
    return one != other


_KINDS: dict[Callable[[Random], meaning.Sentence | None], int] = {
    choose_simple: 62,
    choose_feeling: 8,
    choose_being: 12,
    choose_existing: 2,
    choose_hurting: 2,
    _choose_chain: 6,
    _choose_because: 4,
    _choose_report: 6,
    _choose_joined: 3,
    _choose_contrast: 4,
}
