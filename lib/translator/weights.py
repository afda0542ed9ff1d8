"""The weights of a model in a file, which is looked at before anything is built."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

AnyModule = TypeVar("AnyModule", bound=nn.Module)

_NUMBERS = ("F16", "BF16", "F32")
_LAYER = re.compile(r"(en|de)coder\.layers\.\d+(?=\.)")


def weights_once_each(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a model, a tied matrix under one of its names."""
    weights: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            weights[name] = tensor
    return weights


def weights_to_save(model: nn.Module, dtype: torch.dtype) -> dict[str, Tensor]:
    """Return the weights of a model for a file, or say which the file cannot keep."""
    weights = {
        name: tensor.to("cpu", dtype).contiguous()
        for name, tensor in weights_once_each(model).items()
    }
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            size = "16 bits" if dtype == torch.float16 else "a file"
            raise ValueError(
                f"The weights {name!r} are not all numbers that {size} can keep; the "
                "training has diverged: begin again with a smaller learning_rate."
            )
    return weights


def read_weights(file: Path, build: Callable[[], AnyModule], layers: int) -> AnyModule:
    """Build a model and give it the weights in a file.

    Args:
        file: a safetensors file.
        build: builds the model that the weights are of.
        layers: how many layers it has in all.

    Raises:
        ValueError: if the weights are not of this model, or no finite numbers.
    """
    _check_header(build, layers, file)
    with torch.random.fork_rng(devices=[]):  # first weights, soon replaced
        model = build()
    weights = load_file(file)
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            raise ValueError(f"the weights {name!r} are not all finite numbers")
    model.load_state_dict(weights, strict=False)
    return model


def _check_header(build: Callable[[], nn.Module], layers: int, file: Path) -> None:
    """Compare the sizes with the header of the weights, before anything is built.

    Sizes that somebody else wrote may be beyond every memory. What the header tells is
    no larger than its file.
    """
    with safe_open(file, framework="pt") as weights:
        found = {name: weights.get_slice(name) for name in weights.keys()}  # noqa: SIM118
    for name, weight in found.items():
        if weight.get_dtype() not in _NUMBERS:
            raise ValueError(
                f"the weights {name!r} are {weight.get_dtype()}, not numbers of 16 or "
                "32 bits with a point"
            )
    there = {match[0] for match in map(_LAYER.match, found) if match}
    if len(there) != layers:
        raise ValueError(
            f"the weights are of {len(there)} layers, not of {layers} as n_layers asks"
        )
    try:
        with torch.device("meta"):  # no numbers: only names and shapes
            expected = build().state_dict(keep_vars=True)
    except (ArithmeticError, RuntimeError, TypeError) as error:  # PyTorch says pages
        raise ValueError("no weights can be as large as its sizes ask") from error
    _compare(
        {name: tuple(weight.get_shape()) for name, weight in found.items()}, expected
    )


def _compare(found: dict[str, tuple[int, ...]], expected: dict[str, Tensor]) -> None:
    # A tied matrix stands in the file once, under one of its names.
    shared = {id(tensor) for name, tensor in expected.items() if name in found}
    missing = [name for name in expected if name not in found]
    missing = [name for name in missing if id(expected[name]) not in shared]
    strange = [name for name in found if name not in expected]
    if missing or strange:
        raise ValueError(
            f"the weights do not fit the model, {len(missing)} are missing and "
            f"{len(strange)} are not its own, such as {(missing + strange)[0]!r}"
        )
    for name, shape in found.items():
        if shape != expected[name].shape:
            raise ValueError(
                f"the weights {name!r} have shape {shape}, but the model wants "
                f"{tuple(expected[name].shape)}"
            )
