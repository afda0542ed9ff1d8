"""Real pairs made fit for use: no source in two parts, the same parts everywhere."""

from __future__ import annotations

import hashlib
from itertools import chain
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from lib import corpora
from lib.corpora import splitting


@settings(max_examples=40)
@given(seed=st.integers(), count=st.integers(60, 150))
def test_no_source_stands_in_two_splits(seed: int, count: int) -> None:
    """Sources that come again, with other translations, capitals and marks."""
    random = Random(seed)
    pairs = []
    for _ in range(count):
        source = random.choice("abcdefghijklmnopqrstuvw")
        mark = random.choice(["", ".", "!", " ?"])
        pairs.append(((source.upper() if mark else source) + mark, random.choice("xy")))
    splits = splitting.split_by_source(pairs, seed)
    assert sorted(chain(*splits.values())) == sorted(pairs)
    sources = [
        {corpora.normalize(source) for source, _ in part} for part in splits.values()
    ]
    assert all(sources)
    assert sum(map(len, sources)) == len(set().union(*sources))
    shuffled = splitting.split_by_source(pairs[::-1], seed)
    assert {name: set(part) for name, part in shuffled.items()} == {
        name: set(part) for name, part in splits.items()
    }


def test_the_seed_chooses_and_nothing_else() -> None:
    pairs = [(f"cat {number}", "gato") for number in range(200)]
    held_out = [splitting.split_by_source(pairs, seed)["test"] for seed in (0, 0, 1)]
    assert held_out[0] == held_out[1] != held_out[2]
    # The same on every machine: a sentence does not move to another split.
    digest = hashlib.sha256(repr(held_out[0]).encode()).hexdigest()
    assert digest[:16] == "94bf8b5fade5c3ee"


def test_a_large_corpus_holds_out_a_fixed_number() -> None:
    pairs = [(f"cat {n // 2}", f"gato {n}") for n in range(60_000)]
    splits = splitting.split_by_source(pairs)
    sizes = {name: len(corpora.references(part)) for name, part in splits.items()}
    assert sizes == {"train": 26_500, "validation": 1_000, "test": 2_500}
    assert {len(r) for r in corpora.references(splits["test"]).values()} == {2}


def test_references_name_each_target_once() -> None:
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("a", "1")]
    assert corpora.references(pairs) == {"a": ["1", "3"], "b": ["2"]}
    assert corpora.references([]) == {}
