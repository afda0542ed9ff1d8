"""The real files, where they are at hand; no test here uses the network.

TRANSFORMER_BOOK_CACHE names the folder that holds them.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

import pytest

from lib import corpora
from lib.corpora.remote import FILES, VARIABLE

MULTI30K = ("de-en", "en-de", "en-fr")
PARTS = [file for name, file in FILES.items() if name not in corpora.names()]
# What each corpus reads.
NEEDED = {
    **{name: [file] for name, file in FILES.items() if name in corpora.names()},
    **{f"multi30k-{pair}": PARTS for pair in MULTI30K},
}
# Pairs of train, validation and test, where the files never change.
SIZES = {
    **{f"multi30k-{pair}": [28_994, 1_014, 1_000] for pair in MULTI30K},
    "tatoeba-en-es": [114_975, 1_156, 2_833],
}
Load = Callable[[str], corpora.Corpus]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load a corpus from the chosen folder, or skip the test if it is not there."""
    if not os.environ.get(VARIABLE):
        pytest.skip(f"{VARIABLE} does not name a folder with the real files")
    monkeypatch.setattr(socket, "socket", None)

    def loaded(name: str) -> corpora.Corpus:
        for file in NEEDED[name]:
            if not (corpora.download_folder() / file.place).is_file():
                pytest.skip(f"the folder of {VARIABLE} holds no {file.place}")
        return corpora.load(name)

    return loaded


@pytest.mark.parametrize("name", NEEDED)
def test_the_splits_are_honest(name: str, load: Load) -> None:
    corpus = load(name)
    sources = {
        split: {corpora.normalize(source) for source, _ in pairs}
        for split, pairs in corpus.splits.items()
    }
    assert sum(map(len, sources.values())) == len(set().union(*sources.values()))
    assert len(sources["validation"]) >= 1_000
    assert len(sources["train"]) > 10 * len(sources["test"]) >= 10_000
    if name in SIZES:
        assert [len(pairs) for pairs in corpus.splits.values()] == SIZES[name]


def test_the_spanish_pairs_are_all_there(load: Load) -> None:
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


def test_the_test_of_multi30k_is_the_published_one(load: Load) -> None:
    """So that a score can be compared with the published ones."""
    pairs = load("multi30k-de-en").splits["test"]
    assert pairs[0] == (
        "Ein Mann mit einem orangefarbenen Hut, der etwas anstarrt.",
        "A man in an orange hat starring at something.",
    )
