"""The grammar's dictionary: which English and Spanish words can be partners."""

from __future__ import annotations

from collections.abc import Iterator

from lib.corpora.grammar import lexicon
from lib.corpora.grammar.conjugation import PERSONS, conjugate
from lib.corpora.grammar.forms import (
    add_s,
    english_plural,
    spanish_adjective,
    spanish_plural,
)

# Verbs that the tables of the lexicon hold otherwise, with their English forms.
_OTHER_VERBS = {
    "querer": "want wants",
    "poder": "can can't",
    "deber": "must",
    "doler": "hurt hurts",
    "costar": "cost costs",
    "interesar": "interested",
}
# The grammar says some verbs in few tenses, and conjugates them in no others.
_FEWER_TENSES = {
    "querer": ("present",),
    "poder": ("present",),
    "saber": ("present",),
    "decir": ("present", "past"),
}


def word_pairs() -> frozenset[tuple[str, str]]:
    """Return all pairs of an English and a Spanish word that translate each other.

    Nouns, verbs, adjectives, names and numbers are in it, in all their forms and in
    small letters. Articles, pronouns, prepositions and the verb "be" are not: which
    word of the other language they come from is often a matter of opinion.

    Example:
        >>> pairs = word_pairs()
        >>> ("women", "mujeres") in pairs, ("went", "fuimos") in pairs
        (True, True)
        >>> ("the", "la") in pairs
        False
    """
    found = [*_nouns(), *_adjectives(), *_verbs()]
    for people in lexicon.NAMES:
        found.append((people.english, people.spanish))
    for time in lexicon.TIMES:
        found.append((time.english, time.spanish))
    for word in (
        *lexicon.CITIES,
        *lexicon.SMALL_NUMBERS,
        *lexicon.LARGE_NUMBERS,
        *lexicon.IDIOMS,
    ):
        found.append((word.english, word.spanish))
    single = [pair for pair in found if not any(" " in word for word in pair)]
    return frozenset((english.lower(), spanish.lower()) for english, spanish in single)


def _nouns() -> Iterator[tuple[str, str]]:
    yield "home", "casa"
    names = [(noun.english, noun.spanish) for noun in lexicon.NOUNS]
    names += [(part.english, part.spanish) for part in lexicon.BODY]
    for english, spanish in names:
        yield english, spanish
        yield english_plural(english), spanish_plural(spanish)


def _adjectives() -> Iterator[tuple[str, str]]:
    forms = [(gender, plural) for gender in "mf" for plural in (False, True)]
    for adjective in lexicon.ADJECTIVES:
        for gender, plural in forms:
            form = spanish_adjective(adjective.spanish, gender, plural)
            yield adjective.english, form
    for word in lexicon.PROFESSIONS:
        for gender, plural in forms:
            english = english_plural(word.english) if plural else word.english
            yield english, spanish_adjective(word.spanish, gender, plural)
    yield from (("good", "buen"), ("bad", "mal"), ("great", "gran"))


def _verbs() -> Iterator[tuple[str, str]]:
    english = dict(_OTHER_VERBS)
    for verb in (*lexicon.VERBS, *lexicon.FEELINGS, *lexicon.SAYINGS):
        if verb.english == "be":
            continue
        third = "has" if verb.english == "have" else add_s(verb.english)
        known = english.get(verb.spanish, "")
        english[verb.spanish] = f"{known} {verb.english} {third} {verb.past}"
    for infinitive, words in english.items():
        tenses = _FEWER_TENSES.get(infinitive, lexicon.TENSES)
        forms = {conjugate(infinitive, t, p) for t in tenses for p in PERSONS}
        for word in words.split():
            yield from ((word, form) for form in forms | {infinitive})
