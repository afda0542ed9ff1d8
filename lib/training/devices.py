"""What a run computes on, and how several processes share its batches."""

from __future__ import annotations

import dataclasses
import time
from typing import TypeVar

import torch
from lightning.fabric.utilities.rank_zero import rank_zero_only

from lib.text import Batch, TextBatch

ACCELERATORS = ("auto", "cpu", "gpu")
STRATEGIES = ("auto", "ddp")


@dataclasses.dataclass(frozen=True)
class Hardware:
    """What a run computes on: it decides how long the run takes, not what it learns.

    With several devices, one process works for each of them. Every process takes its
    share of every batch, so that the batch is as large as with one.

    Args:
        devices: how many GPUs, or how many processes on a CPU.
        strategy: how they work together: "ddp", or what Lightning chooses, "auto".
        accelerator: "gpu", "cpu", or what there is, "auto".

    Raises:
        ValueError: if one is impossible; the message names it.
    """

    devices: int = 1
    strategy: str = "auto"
    accelerator: str = "auto"

    def __post_init__(self) -> None:
        if self.devices < 1:
            raise ValueError(f"devices must be at least 1, but it is {self.devices}.")
        for name, known in (("strategy", STRATEGIES), ("accelerator", ACCELERATORS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, but it is "
                    f"{getattr(self, name)!r}."
                )

    def check_precision(self, precision: str) -> None:
        """Refuse a precision that this hardware does not have."""
        gpu = torch.cuda.is_available() or torch.backends.mps.is_available()
        if precision == "16-mixed" and (self.accelerator == "cpu" or not gpu):
            raise ValueError(
                "precision = '16-mixed' needs a GPU; on a CPU, choose 'bf16-mixed' or "
                "'32-true'."
            )


def slower_in_16_bits() -> float:
    """Return how many times longer this processor takes for a product in bfloat16.

    Some have no instructions for it, and PyTorch then does without, many times slower.

    Example:
        >>> slower_in_16_bits() > 0
        True
    """
    seconds = {}
    for kind in (torch.float32, torch.bfloat16):
        left = right = torch.ones(256, 256, dtype=kind)
        runs = []
        for _ in range(5):
            begun = time.perf_counter()
            left @ right
            runs.append(time.perf_counter() - begun)
        seconds[kind] = min(runs)
    return seconds[torch.bfloat16] / seconds[torch.float32]


def is_first_process() -> bool:
    """Return whether this process is the one that writes files and speaks."""
    return getattr(rank_zero_only, "rank", 0) == 0


AnyBatch = TypeVar("AnyBatch", Batch, TextBatch)


def shard(batch: AnyBatch, rank: int, world_size: int) -> AnyBatch:
    r"""Return the sentences of a batch that one of several processes works on.

    Shape:
        src: from :math:`(B, S)` to about B / ``world_size`` rows; the targets, of
        :math:`(B, T)`, in the same way. No rows are left if the batch has too few.

    Example:
        >>> words = torch.tensor([[4], [5], [6]])
        >>> shard(Batch(words, words, words), rank=1, world_size=2).src
        tensor([[5]])
    """
    # Every second, third, … row, because neighbors are of similar length.
    return type(batch)(*(part[rank::world_size] for part in batch))
