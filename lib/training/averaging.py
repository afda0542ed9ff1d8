"""Averaging: the mean of the last epochs' weights is steadier than the last alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import lightning
import torch
from lightning.pytorch.callbacks import Callback
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from lib.text.files import write_whole
from lib.translator.weights import weights_once_each

_FILE = "epoch-{}.safetensors"
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
    kinds = [{name: each.shape for name, each in state.items()} for state in states]
    if any(kind != kinds[0] for kind in kinds):
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
        always: the number of an epoch before them that is kept as well, if not 0.
    """

    def __init__(self, count: int, folder: Path | None = None, always: int = 0) -> None:
        self.count = count
        self.always = always
        self.folder = folder
        self.states: dict[int, dict[str, Tensor]] = {}

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        done = trainer.current_epoch
        # Those of before an interruption; the next epoch takes the place of the oldest.
        if self.folder:
            self._read(self.folder, range(done + 2 - self.count, done + 1))
            self._read(self.folder, range(self.always, min(self.always, done) + 1))

    def _read(self, folder: Path, numbers: range) -> None:
        """Read the weights of these epochs, as far as there were such epochs."""
        for number in numbers:
            if number > 0 and number not in self.states:
                self.states[number] = _read_epoch(folder / _FILE.format(number))

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        number = trainer.current_epoch + 1
        model: nn.Module = task.model  # type: ignore[assignment]
        self.states[number] = copied_weights(model)
        folder = self.folder if trainer.is_global_zero else None
        if folder:
            weights = self.states[number]
            content = save(weights, metadata={"sha256": _fingerprint(weights)})
            write_whole(folder / _FILE.format(number), content)
        for old in sorted(self.states)[: -self.count]:
            if old != self.always:
                del self.states[old]
        for file in epoch_files(folder)[: -self.count] if folder else []:
            if file.name != _FILE.format(self.always):
                file.unlink()

    def load_average(self, model: nn.Module, done: int) -> None:
        """Give a model the mean of the weights that were kept, after so many epochs."""
        if self.folder:  # resumed, and there was nothing left to do
            self._read(self.folder, range(done + 1 - self.count, done + 1))
            self._read(self.folder, range(self.always, min(self.always, done) + 1))
        model.load_state_dict(average_weights(list(self.states.values())), strict=False)


def _read_epoch(file: Path) -> dict[str, Tensor]:
    """Read what :class:`KeepEpochWeights` wrote, or say which epoch is lost."""
    try:
        weights = load_file(file)
        with safe_open(file, framework="pt") as opened:
            told = (opened.metadata() or {}).get("sha256")
        if told not in (None, _fingerprint(weights)):  # none in those of older code
            raise ValueError("its numbers have changed")
    except (OSError, SafetensorError, ValueError) as error:
        raise ValueError(
            f"{file} is missing or damaged ({error}), and the mean of the last epochs "
            "needs it; put it back, or start the run again in another folder."
        ) from error
    return weights


def _fingerprint(weights: Mapping[str, Tensor]) -> str:
    return hashlib.sha256(save(dict(weights))).hexdigest()
