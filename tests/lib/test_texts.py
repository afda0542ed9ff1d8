"""Texts with labels for a language model; and a training with other leaves."""

from __future__ import annotations

from typing import Any

import pytest

from lib.commands.train import sizes_of
from lib.text import (
    EOS,
    MASK,
    PAD,
    SEP,
    SOS,
    UNK,
    SubwordVocabulary,
    TextDataset,
    Vocabulary,
    special_id,
)
from lib.today import leaves_of
from lib.training import TrainingSettings, train
from lib.translator import Translator
from tests.refusals import Call, each_refusal, refuses

PAIRS = [
    ("one two", "uno dos"),
    ("two one", "dos uno"),
    ("three", "tres"),
    ("one", "uno"),
]
WORDS = Vocabulary(
    ["one", "two", "three", "uno", "dos", "tres"],
    specials=(PAD, SOS, EOS, UNK, SEP, MASK),
)
TEXTS = [text for pair in PAIRS for text in pair]


def tiny(**changes: Any) -> TrainingSettings:
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 2, "d_ff": 32, "max_len": 12}
    how = {"dropout": 0.1, "max_tokens": 24, "warmup_steps": 4, "epochs": 3}
    return TrainingSettings(**{**sizes, **how, **changes})


# --- ids and labels, side by side and padded ------------------------------------------


@pytest.mark.parametrize("on_all", [True, False])
def test_the_loss_may_begin_behind_the_separator(on_all: bool) -> None:
    dataset = TextDataset.of_pairs(PAIRS[:1], WORDS, loss_on_all=on_all)
    ids, labels = dataset[0]
    words = ["one", "two", "<sep>", "uno", "dos"]
    assert [WORDS.tokens[i] for i in ids] == [SOS, *words]
    told = words[:3] if on_all else [PAD] * 3
    assert [WORDS.tokens[i] for i in labels] == [*told, *words[3:], EOS]


def test_a_batch_says_what_is_padding() -> None:
    dataset = TextDataset.of_texts(["one two", "three"], WORDS)
    batch = dataset.collate([dataset[0], dataset[1]])
    assert batch.mask.tolist() == [[True] * 3, [True, True, False]]
    assert batch.labels[1].tolist() == [WORDS.ids["three"], WORDS.eos_id, 0]


def test_sub_words_may_have_a_separator_too() -> None:
    vocabulary = SubwordVocabulary.build(TEXTS, 40, specials=(SEP, MASK))
    assert vocabulary.tokens[:6] == (PAD, SOS, EOS, UNK, SEP, MASK)
    again = SubwordVocabulary.from_json(vocabulary.to_json())
    assert special_id(again, SEP) == 4
    assert 4 not in again.encode("one <sep> two")  # typed, it is plain text


SPLITS = {"train": PAIRS, "validation": PAIRS}


def test_the_leaves_of_the_settings_are_trained_and_gone_on_with() -> None:
    changes = {"norm": "rms", "feed_forward": "gated", "kv_heads": 1}
    settings = tiny(epochs=1, **changes)
    translator = Translator(train(SPLITS, WORDS, WORDS, settings).model, WORDS, WORDS)
    assert leaves_of(translator.model).changes() == changes
    assert changes.items() <= sizes_of(translator).items()
    again = train(SPLITS, WORDS, WORDS, settings, start=translator.model)
    assert leaves_of(again.model).changes() == changes
    with pytest.raises(ValueError, match=r"has {.*'rms'"):
        train(SPLITS, WORDS, WORDS, tiny(), start=translator.model)


@each_refusal(
    (lambda: TextDataset([([1, 2], [1])], 0), "Text 0 has 2 tokens, but 1 labels"),
    (
        lambda: TextDataset.of_pairs(PAIRS, Vocabulary(["one"])),
        "The vocabulary has no <sep>",
    ),
    (lambda: tiny(norm="batch"), "norm must be one of layer, rms"),
    (
        lambda: train(SPLITS, WORDS, WORDS, tiny(kv_heads=3)),
        "3 does not divide 2",
    ),
)
def test_what_cannot_be_trained_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
