"""Training: what is measured, what is written down, and that a run can be resumed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import lightning
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib import corpora
from lib.loss import token_accuracy, translation_loss
from lib.text import Vocabulary
from lib.training import (
    SafetensorsCheckpointIO,
    TrainingSettings,
    TranslationTask,
    train,
    warmup_decay,
)
from lib.training.folders import LOCK, alone_in
from lib.training.logs import read_log
from lib.translator import Translator
from tests.refusals import Call, each_refusal, refuses

ROOT = Path(__file__).parents[2]
Parts = tuple[dict, Vocabulary, Vocabulary]
TINY = TrainingSettings(
    d_model=16, n_heads=2, n_layers=1, d_ff=32, epochs=3, max_tokens=256, warmup_steps=4
)


def corpus(size: int = 400) -> Parts:
    """Make a toy language in which the target is the source, backward and renamed."""
    rng = random.Random(7)
    pairs = []
    for _ in range(size):
        words = [rng.randrange(12) for _ in range(rng.randrange(2, 7))]
        source = " ".join(f"s{word}" for word in words)
        target = " ".join(f"t{word}" for word in reversed(words))
        pairs.append((source, target))
    splits = {"train": pairs[size // 5 :], "validation": pairs[: size // 5]}
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    return splits, src_vocab, tgt_vocab


def weights(task: TranslationTask) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in task.model.state_dict().items()}


def equal(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def files(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple:
    folder = tmp_path_factory.mktemp("unbroken")
    return folder, weights(train(*corpus(), TINY, folder))


# --- what is minimized ----------------------------------------------------------------


def test_label_smoothing_by_hand_and_nothing_from_padding() -> None:
    logits = torch.tensor([[[1.0, 2.0, 3.0], [9.0, 0.0, 0.0]]])
    nll = -logits.log_softmax(-1)[0, 0]
    expected = 0.9 * nll[2] + 0.1 * nll.mean()
    got = translation_loss(logits, torch.tensor([[2, 1]]), 1, label_smoothing=0.1)
    assert torch.allclose(got, expected)


LOGITS, NO_LABELS = torch.zeros(1, 2, 3), torch.zeros(1, 2, dtype=torch.long)


@each_refusal(
    *(
        (
            lambda measure=measure: measure(LOGITS, NO_LABELS, 0),
            "all labels are padding",
        )
        for measure in (token_accuracy, translation_loss)
    ),
    (
        lambda: translation_loss(LOGITS, torch.ones(1, 3), 0),
        r"\(1, 2, 3\) and \(1, 3\)",
    ),
    (lambda: warmup_decay(0, 9, 9), r"warmup_steps is 9 .* 9 steps"),
)
def test_what_cannot_be_measured_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


@given(total=st.integers(2, 500), data=st.data())
def test_the_schedule_rises_to_one_and_falls_to_zero(
    total: int, data: st.DataObject
) -> None:
    warmup = data.draw(st.integers(0, total - 1))
    shares = [warmup_decay(step, warmup, total) for step in range(total + 1)]
    peak = shares.index(max(shares))
    assert max(shares) == 1.0
    assert shares[: peak + 1] == sorted(shares[: peak + 1])
    assert shares[peak:] == sorted(shares[peak:], reverse=True)
    assert shares[total] == 0.0
    assert all(share > 0 for share in shares[:total])


# --- the settings ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("epochs", 0, "must be more than 0"),
        ("epochs", True, "must be a whole number"),
        ("learning_rate", "0.1", "must be a number"),
        ("learning_rate", math.inf, "must be a finite number"),
        ("norm_first", 1, "must be True or False"),
        ("patience", -1, "must not be below 0"),
        ("seed", 2**32, "must be below"),
        ("label_smoothing", 1.0, "must be below 1"),
        ("n_heads", 3, "does not divide"),
        ("average", 6, "must be at most the number of epochs"),
        ("rise_again", 5, "needs more epochs than that"),
        ("precision", "8-mixed", "must be one of"),
    ],
)
def test_an_impossible_setting_is_named(setting: str, value: Any, words: str) -> None:
    message = refuses(lambda: TrainingSettings(**{setting: value}), words)
    assert setting in message and str(value) in message


# --- a run ----------------------------------------------------------------------------


def test_the_settings_and_one_line_for_each_epoch_are_kept(unbroken: tuple) -> None:
    folder, _ = unbroken
    rows = read_log(folder / "log.csv")
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    assert float(rows[-1]["train_loss"]) < float(rows[0]["train_loss"])
    assert all(0 <= float(row["validation_exact_match"]) <= 1 for row in rows)
    kept = json.loads((folder / "settings.json").read_text())
    assert kept["seed"] == 0
    assert kept["pairs"] == {"train": 320, "validation": 80}


def test_a_run_leaves_pytorch_as_it_was_takes_one_device_and_depends_on_its_seed(
    unbroken: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With several, each would train on every sentence, into the same folder."""
    made = Mock(wraps=lightning.Trainer)
    monkeypatch.setattr(lightning, "Trainer", made)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    other = weights(train(*corpus(), dataclasses.replace(TINY, seed=1)))
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.are_deterministic_algorithms_enabled()
    assert made.call_args.kwargs["devices"] == 1
    assert not equal(other, unbroken[1])


def test_a_loss_that_is_no_number_ends_the_run(tmp_path: Path) -> None:
    wild = dataclasses.replace(TINY, learning_rate=1e38, clip=1e38)
    with pytest.raises(ValueError, match="smaller learning_rate"):
        train(*corpus(), wild, tmp_path)
    assert not (tmp_path / "checkpoint.safetensors").exists()


def test_another_run_does_not_resume(unbroken: tuple) -> None:
    folder, before = unbroken[0], files(unbroken[0])
    splits, src_vocab, tgt_vocab = corpus()
    other = {**splits, "validation": [("s1", "t1"), *splits["validation"][1:]]}
    reordered = Vocabulary(reversed(src_vocab.tokens[4:]))
    wide = dataclasses.replace(TINY, d_ff=64)
    for parts, settings, words in (
        (corpus(), wide, "has d_ff = 32, not 64"),
        (corpus(size=300), TINY, "has pairs = "),
        ((other, src_vocab, tgt_vocab), TINY, "trained on other sentences"),
        ((splits, reordered, tgt_vocab), TINY, "with other words"),
    ):
        with pytest.raises(ValueError, match=words):
            train(*parts, settings, folder, resume=True)
    assert files(folder) == before


def test_damaged_settings_are_named(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"epochs": 3')
    with pytest.raises(ValueError, match=r"settings\.json is damaged"):
        train(*corpus(), TINY, tmp_path, resume=True)


@pytest.mark.parametrize(
    "key", ["state_dict", "optimizer_states", "lr_schedulers", "loops", "callbacks"]
)
def test_a_checkpoint_without_a_part_is_refused(
    key: str, unbroken: tuple, tmp_path: Path
) -> None:
    """Without some of them Lightning would begin anew, and say nothing."""
    folder = tmp_path / "run"
    shutil.copytree(unbroken[0], folder)
    file, files_of = folder / "checkpoint.safetensors", SafetensorsCheckpointIO()
    checkpoint = files_of.load_checkpoint(file)
    del checkpoint[key]
    files_of.save_checkpoint(checkpoint, file)
    with pytest.raises(ValueError, match=f"is not whole, it lacks {key};"):
        train(*corpus(), TINY, folder, resume=True)


HOLD = "import sys, filelock; lock = filelock.FileLock(sys.argv[1]); lock.acquire()"
HOLD += "; print('held', flush=True); sys.stdin.read()"


def test_two_runs_never_share_a_folder(unbroken: tuple, tmp_path: Path) -> None:
    """While one lives, the other is refused; when it is killed, the folder is free."""
    shutil.copy(unbroken[0] / "settings.json", tmp_path)
    command = [sys.executable, "-c", HOLD, str(tmp_path / LOCK)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout and other.stdout.readline() == "held\n"
        before = files(tmp_path)
        for resume in (False, True):
            with pytest.raises(FileExistsError, match="A run is at work in"):
                train(*corpus(), TINY, tmp_path, resume)
        assert files(tmp_path) == before
        other.kill()
    assert (tmp_path / LOCK).exists()
    assert equal(weights(train(*corpus(), TINY, tmp_path, resume=True)), unbroken[1])
    assert not (tmp_path / LOCK).exists()


def test_a_folder_without_a_run_is_not_left_behind(tmp_path: Path) -> None:
    with alone_in(tmp_path / "a" / "b"), alone_in(tmp_path / "a" / "b"):
        assert list((tmp_path / "a" / "b").iterdir())
    assert not list(tmp_path.iterdir())


# --- checkpoints ----------------------------------------------------------------------


def test_what_is_read_is_what_was_written_and_what_only_pickle_keeps_refused(
    tmp_path: Path,
) -> None:
    shared = torch.arange(6.0).view(2, 3)
    checkpoint = {
        "epoch": 3,
        "state": {0: {"step": torch.tensor(2.0)}, "a/b": shared, "c": shared.T},
        "list": [None, True, 1e-9, "ñ", {}],
        # Two keys that spell the same path.
        "a": {"b/c": torch.ones(1)},
        "a/b": {"c": torch.zeros(1)},
    }
    file = tmp_path / "deep" / "checkpoint.safetensors"
    SafetensorsCheckpointIO().save_checkpoint(checkpoint, file)
    refuses(lambda: SafetensorsCheckpointIO().save_checkpoint({"a": corpus}, file))
    found = SafetensorsCheckpointIO().load_checkpoint(file)
    assert str(found) == str(checkpoint)
    assert [each.name for each in file.parent.iterdir()] == [file.name]


class Stop(BaseException):
    """What ends a run here; nothing else catches it."""


@contextlib.contextmanager
def ended_after(moved: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """End what runs when it moves one file more into place; tell what was moved."""
    moves: list[str] = []
    replace = os.replace

    def ending(source: Path, target: Path) -> None:
        if len(moves) == moved:
            raise Stop
        moves.append(target.name)
        replace(source, target)

    with monkeypatch.context() as during, contextlib.suppress(Stop):
        during.setattr(os, "replace", ending)
        yield moves


def losses(folder: Path) -> list:
    return [{**row, "seconds": ""} for row in read_log(folder / "log.csv")]


@pytest.mark.parametrize(
    ("number", "wanted"),
    [(signal.SIGINT, KeyboardInterrupt()), (signal.SIGTERM, SystemExit(128 + 15))],
)
def test_a_signal_ends_a_run_that_goes_on_later(
    number: signal.Signals, wanted: BaseException, unbroken: tuple, tmp_path: Path
) -> None:
    """Lightning would end with exit code 1 after Ctrl-C, and with 0 after a kill."""
    step = TranslationTask.training_step

    def interrupted(task: TranslationTask, batch: object) -> torch.Tensor:
        if task.current_epoch == 1:
            signal.raise_signal(number)
        return step(task, batch)

    # What a shell starts in the background ignores Ctrl-C.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with (
            patch.object(TranslationTask, "training_step", interrupted),
            pytest.raises(type(wanted)) as end,
        ):
            train(*corpus(), TINY, tmp_path)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, usual)
    assert end.value.args == wanted.args
    resumed = train(*corpus(), TINY, tmp_path, resume=True)
    assert equal(weights(resumed), unbroken[1])


@pytest.mark.parametrize(
    "rows", [b";seconds\n1;2,5", b",seconds\n1", b",seconds\n1,\xff"]
)
def test_a_log_that_somebody_changed_is_named(rows: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(b"epoch" + rows + b"\n")
    with pytest.raises(ValueError, match=r"log\.csv is damaged"):
        read_log(tmp_path / "log.csv")


def test_the_phrases_are_learned_by_heart() -> None:
    pairs = corpora.load("phrases").splits["train"]
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    settings = TrainingSettings(
        d_model=32, n_heads=2, n_layers=1, d_ff=64, epochs=60, warmup_steps=10
    )
    splits = {"train": pairs, "validation": pairs}
    task = train(splits, src_vocab, tgt_vocab, settings)
    translator = Translator(task.model, src_vocab, tgt_vocab)
    sources, targets = zip(*pairs, strict=True)
    assert translator.translate(list(sources)) == list(targets)
