"""Checkpoints without pickle: tensors as safetensors, all the rest as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lightning.fabric.plugins import CheckpointIO
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from lib.text.files import write_whole


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
