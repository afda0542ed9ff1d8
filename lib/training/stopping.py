"""Early stop: end a run that only learns its training sentences by heart."""

from __future__ import annotations

from typing import Any

import lightning
from lightning.pytorch.callbacks import EarlyStopping
from torch import Tensor, nn

from lib.training.averaging import copied_weights


class StopEarly(EarlyStopping):
    """End the run when the validation loss has not fallen for some epochs.

    Lightning's, which also keeps the weights of the best epoch. All that it knows goes
    into the checkpoint, so that a resumed run ends where an unbroken one does.
    """

    def __init__(self, patience: int) -> None:
        super().__init__(
            "validation_loss", patience=patience, check_on_train_epoch_end=True
        )
        self.weights: dict[str, Tensor] = {}

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        # A run that ended early has ended, also if it is resumed.
        if self.wait_count >= self.patience:
            trainer.should_stop = True

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule
    ) -> None:
        super().on_train_epoch_end(trainer, pl_module)
        if self.wait_count == 0:  # the best epoch so far
            model: nn.Module = pl_module.model  # type: ignore[assignment]
            self.weights = copied_weights(model)

    def load_best(self, model: nn.Module) -> None:
        """Give a model the weights of the epoch with the lowest validation loss."""
        model.load_state_dict(self.weights, strict=False)

    def state_dict(self) -> dict[str, Any]:
        """Return what the checkpoint keeps."""
        return {**super().state_dict(), "weights": dict(self.weights)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what the checkpoint kept."""
        super().load_state_dict(state_dict)
        self.weights = state_dict["weights"]
