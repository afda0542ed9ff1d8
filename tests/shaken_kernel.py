"""A notebook kernel in which weights and random numbers are a millionth off.

Another processor adds in another order, and its last digits differ. This kernel
imitates that, and more: every number that PyTorch draws, initial parameters included,
and every weight of the models that ship is moved by a relative `SIZE`, up or down; in
double precision, by as many of its last digits. What a chapter prints should not depend
on it. `make portable` runs all chapters in this
kernel; `kernels/shaken/kernel.json` makes it known to Jupyter.
"""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

SIZE = 1e-6
SHIPPED = Path(__file__).resolve().parent.parent / "lib" / "shipped"
DRAWS = ("rand", "randn", "rand_like", "randn_like", "normal")
DRAWS_IN_PLACE = ("uniform_", "normal_")


def shaken(values: Tensor) -> Tensor:
    """Return the numbers, each moved by a relative `SIZE`, of doubles a smaller one.

    Whether a number goes up or down is decided by its own bits: no random number is
    used up, and what was drawn alike stays alike.
    """
    if not values.is_floating_point():
        return values
    bits = values.detach().float().contiguous().view(torch.int32).long()
    up = (bits * 2654435761 >> 16) & 1
    size = SIZE * min(1, torch.finfo(values.dtype).eps / torch.finfo(torch.float).eps)
    return values * (1 + size * (2 * up - 1).to(values.dtype))


def _shaking(draw: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(draw)
    def shaken_draw(*args: Any, **kwargs: Any) -> Tensor:
        drawn = draw(*args, **kwargs)
        with torch.no_grad():
            return drawn.copy_(shaken(drawn))

    return shaken_draw


def shaking_shipped(
    load: Callable[..., dict[str, Tensor]],
) -> Callable[..., dict[str, Tensor]]:
    """What loads weights, and moves those that ship."""

    @functools.wraps(load)
    def shaken_load(filename: Any, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        weights = load(filename, *args, **kwargs)
        if SHIPPED not in Path(filename).resolve().parents:
            return weights
        # They ship in 16 bits, of which a millionth is less than the last.
        return {name: shaken(values.float()) for name, values in weights.items()}

    return shaken_load


def shake() -> None:
    """Put shaking versions in the place of PyTorch's draws and of the loader."""
    for name in DRAWS:
        setattr(torch, name, _shaking(getattr(torch, name)))
    for name in DRAWS_IN_PLACE:
        setattr(Tensor, name, _shaking(getattr(Tensor, name)))
    safetensors.torch.load_file = shaking_shipped(safetensors.torch.load_file)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: a chapter finds lib by itself
    shake()
    from ipykernel.kernelapp import launch_new_instance

    launch_new_instance()
