"""Write a translator for an engine, into a folder of its own, whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from lib.attention import MultiHeadAttention
from lib.engines.ctranslate2_write import write_ctranslate2
from lib.engines.folder import ENGINES, Exported, write_description
from lib.engines.onnx_write import write_onnx
from lib.model import Transformer
from lib.speed import changed_part, overwritten
from lib.translator import Translator

WEIGHTS = ("float32", "int8")


def export_translator(
    translator: Translator, engine: str, folder: Path | str, weights: str = "float32"
) -> Path:
    """Write a translator for an engine.

    Args:
        translator: what to write.
        engine: "ctranslate2" or "onnx".
        folder: a folder that is empty or not there yet.
        weights: "float32", or "int8" for weights of 8 bits (ctranslate2 alone).

    Raises:
        FileExistsError: if there is something in the folder.
        OSError: if a library that it takes is not installed, or the disk is full.
        ValueError: if there is no such engine, it cannot have these weights, or the
            model is not made of the book's own pieces.

    Example:
        >>> export_translator(Translator.load("grammar-en-es"), "abacus", "there")
        Traceback (most recent call last):
        ...
        ValueError: There is no engine 'abacus'; the engines are ctranslate2, onnx.
    """
    if engine not in ENGINES:
        raise ValueError(
            f"There is no engine {engine!r}; the engines are {', '.join(ENGINES)}."
        )
    if weights not in WEIGHTS or (engine == "onnx" and weights != "float32"):
        possible = WEIGHTS if engine == "ctranslate2" else WEIGHTS[:1]
        raise ValueError(
            f"The engine {engine!r} takes weights in {' or '.join(possible)}, not in "
            f"{weights!r}."
        )
    _refuse_a_change(translator.model)
    folder = Path(folder)
    refuse_what_is_there(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.with_name(f"{folder.name}.unfinished-{os.getpid()}")
    unfinished.mkdir()
    try:
        _write(translator, engine, unfinished, weights)
        if folder.is_dir():
            folder.rmdir()  # it is empty
        os.replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # half an export helps nobody
    return folder


def _write(translator: Translator, engine: str, folder: Path, weights: str) -> None:
    if engine == "ctranslate2":
        write_ctranslate2(translator, folder, weights)
    else:
        write_onnx(translator, folder)
    max_len, punctuate = translator.model.config.max_len, translator.punctuate
    vocabularies = (translator.src_vocab, translator.tgt_vocab)
    write_description(folder, Exported(engine, max_len, punctuate, *vocabularies))


def refuse_what_is_there(folder: Path) -> None:
    """Raise a FileExistsError if an export would overwrite something there."""
    if folder.resolve() == Path.cwd():
        raise FileExistsError(
            "The folder that you stand in cannot become an export; name a new folder."
        )
    if folder.is_dir():
        for file in sorted(folder.iterdir()):
            raise FileExistsError(
                f"{folder} holds something already, such as {file.name}; name a new "
                "folder for the export."
            )
    elif folder.exists():
        raise FileExistsError(f"{folder} is a file; name a folder for the export.")


def _refuse_a_change(model: Transformer) -> None:
    """Raise a ValueError if the model is not what its config builds."""
    written_over = overwritten()
    change = f"{written_over} was written over" if written_over else changed_part(model)
    heads = {m.n_heads for m in model.modules() if isinstance(m, MultiHeadAttention)}
    if not change and heads != {model.config.n_heads}:
        change = f"an attention has not {model.config.n_heads} heads"
    if change:
        raise ValueError(
            "Only a model made of the book's own pieces, unchanged, can be exported; "
            f"of this one: {change}."
        )
