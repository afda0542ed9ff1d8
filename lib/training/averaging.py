"""Averaging: the mean of the last epochs' weights is steadier than the last alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import Callback
from safetensors.torch import load_file, save
from torch import Tensor, nn

from lib.text.files import write_whole
from lib.translator.folder import weights_once_each

_NAME = re.compile(r"epoch-(\d+)\.safetensors")


def epoch_files(folder: Path) -> list[Path]:
    """List the weights that a run kept, in the order of their epochs.

    In the order of the numbers: as text, ``epoch-10`` would come before ``epoch-9``.
    """
    found = {
        int(match[1]): file
        for file in folder.iterdir()
        if (match := _NAME.fullmatch(file.name))
    }
    return [found[number] for number in sorted(found)]


def average_weights(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """Return the mean of several models' weights, name by name.

    Example:
        >>> average_weights([{"w": torch.tensor([1.0])}, {"w": torch.tensor([3.0])}])
        {'w': tensor([2.])}
    """
    if not states:
        raise ValueError("There are no weights to average.")
    if any(set(state) != set(states[0]) for state in states):
        raise ValueError("The weights to average are not of models of one kind.")
    return {
        name: torch.stack([state[name].float() for state in states]).mean(dim=0)
        for name in states[0]
    }


def copied_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of the weights, a tied matrix under one of its names."""
    weights = weights_once_each(model)
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}


class KeepEpochWeights(Callback):
    """Keep the weights of the last epochs, in files if the run has a folder.

    Args:
        count: how many epochs.
        folder: where the files go; None keeps them in memory alone.
    """

    def __init__(self, count: int, folder: Path | None = None) -> None:
        self.count = count
        self.folder = folder
        self.states: dict[int, dict[str, Tensor]] = {}

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        if self.folder is None or not self.folder.is_dir():
            return
        for file in epoch_files(self.folder):  # those of before an interruption
            number = int(file.stem.removeprefix("epoch-"))
            if number <= trainer.current_epoch:
                self.states[number] = load_file(file)

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        number = trainer.current_epoch + 1
        model: nn.Module = task.model  # type: ignore[assignment]
        self.states[number] = copied_weights(model)
        folder = self.folder if trainer.is_global_zero else None
        if folder:
            file = folder / f"epoch-{number}.safetensors"
            write_whole(file, save(self.states[number]))
        for old in sorted(self.states)[: -self.count]:
            del self.states[old]
            if folder:
                (folder / f"epoch-{old}.safetensors").unlink(missing_ok=True)

    def load_average(self, model: nn.Module) -> None:
        """Give a model the mean of the weights that were kept."""
        if not self.states and self.folder:  # resumed, and there was nothing left to do
            files = epoch_files(self.folder)[-self.count :]
            self.states = dict(enumerate(map(load_file, files)))
        model.load_state_dict(average_weights(list(self.states.values())), strict=False)
