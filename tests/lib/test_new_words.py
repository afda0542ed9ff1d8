"""A trained model with other words, and a run whose pairs are drawn anew."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from lib.model import Transformer
from lib.text import SubwordVocabulary
from lib.text.subwords import ALPHABET
from lib.training import TrainingSettings, train
from lib.training.data import TranslationData
from lib.training.words import with_words
from lib.translator import Translator
from tests.lib.test_copying import PAIRS
from tests.lib.test_training import equal, weights

TEXTS = [text for pair in PAIRS for text in pair]
OLD = SubwordVocabulary.build(TEXTS, 80)
NEW = SubwordVocabulary.build(TEXTS, 400, ALPHABET)
TINY = TrainingSettings(
    d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=2, tie_embeddings=True,
    vocab_size=400, copying=0.5,
)  # fmt: skip


@pytest.fixture(scope="module")
def start() -> Translator:
    torch.manual_seed(1)
    sizes = TINY.model_config(len(OLD), len(OLD))
    return Translator(Transformer(sizes), OLD, OLD)


def test_a_token_that_is_known_keeps_its_row_and_all_else_its_weights(
    start: Translator,
) -> None:
    model = with_words(start, (NEW, NEW))
    rows, before = model.tgt_embedding.table.weight, start.model.tgt_embedding.table
    for token in set(OLD.tokens) & set(NEW.tokens):
        assert torch.equal(rows[NEW.ids[token]], before.weight[OLD.ids[token]])
    assert model.output_proj.weight is rows
    fresh = model.state_dict()
    for name, kept in start.model.state_dict().items():
        if "embedding" not in name and "output_proj" not in name:
            assert torch.equal(fresh[name], kept), name


def test_a_new_token_begins_with_the_mean_of_what_it_was_written_with(
    start: Translator,
) -> None:
    (token, *_) = [t for t in NEW.tokens if t not in OLD and t.strip("▁").isalpha()
                   and OLD.unk_id not in OLD.encode(t.replace("▁", " "))]  # fmt: skip
    pieces = [n for n in OLD.encode(token.replace("▁", " ")) if OLD.tokens[n] != "▁"]
    row = with_words(start, (NEW, NEW)).tgt_embedding.table.weight[NEW.ids[token]]
    assert torch.allclose(row, start.model.tgt_embedding.table.weight[pieces].mean(0))


def test_the_same_words_give_the_same_model_and_new_ones_the_same_each_time(
    start: Translator,
) -> None:
    assert with_words(start, (OLD, OLD)) is start.model
    one, other = (with_words(start, (NEW, NEW)).state_dict() for _ in range(2))
    assert equal(one, other)


def test_each_epoch_draws_other_pairs_and_each_run_the_same() -> None:
    splits = {"train": PAIRS, "validation": PAIRS[:5]}
    data = TranslationData(splits, NEW, NEW, dataclasses.replace(TINY, copying=0.5))
    drawn = [data._drawn_anew(seed).pairs for seed in (0, 1, 0)]
    assert drawn[0] == drawn[2] != drawn[1]
    plain = dataclasses.replace(TINY, copying=0.0)
    whole, again, other = (
        weights(train(splits, NEW, NEW, how)) for how in (TINY, TINY, plain)
    )
    assert equal(whole, again)
    assert not equal(whole, other)
