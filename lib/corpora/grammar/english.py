"""English: how a meaning is said."""

from __future__ import annotations

from dataclasses import dataclass

from lib.corpora.grammar import meaning
from lib.corpora.grammar.english_parts import (
    act_words,
    phrase,
    place_words,
    pronoun_for,
    subject_words,
    with_a,
)
from lib.corpora.grammar.forms import add_s, english_plural, join
from lib.corpora.grammar.lexicon import BE, Verb

_COST = Verb("cost", "cost", "costar")
_HURT = Verb("hurt", "hurt", "doler")
_DO = Verb("do", "did", "hacer")
_MODAL_VERBS = {
    "want": Verb("want", "wanted", "querer"),
    "need": Verb("need", "needed", "necesitar"),
    "have": Verb("have", "had", "tener"),
}
_BE_FORMS = {
    ("present", "1s"): "am",
    ("present", "3s"): "is",
    ("past", "1s"): "was",
    ("past", "3s"): "was",
    ("past", "other"): "were",
    ("present", "other"): "are",
}
_NEGATIVES = {"am": "am not", "can": "can't", "must": "must not", "will": "won't"}


@dataclass(frozen=True)
class Frame:
    """The parts that every English clause is put together from."""

    subject: str
    person: str
    verb: Verb
    rest: str


def english(sentence: meaning.Sentence) -> str:
    """Say a meaning in English."""
    text = _say(sentence)
    asked = isinstance(sentence, meaning.Clause) and sentence.question
    return text[0].upper() + text[1:] + ("?" if asked else ".")


def _say(sentence: meaning.Sentence) -> str:
    """Say a meaning without capital letter and final mark."""
    match sentence:
        case meaning.Clause():
            return clause(sentence)
        case meaning.Chain(first=first, second=second):
            return join(clause(first), "and", _second_act(first, second))
        case meaning.Because(main=main, reason=reason):
            return join(clause(main), "because", clause(reason))
        case meaning.Report(subject=subject, verb=verb, content=content, tense=tense):
            said = _finite(verb, tense, subject.person)
            return join(subject_words(subject), said, "that", clause(content))
        case meaning.Joined(first=first, second=second):
            return join(clause(first), "and", clause(second))
        case meaning.Contrast(first=first, other=other):
            verb = _frame(first).verb
            helper, _ = _verb_group(verb, other.person, first.tense, first.modal, True)
            return join(
                clause(first) + ",", "but", subject_words(other), negate(helper)
            )
    raise TypeError(f"Cannot say {sentence!r} in English; expected a meaning.")


def clause(clause: meaning.Clause) -> str:
    """Say one clause, without capital letter and final mark."""
    frame = _frame(clause)
    inverted = bool(clause.question) and clause.question != "who"
    helper, main = _verb_group(
        frame.verb,
        frame.person,
        clause.tense,
        clause.modal,
        clause.negative or inverted,
    )
    if clause.negative:
        helper = negate(helper)
    asked = clause.question if clause.question in ("what", "where", "when") else ""
    order = (helper, frame.subject) if inverted else (frame.subject, helper)
    time = clause.time.english if clause.time else ""
    early, late = (time, "") if clause.time_first else ("", time)
    return join(asked, early, *order, clause.frequency, main, frame.rest, late)


def _verb_group(
    verb: Verb, person: str, tense: str, modal: str, helped: bool
) -> tuple[str, str]:
    """Split the verb into its helper, if it has one, and the rest."""
    after = ""
    if modal in _MODAL_VERBS:
        verb, after = _MODAL_VERBS[modal], f"to {verb.english}"
    if modal in ("can", "must") or tense == "future":
        return modal if modal in ("can", "must") else "will", join(verb.english, after)
    if modal == "going":
        return _be(tense, person), f"going to {verb.english}"
    if verb.english == "be":
        return _be(tense, person), ""
    if helped:
        return _finite(_DO, tense, person), join(verb.english, after)
    return "", join(_finite(verb, tense, person), after)


def _finite(verb: Verb, tense: str, person: str) -> str:
    """The form of an English verb that carries the tense."""
    if tense == "past":
        return verb.past
    if person != "3s":
        return verb.english
    return "has" if verb.english == "have" else add_s(verb.english)


def _be(tense: str, person: str) -> str:
    """The form of "be"."""
    return _BE_FORMS.get((tense, person)) or _BE_FORMS[tense, "other"]


def negate(helper: str) -> str:
    """Attach "not" to a helper: doesn't, can't, am not."""
    return _NEGATIVES.get(helper) or helper + "n't"


def _frame(clause: meaning.Clause) -> Frame:
    """Find subject, verb and the rest of a clause."""
    subject, predicate = clause.subject, clause.predicate
    if isinstance(predicate, meaning.Hurt):
        part = predicate.part.english
        owner = subject.english_owner if isinstance(subject, meaning.Pronoun) else ""
        words = join(owner, english_plural(part) if predicate.plural else part)
        return Frame(words, "3p" if predicate.plural else "3s", _HURT, "")
    if isinstance(predicate, meaning.Exist):
        rest = join(subject_words(subject), place_words(predicate.place))
        return Frame("there", subject.person, BE, rest)
    named = pronoun_for(subject) if clause.referring else subject
    verb, rest = _predicate(predicate, subject)
    return Frame(subject_words(named), subject.person, verb, rest)


def _predicate(
    predicate: meaning.Predicate, subject: meaning.Subject
) -> tuple[Verb, str]:
    """The verb of a predicate and the words after it."""
    match predicate:
        case meaning.Act():
            return predicate.verb, act_words(predicate)
        case meaning.Quality(adjective=adjective):
            return BE, adjective.english
        case meaning.Profession(word=word):
            name = word.english
            return BE, english_plural(name) if subject.plural else with_a(name)
        case meaning.Origin(word=word):
            return BE, f"from {word.english}"
        case meaning.Location(place=place):
            return BE, place_words(place)
        case meaning.Idiom(word=word):
            return BE, word.english
        case meaning.Age(number=number):
            return BE, f"{number.english} years old"
        case meaning.Cost(number=number):
            return _COST, f"{number.english} euros"
        case meaning.Feel(verb=verb, thing=meaning.Phrase() as thing):
            return verb, join(verb.particle, phrase(thing))
        case meaning.Feel(verb=verb, thing=Verb() as act):
            return verb, f"to {act.english}"
    raise TypeError(f"Cannot say {predicate!r} in English; expected a predicate.")


def _second_act(first: meaning.Clause, second: meaning.Act) -> str:
    """The second of two acts: after "will" it is a bare verb."""
    said = second.verb.english
    if first.tense != "future":
        said = _finite(second.verb, first.tense, first.subject.person)
    return join(said, act_words(second))
