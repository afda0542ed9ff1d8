"""The grammar's dictionary: what it links is right, and it knows the words it needs."""

from __future__ import annotations

import pytest

from lib.corpora.grammar import features, load, word_pairs
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
    met = {each for one in features().values() for each in one.combinations}
    words = {each.split("+")[-1] for each in met if "+" in each}
    words |= {word for each in met if "+" not in each for word in each.split()}
    assert len(words) > 180
    assert {word.lower() for word in words} <= {english for english, _ in PAIRS}


def test_nothing_else_is() -> None:
    english = {one for one, _ in PAIRS}
    assert not english & {"the", "a", "my", "he", "is", "to", "and", "not", "will"}
    assert not any(" " in word for pair in PAIRS for word in pair)


def test_most_sentences_of_the_corpus_have_a_link() -> None:
    sentences = load().splits["train"][:500]
    linked = [
        any((one, other) in PAIRS for one in source for other in target)
        for source, target in (
            [tokenize(text.lower()) for text in pair] for pair in sentences
        )
    ]
    assert sum(linked) / len(linked) > 0.95
