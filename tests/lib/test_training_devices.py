"""What a run computes on."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from lib.__main__ import main
from lib.commands.train import _one_voice
from lib.loss import translation_loss
from lib.text import Batch, Vocabulary
from lib.training import (
    Hardware,
    TrainingSettings,
    TranslationTask,
    read_log,
    train,
)
from tests.lib.test_training import TINY, corpus

WORDS = Vocabulary(["a", "b", "c", "d", "e"])
SMALL = TrainingSettings(d_model=8, n_heads=2, d_ff=16, dropout=0.0)

# --- what each process learns ---------------------------------------------------------


def test_each_process_and_each_epoch_draws_dropout_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = torch.ones(1, 1, dtype=torch.int64)
    seen = set()
    for seed, epoch, rank in itertools.product(range(3), range(3), range(4)):
        settings = dataclasses.replace(SMALL, seed=seed)
        task = TranslationTask(settings, WORDS, WORDS)
        monkeypatch.setattr(TranslationTask, "current_epoch", epoch)
        monkeypatch.setattr(TranslationTask, "global_rank", rank)
        task.on_train_batch_start(Batch(ids, ids, ids), 0)
        seen.add(tuple(torch.rand(4).tolist()))
    assert len(seen) == 3 * 3 * 4


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_the_mean_of_the_gradients_is_the_gradient_of_the_batch(
    processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With sentences of different lengths, and fewer than there are processes."""
    torch.manual_seed(0)
    task = TranslationTask(SMALL, WORDS, WORDS)
    labels = torch.tensor([[4, 5, 6, 2], [7, 2, 0, 0], [8, 2, 0, 0], [4, 6, 2, 0]])
    batch = Batch(labels, labels.roll(1, 1).clamp(min=1), labels)
    weights = list(task.model.parameters())
    logits = task.model(batch.src, batch.tgt_in)
    whole = translation_loss(logits, batch.tgt_out, 0, SMALL.label_smoothing)
    expected = torch.autograd.grad(whole, weights)

    several = SimpleNamespace(world_size=processes)
    monkeypatch.setattr(TranslationTask, "trainer", several)
    mean = [torch.zeros_like(weight) for weight in weights]
    for rank in range(processes):
        monkeypatch.setattr(TranslationTask, "global_rank", rank)
        loss = task._share_of_loss(batch, int((labels != 0).sum()))
        for total, part in zip(mean, torch.autograd.grad(loss, weights), strict=True):
            total += part / processes
    torch.testing.assert_close(mean, [*expected], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit(143), ValueError])
def test_another_process_ends_as_no_failure(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Or Lightning kills the first one before it has said what happened."""
    monkeypatch.setattr("lib.training.is_first_process", lambda: False)
    with pytest.raises(SystemExit) as ended, _one_voice(tmp_path):
        raise error
    assert ended.value.code == 0


# --- what it computes on --------------------------------------------------------------


def test_a_gpu_that_is_not_there_is_missed(tmp_path: Path) -> None:
    half = dataclasses.replace(TINY, precision="16-mixed")
    cases = [(half, "cpu", "'16-mixed' needs a GPU")]
    if not torch.cuda.is_available():
        cases.append((TINY, "gpu", "(?i)gpu|cuda"))
    for settings, accelerator, words in cases:
        hardware = Hardware(accelerator=accelerator)
        with pytest.raises(ValueError, match=words):
            train(*corpus(), settings, tmp_path / "run", hardware=hardware)
        assert not (tmp_path / "run").exists()


def test_bfloat16_learns_nearly_the_same(tmp_path: Path) -> None:
    found = []
    for precision in ("32-true", "bf16-mixed"):
        settings = dataclasses.replace(TINY, precision=precision)
        task = train(*corpus(), settings, tmp_path / precision)
        kinds = {weight.dtype for weight in task.model.parameters()}
        assert kinds == {torch.float32}
        rows = read_log(tmp_path / precision / "log.csv")
        found.append([float(row["train_loss"]) for row in rows])
    full, mixed = found
    assert full != mixed
    assert mixed == pytest.approx(full, rel=0.02)


@pytest.mark.parametrize("times", [0.4, 15.2])
def test_who_trains_slowly_in_16_bits_is_told_before(
    times: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("lib.training.settings.slower_in_16_bits", lambda: times)
    small = ("d_model=8", "n_heads=2", "d_ff=8", "epochs=1", "precision=bf16-mixed")
    words = [word for setting in small for word in ("--set", setting)]
    words += ["--corpus", "phrases", "--accelerator", "cpu", "--out", str(tmp_path)]
    assert main(["train", *words]) == 0
    told = "This processor is 15 times slower in bfloat16 than in 32 bits; --set pre"
    assert (told in capsys.readouterr().err) == (times > 2)
