"""Spanish: how a meaning is said."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lib.corpora.agreement import article_phrase, join_and, possessed
from lib.corpora.conjugation import conjugate
from lib.corpora.meaning import (
    Act,
    Again,
    Age,
    Because,
    Both,
    Chain,
    Clause,
    Contrast,
    Cost,
    Exist,
    Feel,
    Hurt,
    Idiom,
    Joined,
    Location,
    Origin,
    People,
    Phrase,
    Place,
    Profession,
    Pronoun,
    Quality,
    Report,
    Sentence,
)
from lib.corpora.words import Verb, spanish_adjective

# The Spanish verb of a modal, and what links it to the infinitive.
_MODALS = {
    "want": ("querer", ""),
    "need": ("necesitar", ""),
    "have": ("tener", "que"),
    "can": ("poder", ""),
    "must": ("deber", ""),
    "going": ("ir", "a"),
}
_QUESTIONS = {"what": "qué", "where": "dónde", "when": "cuándo"}
_FREQUENCIES = {"": "", "always": "siempre", "never": "nunca"}
_PREPOSITIONS = {"in": "en", "on": "sobre", "to": "a", "from": "de"}
_CONTRACTIONS = ((re.compile(r"\ba el\b"), "al"), (re.compile(r"\bde el\b"), "del"))


@dataclass(frozen=True)
class Frame:
    """The parts that every Spanish clause is put together from."""

    verb: str  # infinitive
    person: str
    subject: str = ""
    topic: str = ""  # "a Ana" in "a Ana le gusta"
    clitics: str = ""
    rest: str = ""
    subject_last: bool = False  # "¿Está cansada Ana?"


def spanish(sentence: Sentence) -> str:
    """Say a meaning in Spanish.

    Args:
        sentence: A meaning.

    Returns:
        A sentence with its capital letter and its punctuation.

    Built in chapter 10.
    """
    text = _say(sentence)
    for pattern, contraction in _CONTRACTIONS:
        text = pattern.sub(contraction, text)
    text = text[0].upper() + text[1:]
    asked = isinstance(sentence, Clause) and sentence.question
    return f"¿{text}?" if asked else f"{text}."


def _say(sentence: Sentence) -> str:
    """Say a meaning without capital letter and final mark."""
    match sentence:
        case Clause():
            return clause(sentence)
        case Chain(first=first, second=second):
            clitics, rest = _act_words(second)
            verb = conjugate(second.verb.spanish, first.tense, first.subject.person)
            return join_and(clause(first), join(clitics, verb, rest))
        case Because(main=main, reason=reason):
            return join(clause(main), "porque", clause(reason))
        case Report(subject=subject, verb=verb, content=content):
            said = conjugate(verb.spanish, "present", subject.person)
            return join(subject_words(subject), said, "que", clause(content))
        case Joined(first=first, second=second):
            return join_and(clause(first), clause(second))
        case Contrast(first=first, other=other):
            return join(clause(first) + ",", "pero", object_words(other), "no")
    raise TypeError(f"Cannot say {sentence!r} in Spanish; expected a meaning.")


def clause(clause: Clause) -> str:
    """Say one clause, without capital letter and final mark."""
    frame = _frame(clause)
    verb, link, infinitive = frame.verb, "", ""
    if clause.modal:
        infinitive = verb
        verb, link = _MODALS[clause.modal]
    finite = "hay" if verb == "haber" else conjugate(verb, clause.tense, frame.person)
    if verb == "haber" and clause.tense != "present":
        finite = {"past": "hubo", "future": "habrá"}[clause.tense]
    core = join("no" if clause.negative else "", frame.clitics, finite)
    group = join(core, link, infinitive)
    time = clause.time[1] if clause.time else ""
    early, late = (time, "") if clause.time_first else ("", time)
    often = _FREQUENCIES[clause.frequency]
    if clause.question in ("", "who"):
        start = join(early, frame.subject, frame.topic, often)
        return join(start, group, frame.rest, late)
    if clause.question == "yes-no":
        if frame.subject_last:
            return join(group, frame.rest, frame.subject, late)
        tail = join(link, infinitive, frame.rest, late)
        return join(frame.topic, core, frame.subject, tail)
    return join(_asked(clause), group, frame.subject, frame.rest, late)


def _asked(clause: Clause) -> str:
    """The question word; a goal asks "adónde" and not "dónde"."""
    predicate = clause.predicate
    moving = isinstance(predicate, Act) and "toward" in predicate.verb.traits
    if clause.question == "where" and moving:
        return "adónde"
    return _QUESTIONS[clause.question]


def _frame(clause: Clause) -> Frame:
    """Find the parts of a clause."""
    subject, predicate = clause.subject, clause.predicate
    words = "" if clause.referring else subject_words(subject)
    match predicate:
        case Act(verb=verb):
            clitics, rest = _act_words(predicate)
            return Frame(verb.spanish, subject.person, words, "", clitics, rest)
        case Feel(verb=verb, thing=thing):
            plural = isinstance(thing, Phrase) and thing.plural
            return Frame(
                verb.spanish,
                "3p" if plural else "3s",
                topic=_with_a(subject) if words else "",
                clitics=_indirect(subject),
                rest=_liked(thing),
            )
        case Hurt(part=part, plural=plural):
            person = "3p" if plural else "3s"
            return Frame(
                "doler", person, "", "", _indirect(subject), possessed(part, plural)
            )
        case Exist(place=place):
            return Frame("haber", "3s", rest=join(object_words(subject), _place(place)))
    infinitive, rest, last = _being(predicate, subject)
    return Frame(infinitive, subject.person, words, rest=rest, subject_last=last)


def _liked(thing: Phrase | Verb) -> str:
    """What somebody likes; all of its kind takes the article."""
    if isinstance(thing, Phrase):
        return article_phrase(thing, generic=True)
    return thing.spanish


def _being(predicate: Any, subject: Any) -> tuple[str, str, bool]:
    """What English says with "be": ser, estar or tener, and the words after it."""
    match predicate:
        case Quality(adjective=adjective):
            form = spanish_adjective(adjective.spanish, subject.gender, subject.plural)
            return adjective.copula, form, True
        case Profession(word=word):
            form = spanish_adjective(word[1], subject.gender, subject.plural)
            return "ser", form, True
        case Origin(word=word):
            return "ser", f"de {word[1]}", False
        case Location(place=place):
            return "estar", _place(place), False
        case Idiom(word=word):
            return "tener", word[1], True
        case Age(number=number):
            return "tener", f"{number[1]} años", False
        case Cost(number=number):
            return "costar", f"{number[1]} euros", False
    raise TypeError(f"Cannot say {predicate!r} in Spanish; expected a predicate.")


def _act_words(act: Act) -> tuple[str, str]:
    """The pronouns before the verb, and what comes after it."""
    direct, thing = "", ""
    match act.object:
        case Pronoun() as pronoun:
            direct = pronoun.direct
        case Again(phrase=again):
            direct = {"m": "lo", "f": "la"}[again.gender] + "s" * again.plural
        case None:
            pass
        case part:
            thing = _after_verb(act, part)
    indirect = _indirect(act.recipient) if act.recipient else ""
    if direct and indirect in ("le", "les"):
        indirect = "se"
    named = act.recipient is not None and not isinstance(act.recipient, Pronoun)
    to = _with_a(act.recipient) if named else ""
    return join(indirect, direct), join(thing, to, _place(act.place))


def _after_verb(act: Act, part: Any) -> str:
    """An object after its verb, with the personal *a* where it belongs."""
    words = object_words(part)
    if act.verb.spanish == "jugar":
        return f"a {article_phrase(part, generic=True)}"
    return _with_a(part) if _takes_a(act, part) else words


def _with_a(part: Any) -> str:
    """Put *a* before each of the people: a Ana y a Inés."""
    if isinstance(part, People):
        return " y ".join(f"a {name[1]}" for name in part.names)
    return f"a {object_words(part)}"


def _takes_a(act: Act, part: Any) -> bool:
    """People take the personal *a*, and so do animals that are known."""
    if act.verb.spanish == "tener":
        return False
    if isinstance(part, People):
        return True
    if not isinstance(part, Phrase):
        return False
    if part.noun.kinds & {"person", "kin"}:
        return True
    return "animal" in part.noun.kinds and part.determiner in _KNOWN


_KNOWN = frozenset(["the", "this", "that", "my", "your", "his", "her", "our", "their"])


def _indirect(subject: Any) -> str:
    """The pronoun of somebody to whom something is given or pleasing."""
    if isinstance(subject, Pronoun):
        return subject.indirect
    return "les" if subject.plural else "le"


def _place(place: Place | None) -> str:
    """A place with its preposition."""
    if place is None:
        return ""
    where = place.where
    words = article_phrase(where) if isinstance(where, Phrase) else where[1]
    return join(_PREPOSITIONS[place.way], words)


def subject_words(subject: Any) -> str:
    """Name a subject; yo, tú and nosotros are left to the verb."""
    if isinstance(subject, Pronoun):
        return "" if subject.dropped else subject.spanish
    return object_words(subject)


def object_words(part: Any) -> str:
    """Name a person or a thing."""
    match part:
        case Pronoun():
            return part.spanish
        case People(names=names):
            words = names[0][1]
            return join_and(words, names[1][1]) if len(names) > 1 else words
        case Both(first=first, second=second):
            return join_and(article_phrase(first), article_phrase(second))
    return article_phrase(part)


def join(*words: str) -> str:
    """Join the words that are there."""
    return " ".join(word for word in words if word)
