"""Training a language model: what it learns, what is masked, and going on."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from lib.commands.train import sizes_of
from lib.decoding import generate
from lib.text import (
    EOS,
    MASK,
    PAD,
    SEP,
    SOS,
    UNK,
    SubwordVocabulary,
    TextBatch,
    TextDataset,
    Vocabulary,
    special_id,
)
from lib.today import LanguageModel, leaves_of
from lib.training import LanguageTask, TrainingSettings, train, train_language_model
from lib.training.task import shard
from lib.translator import Translator
from tests.lib.test_training import ended_after, equal, losses
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import assert_close

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
SEP_ID = special_id(WORDS, SEP)
ONE_TEXT = TextDataset.of_texts(["one two"], WORDS)


def tiny(**changes: Any) -> TrainingSettings:
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 2, "d_ff": 32, "max_len": 12}
    how = {"dropout": 0.1, "max_tokens": 24, "warmup_steps": 4, "epochs": 3}
    return TrainingSettings(**{**sizes, **how, **changes})


def parts(dataset: TextDataset) -> dict[str, TextDataset]:
    return {"train": dataset, "validation": dataset}


def trained(dataset: TextDataset, **changes: Any) -> LanguageModel:
    model: LanguageModel = train_language_model(
        parts(dataset), WORDS, tiny(**changes)
    ).model
    return model


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
    assert shard(batch, 1, 2).ids.tolist() == [[1, WORDS.ids["three"], 0]]
    assert dataset.fitting(2).lengths() == [2]


def test_sub_words_may_have_a_separator_too() -> None:
    vocabulary = SubwordVocabulary.build(TEXTS, 40, specials=(SEP, MASK))
    assert vocabulary.tokens[:6] == (PAD, SOS, EOS, UNK, SEP, MASK)
    again = SubwordVocabulary.from_json(vocabulary.to_json())
    assert special_id(again, SEP) == 4
    assert 4 not in again.encode("one <sep> two")  # typed, it is plain text
    ids, _ = TextDataset.of_pairs(PAIRS, again)[0]
    assert ids.tolist().count(4) == 1


def test_it_learns_to_translate_behind_a_separator() -> None:
    dataset = TextDataset.of_pairs(PAIRS, WORDS)
    model = trained(dataset, epochs=80, dropout=0.0, label_smoothing=0.0)
    prompts = [[WORDS.sos_id, *WORDS.encode(src), SEP_ID] for src, _ in PAIRS]
    written = generate(model, prompts, WORDS.eos_id)
    assert [WORDS.decode(ids) for ids in written] == [tgt for _, tgt in PAIRS]


def test_a_hidden_label_teaches_nothing() -> None:
    ids, mask = torch.tensor([[1, 6, 7, 4]]), torch.ones(1, 4, dtype=torch.bool)
    torch.manual_seed(0)
    model = LanguageModel(tiny().language_config(len(WORDS))).eval()
    task = LanguageTask(model, 0, tiny(label_smoothing=0.0))
    loss = task.training_step(TextBatch(ids, mask, torch.tensor([[0, 0, 0, 10]])))
    expected = -model(ids)[0, -1].log_softmax(dim=-1)[10]
    assert_close(loss, expected)
    with pytest.raises(ValueError, match="all labels are padding"):
        task.training_step(TextBatch(ids, mask, torch.zeros_like(ids)))


def test_an_interrupted_run_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here one of a model that sees both ways, which no run of another may go on."""
    both = parts(TextDataset.of_texts(TEXTS, WORDS))
    run = partial(train_language_model, both, WORDS, tiny(positions="rotary"))
    whole = run(tmp_path / "whole", causal=False)
    with ended_after(5, monkeypatch):
        run(tmp_path / "parts", causal=False)
    again = run(tmp_path / "parts", causal=False, resume=True)
    assert not again.model.config.causal
    assert equal(again.model.state_dict(), whole.model.state_dict())
    assert len(losses(tmp_path / "whole")) == tiny().epochs
    assert losses(tmp_path / "parts") == losses(tmp_path / "whole")
    words = "has causal = False, not True"
    refuses(lambda: run(tmp_path / "parts", resume=True), words)


SPLITS = {"train": PAIRS, "validation": PAIRS}


def test_the_leaves_of_the_settings_are_trained_and_gone_on_with() -> None:
    changes = {"norm": "rms", "feed_forward": "gated", "kv_heads": 1}
    dataset = TextDataset.of_texts(TEXTS, WORDS)
    model = trained(dataset, epochs=1, **changes, positions="rotary")
    assert leaves_of(model).changes() == {**changes, "positions": "rotary"}
    settings = tiny(epochs=1, **changes)
    translator = Translator(train(SPLITS, WORDS, WORDS, settings).model, WORDS, WORDS)
    assert leaves_of(translator.model).changes() == changes
    assert changes.items() <= sizes_of(translator).items()
    again = train(SPLITS, WORDS, WORDS, settings, start=translator.model)
    assert leaves_of(again.model).changes() == changes
    with pytest.raises(ValueError, match=r"has the leaves .*'rms'"):
        train(SPLITS, WORDS, WORDS, tiny(), start=translator.model)


@each_refusal(
    (lambda: TextDataset([([1, 2], [1])], 0), "Text 0 has 2 tokens, but 1 labels"),
    (
        lambda: TextDataset.of_pairs(PAIRS, Vocabulary(["one"])),
        "The vocabulary has no <sep>",
    ),
    (lambda: tiny(norm="batch"), "norm must be one of layer, rms"),
    (lambda: trained(ONE_TEXT, kv_heads=3), "3 does not divide 2"),
    (lambda: trained(ONE_TEXT, exchange=0.1), r"exchange = 0\.1 is for translators"),
    (lambda: trained(ONE_TEXT, max_len=2), "has 3 tokens, but max_len is 2"),
    (lambda: trained(TextDataset([], 0)), "no sentences in its part 'train'"),
)
def test_what_cannot_be_trained_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
