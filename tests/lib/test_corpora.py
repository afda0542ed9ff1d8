"""The corpora by name, how they are split, the grammar, and what ships with lib."""

from __future__ import annotations

import bz2
import functools
import hashlib
import re
from itertools import chain
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import corpora
from lib.__main__ import main
from lib.corpora import grammar
from lib.corpora.corpus import Corpus, normalize, split_by_source
from lib.corpora.own import read_pairs
from lib.corpora.remote import download_folder
from lib.evaluation import TYPED, far_pairs, strangers
from lib.text import detokenize, tokenize
from tests.refusals import refuses

SPLITS = corpora.load("grammar").splits
FEATURES = grammar.features()


# --- by name --------------------------------------------------------------------------


def test_an_unknown_name_is_refused_in_one_sentence() -> None:
    words = r"'klingon'.*'grammar', .*'phrases', .*\.$"
    refuses(lambda: corpora.load("klingon"), words)


def test_a_corpus_shows_sizes_and_not_its_pairs() -> None:
    assert repr(corpora.load()) == (
        "Corpus('grammar', en to es, train: 50,000, validation: 1,000, "
        "unseen_sentences: 2,500, unseen_combinations: 2,500)"
    )


@pytest.mark.parametrize("vocab_size", [0, 40])
def test_a_run_learns_its_words_from_the_training_part_alone(
    vocab_size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun = Mock(side_effect=ValueError("This is far enough."))
    monkeypatch.setattr("lib.training.train", begun)
    train = [("Ana sings.", "Ana canta."), ("I sing.", "Canto.")] * 9
    for held_out in (("Ana sings.", "Ana canta."), ("Zebras graze.", "Pacen cebras.")):
        splits = {"train": train, "validation": [held_out], "test": [held_out] * 50}
        made = Corpus("two", "en", "es", splits)
        monkeypatch.setattr(corpora, "load", Mock(return_value=made))
        words = ["--set", f"vocab_size={vocab_size}", "--out", str(tmp_path / "run")]
        assert main(["train", *words]) == 2
    one, other = (
        [vocabulary.tokens for vocabulary in call.args[1:3]]
        for call in begun.call_args_list
    )
    assert one == other


def test_the_phrases_of_the_first_translator() -> None:
    train = corpora.load("phrases").splits["train"]
    assert len(dict(train)) == len(train) >= 8
    for text in chain.from_iterable(train):
        assert detokenize(tokenize(text)) == text


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Where is Ana?", "where  is ana", True),
        ("I don’t know.", "i don't know", True),
        ("CAFE\u0301", "café", True),
        ("I eat", "I ate", False),
        ("él", "el", False),
        ("कि ¨ और", "की और", False),
        ("¨कि´", "कि", True),  # marks on no letter
    ],
)
def test_case_marks_and_spacing_do_not_make_a_source_new(
    one: str, other: str, same: bool
) -> None:
    assert (normalize(one) == normalize(other)) is same


# --- the table of the grammar ---------------------------------------------------------


def test_the_sentences_stay_the_same_to_the_byte() -> None:
    """The shipped translator's scores and the chapters' outputs rest on them.

    grammar.md names what they must have, and the commit whose tests read them for it.
    """
    lines = [f"{name}\t{en}\t{es}" for name, part in SPLITS.items() for en, es in part]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "ac6b4ac2140fe6d0863158cd8696608826ed570c60a5399e277c885d3b9678b6"
    # And with them their features, and the dictionary.
    table = hashlib.sha256(bz2.decompress(grammar.FILE.read_bytes())).hexdigest()
    assert table == "e38683af773d16b341e2c86ce13669314003f79732ea40ff6676c9fe165a7784"
    assert list(FEATURES) == [source for part in SPLITS.values() for source, _ in part]
    hurt = FEATURES["Did his feet hurt yesterday?"]
    assert hurt == ("his feet", "m", "plural", "past", "hurt", "", ())
    assert {("the", "la"), ("black", "gato")}.isdisjoint(grammar.word_pairs())
    assert corpora.load("grammar").punctuated
    assert not corpora.load("phrases").punctuated


# --- how they are split ---------------------------------------------------------------


@settings(max_examples=40)
@given(seed=st.integers(), count=st.integers(60, 150))
def test_no_source_stands_in_two_splits(seed: int, count: int) -> None:
    """Sources that come again, with other translations, capitals and marks."""
    choose = Random(seed).choice
    words = [*"abcdefghijklmnopqrstuvw", *"ABCDEFGHIJKLMNOPQRSTUVW"]
    pairs = [(choose(words) + choose(".!? "), choose("xy")) for _ in range(count)]
    splits = split_by_source(pairs, seed)
    assert sorted(chain(*splits.values())) == sorted(pairs)
    sources = [{normalize(source) for source, _ in part} for part in splits.values()]
    assert all(sources)
    assert sum(map(len, sources)) == len(set().union(*sources))
    shuffled = split_by_source(pairs[::-1], seed)
    assert [*map(sorted, shuffled.values())] == [*map(sorted, splits.values())]


def test_the_seed_chooses_and_nothing_else() -> None:
    pairs = [(f"cat {number}", "gato") for number in range(200)]
    held_out = [split_by_source(pairs, seed)["test"] for seed in (0, 1)]
    assert held_out[0] != held_out[1]
    # The same on every machine: a sentence does not move to another split.
    digest = hashlib.sha256(repr(held_out[0]).encode()).hexdigest()
    assert digest[:16] == "94bf8b5fade5c3ee"


def test_a_large_corpus_holds_out_a_fixed_number() -> None:
    pairs = [(f"cat {n // 2}", f"gato {n}") for n in range(60_000)]
    splits = split_by_source(pairs)
    sizes = {name: len(part) for name, part in splits.items()}
    assert sizes == {"train": 53_000, "validation": 2_000, "test": 5_000}


FOLDER = Path(corpora.__file__).parent
BOOK, COPIES = FOLDER / "phrase-book.tsv", FOLDER / "copies.tsv.gz"
HAS_TATOEBA = (download_folder() / "spa-eng.zip").is_file()
needs_tatoeba = pytest.mark.skipif(
    not HAS_TATOEBA, reason="the sentences are not here (TRANSFORMER_BOOK_CACHE)"
)


SUMS = {
    BOOK: "4aede24a3469e6867ea37551658bd8b448a239e4c1bbc61cfe51ca09a1b7e918",
    COPIES: "b2241556dc8d65da35c36df718de3065d3abf53628aa579c2ee112bd94e89aee",
}


@functools.cache
def ours() -> list[tuple[str, str]]:
    return [pair for file in (BOOK, COPIES) for pair in read_pairs([file], "en-es")[0]]


@functools.cache
def asked_for() -> set[str]:
    return {normalize(src) for src, _ in ours()}


@pytest.mark.parametrize("file", SUMS)
def test_the_files_stay_as_they_were_read(file: Path) -> None:
    """The tests of commit f67ef08 read every line of them."""
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SUMS[file]


@pytest.mark.parametrize("part", [*TYPED.values(), "validation"])
def test_no_line_is_typed_by_a_stranger(part: str) -> None:
    """But for the things that one types first: some of them stand in any such book."""
    asked = {normalize(stranger.english) for stranger in strangers(part)}
    assert part == "first" or not asked & asked_for()


@needs_tatoeba
def test_no_line_is_held_out_and_the_far_part_stays_far() -> None:
    splits = corpora.load("tatoeba-en-es").splits
    held = {
        normalize(src) for part in ("validation", "test") for src, _ in splits[part]
    }
    assert not held & asked_for()
    far = far_pairs(splits)
    assert far_pairs({"train": [*ours()], "test": far}) == far


def test_the_names_on_trial_stand_in_no_file_of_training() -> None:
    names = [ways[0] for each in strangers("names") for ways in each.wanted]
    learned = [*ours()]
    if HAS_TATOEBA:
        learned += corpora.load("tatoeba-en-es").splits["train"]
    text = " ".join(f"{src} {tgt}" for src, tgt in learned)
    any_of = "|".join(map(re.escape, names))
    assert not re.findall(rf"\b(?:{any_of})\b", text)
