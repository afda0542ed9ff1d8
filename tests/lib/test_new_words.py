"""A trained model with other words, and a run whose pairs are drawn anew."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

from lib.__main__ import main
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import SubwordVocabulary
from lib.text.subwords import ALPHABET
from lib.training import TrainingSettings, train
from lib.training.data import TranslationData
from lib.training.words import with_words
from lib.translator import Translator
from tests.lib.test_copying import PAIRS

TEXTS = [text for pair in PAIRS for text in pair]
OLD = SubwordVocabulary.build(TEXTS, 80)
NEW = SubwordVocabulary.build(TEXTS, 400, ALPHABET)
TINY = TrainingSettings(
    d_model=8, n_heads=1, n_layers=1, d_ff=8, epochs=2, tie_embeddings=True,
    vocab_size=400, copying=0.5,
)  # fmt: skip


def translator() -> Translator:
    torch.manual_seed(1)
    sizes = TransformerConfig(
        len(OLD),
        len(OLD),
        d_model=8,
        n_heads=1,
        n_layers=1,
        d_ff=8,
        tie_embeddings=True,
    )
    return Translator(Transformer(sizes), OLD, OLD)


def test_a_token_that_is_known_keeps_its_row_and_all_else_its_weights() -> None:
    start = translator()
    model = with_words(start, (NEW, NEW))
    rows, before = model.tgt_embedding.table.weight, start.model.tgt_embedding.table
    for token in set(OLD.tokens) & set(NEW.tokens):
        assert torch.equal(rows[NEW.ids[token]], before.weight[OLD.ids[token]])
    assert model.output_proj.weight is rows
    fresh = model.state_dict()
    for name, weights in start.model.state_dict().items():
        if "embedding" not in name and "output_proj" not in name:
            assert torch.equal(fresh[name], weights), name


def test_a_new_token_begins_with_the_mean_of_what_it_was_written_with() -> None:
    start = translator()
    (token, *_) = [t for t in NEW.tokens if t not in OLD and t.strip("▁").isalpha()
                   and OLD.unk_id not in OLD.encode(t.replace("▁", " "))]  # fmt: skip
    pieces = [n for n in OLD.encode(token.replace("▁", " ")) if OLD.tokens[n] != "▁"]
    row = with_words(start, (NEW, NEW)).tgt_embedding.table.weight[NEW.ids[token]]
    assert torch.allclose(row, start.model.tgt_embedding.table.weight[pieces].mean(0))


def test_the_same_words_give_the_same_model_and_new_ones_the_same_each_time() -> None:
    start = translator()
    assert with_words(start, (OLD, OLD)) is start.model
    one, other = (with_words(start, (NEW, NEW)).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_each_epoch_draws_other_pairs_and_a_resumed_run_the_same(
    tmp_path: Path,
) -> None:
    splits = {"train": PAIRS, "validation": PAIRS[:5]}
    data = TranslationData(splits, NEW, NEW, 400, seed=0, copying=0.5)
    drawn = [data._drawn_anew(seed).pairs for seed in (0, 1, 0)]
    assert drawn[0] == drawn[2] != drawn[1]
    whole = train(splits, NEW, NEW, TINY, tmp_path / "whole").model.state_dict()
    again = train(splits, NEW, NEW, TINY, tmp_path / "again").model.state_dict()
    plain = dataclasses.replace(TINY, copying=0.0)
    other = train(splits, NEW, NEW, plain).model.state_dict()
    name = "tgt_embedding.table.weight"
    assert torch.equal(whole[name], again[name])
    assert not torch.equal(whole[name], other[name])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("train --new-words", "--new-words needs --from"),
        ("train --set copying=1.5", "copying must be below 1, but it is 1.5"),
        (
            "train --pairs {sample} --languages en-de --attribution us "
            "--set copying=0.4",
            "English and Spanish, but these sentences are en and de",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    words: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from lib.corpora import SAMPLE

    monkeypatch.chdir(tmp_path)
    assert main(words.format(sample=SAMPLE).split()) == 2
    assert told in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())
