"""Choosing when something happens: the tense, a modal, a word for the time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from lib.corpora.grammar.choose_phrases import pick
from lib.corpora.grammar.english import clause as say_clause
from lib.corpora.grammar.lexicon import kinds, times_of
from lib.corpora.grammar.meaning import Act, Both, Clause, I, Phrase, Predicate, Pronoun

_TENSES = {"present": 36, "past": 36, "future": 28}
_MODALS = {"want": 5, "need": 3, "have": 4, "can": 4, "must": 2, "going": 5}
_OWN_MODALS = {"have": 2, "can": 5, "must": 1}
_RELATIVES = kinds("relative")
_WITHOUT_MODAL = kinds("timeless accident")
_BOUGHT_DAILY = kinds("food drink newspaper magazine flower")


def settle(random: Random, chosen: Clause, modal_chance: float = 0.22) -> Clause | None:
    """Choose tense, modal and time; None if the English would leave the tense open."""
    act = chosen.predicate
    if not isinstance(act, Act):
        raise TypeError(f"Cannot choose a tense for {act!r}; expected an Act.")
    traits = act.verb.traits
    asks_self = chosen.question and chosen.subject == I
    if traits & _WITHOUT_MODAL:
        modal_chance = 0.0
    if asks_self and not modal_chance:
        return None
    if asks_self or random.random() < modal_chance:
        chosen, when = _add_modal(random, chosen)
    else:
        when = _choose_tense(random, chosen.question, act)
        chosen = replace(chosen, tense=when)
    if chosen.question != "when":
        chosen = _add_time(random, chosen, when)
    return chosen if is_clear(chosen) else None


def _add_modal(random: Random, chosen: Clause) -> tuple[Clause, str]:
    """Add want, can, have to; and say which times go with it."""
    modals = _OWN_MODALS if chosen.question and chosen.subject == I else _MODALS
    modal = pick(random, modals)
    if modal == "need" and _has_pronoun(chosen.predicate):
        modal = "have"  # hardly anybody says "la necesito ver"
    if modal == "have" and not chosen.question and random.random() < 0.4:
        return replace(chosen, modal=modal, tense="past"), "past"
    return replace(chosen, modal=modal), "future"


def _has_pronoun(predicate: Predicate) -> bool:
    """Whether Spanish puts a pronoun before the verb."""
    if not isinstance(predicate, Act):
        return False
    return predicate.recipient is not None or isinstance(predicate.object, Pronoun)


def _choose_tense(random: Random, asked: str, act: Act) -> str:
    """Choose a tense that the verb has and the question allows."""
    tenses, traits, thing = dict(_TENSES), act.verb.traits, act.object
    if isinstance(thing, Phrase) and thing.noun.kinds & _RELATIVES:
        tenses["future"] *= act.verb.english != "have"
    if "accident" in traits:
        tenses = {"past": 8, "present": 0 if asked else 2}
    if "timeless" in traits:
        tenses["past"] = 0
    if asked == "when":
        tenses["present"] = 0
    return pick(random, tenses)


def _add_time(random: Random, chosen: Clause, when: str) -> Clause:
    """Add yesterday, every day, never, or nothing."""
    act = chosen.predicate
    if not isinstance(act, Act) or "stative" in act.verb.traits:
        return chosen
    plain = not (chosen.negative or chosen.question or chosen.modal)
    habitual = _is_habit(act)
    if when == "present" and "accident" in act.verb.traits:
        # Nobody loses a key right now: it happens always, or never.
        chosen, often = replace(chosen, negative=False), 1.0
    else:
        often = 0.2 if plain and habitual else 0.0
    if when == "present" and random.random() < often:
        return replace(chosen, frequency=random.choice(("always", "never")))
    if random.random() > 0.45:
        return chosen
    times = times_of(when)
    if when == "present" and not (habitual and chosen.question != "where"):
        return chosen
    first = plain and random.random() < 0.45
    return replace(chosen, time=random.choice(times), time_first=first)


def _is_habit(act: Act) -> bool:
    """Whether one may do this every day."""
    if "once" in act.verb.traits or isinstance(act.object, Both):
        return False
    if act.verb.english == "buy" and isinstance(act.object, Phrase):
        return bool(act.object.noun.kinds & _BOUGHT_DAILY)
    return True


def is_clear(chosen: Clause) -> bool:
    """Whether the English tells the tense: "I read" alone does not."""
    other = {"present": "past", "past": "present"}.get(chosen.tense)
    if other is None or (chosen.modal and chosen.modal != "have"):
        return True
    if chosen.time and other not in chosen.time.tenses:
        return True
    act = chosen.predicate
    if isinstance(act, Act) and act.verb.past != act.verb.english:
        return True  # nothing to compare: the forms differ
    return say_clause(replace(chosen, tense=other)) != say_clause(chosen)
