"""Write the sample of sentence pairs that a recipe trains on: English and German.

    -m book.tools.lab.sample_pairs

The sentences are made from the few words and frames below, which the project wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from lib.corpora import SAMPLE, Pair
from lib.text.files import write_whole


class Noun(NamedTuple):
    """A noun in both languages; German has three genders."""

    english: str
    german: str
    gender: str  # "m", "f" or "n"

    @property
    def subject(self) -> str:
        """The noun with its article as the one who acts."""
        return f"{_SUBJECT_ARTICLES[self.gender]} {self.german}"

    def object(self, adjective: str = "") -> str:
        """The noun with its article as what is acted upon; only masculines change."""
        ending = "en" if self.gender == "m" else "e"
        words = [_OBJECT_ARTICLES[self.gender], self.german]
        if adjective:
            words.insert(1, adjective + ending)
        return " ".join(words)


class Verb(NamedTuple):
    """A verb in both languages, with the forms that the frames need."""

    english: str
    english_third: str
    german_first: str
    german_third: str


_SUBJECT_ARTICLES = {"m": "der", "f": "die", "n": "das"}
_OBJECT_ARTICLES = {"m": "den", "f": "die", "n": "das"}
PEOPLE = (
    Noun("man", "Mann", "m"),
    Noun("doctor", "Arzt", "m"),
    Noun("woman", "Frau", "f"),
    Noun("queen", "Königin", "f"),
    Noun("child", "Kind", "n"),
    Noun("girl", "Mädchen", "n"),
)
THINGS = (
    Noun("hat", "Hut", "m"),
    Noun("ball", "Ball", "m"),
    Noun("key", "Schlüssel", "m"),
    Noun("chair", "Stuhl", "m"),
    Noun("flower", "Blume", "f"),
    Noun("lamp", "Lampe", "f"),
    Noun("cup", "Tasse", "f"),
    Noun("book", "Buch", "n"),
    Noun("picture", "Bild", "n"),
    Noun("shirt", "Hemd", "n"),
)
VERBS = (
    Verb("see", "sees", "sehe", "sieht"),
    Verb("find", "finds", "finde", "findet"),
    Verb("buy", "buys", "kaufe", "kauft"),
    Verb("look for", "looks for", "suche", "sucht"),
    Verb("take", "takes", "nehme", "nimmt"),
)
ADJECTIVES = {
    "big": "groß",
    "small": "klein",
    "new": "neu",
    "old": "alt",
    "beautiful": "schön",
}


def statements() -> Iterator[Pair]:
    """The man sees the hat."""
    for who, verb, what in product(PEOPLE, VERBS, THINGS):
        yield (
            f"The {who.english} {verb.english_third} the {what.english}.",
            _capital(f"{who.subject} {verb.german_third} {what.object()}."),
        )


def denials() -> Iterator[Pair]:
    """The man does not see the hat; German says "not" at the end."""
    for who, verb, what in product(PEOPLE, VERBS, THINGS):
        yield (
            f"The {who.english} does not {verb.english} the {what.english}.",
            _capital(f"{who.subject} {verb.german_third} {what.object()} nicht."),
        )


def questions() -> Iterator[Pair]:
    """Does the man see the hat?; German begins with the verb."""
    for who, verb, what in product(PEOPLE, VERBS, THINGS):
        yield (
            f"Does the {who.english} {verb.english} the {what.english}?",
            _capital(f"{verb.german_third} {who.subject} {what.object()}?"),
        )


def descriptions() -> Iterator[Pair]:
    """I see the old hat; the German adjective agrees with its noun."""
    for verb, english, what in product(VERBS, ADJECTIVES, THINGS):
        german = what.object(ADJECTIVES[english])
        yield (
            f"I {verb.english} the {english} {what.english}.",
            f"Ich {verb.german_first} {german}.",
        )


def todays() -> Iterator[Pair]:
    """Today I see the hat; the German verb stays in the second place."""
    for verb, what in product(VERBS, THINGS):
        yield (
            f"Today I {verb.english} the {what.english}.",
            f"Heute {verb.german_first} ich {what.object()}.",
        )


def qualities() -> Iterator[Pair]:
    """The hat is old; behind its noun, a German adjective does not change."""
    for what, english in product(THINGS, ADJECTIVES):
        yield (
            f"The {what.english} is {english}.",
            _capital(f"{what.subject} ist {ADJECTIVES[english]}."),
        )


def places() -> Iterator[Pair]:
    """Where is the hat?"""
    for what in (*PEOPLE, *THINGS):
        yield f"Where is the {what.english}?", f"Wo ist {what.subject}?"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


FRAMES = (
    (statements, 60),
    (denials, 40),
    (questions, 30),
    (descriptions, 50),
    (todays, 25),
    (qualities, 25),
    (places, 10),
)


def sample() -> list[Pair]:
    """Choose some sentences of each frame, always the same ones."""
    random = Random("sample")
    pairs: list[Pair] = []
    for frame, count in FRAMES:
        pairs += random.sample(list(frame()), count)
    random.shuffle(pairs)
    return pairs


def main() -> None:
    """Write the file that ships."""
    write_whole(SAMPLE, "".join(f"{en}\t{de}\n" for en, de in sample()))


if __name__ == "__main__":
    main()
