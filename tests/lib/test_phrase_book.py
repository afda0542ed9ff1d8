"""The book's own pairs to train on: that they hold nothing of what tests ask."""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

import pytest

from lib import corpora
from lib.corpora import normalize
from lib.corpora.own import read_pairs
from lib.corpora.remote import download_folder
from lib.evaluation import TYPED, far_pairs, strangers

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
    return [pair for file in (BOOK, COPIES) for pair in read_pairs(file, "en-es")[0]]


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
