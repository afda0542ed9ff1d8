"""The folder of a model: its weights as safetensors, all else as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import save

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.files import (
    read_json,
    read_reading,
    read_vocabularies,
    read_vocabulary,
    write_json,
    write_vocabularies,
    write_whole,
)
from lib.today import (
    LanguageConfig,
    LanguageModel,
    Leaves,
    leaves_of,
    modernize,
)
from lib.today.modernize import AnyModel
from lib.translator.weights import read_weights, weights_to_save

Built = TypeVar("Built")

SHIPPED = Path(__file__).parent.parent / "shipped"
"""The folder of the models that come with the book."""

_CONFIG, _WEIGHTS = "config.json", "model.safetensors"
_TRANSLATOR, _LANGUAGE_MODEL = "translator", "language model"
_FORMAT = 1
# What is raised by settings that are missing or wrong, by sizes that fit no memory, and
# by half a file.
_DAMAGE = (KeyError, TypeError, ValueError, RuntimeError, SafetensorError)


def write_folder(
    folder: Path,
    model: Transformer | LanguageModel,
    vocabularies: Sequence[Vocabulary],
    told: Mapping[str, Any],
    half: bool,
) -> None:
    """Write a model and its vocabularies into a folder, with what else is told."""
    if family := getattr(model, "family", None):  # its oddities would be forgotten
        raise ValueError(f"A {family} stays in the folder that it was read from.")
    weights = weights_to_save(model, torch.float16 if half else torch.float32)
    description = {"format": _FORMAT, **told, "model": model.config.to_dict()}
    if leaves := leaves_of(model).changes():
        description["leaves"] = leaves
    description |= write_vocabularies(folder, vocabularies)
    write_whole(folder / _WEIGHTS, save(weights, metadata={"format": "pt"}))
    write_json(folder / _CONFIG, description)


def write_language_model(
    folder: Path, model: LanguageModel, vocabulary: Vocabulary, half: bool = False
) -> None:
    """Write a language model and its vocabulary into a folder.

    Args:
        folder: where to write; made if it is not there.
        model: the language model.
        vocabulary: its words or sub-words.
        half: True to halve the file by keeping 16 bits of each weight.

    Raises:
        ValueError: if a weight is no finite number, or too large for 16 bits.
    """
    write_folder(folder, model, [vocabulary], {"kind": _LANGUAGE_MODEL}, half)


def read_folder(folder: Path | str, build: Callable[..., Built]) -> Built:
    """Read what :func:`write_folder` wrote, or a shipped translator by its name.

    Args:
        folder: the folder, or a name like "grammar-en-es".
        build: makes something of the model, both vocabularies and, by name, how it
            reads and doubts.

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
        ValueError: if its files are damaged, or belong to something else.
    """
    with _described(folder, _TRANSLATOR) as (folder, description):
        src_vocab, tgt_vocab = read_vocabularies(folder, description)
        config = TransformerConfig.from_dict(description["model"])
        layers = 2 * config.n_layers  # of the encoder and of the decoder
        plain = _builder(lambda: Transformer(config), description)
        model = read_weights(folder / _WEIGHTS, plain, layers)
        return build(model, src_vocab, tgt_vocab, **read_reading(description))


def read_language_model(folder: Path | str) -> tuple[LanguageModel, Vocabulary]:
    """Read what :func:`write_language_model` wrote, or a shipped one by its name.

    Args:
        folder: the folder, or the name of a shipped language model.

    Raises:
        FileNotFoundError: if there is no such folder, or a file is missing in it.
        ValueError: if its files are damaged, or belong to something else.
    """
    with _described(folder, _LANGUAGE_MODEL) as (folder, description):
        vocabulary = read_vocabulary(folder, description)
        config = LanguageConfig(**description["model"])
        if config.vocab_size != len(vocabulary):
            raise ValueError(
                f"its model has {config.vocab_size} tokens, and its vocabulary "
                f"{len(vocabulary)}"
            )
        build = _builder(lambda: LanguageModel(config), description)
        model = read_weights(folder / _WEIGHTS, build, config.n_layers)
    return model, vocabulary


@contextlib.contextmanager
def _described(folder: Path | str, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Find a folder and read what it holds; say in one sentence what is wrong in it."""
    found = find_folder(folder, kind)
    try:
        description = read_json(found / _CONFIG)
        if description["format"] != _FORMAT:
            raise ValueError(f"format {description['format']} is not {_FORMAT}")
        if description.get("kind", _TRANSLATOR) != kind:
            raise ValueError(f"it holds a {description.get('kind', _TRANSLATOR)}")
        yield found, description
    except _DAMAGE as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{found} is not a whole {kind} of this book: {reason}"
        ) from error


def _builder(
    plain: Callable[[], AnyModel], description: Mapping[str, Any]
) -> Callable[[], AnyModel]:
    leaves = Leaves(**description.get("leaves", {})).changes()
    return (lambda: modernize(plain(), **leaves)) if leaves else plain


def find_folder(folder: Path | str, kind: str = _TRANSLATOR) -> Path:
    """Return the folder of a model: the reader's own, or a shipped one.

    Args:
        folder: a folder, or a name like "grammar-en-es".
        kind: what is looked for, in words.

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
                f"'{folder}' is no folder of a {kind}: it has no file {name}; the "
                f"shipped {kind}s are: {', '.join(_of_kind(kind, shipped)) or 'none'}."
            )
    return found


def _of_kind(kind: str, shipped: Mapping[str, Path]) -> list[str]:
    return [
        name
        for name, folder in sorted(shipped.items())
        if read_json(folder / _CONFIG).get("kind", _TRANSLATOR) == kind
    ]
