"""The folder of an exported translator: what it is, beside the files of its engine."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path
from typing import Any

from lib.text import Vocabulary
from lib.text.files import read_json, write_json
from lib.text.stored import read_vocabularies, write_vocabularies

ENGINES = {"ctranslate2": "CTranslate2", "onnx": "ONNX Runtime"}
"""The engines by the names that the command line gives them."""

DESCRIPTION = "engine.json"
_FORMAT = 1


@dataclasses.dataclass(frozen=True)
class Exported:
    """What an engine must know that its own files do not tell.

    Args:
        engine: one of :data:`ENGINES`.
        max_len: positions that the model has.
        punctuate: as in :class:`~lib.translator.Translator`.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
    """

    engine: str
    max_len: int
    punctuate: bool
    src_vocab: Vocabulary
    tgt_vocab: Vocabulary


def write_description(folder: Path, exported: Exported) -> None:
    """Describe an export whose other files are all there already."""
    # The sizes tell later whether the folder was copied whole.
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    vocabularies = (exported.src_vocab, exported.tgt_vocab)
    description: dict[str, Any] = {
        "format": _FORMAT,
        "engine": exported.engine,
        "max_len": exported.max_len,
        "tidy": exported.punctuate,
        "bytes": sizes,
        **write_vocabularies(folder, vocabularies),
    }
    write_json(folder / DESCRIPTION, description)


def engine_of(folder: Path | str) -> str | None:
    """Return the engine that a folder was exported for, None if it is no export."""
    file = Path(folder) / DESCRIPTION
    if not file.is_file():
        return None
    description = read_json(file)
    engine = description.get("engine") if isinstance(description, dict) else None
    if engine not in ENGINES:
        raise ValueError(f"{file} is damaged: it names no engine of this book.")
    return str(engine)


def read_description(folder: Path) -> Exported:
    """Read what :func:`write_description` wrote, and see if all files are there."""
    engine = engine_of(folder)
    if engine is None:
        raise FileNotFoundError(
            f"'{folder}' is no exported translator: it has no file {DESCRIPTION}; "
            "python -m lib export writes one."
        )
    try:
        description = read_json(folder / DESCRIPTION)
        if description["format"] != _FORMAT:
            raise ValueError(f"format {description['format']} is not {_FORMAT}")
        _check_sizes(folder, description["bytes"])
        vocabularies = read_vocabularies(folder, description)
        max_len, punctuate = int(description["max_len"]), bool(description["tidy"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(folder, error) from error
    return Exported(engine, max_len, punctuate, *vocabularies)


def _check_sizes(folder: Path, sizes: dict[str, int]) -> None:
    for name, size in sizes.items():
        file = folder / name
        found = file.stat().st_size if file.is_file() else 0
        if found != size:
            raise ValueError(f"its file {name} has {found:,} bytes, not {size:,}")


def damaged(folder: Path, error: Exception) -> ValueError:
    """Return the error that says what is wrong with a folder, in one sentence."""
    reason = " ".join(str(error).split())
    return ValueError(f"{folder} is not a whole export of this book: {reason}")


def import_engine(engine: str, module: str) -> Any:
    """Import a library that only an export needs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise OSError(
            f"The engine '{engine}' needs the library {module}, which is missing here; "
            "install what requirements-export.txt lists."
        ) from error
