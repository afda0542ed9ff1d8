"""Choosing tastes and pains, where Spanish turns the sentence round."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.grammar.choose_being import finish, with_time
from lib.corpora.grammar.choose_phrases import (
    KNOWN,
    choose_phrase,
    choose_pronoun,
    choose_subject,
    nouns_of,
)
from lib.corpora.grammar.choose_tenses import is_clear
from lib.corpora.grammar.lexicon import BODY, FEELINGS, Noun, Verb, kinds, verb
from lib.corpora.grammar.meaning import Clause, Feel, Hurt, Phrase

_LIKED_ACTS = ("read", "write", "dance", "sing", "run", "sleep", "eat", "study")


def choose_hurting(random: Random) -> Clause | None:
    """My head hurts: me duele la cabeza."""
    part, subject = random.choice(BODY), choose_pronoun(random)
    paired = part.english not in ("head", "back")
    plural = paired and random.random() < 0.6
    if subject.plural and not plural:
        return None  # several people have several heads, in English
    clause = Clause(subject, Hurt(part, plural))
    clause = finish(random, with_time(random, clause))
    return clause if is_clear(clause) else None


def choose_feeling(random: Random) -> Clause | None:
    """I like the red car: me gusta el coche rojo."""
    feeling = random.choice(FEELINGS)
    thing: Phrase | Verb
    if feeling.english != "be" and random.random() < 0.2:
        thing = verb(random.choice(_LIKED_ACTS))
    else:
        thing = _choose_liked(random, random.choice(nouns_of(feeling.objects)))
    clause = Clause(choose_subject(random), Feel(feeling, thing))
    if isinstance(thing, Phrase) and thing.determiner and random.random() < 0.4:
        clause = replace(clause, tense=random.choice(("past", "future")))
    if feeling.english == "love":
        asked = random.random() < 0.1
        return replace(clause, question="yes-no" if asked else "")
    if feeling.english == "be" and clause.tense == "future":
        clause = replace(clause, tense="past")
    return finish(random, clause)


def _choose_liked(random: Random, noun: Noun) -> Phrase:
    """Choose what somebody likes: all of a kind, or one of them."""
    if noun.kinds & kinds("art sport language"):
        return Phrase(noun, "")
    general = noun.kinds & kinds("food drink pet flower")
    if general and random.random() < 0.6:
        return Phrase(noun, "", plural="mass" not in noun.kinds)
    return choose_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.35)
