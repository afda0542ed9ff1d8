"""Spanish: how a meaning is said."""

from __future__ import annotations

import re
from dataclasses import replace

from lib.corpora.grammar import meaning
from lib.corpora.grammar.agreement import join_and
from lib.corpora.grammar.conjugation import conjugate
from lib.corpora.grammar.forms import join
from lib.corpora.grammar.spanish_frames import (
    Frame,
    act_words,
    frame,
    object_words,
    subject_words,
)

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
_THERE_IS = {"present": "hay", "past": "hubo", "future": "habrá"}
_FREQUENCIES = {"": "", "always": "siempre", "never": "nunca"}
_CONTRACTIONS = ((re.compile(r"\ba el\b"), "al"), (re.compile(r"\bde el\b"), "del"))


def spanish(sentence: meaning.Sentence) -> str:
    """Say a meaning in Spanish."""
    text = _say(sentence)
    for pattern, contraction in _CONTRACTIONS:
        text = pattern.sub(contraction, text)
    text = text[0].upper() + text[1:]
    asked = isinstance(sentence, meaning.Clause) and sentence.question
    return f"¿{text}?" if asked else f"{text}."


def _say(sentence: meaning.Sentence) -> str:
    """Say a meaning without capital letter and final mark."""
    match sentence:
        case meaning.Clause():
            return clause(sentence)
        case meaning.Chain(first=first, second=second):
            clitics, near, rest = act_words(second)
            verb = conjugate(second.verb.spanish, first.tense, first.subject.person)
            return join_and(clause(first), join(clitics, verb, near, rest))
        case meaning.Because(main=main, reason=reason):
            return join(clause(main), "porque", clause(reason))
        case meaning.Report(subject=subject, verb=verb, content=content, tense=tense):
            said = conjugate(verb.spanish, tense, subject.person)
            return join(subject_words(subject), said, "que", clause(content))
        case meaning.Joined(first=first, second=second):
            # Side by side, nobody is left out: "Ana canta y yo bailo".
            return join_and(clause(first, stressed=True), clause(second, stressed=True))
        case meaning.Contrast(first=first, other=other):
            return join(clause(first) + ",", "pero", object_words(other), "no")
    raise TypeError(f"Cannot say {sentence!r} in Spanish; expected a meaning.")


def clause(clause: meaning.Clause, stressed: bool = False) -> str:
    """Say one clause; if stressed, with its subject in any case."""
    parts = frame(clause)
    if stressed:
        parts = replace(parts, subject=object_words(clause.subject))
    group = _verb_group(clause, parts)
    time = clause.time.spanish if clause.time else ""
    early, late = (time, "") if clause.time_first else ("", time)
    if clause.question in ("", "who"):
        often = _FREQUENCIES[clause.frequency]
        start = join(early, parts.subject, parts.topic, often)
        return join(start, group, parts.near, parts.rest, late)
    # In a question the subject follows the verb, a noun also what clings to it:
    # "¿Tiene ella hambre?", but "¿Tiene hambre la niña?"
    order = [parts.near, parts.subject]
    if isinstance(clause.subject, meaning.Pronoun):
        order.reverse()
    start = join(_asked(clause), parts.topic)
    return join(start, group, *order, parts.rest, late)


def _verb_group(clause: meaning.Clause, parts: Frame) -> str:
    """The verb with "no" and the pronouns before it, a modal in front if any."""
    verb, link, infinitive = parts.verb, "", ""
    if clause.modal:
        infinitive = verb
        verb, link = _MODALS[clause.modal]
    finite = (
        _THERE_IS[clause.tense]
        if verb == "haber"
        else conjugate(verb, clause.tense, parts.person)
    )
    no = "no" if clause.negative else ""
    return join(no, parts.clitics, finite, link, infinitive)


def _asked(clause: meaning.Clause) -> str:
    """The question word; a goal asks "adónde" and not "dónde"."""
    predicate = clause.predicate
    moving = isinstance(predicate, meaning.Act) and "toward" in predicate.verb.traits
    if clause.question == "where" and moving:
        return "adónde"
    return _QUESTIONS.get(clause.question, "")
