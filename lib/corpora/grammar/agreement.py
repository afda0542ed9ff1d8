"""Spanish noun phrases: articles, possessives and adjectives that agree."""

from __future__ import annotations

from lib.corpora.grammar.lexicon import SMALL_NUMBERS
from lib.corpora.grammar.referents import Phrase
from lib.corpora.grammar.words import spanish_adjective, spanish_plural

# Masculine and feminine singular, masculine and feminine plural.
_DETERMINERS = {
    "the": "el la los las",
    "a": "un una unos unas",
    "this": "este esta estos estas",
    "that": "ese esa esos esas",
    "my": "mi mi mis mis",
    "your": "tu tu tus tus",
    "his": "su su sus sus",
    "her": "su su sus sus",
    "their": "su su sus sus",
    "our": "nuestro nuestra nuestros nuestras",
    "many": "- - muchos muchas",
}
_NUMBERS = dict(SMALL_NUMBERS)
# Short forms of the adjectives that stand before their noun.
_SHORTENED = {"bueno": "buen", "malo": "mal"}


def article_phrase(phrase: Phrase, generic: bool = False) -> str:
    """Say a noun with its determiner and its adjective.

    Args:
        phrase: The noun phrase.
        generic: Whether a noun without determiner means all of its kind, so that
            Spanish asks for the article: "I like coffee", "me gusta el café".

    Returns:
        The words, all of them in agreement.

    Built in chapter 10.
    """
    noun = phrase.noun.spanish_form(phrase.plural)
    before, after = "", ""
    if phrase.adjective:
        form = spanish_adjective(phrase.adjective.spanish, phrase.gender, phrase.plural)
        if phrase.adjective.before:
            before = _shorten(form, phrase)
        else:
            after = form
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
    return _DETERMINERS[name].split()[2 * phrase.plural + (gender == "f")]


def _shorten(form: str, phrase: Phrase) -> str:
    """Apocope before a singular noun: un buen libro, una gran película."""
    if phrase.plural:
        return form
    if form == "grande":
        return "gran"
    return _SHORTENED.get(form, form)


def possessed(part: tuple[str, str, str], plural: bool) -> str:
    """A part of the body, which Spanish names with the article."""
    _, noun, gender = part
    article = _DETERMINERS["the"].split()[2 * plural + (gender == "f")]
    return f"{article} {spanish_plural(noun) if plural else noun}"


def join_and(first: str, second: str) -> str:
    """Join with y, or with e before the sound of i."""
    start = second.casefold()
    sounds_like_i = start.startswith(("i", "í", "hi")) and not start.startswith("hie")
    return f"{first} {'e' if sounds_like_i else 'y'} {second}"
