"""What a run tells while it goes on: rows for each epoch, a bar."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.pytorch.callbacks import Callback, Checkpoint, TQDMProgressBar
from torch.nn.utils.rnn import pad_sequence

from lib.decoding import greedy_decode
from lib.text import Vocabulary
from lib.text.files import write_whole

COLUMNS = (
    "epoch",
    "step",
    "train_loss",
    "validation_loss",
    "validation_token_accuracy",
    "validation_exact_match",
    "validation_bleu",
    "tokens",
    "seconds",
)


def read_log(
    file: Path, numbers: Sequence[str] = ("epoch", "seconds")
) -> list[dict[str, str]]:
    r"""Read the log of a run, one dictionary an epoch.

    Args:
        file: the CSV file.
        numbers: the columns that must hold numbers.

    Raises:
        ValueError: if it is no log of a run; the message names the file.
    """
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        for row in rows:
            int(row["epoch"]), [float(row[name]) for name in numbers]
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise ValueError(
            f"{file} is damaged: it is not the log of a run; move it away."
        ) from error
    return rows


def write_log(
    file: Path, rows: Iterable[Mapping[str, str]], columns: Sequence[str] = COLUMNS
) -> None:
    """Write the log of a run, one line an epoch; a row may lack some of the metrics.

    Args:
        file: the CSV file.
        rows: one dictionary an epoch, as :func:`read_log` gives them.
        columns: their names, in order.
    """
    table = io.StringIO()
    writer = csv.DictWriter(table, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(file, table.getvalue())


class EpochLog(Callback):
    """Write one line an epoch to a CSV file, the lines of a resumed run included."""

    numbers: tuple[str, ...] = ("epoch", "seconds")

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: list[dict[str, str]] = []
        self.start = 0.0

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        # Keep what the checkpoint knows of; an epoch after it will be run again.
        if trainer.current_epoch and self.file.exists():
            rows = read_log(self.file, self.numbers)
            self.rows = [r for r in rows if int(r["epoch"]) <= trainer.current_epoch]

    def on_train_epoch_start(self, *_: object) -> None:
        self.start = time.perf_counter()

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        measured = trainer.callback_metrics
        metrics = {name: f"{float(measured[name]):.5f}" for name in COLUMNS[2:7]}
        self.rows.append(
            {
                "epoch": str(trainer.current_epoch + 1),
                "step": str(trainer.global_step),
                **metrics,
                "tokens": str(task.tokens_seen),
                "seconds": f"{time.perf_counter() - self.start:.1f}",
            }
        )
        if trainer.is_global_zero:
            write_log(self.file, self.rows)


class SentenceLog(EpochLog):
    """Write down what some sentences become after each epoch, greedily.

    Losses fall smoothly; sentences show what is learned, and when.
    """

    numbers = ("epoch",)

    def __init__(
        self, file: Path, sentences: Sequence[str], src_vocab: Vocabulary, max_len: int
    ) -> None:
        super().__init__(file)
        self.sentences = sentences
        ids = [[*src_vocab.encode(text), src_vocab.eos_id] for text in sentences]
        longest = max(map(len, ids))
        if longest > max_len:
            raise ValueError(
                f"A sentence to watch has {longest} tokens, but max_len is {max_len}; "
                "leave it out."
            )
        rows = [torch.tensor(row) for row in ids]
        self.src = pad_sequence(rows, True, src_vocab.pad_id)  # (B, S)

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        if not trainer.is_global_zero:
            return
        vocabulary: Any = task.tgt_vocab
        model: Any = task.model
        ends = vocabulary.sos_id, vocabulary.eos_id
        written = greedy_decode(model, self.src.to(task.device), *ends).tolist()
        epoch = str(trainer.current_epoch + 1)
        self.rows += [
            {"epoch": epoch, "source": source, "written": vocabulary.decode(row)}
            for source, row in zip(self.sentences, written, strict=True)
        ]
        write_log(self.file, self.rows, ("epoch", "source", "written"))


class SaveEveryEpoch(Checkpoint):
    """Save a checkpoint when an epoch ends, in place of the one before.

    Lightning calls what is a `Checkpoint` last, so it knows what the others decided.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def on_train_epoch_end(self, trainer: lightning.Trainer, *_: object) -> None:
        trainer.save_checkpoint(self.file)


class EpochBar(TQDMProgressBar):
    """Lightning's progress bar, which counts the epochs from 1, as the log does."""

    def on_train_epoch_start(self, trainer: lightning.Trainer, *_: object) -> None:
        self.train_progress_bar.reset(self.total_train_batches)
        self.train_progress_bar.set_description(
            f"Epoch {trainer.current_epoch + 1} of {trainer.max_epochs}"
        )
