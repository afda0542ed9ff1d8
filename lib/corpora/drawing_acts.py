"""Drawing what people do: a verb with an object, a recipient, a place, a time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.drawing_phrases import (
    NEW,
    NEW_PLURAL,
    draw_people,
    draw_person,
    draw_phrase,
    draw_place,
    draw_place_phrase,
    draw_subject,
    nouns_of,
    others,
    pick,
)
from lib.corpora.english import clause as say_clause
from lib.corpora.lexicon import TIMES
from lib.corpora.meaning import (
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
from lib.corpora.verbs import VERBS
from lib.corpora.words import Verb, kinds

_GIVEN = {"the": 40, "a": 25, "this": 8, "that": 6}
_GIVEN_PLURAL = {"the": 40, "this": 6, "that": 5, **NEW_PLURAL}
_KNOWN_FOOD = kinds("food drink newspaper magazine flower")
_TENSES = {"present": 36, "past": 36, "future": 28}
_MODALS = {"want": 5, "need": 3, "have": 4, "can": 4, "must": 2, "going": 5}
_SURFACES = kinds("surface")


def draw_act(random: Random, act: Verb, subject: Subject, what: bool = False) -> Act:
    """Draw what stands around a verb.

    Args:
        random: Where the chances come from.
        act: The verb.
        subject: Who acts, so that nobody sees himself.
        what: Whether the object is left out because it is asked for.

    Returns:
        The act.

    Built in chapter 10.
    """
    thing = None if what else draw_object(random, act, subject)
    recipient = draw_recipient(random, subject) if "gives" in act.traits else None
    place = None
    if "puts" in act.traits:
        noun = random.choice(nouns_of(_SURFACES))
        place = Place("on", draw_place_phrase(random, noun), "on")
    elif (
        (act.places and random.random() < (0.2 if act.objects else 0.85))
        or "toward" in act.traits
        or act.english == "live"
    ):
        place = draw_place(random, act)
    return Act(act, thing, recipient, place)


def draw_object(random: Random, act: Verb, subject: Subject) -> Object | None:
    """Draw an object that the verb goes with, or nothing if it takes none."""
    if "people" in act.traits and (not act.objects or random.random() < 0.55):
        return _draw_seen(random, subject)
    if not act.objects:
        return None
    noun = random.choice(nouns_of(act.objects))
    bare = "bare" in act.traits
    if noun.kinds & {"sport", "language"}:
        return _draw_named(random, act, Phrase(noun, ""))
    if act.english == "have":
        return draw_phrase(random, noun, NEW, NEW_PLURAL)
    if "instrument" in noun.kinds and act.english == "play":
        return Phrase(noun, "the")
    if "gives" in act.traits:
        return draw_phrase(random, noun, _GIVEN, _GIVEN_PLURAL)
    if "art" in noun.kinds:
        return Phrase(noun, "")
    phrase = draw_phrase(random, noun, bare=bare)
    if bare and phrase.determiner == "" and not phrase.adjective:
        return _draw_named(random, act, phrase)
    return phrase


def _draw_named(random: Random, act: Verb, phrase: Phrase) -> Object:
    """Add a second thing now and then: "bread and cheese"."""
    if random.random() > 0.2 or act.english == "play":
        return phrase
    second = random.choice(nouns_of(act.objects))
    same = second.kinds & phrase.noun.kinds & kinds("mass")
    if second == phrase.noun or not same:
        return phrase
    return Both(phrase, Phrase(second, ""))


def _draw_seen(random: Random, subject: Subject) -> Object:
    """Draw a person as an object: him, Ana, the girl."""
    chance = random.random()
    if chance < 0.5:
        return random.choice(others(subject, PRONOUNS))
    return draw_people(random, 0.1) if chance < 0.7 else draw_person(random)


def draw_recipient(random: Random, subject: Subject) -> Subject:
    """Draw somebody to whom something is given."""
    chance = random.random()
    if chance < 0.65:
        return random.choice(others(subject, PRONOUNS))
    return draw_people(random, 0.0) if chance < 0.8 else draw_person(random)


def draw_simple(random: Random) -> Clause | None:
    """Draw a statement or a question with one act in it."""
    chosen = random.choice(VERBS)
    asked = _draw_question(random, chosen)
    subject = WHO if asked == "who" else draw_subject(random)
    act = draw_act(random, chosen, subject, what=asked == "what")
    if asked == "where":
        act = replace(act, place=None)
    drawn = Clause(subject, act, question=asked, negative=_negated(random, asked))
    return settle(random, drawn)


def _draw_question(random: Random, act: Verb) -> str:
    """Draw the sort of question, or none."""
    if random.random() > 0.24:
        return ""
    sorts = ["yes-no", "yes-no", "yes-no", "who"]
    if act.objects and not act.traits & {"puts", "gives", "play"}:
        sorts.append("what")
    if act.places and "from" not in act.traits and act.english != "arrive":
        sorts.append("where")
    if "stative" not in act.traits:
        sorts.append("when")
    return random.choice(sorts)


def _negated(random: Random, asked: str) -> bool:
    """Negate one statement in five, and no question."""
    return not asked and random.random() < 0.2


def settle(random: Random, drawn: Clause, modal_chance: float = 0.22) -> Clause | None:
    """Choose tense, modal and time for a clause with an act.

    Returns:
        The clause, or None if its English would leave the tense open.

    Built in chapter 10.
    """
    act = drawn.predicate
    if not isinstance(act, Act):
        raise TypeError(f"Cannot choose a tense for {act!r}; expected an Act.")
    traits = act.verb.traits
    if random.random() < modal_chance and "timeless" not in traits:
        modal = pick(random, _MODALS)
        past = modal == "have" and random.random() < 0.4
        drawn = replace(drawn, modal=modal, tense="past" if past else "present")
        when = "past" if past else "future"
    else:
        when = pick(random, _TENSES)
        if drawn.question == "when" and when == "present":
            when = "past"
        if "timeless" in traits and when == "past":
            when = "present"
        drawn = replace(drawn, tense=when)
    if drawn.question != "when":
        drawn = _add_time(random, drawn, when)
    return drawn if is_clear(drawn) else None


def _add_time(random: Random, drawn: Clause, when: str) -> Clause:
    """Add yesterday, every day, never, or nothing."""
    act = drawn.predicate
    if not isinstance(act, Act) or "stative" in act.verb.traits:
        return drawn
    plain = not (drawn.negative or drawn.question or drawn.modal)
    habitual = _is_habit(act)
    if plain and habitual and when == "present" and random.random() < 0.2:
        return replace(drawn, frequency=random.choice(("always", "never")))
    if random.random() > 0.45:
        return drawn
    times = [time for time in TIMES if when in time[2]]
    if when == "present" and not habitual:
        times = [time for time in times if time[0] == "today"]
    first = plain and random.random() < 0.3
    return replace(drawn, time=random.choice(times), time_first=first)


def _is_habit(act: Act) -> bool:
    """Whether one may do this every day."""
    if "once" in act.verb.traits or isinstance(act.object, Both):
        return False
    if act.verb.english == "buy" and isinstance(act.object, Phrase):
        return bool(act.object.noun.kinds & _KNOWN_FOOD)
    return True


def is_clear(drawn: Clause) -> bool:
    """Whether the English tells the tense: "I read" alone does not."""
    other = {"present": "past", "past": "present"}.get(drawn.tense)
    if other is None or (drawn.modal and drawn.modal != "have"):
        return True
    if drawn.time and other not in drawn.time[2]:
        return True
    return say_clause(replace(drawn, tense=other)) != say_clause(drawn)
