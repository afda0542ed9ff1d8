"""Early stop: end a run that only learns its training sentences by heart."""

from __future__ import annotations

import math
from typing import Any

import lightning
from lightning.pytorch.callbacks import Callback
from torch import Tensor, nn

from lib.training.averaging import copied_weights


class StopEarly(Callback):
    """End the run when the validation loss has not fallen for some epochs.

    All that it knows goes into the checkpoint, the weights of the best epoch included,
    so that a resumed run ends where an unbroken one does.
    """

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.lowest = math.inf
        self.waited = 0
        self.weights: dict[str, Tensor] = {}

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        # A run that ended early has ended, also if it is resumed.
        if self.waited >= self.patience:
            trainer.should_stop = True

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        loss = float(trainer.callback_metrics["validation_loss"])
        if loss < self.lowest:
            self.lowest, self.waited = loss, 0
            model: nn.Module = task.model  # type: ignore[assignment]
            self.weights = copied_weights(model)
        else:
            self.waited += 1
        stop = self.waited >= self.patience
        # All processes end together, or the others would wait forever.
        if trainer.strategy.reduce_boolean_decision(stop, all=False):
            trainer.should_stop = True

    def load_best(self, model: nn.Module) -> None:
        """Give a model the weights of the epoch with the lowest validation loss."""
        model.load_state_dict(self.weights, strict=False)

    def state_dict(self) -> dict[str, Any]:
        """Return what the checkpoint keeps."""
        return {
            "lowest": self.lowest,
            "waited": self.waited,
            "weights": dict(self.weights),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what the checkpoint kept."""
        self.lowest = float(state_dict["lowest"])
        self.waited = int(state_dict["waited"])
        self.weights = state_dict["weights"]
