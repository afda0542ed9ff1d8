"""Drawing tastes and pains, where Spanish turns the sentence round."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.drawing_being import finish, with_time
from lib.corpora.drawing_phrases import (
    KNOWN,
    draw_phrase,
    draw_pronoun,
    draw_subject,
    nouns_of,
)
from lib.corpora.drawing_tenses import is_clear
from lib.corpora.lexicon import (
    BODY,
)
from lib.corpora.meaning import (
    Clause,
    Feel,
    Hurt,
)
from lib.corpora.referents import Phrase
from lib.corpora.verbs import FEELINGS, verb
from lib.corpora.words import Noun, Verb, kinds

_LIKED_ACTS = ("read", "write", "dance", "sing", "run", "sleep", "eat", "study")


def draw_hurting(random: Random) -> Clause | None:
    """My head hurts: me duele la cabeza."""
    part, subject = random.choice(BODY), draw_pronoun(random)
    paired = part[0] not in ("head", "back")
    plural = paired and random.random() < 0.6
    if subject.plural and not plural:
        return None  # several people have several heads, in English
    clause = Clause(subject, Hurt(part, plural))
    clause = finish(random, with_time(random, clause))
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
    return finish(random, clause)


def _draw_liked(random: Random, noun: Noun) -> Phrase:
    """Draw what somebody likes: all of a kind, or one of them."""
    if noun.kinds & kinds("art sport language"):
        return Phrase(noun, "")
    general = noun.kinds & kinds("food drink pet flower")
    if general and random.random() < 0.6:
        return Phrase(noun, "", plural="mass" not in noun.kinds)
    return draw_phrase(random, noun, KNOWN, KNOWN, adjective_chance=0.35)
