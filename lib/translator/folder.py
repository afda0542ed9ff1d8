"""The folder of a translator: its weights as safetensors, all else as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.files import read_json, write_json, write_whole
from lib.text.stored import (
    read_reading,
    read_vocabularies,
    write_reading,
    write_vocabularies,
)

SHIPPED = Path(__file__).parent.parent / "shipped"
"""The folder of the models that come with the book."""

_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_UNSURE = "unsure_above"  # folders of old do not have it
_FORMAT = 1
_NUMBERS = ("F16", "BF16", "F32")
_LAYER = re.compile(r"(en|de)coder\.layers\.\d+(?=\.)")
# What is raised by settings that are missing or wrong, by sizes that fit no memory, and
# by half a file.
_DAMAGE = (KeyError, TypeError, ValueError, RuntimeError, SafetensorError)


def write_folder(
    folder: Path,
    model: Transformer,
    vocabularies: tuple[Vocabulary, Vocabulary],
    reading: Mapping[str, bool],
    half: bool = False,
    unsure_above: float | None = None,
) -> None:
    """Write all that a translator is made of into a folder.

    Args:
        folder: where to write; made if it is not there.
        model: the Transformer.
        vocabularies: of the source and the target; they may be one and the same.
        reading: whether it punctuates, and reads prose; as in :class:`Translator`.
        half: True to halve the file by keeping 16 bits of each weight.
        unsure_above: as in :class:`Translator`.

    Raises:
        ValueError: if a weight is no finite number, or too large for 16 bits.
    """
    weights = _weights_to_save(model, torch.float16 if half else torch.float32)
    description: dict[str, Any] = {
        "format": _FORMAT,
        **write_reading(reading),
        "model": model.config.to_dict(),
    }
    if unsure_above is not None:
        description[_UNSURE] = unsure_above
    description |= write_vocabularies(folder, vocabularies)
    write_whole(folder / _WEIGHTS, save(weights, metadata={"format": "pt"}))
    write_json(folder / _CONFIG, description)


def read_folder(
    folder: Path | str,
) -> tuple[Transformer, Vocabulary, Vocabulary, dict[str, Any]]:
    """Read what :func:`write_folder` wrote, or a shipped translator by its name.

    Args:
        folder: the folder, or a name like "grammar-en-es".

    Returns:
        The model, both vocabularies, and how it reads and doubts, by name.

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
        ValueError: if its files are damaged, or belong to something else.
    """
    folder = find_folder(folder)
    try:
        description = read_json(folder / _CONFIG)
        if description["format"] != _FORMAT:
            raise ValueError(f"format {description['format']} is not {_FORMAT}")
        src_vocab, tgt_vocab = read_vocabularies(folder, description)
        config = TransformerConfig.from_dict(description["model"])
        _check_header(config, folder / _WEIGHTS)
        with torch.random.fork_rng(devices=[]):  # first weights, soon replaced
            model = Transformer(config)
        _load_weights(model, folder / _WEIGHTS)
        reading: dict[str, Any] = {**read_reading(description)}
        if _UNSURE in description:
            reading[_UNSURE] = float(description[_UNSURE])
            if not reading[_UNSURE] >= 0:  # not a number, too
                raise ValueError(f"{_UNSURE} is {description[_UNSURE]!r}")
    except _DAMAGE as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{folder} is not a whole translator of this book: {reason}"
        ) from error
    return model, src_vocab, tgt_vocab, reading


def find_folder(folder: Path | str) -> Path:
    """Return the folder of a translator: the reader's own, or a shipped one.

    Args:
        folder: a folder, or a name like "grammar-en-es".

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
    """
    found = Path(folder)
    shipped = {file.parent.name: file.parent for file in SHIPPED.glob(f"*/{_CONFIG}")}
    if not (found / _CONFIG).is_file():  # a translator of the reader's own comes first
        found = shipped.get(str(folder), found)
    for name in (_CONFIG, _WEIGHTS):
        if not (found / name).is_file():
            raise FileNotFoundError(
                f"'{folder}' is no folder of a translator: it has no file {name}; the "
                f"shipped translators are: {', '.join(sorted(shipped)) or 'none'}."
            )
    return found


def weights_once_each(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a model, a tied matrix under one of its names."""
    weights: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            weights[name] = tensor
    return weights


def _weights_to_save(model: Transformer, dtype: torch.dtype) -> dict[str, Tensor]:
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


def _check_header(config: TransformerConfig, file: Path) -> None:
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
    layers = {match[0] for match in map(_LAYER.match, found) if match}
    if len(layers) != 2 * config.n_layers:
        raise ValueError(
            f"the weights are of {len(layers)} layers, not of {2 * config.n_layers} as "
            f"n_layers = {config.n_layers} asks"
        )
    try:
        with torch.device("meta"):  # no numbers: only names and shapes
            expected = Transformer(config).state_dict(keep_vars=True)
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


def _load_weights(model: Transformer, file: Path) -> None:
    weights = load_file(file)
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            raise ValueError(f"the weights {name!r} are not all finite numbers")
    model.load_state_dict(weights, strict=False)
