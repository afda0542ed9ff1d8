"""Pitfall 24: which of a run's checkpoints is the last one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from lib.training.checkpoints import KeepEpochWeights, epoch_files

Files = Callable[[Path], list[Path]]

# --- 24 -------------------------------------------------------------------------------


def files_by_name(folder: Path) -> list[Path]:
    return sorted(folder.glob("epoch-*.safetensors"))


def fill(folder: Path, epochs: int) -> None:
    """Leave a file for each epoch, which holds the number of its epoch."""
    folder.mkdir(parents=True, exist_ok=True)
    for epoch in range(1, epochs + 1):
        weights = {"weight": torch.tensor([[float(epoch)]])}
        save_file(weights, folder / f"epoch-{epoch}.safetensors")


def property_the_last_file_is_of_the_last_epoch(files: Files, folder: Path) -> None:
    for epochs in (9, 10, 12):
        run = folder / f"{epochs} epochs"
        fill(run, epochs)
        served = load_file(files(run)[-1])["weight"].item()
        assert served == epochs, f"of {epochs} epochs, epoch {served:.0f} is served"


def test_pitfall_24_last_checkpoint_by_name(tmp_path: Path) -> None:
    """Epoch 9 is served forever; with fewer than ten epochs all is well."""
    with pytest.raises(AssertionError, match="of 10 epochs, epoch 9 is served"):
        property_the_last_file_is_of_the_last_epoch(files_by_name, tmp_path / "wrong")
    property_the_last_file_is_of_the_last_epoch(epoch_files, tmp_path / "right")


def test_pitfall_24_the_mean_of_the_wrong_epochs(tmp_path: Path) -> None:
    """The mean of the last three of twelve epochs is that of 10, 11 and 12."""
    fill(tmp_path, 12)
    model = nn.Linear(1, 1, bias=False)
    KeepEpochWeights(3, tmp_path).load_average(model, done=12)
    assert model.weight.item() == 11
    wrong = [load_file(file)["weight"].item() for file in files_by_name(tmp_path)[-3:]]
    assert sum(wrong) / 3 == 8
