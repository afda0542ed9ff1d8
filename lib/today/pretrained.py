"""Other people's weights in the book's own classes."""

from __future__ import annotations

from contextlib import ExitStack
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

_HOW = {
    "": "save_pretrained of a model in transformers writes what is needed",
    ".bin": "it is published beside the flat file of the model",
    "tokenizer.json": "save_pretrained of most tokenizers in transformers writes it, "
    "but MarianTokenizer has source.spm, target.spm and vocab.json, read by it alone",
}
_DAMAGE = (ArithmeticError, RuntimeError, SafetensorError, TypeError, ValueError)


def read_pretrained(folder: Path | str) -> Model:
    """Read a model that others have trained: a llama, a gpt2, a bert or a marian.

    Nothing of it is run: numbers come from safetensors or a flat file, settings from
    JSON. The model has two more attributes: ``family``, the name of its family, and
    ``end_id``, the id that ends a text, a list if each of several does, or None.

    Args:
        folder: what ``save_pretrained`` of transformers wrote, with ``config.json`` and
            ``model.safetensors``, or with the parts that
            ``model.safetensors.index.json`` names; or a flat file of llama2.c.

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
        if (generation := folder / "generation_config.json").is_file():
            told = dict(read_json(generation)).get("eos_token_id")
            settings |= {} if told is None else {"eos_token_id": told}
        with ExitStack() as stack:
            tensors = dict[str, Any]()
            for part in _parts(folder):
                file = stack.enter_context(safe_open(part, framework="pt"))
                for name in file.keys():  # noqa: SIM118 (it is no dictionary)
                    if name in tensors:
                        raise ValueError(f"the tensor {name!r} is in two files")
                    tensors[name] = file.get_slice(name)
            return _read(settings, tensors)
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
    vars(model).update(family=settings["model_type"], end_id=_end(settings))
    return model.eval()


def _end(settings: Settings) -> int | list[int] | None:
    """Return the id that ends a text, or several, as decoding takes them."""
    told = settings.get("eos_token_id")
    ends = told if isinstance(told, list) else [] if told is None else [told]
    if not all(type(each) is int for each in ends):
        raise ValueError(f"eos_token_id is {told!r}, which is no id of a token")
    return ends if len(ends) > 1 else ends[0] if ends else None


def _parts(folder: Path) -> list[Path]:
    """Return the file with all tensors, or those that an index names."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file() or not index.is_file():
        return [_file(folder, "model.safetensors")]
    told = dict(read_json(index)).get("weight_map")
    names = sorted(set(map(str, told.values()))) if isinstance(told, dict) else []
    if not names or any(Path(name).name != name for name in names):
        raise ValueError(f"the weight_map of {index.name} names no files beside it")
    return [_file(folder, name) for name in names]


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
    why, pickled = "", sorted(folder.glob("pytorch_model*"))
    if name.endswith(".safetensors") and pickled:
        what = "a list of pickles" if pickled[0].suffix == ".json" else "a pickle"
        why = f", and {pickled[0].name} is {what}, which can run code"
    how = _HOW.get(name) or _HOW.get(Path(name).suffix, _HOW[""])
    raise FileNotFoundError(f"'{folder}' has no file {name}{why}; {how}.")
