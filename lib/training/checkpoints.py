"""What a run keeps of its weights: to go on with, of the best epoch, of the last."""

from __future__ import annotations

import hashlib
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
from torch import Tensor, nn

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
        done = trainer.current_epoch
        # Those of before an interruption; the next epoch takes the place of the oldest.
        if self.folder:
            self._read(self.folder, range(done + 2 - self.count, done + 1))

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
            del self.states[old]
        for file in epoch_files(folder)[: -self.count] if folder else []:
            file.unlink()

    def load_average(self, model: nn.Module, done: int) -> None:
        """Give a model the mean of the weights that were kept, after so many epochs."""
        if self.folder:  # resumed, and there was nothing left to do
            self._read(self.folder, range(done + 1 - self.count, done + 1))
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
            with safe_open(path, framework="pt", device="cpu") as file:
                skeleton = json.loads((file.metadata() or {})["skeleton"])
                names = list(file.keys())
                tensors = dict(zip(names, map(file.get_tensor, names), strict=True))
            checkpoint: dict[str, Any] = _put_together(skeleton, tensors)
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise damaged(path, error) from error
        return checkpoint

    def remove_checkpoint(self, path: str | Path) -> None:
        Path(path).unlink(missing_ok=True)


def damaged(path: str | Path, error: Exception) -> ValueError:
    """Say that a run cannot go on from a checkpoint, and what can be done."""
    reason = " ".join(str(error).split())
    return ValueError(
        f"{path} is not a whole checkpoint of this project ({reason}); delete it and "
        "start the run again."
    )


# JSON has only string keys and no tuples, so these are written as lists with a label.
_Skeleton = Any


def _take_apart(value: Any, path: str, tensors: dict[str, Tensor]) -> _Skeleton:
    if isinstance(value, Tensor):
        # Numbered, because keys that contain a slash can spell the same path.
        name = f"{len(tensors)}{path}"
        # A copy, because safetensors refuses tensors that share their memory.
        tensors[name] = value.detach().cpu().contiguous().clone()
        return {"tensor": name}
    if isinstance(value, dict):
        items = [
            [key, _take_apart(item, f"{path}/{key}", tensors)]
            for key, item in value.items()
        ]
        return {"dict": items}
    if isinstance(value, list | tuple):
        parts = [
            _take_apart(part, f"{path}/{number}", tensors)
            for number, part in enumerate(value)
        ]
        return {"tuple" if isinstance(value, tuple) else "list": parts}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"A checkpoint can hold tensors, numbers and text, but at {path!r} it has "
        f"{type(value).__name__}."
    )


def _put_together(skeleton: _Skeleton, tensors: dict[str, Tensor]) -> Any:
    if not isinstance(skeleton, dict):
        return skeleton
    (label, content) = next(iter(skeleton.items()))
    if label == "tensor":
        return tensors[content]
    if label == "dict":
        return {key: _put_together(item, tensors) for key, item in content}
    parts = [_put_together(part, tensors) for part in content]
    return tuple(parts) if label == "tuple" else parts
