"""The folder of a model: its weights as safetensors, all else as JSON, and its card."""

from __future__ import annotations

import contextlib
import platform
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary
from lib.text.files import (
    read_json,
    read_reading,
    read_vocabularies,
    read_vocabulary,
    to_toml,
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
        reason = textwrap.shorten(str(error), 200)  # PyTorch says pages
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


AnyModule = TypeVar("AnyModule", bound=nn.Module)

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

    Sizes that somebody else wrote may be beyond every memory. So they are compared with
    the header of the weights, which tells no more than is in the file, before anything
    is built.

    Args:
        file: a safetensors file.
        build: builds the model that the weights are of.
        layers: how many layers it has in all.

    Raises:
        RuntimeError: if weights are missing, or of other shapes than the model's.
        ValueError: if others are there, or more layers, or what is no finite number.
    """
    with safe_open(file, framework="pt") as told, torch.device("meta"):
        header = {
            name: torch.empty(told.get_slice(name).get_shape())
            for name in told.keys()  # noqa: SIM118
        }
    there = {match[0] for match in map(_LAYER.match, header) if match}
    if len(there) != layers:
        raise ValueError(
            f"the weights are of {len(there)} layers, not of {layers} as n_layers asks"
        )
    try:
        with torch.device("meta"):  # no numbers: only names and shapes
            plain = build()
    except (ArithmeticError, RuntimeError, TypeError) as error:
        raise ValueError("no weights can be as large as its sizes ask") from error
    for name in sorted(header.keys() - plain.state_dict().keys()):
        raise ValueError(f"some weights are not its own, such as {name!r}")
    _load(plain, header)
    with torch.random.fork_rng(devices=[]):  # first weights, soon replaced
        model = build()
    weights = load_file(file)
    for name, tensor in weights.items():
        if not tensor.isfinite().all():
            raise ValueError(f"the weights {name!r} are not all finite numbers")
    _load(model, weights)
    return model


def _load(model: nn.Module, weights: dict[str, Tensor]) -> None:
    """Load weights, a tied matrix under whichever of its names it stands."""
    own = model.state_dict(keep_vars=True)
    shared = {id(own[name]): weights[name] for name in own if name in weights}
    tied = {name: shared[id(each)] for name, each in own.items() if id(each) in shared}
    model.load_state_dict(tied | weights)


REPORT_FILE, SETTINGS_FILE = "scores.json", "settings.toml"
_TEMPLATE = Path(__file__).with_name("card.md.jinja")


def write_card(folder: Path, report: Mapping[str, Any]) -> None:
    """Write ``README.md`` into the folder of a translator."""
    import jinja2  # nothing else needs it

    # Markdown, so that nothing is escaped as in HTML.
    cards = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    cards.keep_trailing_newline = True
    cards.filters |= {"toml": to_toml, "comma": "{:,}".format}
    template = cards.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    write_whole(folder / "README.md", template.render(report=report))


def read_report(folder: Path | str) -> dict[str, Any]:
    """Return the report of a translator, empty if its folder has none."""
    file = find_folder(folder) / REPORT_FILE
    report = read_json(file) if file.is_file() else None
    return report if isinstance(report, dict) else {}


def machine() -> str:
    """Say what this runs on, without the name of the machine."""
    if torch.cuda.is_available():
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    threads = torch.get_num_threads()
    cores = "1 core" if threads == 1 else f"{threads} cores"
    return f"{cores} ({platform.machine()}), PyTorch {torch.__version__}"
