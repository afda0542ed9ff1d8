"""Training: what is measured, what is written down, and that a run can be resumed."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from itertools import chain
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib import corpora
from lib.data import TranslationData
from lib.training import (
    SafetensorsCheckpointIO,
    TrainingSettings,
    TranslationTask,
    token_accuracy,
    train,
    translation_loss,
    warmup_decay,
)
from lib.vocabulary import Vocabulary

ROOT = Path(__file__).parent.parent
TINY = TrainingSettings(
    d_model=16, n_heads=2, n_layers=1, d_ff=32, epochs=3, max_tokens=256, warmup_steps=4
)


def corpus(size: int = 400) -> tuple[dict, Vocabulary, Vocabulary]:
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


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple:
    folder = tmp_path_factory.mktemp("unbroken")
    return folder, weights(train(*corpus(), TINY, folder))


class TestObjective:
    def test_the_loss_of_ignorance_is_the_logarithm_of_the_vocabulary(self) -> None:
        logits, labels = torch.zeros(2, 3, 50), torch.randint(1, 50, (2, 3))
        loss = translation_loss(logits, labels, pad_id=0)
        assert math.isclose(float(loss), math.log(50), rel_tol=1e-5)

    @given(smoothing=st.floats(0, 0.9), extra=st.integers(1, 5))
    def test_padding_changes_neither_loss_nor_accuracy(
        self, smoothing: float, extra: int
    ) -> None:
        torch.manual_seed(0)
        logits, labels = torch.randn(2, 4, 9), torch.randint(1, 9, (2, 4))
        longer = torch.cat([logits, torch.randn(2, extra, 9)], dim=1)
        padded = torch.nn.functional.pad(labels, (0, extra))
        for measure in (
            lambda x, y: translation_loss(x, y, 0, smoothing),
            lambda x, y: token_accuracy(x, y, 0),
        ):
            assert torch.allclose(measure(logits, labels), measure(longer, padded))

    def test_label_smoothing_by_hand(self) -> None:
        logits = torch.tensor([[[1.0, 2.0, 3.0]]])
        surprise = -logits.log_softmax(-1)[0, 0]
        expected = 0.9 * surprise[2] + 0.1 * surprise.mean()
        got = translation_loss(logits, torch.tensor([[2]]), 0, label_smoothing=0.1)
        assert torch.allclose(got, expected)

    def test_accuracy_of_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="all labels are padding"):
            token_accuracy(torch.zeros(1, 2, 3), torch.zeros(1, 2, dtype=torch.long), 0)

    def test_shapes_that_do_not_fit_are_named(self) -> None:
        with pytest.raises(ValueError, match=r"\(1, 2, 3\) and \(1, 3\)"):
            translation_loss(
                torch.zeros(1, 2, 3), torch.ones(1, 3, dtype=torch.long), 0
            )

    @given(total=st.integers(2, 500), data=st.data())
    def test_the_schedule_rises_to_one_and_falls_to_zero(
        self, total: int, data: st.DataObject
    ) -> None:
        warmup = data.draw(st.integers(0, total - 1))
        shares = [warmup_decay(step, warmup, total) for step in range(total + 1)]
        peak = shares.index(max(shares))
        assert max(shares) == 1.0
        assert shares[: peak + 1] == sorted(shares[: peak + 1])
        assert shares[peak:] == sorted(shares[peak:], reverse=True)
        assert shares[total] == 0.0
        assert all(share > 0 for share in shares[:total])

    def test_a_warmup_longer_than_the_run_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"warmup_steps is 9 .* 9 steps"):
            warmup_decay(0, 9, 9)


class TestSettings:
    @pytest.mark.parametrize(
        ("setting", "value"),
        [
            ("epochs", 0),
            ("max_tokens", -1),
            ("learning_rate", 0.0),
            ("seed", -1),
            ("label_smoothing", 1.0),
            ("n_heads", 3),
            ("dropout", 1.0),
        ],
    )
    def test_impossible_ones_are_named(self, setting: str, value: float) -> None:
        with pytest.raises(ValueError, match=setting) as caught:
            TrainingSettings(**{setting: value})
        assert str(value) in str(caught.value)


class TestRun:
    def test_the_log_has_one_line_for_each_epoch(self, unbroken: tuple) -> None:
        folder, _ = unbroken
        with (folder / "log.csv").open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert [row["epoch"] for row in rows] == ["1", "2", "3"]
        assert float(rows[-1]["train_loss"]) < float(rows[0]["train_loss"])
        assert all(0 <= float(row["validation_exact_match"]) <= 1 for row in rows)

    def test_one_seed_gives_one_result(self, unbroken: tuple, tmp_path: Path) -> None:
        _, expected = unbroken
        assert equal(weights(train(*corpus(), TINY, tmp_path / "again")), expected)
        other = TrainingSettings(**{**vars(TINY), "seed": 1})
        assert not equal(weights(train(*corpus(), other)), expected)

    def test_a_run_that_is_there_is_not_overwritten(self, unbroken: tuple) -> None:
        folder, _ = unbroken
        before = {file: file.read_bytes() for file in folder.iterdir()}
        with pytest.raises(FileExistsError, match="already holds a run"):
            train(*corpus(), TINY, folder)
        assert {file: file.read_bytes() for file in folder.iterdir()} == before

    def test_other_settings_do_not_resume(self, unbroken: tuple) -> None:
        folder, _ = unbroken
        other = TrainingSettings(**{**vars(TINY), "d_ff": 64})
        with pytest.raises(ValueError, match=r"d_ff = 32, not 64"):
            train(*corpus(), other, folder, resume=True)

    def test_other_sentences_do_not_resume(self, unbroken: tuple) -> None:
        folder, _ = unbroken
        with pytest.raises(ValueError, match="pairs"):
            train(*corpus(size=300), TINY, folder, resume=True)

    def test_resuming_a_finished_run_changes_nothing(self, unbroken: tuple) -> None:
        folder, expected = unbroken
        log = (folder / "log.csv").read_text()
        assert equal(weights(train(*corpus(), TINY, folder, resume=True)), expected)
        assert (folder / "log.csv").read_text() == log

    def test_a_damaged_checkpoint_is_refused(
        self, unbroken: tuple, tmp_path: Path
    ) -> None:
        folder, _ = unbroken
        whole = (folder / "checkpoint.safetensors").read_bytes()
        (tmp_path / "settings.json").write_bytes(
            (folder / "settings.json").read_bytes()
        )
        (tmp_path / "checkpoint.safetensors").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match="not a whole checkpoint"):
            train(*corpus(), TINY, tmp_path, resume=True)

    def test_the_order_of_the_batches_changes_with_the_epoch_only(self) -> None:
        splits, src_vocab, tgt_vocab = corpus()
        data = TranslationData(splits, src_vocab, tgt_vocab, max_tokens=100, seed=0)

        def order(epoch: int) -> list:
            data.trainer = type("Trainer", (), {"current_epoch": epoch})()  # type: ignore[assignment]
            return list(data.train_dataloader().batch_sampler)  # type: ignore[arg-type]

        assert order(0) == order(0) != order(1)
        assert sorted(chain(*order(0))) == sorted(chain(*order(1)))


class TestCheckpoint:
    def test_what_is_read_is_what_was_written(self, tmp_path: Path) -> None:
        shared = torch.arange(6.0).view(2, 3)
        checkpoint = {
            "epoch": 3,
            "state": {0: {"step": torch.tensor(2.0)}, "a/b": shared, "c": shared.T},
            "betas": (0.9, 0.98),
            "list": [None, True, 1e-9, "ñ", {}],
        }
        file = tmp_path / "deep" / "checkpoint.safetensors"
        SafetensorsCheckpointIO().save_checkpoint(checkpoint, file)
        found = SafetensorsCheckpointIO().load_checkpoint(file)
        assert str(found) == str(checkpoint)
        assert not list(tmp_path.rglob("*.unfinished"))

    def test_what_only_pickle_could_keep_is_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "checkpoint.safetensors"
        with pytest.raises(TypeError, match=r"'/code' it has function"):
            SafetensorsCheckpointIO().save_checkpoint({"code": corpus}, file)
        assert not list(tmp_path.iterdir())


KILLED = """
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from itertools import chain
from pathlib import Path
from test_training import TINY, corpus
from lib.training import train
train(*corpus(), TINY, Path({folder!r}), resume=True)
"""


def run_in_a_process(folder: Path) -> subprocess.Popen[bytes]:
    code = KILLED.format(root=str(ROOT), tests=str(ROOT / "tests"), folder=str(folder))
    threads = str(torch.get_num_threads())
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "OMP_NUM_THREADS": threads},
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("moment", ["settings", "first epoch", "second epoch"])
def test_a_run_killed_at_any_moment_ends_as_if_it_had_not_been(
    moment: str, unbroken: tuple, tmp_path: Path
) -> None:
    """Kill it for real, with no chance to clean up, and go on."""
    whole, expected = unbroken
    folder = tmp_path / "run"
    waited = {
        "settings": lambda: (folder / "settings.json").exists(),
        "first epoch": lambda: (folder / "log.csv").exists(),
        "second epoch": lambda: "\n2," in (folder / "log.csv").read_text(),
    }[moment]
    process = run_in_a_process(folder)
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if waited():
                break
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    said = process.stderr.read().decode() if process.stderr else ""
    assert (folder / "settings.json").exists(), f"the run did not even begin: {said}"
    assert equal(weights(train(*corpus(), TINY, folder, resume=True)), expected)

    def losses(folder: Path) -> list:
        with (folder / "log.csv").open(newline="") as lines:
            return [{**row, "seconds": ""} for row in csv.DictReader(lines)]

    assert losses(folder) == losses(whole)


def test_a_half_written_settings_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"epochs": 3')
    with pytest.raises(ValueError, match=r"settings\.json"):
        train(*corpus(), TINY, tmp_path, resume=True)


def test_the_phrases_are_learned_by_heart() -> None:
    pairs = corpora.load("phrases").splits["train"]
    src_vocab, tgt_vocab = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    settings = TrainingSettings(
        d_model=32, n_heads=2, n_layers=1, d_ff=64, epochs=60, warmup_steps=10
    )
    splits = {"train": pairs, "validation": pairs}
    task = train(splits, src_vocab, tgt_vocab, settings)
    from lib.translator import Translator

    translator = Translator(task.model, src_vocab, tgt_vocab)
    sources, targets = zip(*pairs, strict=True)
    assert translator.translate(list(sources)) == list(targets)


def test_settings_are_kept_as_plain_json(unbroken: tuple) -> None:
    folder, _ = unbroken
    kept = json.loads((folder / "settings.json").read_text())
    assert kept["seed"] == 0
    assert kept["pairs"] == {"train": 320, "validation": 80}
