"""Logs for TensorBoard: curves of a run to look at while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lightning
from lightning.pytorch.callbacks import Callback
from torch import Tensor


def tensorboard_log(folder: Path) -> list[Callback]:
    """Return the callback that writes for TensorBoard; none if it is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return []  # the same numbers stand in log.csv
    return [TensorBoardLog(folder, SummaryWriter)]


class TensorBoardLog(Callback):
    """Write loss and learning rate after each step, the validation after each epoch."""

    def __init__(self, folder: Path, writer_class: Any) -> None:
        self.folder = folder
        self.writer_class = writer_class
        self.writer: Any = None
        self.rate = 0.0

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        if trainer.is_global_zero:
            # TensorBoard forgets the steps that an interrupted run will make again.
            step = trainer.global_step + 1
            self.writer = self.writer_class(str(self.folder), purge_step=step)

    def on_train_batch_start(self, trainer: lightning.Trainer, *_: object) -> None:
        self.rate = trainer.optimizers[0].param_groups[0]["lr"]

    def on_train_batch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule, *_: object
    ) -> None:
        if self.writer:
            step = trainer.global_step
            loss: Tensor = task.last_loss  # type: ignore[assignment]
            self.writer.add_scalar("train/loss", float(loss), step)
            self.writer.add_scalar("train/learning_rate", self.rate, step)

    def on_train_epoch_end(self, trainer: lightning.Trainer, *_: object) -> None:
        if self.writer:
            # Counted in steps too, or those that are made again could not be told.
            metrics: Mapping[str, Tensor] = trainer.callback_metrics
            for name, value in metrics.items():
                kind, _mark, what = name.partition("_")
                if kind == "validation":
                    self.writer.add_scalar(
                        f"{kind}/{what}", float(value), trainer.global_step
                    )
            self.writer.flush()

    def on_exception(self, *_: object) -> None:
        self._close()

    def on_train_end(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self.writer:
            self.writer.close()
            self.writer = None
