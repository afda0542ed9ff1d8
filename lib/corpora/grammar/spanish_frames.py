"""Spanish clauses in parts: verb, person, pronouns, and the words around them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from lib.corpora.grammar import meaning
from lib.corpora.grammar.agreement import article_phrase, join_and, possessed
from lib.corpora.grammar.forms import join, spanish_adjective
from lib.corpora.grammar.lexicon import Verb

_PREPOSITIONS = {"in": "en", "on": "sobre", "to": "a", "from": "de"}
_KNOWN = frozenset(["the", "this", "that", "my", "your", "his", "her", "our", "their"])
_Named = meaning.Pronoun | meaning.People | meaning.Phrase | meaning.Both


@dataclass(frozen=True)
class Frame:
    """The parts that every Spanish clause is put together from."""

    verb: str  # infinitive
    person: str
    subject: str = ""
    topic: str = ""  # "a Ana" in "a Ana le gusta"
    clitics: str = ""
    near: str = ""  # stays with the verb: "¿Tiene hambre Ana?"
    rest: str = ""


def frame(clause: meaning.Clause) -> Frame:
    """Find the parts of a clause."""
    subject, predicate = clause.subject, clause.predicate
    words = "" if clause.referring else subject_words(subject)
    match predicate:
        case meaning.Act(verb=verb):
            clitics, near, rest = act_words(predicate)
            return Frame(verb.spanish, subject.person, words, "", clitics, near, rest)
        case meaning.Feel(verb=verb, thing=thing):
            plural = isinstance(thing, meaning.Phrase) and thing.plural
            topic = _with_a(subject) if words else ""
            person, pronoun = "3p" if plural else "3s", _indirect(subject)
            return Frame(verb.spanish, person, "", topic, pronoun, rest=_liked(thing))
        case meaning.Hurt(part=part, plural=plural):
            person, pronoun = "3p" if plural else "3s", _indirect(subject)
            hurting = possessed(part, plural)
            return Frame("doler", person, clitics=pronoun, rest=hurting)
        case meaning.Exist(place=place):
            there = join(object_words(subject), _place(place))
            return Frame("haber", "3s", rest=there)
    infinitive, near, rest = _being(predicate, subject)
    return Frame(infinitive, subject.person, words, near=near, rest=rest)


def _liked(thing: meaning.Phrase | Verb) -> str:
    """What somebody likes; all of its kind takes the article."""
    if isinstance(thing, meaning.Phrase):
        return article_phrase(thing, generic=True)
    return thing.spanish


def _being(
    predicate: meaning.Predicate, subject: meaning.Subject
) -> tuple[str, str, str]:
    """The verb for the English "be", the words next to it, and those farther off."""
    match predicate:
        case meaning.Quality(adjective=adjective):
            form = spanish_adjective(adjective.spanish, subject.gender, subject.plural)
            return adjective.copula, form, ""
        case meaning.Profession(word=word):
            form = spanish_adjective(word.spanish, subject.gender, subject.plural)
            return "ser", form, ""
        case meaning.Origin(word=word):
            return "ser", "", f"de {word.spanish}"
        case meaning.Location(place=place):
            return "estar", "", _place(place)
        case meaning.Idiom(word=word):
            return "tener", word.spanish, ""
        case meaning.Age(number=number):
            return "tener", "", f"{number.spanish} años"
        case meaning.Cost(number=number):
            return "costar", "", f"{number.spanish} euros"
    raise TypeError(f"Cannot say {predicate!r} in Spanish; expected a predicate.")


def act_words(act: meaning.Act) -> tuple[str, str, str]:
    """The pronouns before the verb, what stays with it, and what follows."""
    direct, thing, near = "", "", ""
    match act.object:
        case meaning.Pronoun() as pronoun:
            direct = pronoun.direct
        case meaning.Again(phrase=again):
            direct = {"m": "lo", "f": "la"}[again.gender] + "s" * again.plural
        case None:
            pass
        case part if _is_bare(part) and act.verb.spanish != "jugar":
            near = _after_verb(act, part)
        case part:
            thing = _after_verb(act, part)
    indirect = _indirect(act.recipient) if act.recipient else ""
    if direct and indirect in ("le", "les"):
        indirect = "se"
    to = ""
    if act.recipient is not None and not isinstance(act.recipient, meaning.Pronoun):
        to = _with_a(act.recipient)
    return join(indirect, direct), near, join(thing, to, _place(act.place))


def _is_bare(part: meaning.Object) -> bool:
    """Whether an object has no determiner; it then clings to its verb."""
    first = part.first if isinstance(part, meaning.Both) else part
    return isinstance(first, meaning.Phrase) and not first.determiner


def _after_verb(act: meaning.Act, part: _Named) -> str:
    """An object after its verb, with the personal *a* where it belongs."""
    if act.verb.spanish == "jugar" and isinstance(part, meaning.Phrase):
        return f"a {article_phrase(part, generic=True)}"
    return _with_a(part) if _takes_a(act, part) else object_words(part)


def _with_a(part: _Named) -> str:
    """Put *a* before each of the people: a Ana y a Inés."""
    if isinstance(part, meaning.People):
        return " y ".join(f"a {name.spanish}" for name in part.names)
    return f"a {object_words(part)}"


def _takes_a(act: meaning.Act, part: _Named) -> bool:
    """People take the personal *a*, and so do animals that are known."""
    if act.verb.spanish == "tener":
        return False
    if isinstance(part, meaning.People):
        return True
    if not isinstance(part, meaning.Phrase):
        return False
    if part.noun.kinds & {"person", "kin"}:
        return True
    return "animal" in part.noun.kinds and part.determiner in _KNOWN


def _indirect(subject: meaning.Subject) -> str:
    """The pronoun of somebody to whom something is given or pleasing."""
    if isinstance(subject, meaning.Pronoun):
        return subject.indirect
    return "les" if subject.plural else "le"


def _place(place: meaning.Place | None) -> str:
    """A place with its preposition."""
    if place is None:
        return ""
    where = place.where
    words = (
        article_phrase(where) if isinstance(where, meaning.Phrase) else where.spanish
    )
    return join(_PREPOSITIONS[place.way], words)


def subject_words(subject: meaning.Subject) -> str:
    """Name a subject; yo, tú and nosotros are left to the verb."""
    if isinstance(subject, meaning.Pronoun):
        return "" if subject.dropped else subject.spanish
    return object_words(subject)


def object_words(part: _Named) -> str:
    """Name a person or a thing."""
    match part:
        case meaning.Pronoun():
            return part.spanish
        case meaning.People(names=names):
            return functools.reduce(join_and, (name.spanish for name in names))
        case meaning.Both(first=first, second=second):
            return join_and(article_phrase(first), article_phrase(second))
    return article_phrase(part)
