"""Spanish noun phrases: articles, possessives and adjectives that agree."""

from __future__ import annotations

from typing import NamedTuple

from lib.corpora.grammar.forms import spanish_adjective, spanish_plural
from lib.corpora.grammar.lexicon import SMALL_NUMBERS, GenderedWord
from lib.corpora.grammar.meaning import Phrase
from lib.corpora.grammar.tables import read


class _Determiner(NamedTuple):
    """A determiner with its four forms; what is always plural lacks two of them."""

    english: str
    masculine_plural: str
    feminine_plural: str
    masculine: str = ""
    feminine: str = ""

    def agreeing(self, gender: str, plural: bool) -> str:
        """The form for a noun of this gender and number."""
        if plural:
            return self.feminine_plural if gender == "f" else self.masculine_plural
        return self.feminine if gender == "f" else self.masculine


_DETERMINERS = {each.english: each for each in read("determiners.csv", _Determiner)}
_NUMBERS = {number.english: number.spanish for number in SMALL_NUMBERS}


def article_phrase(phrase: Phrase, generic: bool = False) -> str:
    """Say a noun with its determiner and its adjective.

    Args:
        phrase: the noun phrase.
        generic: whether a noun without determiner means all of its kind, so that
            Spanish asks for the article: "I like coffee", "me gusta el café".
    """
    noun = phrase.noun.spanish_form(phrase.plural)
    before, after = "", ""
    if phrase.adjective:
        form = spanish_adjective(phrase.adjective.spanish, phrase.gender, phrase.plural)
        if not phrase.adjective.short:
            after = form
        elif form == phrase.adjective.spanish:  # un buen libro, una gran película
            before = phrase.adjective.short
        else:
            before = form
    name = phrase.determiner or ("the" if generic else "")
    determiner = _determiner(name, phrase, adjacent=not before)
    return " ".join(word for word in (determiner, before, noun, after) if word)


def _determiner(name: str, phrase: Phrase, adjacent: bool) -> str:
    """Choose the form; el and un stand directly before a stressed a-."""
    if not name:
        return ""
    if name in _NUMBERS:
        return _NUMBERS[name]
    gender = phrase.gender
    stressed = "stressed" in phrase.noun.kinds and not phrase.plural
    if stressed and adjacent and name in ("the", "a"):
        gender = "m"
    return _DETERMINERS[name].agreeing(gender, phrase.plural)


def possessed(part: GenderedWord, plural: bool) -> str:
    """A part of the body, which Spanish names with the article."""
    article = _DETERMINERS["the"].agreeing(part.gender, plural)
    return f"{article} {spanish_plural(part.spanish) if plural else part.spanish}"


def join_and(first: str, second: str) -> str:
    """Join with y, or with e before the sound of i."""
    start = second.casefold()
    sounds_like_i = start.startswith(("i", "í", "hi")) and not start.startswith("hie")
    return f"{first} {'e' if sounds_like_i else 'y'} {second}"
