"""Sub-word dropout: the same sentences, cut in other ways in every epoch."""

from __future__ import annotations

import random
from functools import partial

import pytest
import torch

from lib.commands.options import read_settings
from lib.corpora import SAMPLE
from lib.text import ParallelDataset, Vocabulary, cut_again
from lib.text.pairs import positions_needed
from lib.text.subwords import SubwordVocabulary
from lib.training import TrainingSettings
from lib.training.data import TranslationData
from lib.translator import Translator
from tests.refusals import Call, each_refusal, refuses

LINES = SAMPLE.read_text("utf-8").splitlines()
PAIRS = [(line.split("\t")[0], line.split("\t")[1]) for line in LINES]
TEXTS = [text for pair in PAIRS for text in pair]
SHARED = SubwordVocabulary.build(TEXTS, size=150)


def test_without_dropout_the_cut_is_the_one_of_the_library() -> None:
    shipped = Translator.load("tatoeba-en-es").src_vocab
    assert isinstance(shipped, SubwordVocabulary)
    strange = ["Don’t  go, naïve café-owner!", "木 x木木 3.14 <eos>", "e\u0301t\u00e9"]
    for vocabulary in (SHARED, shipped):
        for text in [*TEXTS, *strange]:
            cut = vocabulary.encode_with_dropout(text, 0.0, random.Random(0))
            assert cut == vocabulary.encode(text), text


def test_dropout_changes_the_cut_and_never_the_sentence() -> None:
    numbers = random.Random(0)
    changed = 0
    for text in TEXTS:
        cut = SHARED.encode_with_dropout(text, 0.3, numbers)
        assert SHARED.decode(cut) == SHARED.decode(SHARED.encode(text))
        changed += cut != SHARED.encode(text)
    assert changed > len(TEXTS) / 2


def test_a_seed_decides_the_cuts_and_targets_keep_theirs() -> None:
    dataset = ParallelDataset(PAIRS, SHARED, SHARED)
    plain, one, again, other = (
        [ids.tolist() for ids in cut.sources]
        for cut in (dataset, *(cut_again(dataset, 0.2, seed) for seed in (1, 1, 2)))
    )
    assert plain != one == again != other
    targets = cut_again(dataset, 0.5, seed=0).targets
    for cut, kept in zip(targets, dataset.targets, strict=True):
        assert torch.equal(cut, kept)


def test_a_cut_longer_than_any_sentence_falls_back() -> None:
    dataset = ParallelDataset(PAIRS[:20], SHARED, SHARED)
    again = cut_again(dataset, 0.3, seed=0)
    assert max(again.lengths()) <= max(dataset.lengths())
    sources = zip(again.sources, dataset.sources, strict=True)
    kept = [torch.equal(new, old) for new, old in sources]
    assert 0 < sum(kept) < len(kept)


def test_training_sees_random_cuts_and_validation_never() -> None:
    splits = {"train": PAIRS[:30], "validation": PAIRS[30:40]}
    settings = TrainingSettings(subword_dropout=0.3, vocab_size=150)
    data = TranslationData(splits, SHARED, SHARED, settings)
    plain = ParallelDataset(PAIRS[:30], SHARED, SHARED)
    usual = {tuple(src.tolist()) for src in plain.sources}
    seen = [
        {tuple(row[row != SHARED.pad_id].tolist()) for b in loader for row in b.src}
        for loader in (data.train_dataloader(), data.val_dataloader())
    ]
    assert len(seen[0] - usual) > 10
    assert seen[1] == {
        (*SHARED.encode(source), SHARED.eos_id) for source, _ in PAIRS[30:40]
    }


@pytest.mark.parametrize("room", [1, 2])  # a batch counts <sos>, positions do not
def test_what_is_drawn_anew_fits_the_model_and_a_batch(room: int) -> None:
    names = ("Tom", "Ken", "Bartholomew", "Constantin")
    pairs = [(f"Go, {name}.", f"Ve, {name}.") for name in names] * 9
    vocabulary = SubwordVocabulary.build(TEXTS, size=150)
    needed = max(
        positions_needed(*pair)
        for pair in ParallelDataset(pairs, vocabulary, vocabulary)
    )
    settings = TrainingSettings(
        exchange=0.9, vocab_size=150, max_len=needed, max_tokens=needed + room
    )
    splits = {"train": pairs, "validation": pairs}
    data = TranslationData(splits, vocabulary, vocabulary, settings)
    epochs = [data._of_epoch(seed) for seed in (0, 1, 0)]
    assert epochs[0].pairs == epochs[2].pairs != epochs[1].pairs
    drawn = [pair for epoch in epochs for pair in epoch]
    assert len(drawn) < 3 * len(pairs), "no two long names together"
    assert all(positions_needed(*pair) <= needed for pair in drawn)
    assert all(max(map(len, pair)) <= needed + room for pair in drawn)
    assert len(data.train_dataloader()) > 0


WORDS = Vocabulary.build(TEXTS)


@each_refusal(
    *(
        (partial(SHARED.encode_with_dropout, "a", share, random), "0 and below 1")
        for share in (-0.1, 1.0)
    ),
    (
        lambda: cut_again(ParallelDataset(PAIRS, WORDS, WORDS), 0.1, seed=0),
        "these are whole words",
    ),
    (lambda: read_settings(["subword_dropout=0.1"]), "give them a vocab_size"),
)
def test_what_cannot_be_cut_at_random_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
