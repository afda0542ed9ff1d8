"""What a run keeps of its weights: to go on with, of the best epoch, of the last."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lightning
import torch
from lightning.fabric.plugins import CheckpointIO
from lightning.pytorch.callbacks import Callback, EarlyStopping
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from lib.text.files import write_whole
from lib.translator.folder import weights_once_each

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


class KeepEpochWeights(Callback):
    """Keep the weights of the last epochs in files, and end with their mean.

    Args:
        count: how many epochs.
        folder: where the files go.
    """

    def __init__(self, count: int, folder: Path) -> None:
        self.count = count
        self.folder = folder

    def on_train_start(self, trainer: lightning.Trainer, *_: object) -> None:
        # What an interruption has lost is told now, not when all is trained.
        self._read_last(self.count - 1, trainer.current_epoch)

    def on_train_epoch_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        if not trainer.is_global_zero:
            return
        weights = weights_once_each(task.model)  # type: ignore[arg-type]
        number = trainer.current_epoch + 1
        write_whole(self.folder / _FILE.format(number), save(weights))
        for file in epoch_files(self.folder)[: -self.count]:
            file.unlink()

    def on_fit_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        if trainer.is_global_zero:
            mean = average_weights(self._read_last(self.count, trainer.current_epoch))
            task.model.load_state_dict(mean, strict=False)  # type: ignore[union-attr]

    def _read_last(self, count: int, done: int) -> list[dict[str, Tensor]]:
        """Read the weights of the last of so many epochs, or say which is lost."""
        states = []
        for number in range(max(1, done + 1 - count), done + 1):
            file = self.folder / _FILE.format(number)
            try:
                states.append(load_file(file))
            except (OSError, SafetensorError) as error:
                raise ValueError(
                    f"{file} is missing or damaged ({error}), and the mean of the last "
                    "epochs needs it; put it back, or start the run again in another "
                    "folder."
                ) from error
        return states


class StopEarly(EarlyStopping):
    """End the run when the validation loss has not fallen for some epochs.

    Lightning's, which also ends with the weights of the best epoch. All that it knows
    goes into the checkpoint, so that a resumed run ends where an unbroken one does.
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
            weights = weights_once_each(pl_module.model)  # type: ignore[arg-type]
            self.weights = {name: each.cpu().clone() for name, each in weights.items()}

    def on_fit_end(
        self, trainer: lightning.Trainer, task: lightning.LightningModule
    ) -> None:
        task.model.load_state_dict(self.weights, strict=False)  # type: ignore[union-attr]

    def state_dict(self) -> dict[str, Any]:
        """Return what the checkpoint keeps."""
        return {**super().state_dict(), "weights": dict(self.weights)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what the checkpoint kept."""
        super().load_state_dict(state_dict)
        self.weights = state_dict["weights"]


class SafetensorsCheckpointIO(CheckpointIO):
    """Write and read Lightning's checkpoints in one safetensors file.

    Loading a pickle can run any code that somebody put into it; this cannot. A file is
    written under another name first and then moved, so that a run which is killed while
    it saves leaves the last whole checkpoint behind.
    """

    def save_checkpoint(
        self, checkpoint: dict[str, Any], path: str | Path, storage_options: Any = None
    ) -> None:
        tensors: dict[str, Tensor] = {}
        skeleton = _take_apart(checkpoint, "", tensors)
        content = save(tensors, metadata={"skeleton": json.dumps(skeleton)})
        write_whole(Path(path), content)

    def load_checkpoint(
        self,
        path: str | Path,
        map_location: Any = None,
        weights_only: bool | None = None,
    ) -> dict[str, Any]:
        """Read a checkpoint; ``weights_only`` is Lightning's and always true here."""
        try:
            tensors = load_file(path)
            with safe_open(path, framework="pt") as file:
                skeleton = file.metadata()["skeleton"]

            def whole(part: dict[str, Any]) -> Any:  # its inner parts are whole already
                return (
                    tensors[part["tensor"]] if "tensor" in part else dict(part["dict"])
                )

            return dict(json.loads(skeleton, object_hook=whole))
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} is not a whole checkpoint of this project "
                f"({' '.join(str(error).split())}); delete it and start the run again."
            ) from error

    def remove_checkpoint(self, path: str | Path) -> None:
        Path(path).unlink(missing_ok=True)


def _take_apart(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """Put tensors into a dictionary, and return what is left as JSON can write it.

    JSON has only string keys: a dictionary becomes a list of its pairs, with a label. A
    tuple becomes a list; what JSON cannot write at all, it refuses.
    """
    if isinstance(value, Tensor):
        # Numbered, because keys that contain a slash can spell the same path.
        name = f"{len(tensors)}{path}"
        # A copy, because safetensors refuses tensors that share their memory.
        tensors[name] = value.detach().cpu().contiguous().clone()
        return {"tensor": name}
    if isinstance(value, dict):
        pairs = [
            (key, _take_apart(item, f"{path}/{key}", tensors))
            for key, item in value.items()
        ]
        return {"dict": pairs}
    if isinstance(value, list | tuple):
        return [
            _take_apart(item, f"{path}/{number}", tensors)
            for number, item in enumerate(value)
        ]
    return value
