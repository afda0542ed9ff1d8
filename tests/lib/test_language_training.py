"""Training a language model: what it learns, what is masked, and going on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from lib.commands.prepare import sizes_of
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
from lib.training import (
    LanguageTask,
    TrainingSettings,
    read_log,
    train,
    train_language_model,
)
from lib.training.devices import shard
from lib.training.words import with_words
from lib.translator import Translator
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


class TestTexts:
    """Ids and labels, side by side and padded."""

    def test_each_token_is_followed_by_the_next(self) -> None:
        ids, labels = TextDataset.of_texts(["one two"], WORDS)[0]
        assert [WORDS.tokens[i] for i in ids] == [SOS, "one", "two"]
        assert [WORDS.tokens[i] for i in labels] == ["one", "two", EOS]

    @pytest.mark.parametrize("on_all", [True, False])
    def test_the_loss_may_begin_behind_the_separator(self, on_all: bool) -> None:
        dataset = TextDataset.of_pairs(PAIRS[:1], WORDS, loss_on_all=on_all)
        ids, labels = dataset[0]
        assert [WORDS.tokens[i] for i in ids] == [
            *(SOS, "one", "two", SEP, "uno", "dos")
        ]
        told = [WORDS.tokens[i] for i in labels]
        hidden = ["one", "two", SEP] if on_all else [PAD] * 3
        assert told == [*hidden, "uno", "dos", EOS]

    def test_a_batch_says_what_is_padding(self) -> None:
        dataset = TextDataset.of_texts(["one two", "three"], WORDS)
        batch = dataset.collate([dataset[0], dataset[1]])
        assert batch.mask.tolist() == [[True] * 3, [True, True, False]]
        assert batch.labels[1].tolist() == [WORDS.ids["three"], WORDS.eos_id, 0]
        assert shard(batch, 1, 2).ids.tolist() == [[1, WORDS.ids["three"], 0]]
        assert dataset.fitting(2).lengths() == [2]

    def test_sub_words_may_have_a_separator_too(self) -> None:
        vocabulary = SubwordVocabulary.build(TEXTS, 40, specials=(SEP, MASK))
        assert vocabulary.tokens[:6] == (PAD, SOS, EOS, UNK, SEP, MASK)
        again = SubwordVocabulary.from_json(vocabulary.to_json())
        assert special_id(again, SEP) == 4
        assert 4 not in again.encode("one <sep> two")  # typed, it is plain text
        ids, _ = TextDataset.of_pairs(PAIRS, again)[0]
        assert ids.tolist().count(4) == 1

    def test_what_does_not_fit_is_refused(self) -> None:
        with pytest.raises(ValueError, match="Text 0 has 2 tokens, but 1 labels"):
            TextDataset([([1, 2], [1])], 0)
        with pytest.raises(ValueError, match="The vocabulary has no <sep>"):
            TextDataset.of_pairs(PAIRS, Vocabulary(["one"]))


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
    task = LanguageTask(model, pad_id=0, label_smoothing=0.0)
    loss = task.training_step(TextBatch(ids, mask, torch.tensor([[0, 0, 0, 10]])))
    expected = -model(ids)[0, -1].log_softmax(dim=-1)[10]
    assert_close(loss, expected)
    with pytest.raises(ValueError, match="all labels are padding"):
        task.training_step(TextBatch(ids, mask, torch.zeros_like(ids)))


def test_a_model_that_sees_both_ways_fills_a_gap() -> None:
    mask_id, pad_id = special_id(WORDS, MASK), WORDS.pad_id
    rows = []
    for source, target in PAIRS[:2]:
        ids = [*WORDS.encode(source), SEP_ID, *WORDS.encode(target)]
        for place in (3, 4):
            gap = [mask_id if i == place else t for i, t in enumerate(ids)]
            rows.append((gap, [t if i == place else pad_id for i, t in enumerate(ids)]))
    dataset = TextDataset(rows, pad_id)
    how = {"epochs": 60, "dropout": 0.0, "label_smoothing": 0.0}
    task = train_language_model(parts(dataset), WORDS, tiny(**how), causal=False)
    model = task.model.eval()
    for read, labels in dataset.examples:
        told = model(read[None])[0].argmax(dim=-1)
        assert torch.equal(told[labels != pad_id], labels[labels != pad_id])


class StoppedError(Exception):
    """Stands in for whatever ends a run."""


@pytest.mark.parametrize("changes", [{}, {"norm": "rms", "positions": "rotary"}])
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    dataset, settings = TextDataset.of_texts(TEXTS, WORDS), tiny(**changes)
    whole = train_language_model(parts(dataset), WORDS, settings, tmp_path / "whole")
    with monkeypatch.context() as patch:
        begin = LanguageTask.on_train_batch_start

        def stop(task: LanguageTask, batch: Any, number: int) -> None:
            if task.current_epoch == 2:
                raise StoppedError
            begin(task, batch, number)

        patch.setattr(LanguageTask, "on_train_batch_start", stop)
        with pytest.raises(StoppedError):
            train_language_model(parts(dataset), WORDS, settings, tmp_path / "parts")
    how = {"folder": tmp_path / "parts", "resume": True}
    again = train_language_model(parts(dataset), WORDS, settings, **how)
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(again.model.state_dict()[name], weight), name
    logs = [read_log(tmp_path / name / "log.csv") for name in ("whole", "parts")]
    for rows in logs:
        assert [row.pop("seconds") and row["epoch"] for row in rows] == ["1", "2", "3"]
    assert logs[0] == logs[1]
    with pytest.raises(ValueError, match="has causal = True, not False"):
        train_language_model(parts(dataset), WORDS, settings, causal=False, **how)


def test_the_leaves_of_the_settings_are_trained() -> None:
    dataset = TextDataset.of_texts(TEXTS, WORDS)
    changes = {"norm": "rms", "feed_forward": "gated", "kv_heads": 1}
    model = trained(dataset, epochs=1, **changes, positions="rotary")
    assert leaves_of(model).changes() == {**changes, "positions": "rotary"}
    task = train(
        {"train": PAIRS, "validation": PAIRS}, WORDS, WORDS, tiny(epochs=1, **changes)
    )
    assert leaves_of(task.model).changes() == changes
    with pytest.raises(ValueError, match="norm must be one of layer, rms"):
        tiny(norm="batch")
    with pytest.raises(ValueError, match="3 does not divide 2"):
        trained(dataset, kv_heads=3)
    with pytest.raises(ValueError, match=r"has the leaves .*'rms'"):
        train(
            {"train": PAIRS, "validation": PAIRS},
            WORDS,
            WORDS,
            tiny(),
            start=task.model,
        )


def test_a_translator_of_today_goes_on_with_its_leaves() -> None:
    splits, changes = {"train": PAIRS, "validation": PAIRS}, {"kv_heads": 1}
    model = train(splits, WORDS, WORDS, tiny(epochs=1, **changes)).model
    translator = Translator(model, WORDS, WORDS)
    sizes = sizes_of(translator, new_words=False)
    assert sizes["kv_heads"] == 1
    more = Vocabulary([*WORDS.tokens[6:], "four"], specials=WORDS.tokens[:6])
    grown = with_words(translator, (more, more))
    assert leaves_of(grown).changes() == changes
    again = train(splits, more, more, tiny(epochs=1, **changes), start=grown)
    assert leaves_of(again.model).changes() == changes


def test_what_is_for_translators_is_refused() -> None:
    dataset = TextDataset.of_texts(TEXTS, WORDS)
    with pytest.raises(ValueError, match=r"copying = 0\.1 is for translators"):
        trained(dataset, copying=0.1)
    with pytest.raises(ValueError, match="has 3 tokens, but max_len is 2"):
        trained(dataset, max_len=2)
    with pytest.raises(ValueError, match="no sentences in its part 'train'"):
        trained(TextDataset([], 0))
