"""The grammar's dictionary: what it links is right, and it knows the words it needs."""

from __future__ import annotations

import pytest

from lib.corpora.grammar import load, word_pairs
from lib.corpora.grammar.lexicon import ADJECTIVES, NOUNS, Adjective, Noun
from lib.text import tokenize

PAIRS = word_pairs()
BY_HAND = [
    ("I like the red car", "Me gusta el coche rojo", "1-1 4-3 3-4"),
    (
        "The tall girl has a black cat",
        "La niña alta tiene un gato negro",
        "2-1 1-2 3-3",
    ),
    ("Ana is from Italy and I sleep", "Ana es de Italia y yo duermo", "0-0 3-3 6-6"),
    ("Two women went home", "Dos mujeres fueron a casa", "0-0 1-1 2-2 3-4"),
]


@pytest.mark.parametrize(("english", "spanish", "links"), BY_HAND)
def test_it_links_what_a_reader_links(english: str, spanish: str, links: str) -> None:
    found = {
        f"{i}-{j}"
        for i, one in enumerate(english.lower().split())
        for j, other in enumerate(spanish.lower().split())
        if (one, other) in PAIRS
    }
    assert set(links.split()) <= found
    extra = {"6-5", "5-6"} if "black" in english else set()
    assert found - set(links.split()) == extra


def test_every_noun_and_adjective_is_in_it() -> None:
    words: list[Noun | Adjective] = [*NOUNS, *ADJECTIVES]
    for word in words:
        assert (word.english.lower(), word.spanish.lower()) in PAIRS


def test_nothing_else_is() -> None:
    english = {one for one, _ in PAIRS}
    assert not english & {"the", "a", "my", "he", "is", "to", "and", "not", "will"}
    assert not any(" " in word for pair in PAIRS for word in pair)


def test_most_sentences_of_the_corpus_have_a_link() -> None:
    sentences = load(seed=3, size=100).splits["train"]
    linked = [
        any((one, other) in PAIRS for one in source for other in target)
        for source, target in (
            [tokenize(text.lower()) for text in pair] for pair in sentences
        )
    ]
    assert sum(linked) / len(linked) > 0.95
