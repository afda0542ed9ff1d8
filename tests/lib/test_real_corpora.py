"""The real files, where they are at hand; no test here uses the network.

TRANSFORMER_BOOK_CACHE names the folder that holds them.
"""

from __future__ import annotations

import os
import socket

import pytest

from lib import corpora
from lib.corpora import multi30k, tatoeba
from lib.corpora.remote import VARIABLE

MULTI30K = [f"multi30k/{name}.gz" for name in multi30k.FILES]
# What each corpus reads, in the order of preference.
NEEDED = {
    "europarl-it-en": (
        ["europarl/it-en.tgz"],
        ["europarl/sample.it-en.it.gz", "europarl/sample.it-en.en.gz"],
    ),
    "multi30k-de-en": (MULTI30K,),
    "multi30k-en-de": (MULTI30K,),
    "multi30k-en-fr": (MULTI30K,),
    "tatoeba-en-es": ([tatoeba.FILES["es"].place],),
    "tatoeba-en-fr": ([tatoeba.FILES["fr"].place],),
    "tatoeba-en-it": ([tatoeba.FILES["it"].place],),
}
# Pairs of train, validation and test, where the files never change.
SIZES = {
    "multi30k-de-en": [28_994, 1_014, 1_000],
    "multi30k-en-de": [28_994, 1_014, 1_000],
    "multi30k-en-fr": [28_994, 1_014, 1_000],
    "tatoeba-en-es": [114_975, 1_156, 2_833],
}


@pytest.fixture
def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what lies in the chosen folder may be read."""
    if not os.environ.get(VARIABLE):
        pytest.skip(f"{VARIABLE} does not name a folder with the real files")
    if not corpora.download_folder().is_dir():
        pytest.skip(f"{VARIABLE} names a folder that is not there")
    monkeypatch.setattr(socket, "socket", None)


def load(name: str) -> corpora.Corpus:
    """Load a corpus, or skip the test if its files are not in the folder."""
    folder = corpora.download_folder()
    ways = NEEDED[name]
    if not any(all((folder / place).is_file() for place in way) for way in ways):
        pytest.skip(f"the folder of {VARIABLE} holds no {ways[0][0]}")
    return corpora.load(name)


def test_every_corpus_with_files_of_its_own_is_tried() -> None:
    own = {"grammar", "phrases", "opus-books-en-it"}  # books: no copy at hand
    assert set(NEEDED) == set(corpora.names()) - own


@pytest.mark.usefixtures("at_hand")
@pytest.mark.parametrize("name", NEEDED)
def test_the_splits_are_honest(name: str) -> None:
    corpus = load(name)
    sources = {
        split: {corpora.normalize(source) for source, _ in pairs}
        for split, pairs in corpus.splits.items()
    }
    assert sum(map(len, sources.values())) == len(set().union(*sources.values()))
    assert len(sources["validation"]) >= 1_000
    assert len(sources["test"]) >= (1_000 if name.startswith("multi30k") else 2_000)
    assert len(sources["train"]) > 10 * len(sources["test"])
    everything = [pair for pairs in corpus.splits.values() for pair in pairs]
    assert all(source.strip() and target.strip() for source, target in everything)
    if name in SIZES:
        assert [len(pairs) for pairs in corpus.splits.values()] == SIZES[name]


@pytest.mark.usefixtures("at_hand")
def test_the_spanish_pairs_are_all_there() -> None:
    """118,964 pairs, none of them left out, all references beside one another."""
    corpus = load("tatoeba-en-es")
    assert sum(map(len, corpus.splits.values())) == 118_964
    assert corpus.notes == ()
    everything = [pair for pairs in corpus.splits.values() for pair in pairs]
    whole = corpora.references(everything)
    assert len(whole) == 102_904
    test = corpora.references(corpus.splits["test"])
    assert {source: whole[source] for source in test} == test
    assert any(len(targets) > 5 for targets in test.values())


@pytest.mark.usefixtures("at_hand")
def test_another_seed_holds_out_others() -> None:
    load("tatoeba-en-es")
    tests = [
        {pair[0] for pair in corpora.load("tatoeba-en-es", seed=seed).splits["test"]}
        for seed in (0, 1)
    ]
    assert len(tests[0] & tests[1]) < len(tests[0]) / 5


@pytest.mark.usefixtures("at_hand")
def test_the_test_of_multi30k_is_the_published_one() -> None:
    """So that a score can be compared with the published ones."""
    pairs = load("multi30k-de-en").splits["test"]
    assert pairs[0] == (
        "Ein Mann mit einem orangefarbenen Hut, der etwas anstarrt.",
        "A man in an orange hat starring at something.",
    )


@pytest.mark.usefixtures("at_hand")
def test_french_spaces_are_kept_as_they_are_typed() -> None:
    corpus = load("tatoeba-en-fr")
    first = dict(corpus.splits["train"])
    assert any("\u202f!" in target for target in first.values())
