"""Other people's weights in the book's own classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer
from torch import Tensor

from lib.text.files import read_json
from lib.today.families import FAMILIES, NAMES, Model, Settings, build, plan
from lib.today.llama2c import flat_settings, read_flat, read_tokens
from lib.today.weights import fill, find_places

_DAMAGE = (ArithmeticError, RuntimeError, SafetensorError, TypeError, ValueError)


def read_pretrained(folder: Path | str) -> Model:
    """Read a model that others have trained: a llama, a gpt2, a bert or a marian.

    Nothing of it is run: numbers come from safetensors or a flat file, settings from
    JSON. The model has two more attributes: ``family``, the name of its family, and
    ``end_id``, the id that ends a text, or None.

    Args:
        folder: what ``save_pretrained`` of transformers wrote, with ``config.json`` and
            ``model.safetensors``; or a flat file of llama2.c.

    Returns:
        A language model that is called with ids or, of a marian, a Transformer that is
        called with src and tgt; in evaluation mode.

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
        ValueError: if it is of another family, or a tensor is missing, left over or of
            another shape; the message names it.
    """
    folder = Path(folder)
    try:
        if folder.is_file():
            return _read(*read_flat(folder))
        settings = read_json(_file(folder, "config.json"))
        if (family := dict(settings).get("model_type")) not in FAMILIES:
            raise ValueError(f"model_type {family!r} is none of {', '.join(FAMILIES)}")
        with safe_open(_file(folder, "model.safetensors"), framework="pt") as file:
            names = file.keys()
            return _read(settings, {name: file.get_slice(name) for name in names})
    except KeyError as error:
        raise ValueError(f"{folder}/config.json has no setting {error}.") from error
    except _DAMAGE as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{folder} cannot be read: {reason}.") from error


def _read(settings: Settings, tensors: dict[str, Any]) -> Model:
    """Build the model; the tensors are those of a flat file, or slices of a file."""
    names = NAMES[settings["model_type"]]
    if settings[names["sizes"]["n_layers"]] > len(tensors):  # before so many are built
        raise ValueError(f"{len(tensors)} tensors are too few for so many layers")
    shapes = {
        name: tuple(each.shape if isinstance(each, Tensor) else each.get_shape())
        for name, each in tensors.items()
    }
    places = find_places(names, plan(settings), shapes)
    with torch.random.fork_rng(devices=[]):  # first weights, soon replaced
        model = build(settings)
    fill(names, places, tensors, model.state_dict(keep_vars=True))
    end = settings.get("eos_token_id")
    end = end[0] if isinstance(end, list) and end else end
    vars(model).update(family=settings["model_type"], end_id=end)
    return model.eval()


def read_tokenizer(folder: Path | str) -> Tokenizer:
    """Read the tokenizer that lies beside a model of :func:`read_pretrained`.

    Args:
        folder: the folder, with ``tokenizer.json``; or a flat file of llama2.c, beside
            which its tokens are, such as ``tok512.bin`` for 512 of them.

    Raises:
        FileNotFoundError: if there is none.
        ValueError: if it is damaged.
    """
    folder = Path(folder)
    if folder.is_file():
        size = flat_settings(folder)["vocab_size"]
        return read_tokens(_file(folder.parent, f"tok{size}.bin"), size)
    file = _file(folder, "tokenizer.json")
    try:
        return Tokenizer.from_file(str(file))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the library's panic is no Exception
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{file} is no tokenizer: {reason}.") from error


def _file(folder: Path, name: str) -> Path:
    """Return a file of a folder, or say that it is missing and how to get it."""
    if (folder / name).is_file():
        return folder / name
    pickled = name.endswith(".safetensors") and any(folder.glob("pytorch_model*.bin"))
    why = ", and pytorch_model.bin is a pickle, which can run code" if pickled else ""
    raise FileNotFoundError(
        f"'{folder}' has no file {name}{why}; save_pretrained of a model and of its "
        "tokenizer in transformers write what is needed."
    )
