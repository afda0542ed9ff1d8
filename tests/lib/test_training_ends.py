"""How a run ends: early, with the mean of its epochs, and the same if it was broken."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import sacrebleu
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from lib.loss import translation_loss
from lib.text import ParallelDataset, Vocabulary
from lib.training import (
    TrainingSettings,
    TranslationTask,
    read_log,
    train,
)
from lib.training.checkpoints import average_weights, epoch_files
from lib.translator import Translator
from lib.translator.folder import weights_once_each
from tests.lib.test_training import TINY, corpus, ended_after, equal, losses, weights
from tests.refusals import Call, each_refusal, refuses

# Few sentences and a high rate: learned by heart soon, and the validation loss rises.
HASTY = dataclasses.replace(
    TINY, epochs=40, learning_rate=0.03, patience=2, dropout=0.0, warmup_steps=1
)


def few() -> tuple[dict, Vocabulary, Vocabulary]:
    splits, src_vocab, tgt_vocab = corpus(60)
    splits = {"train": splits["train"][:20], "validation": splits["validation"]}
    return splits, src_vocab, tgt_vocab


def validation_losses(folder: Path) -> list[float]:
    return [float(row["validation_loss"]) for row in read_log(folder / "log.csv")]


def validation_loss(task: TranslationTask, parts: tuple) -> float:
    """Measure it anew, with the model as it is."""
    splits, *words = parts
    part = ParallelDataset(splits["validation"], *words)
    batch = part.collate(list(part))
    with torch.no_grad():
        logits = task.model.eval()(batch.src, batch.tgt_in)
    return float(translation_loss(logits, batch.tgt_out, part.pad_id))


# --- the early end --------------------------------------------------------------------


def test_the_run_ends_after_its_patience_with_the_model_of_the_best_epoch(
    tmp_path: Path,
) -> None:
    task = train(*few(), HASTY, tmp_path)
    found, log = validation_losses(tmp_path), (tmp_path / "log.csv").read_text()
    assert len(found) < HASTY.epochs
    assert found.index(min(found)) == len(found) - 1 - HASTY.patience
    assert validation_loss(task, few()) == pytest.approx(min(found), abs=1e-4)
    again = train(*few(), HASTY, tmp_path, resume=True)
    assert equal(weights(again), weights(task))
    assert (tmp_path / "log.csv").read_text() == log


def test_a_mean_is_taken_if_one_is_asked_for(tmp_path: Path) -> None:
    settings = dataclasses.replace(HASTY, average=2)
    task = train(*few(), settings, tmp_path)
    assert len(validation_losses(tmp_path)) < settings.epochs
    check_mean(task.model, tmp_path, 2)


def check_mean(model: nn.Module, folder: Path, count: int) -> None:
    last = [load_file(file) for file in epoch_files(folder)]
    assert len(last) == count
    found = weights_once_each(model)
    assert found.keys() == last[0].keys()
    for name, value in found.items():
        mean = sum(state[name] for state in last) / count  # type: ignore[misc]
        assert torch.allclose(value, mean, atol=1e-6), name


# --- the mean of the last epochs ------------------------------------------------------


AVERAGED = dataclasses.replace(TINY, epochs=4, average=3)


def test_the_model_is_the_mean_of_the_last_epochs(tmp_path: Path) -> None:
    """Also without a folder."""
    task = train(*corpus(), AVERAGED, tmp_path)
    assert equal(weights(task), weights(train(*corpus(), AVERAGED)))
    names = [file.name for file in epoch_files(tmp_path)]
    assert names == [f"epoch-{number}.safetensors" for number in (2, 3, 4)]
    check_mean(task.model, tmp_path, 3)
    again = train(*corpus(), AVERAGED, tmp_path, resume=True)
    assert equal(weights(again), weights(task))


# The settings are one file, and an epoch three: so many end three epochs, or all.
@pytest.mark.parametrize("moved", [10, 13])
@pytest.mark.parametrize(
    "harm",
    [lambda _: None, lambda whole: whole[:-9]],
    ids=["lost", "cut off"],
)
def test_an_epoch_that_is_lost_is_never_left_out(
    harm: Callable[[bytes], bytes | None],
    moved: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ended_after(moved, monkeypatch):
        train(*few(), AVERAGED, tmp_path)
    file = tmp_path / "epoch-2.safetensors"
    whole = file.read_bytes()
    file.unlink()
    if harmed := harm(whole):
        file.write_bytes(harmed)
    with pytest.raises(ValueError, match=r"epoch-2\.safetensors is missing or"):
        train(*few(), AVERAGED, tmp_path, resume=True)
    file.write_bytes(whole)
    task = train(*few(), AVERAGED, tmp_path, resume=True)
    check_mean(task.model, tmp_path, 3)


# --- a rate that rises once more ------------------------------------------------------


RISING = dataclasses.replace(TINY, epochs=5, rise_again=2, warmup_steps=3)


def test_the_second_rise_goes_to_two_thirds_and_both_end_at_nothing() -> None:
    task = train(*corpus(), dataclasses.replace(RISING, epochs=1, rise_again=0))
    task.settings = RISING
    task.trainer = SimpleNamespace(estimated_stepping_batches=50)  # type: ignore[assignment]
    schedule = task.configure_optimizers()["lr_scheduler"]["scheduler"]
    shares = [schedule.lr_lambdas[0](step) for step in range(50)]
    assert [shares.index(1.0), max(shares)] == [2, 1.0]
    assert shares[19] < 0.06 and shares[49] < 0.03
    assert max(shares[20:]) == pytest.approx(2 / 3)
    assert shares[20:].index(max(shares[20:])) == 2


@each_refusal(
    (lambda: average_weights([]), "no weights to average"),
    (
        lambda: average_weights([{"a": torch.ones(1)}, {"a": torch.ones(2)}]),
        "not of models of one kind",
    ),
)
def test_what_has_no_mean_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


@pytest.fixture(scope="module", params=[TINY, AVERAGED, HASTY])
def unbroken(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TrainingSettings, dict[str, Tensor], list[dict[str, str]]]:
    """Settings, and the weights and losses of a run that nothing ended."""
    folder = tmp_path_factory.mktemp("whole")
    found = weights(train(*few(), request.param, folder))
    return request.param, found, losses(folder)


# The plain run moves seven files: its settings, and three times log and checkpoint.
@pytest.mark.parametrize("moved", range(9))
def test_a_run_ended_at_any_moment_ends_as_if_it_had_not_been(
    unbroken: tuple, moved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is ended in, these are all the folders that it can leave."""
    settings, expected, wanted = unbroken
    with ended_after(moved, monkeypatch) as moves:
        train(*few(), settings, tmp_path)
    if settings is TINY:
        epochs = ["log.csv", "checkpoint.safetensors"] * 3
        assert moves == ["settings.json", *epochs][:moved]
    # A process that is killed has no time to clean up.
    (tmp_path / "settings.json.unfinished").write_text("{")
    assert equal(weights(train(*few(), settings, tmp_path, resume=True)), expected)
    assert losses(tmp_path) == wanted
    assert not list(tmp_path.glob("*.unfinished"))


def test_the_log_tells_how_good_the_translations_are(tmp_path: Path) -> None:
    sizes = {"d_model": 32, "epochs": 10, "learning_rate": 0.01, "dropout": 0.0}
    settings = dataclasses.replace(TINY, **sizes)
    splits, src_vocab, tgt_vocab = corpus()
    task = train(splits, src_vocab, tgt_vocab, settings, tmp_path, tokenizer="char")
    sources, targets = zip(*splits["validation"], strict=True)
    written = Translator(task.model, src_vocab, tgt_vocab).translate(sources)
    score = sacrebleu.corpus_bleu(written, [targets], tokenize="char").score
    logged = read_log(tmp_path / "log.csv")[-1]
    assert float(logged["validation_bleu"]) == pytest.approx(score, abs=1e-3)
    right = sum(map(operator.eq, written, targets)) / len(targets)
    assert float(logged["validation_exact_match"]) == pytest.approx(right, abs=1e-4)
    assert 1 < score < 100 and 0 < right < 1
