"""Files that are whole or not there at all, and vocabularies among them."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lib.text.subwords import SubwordVocabulary
from lib.text.words import Vocabulary


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file under another name first, then move it into place.

    A program that is killed while it writes then leaves the old file behind, never half
    of the new one. Nor does a full disk.

    Args:
        file: where the content goes; folders are made as needed.
        content: what to write; a text is written as UTF-8.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(file.name + ".unfinished")
    try:
        data = content.encode("utf-8") if isinstance(content, str) else content
        unfinished.write_bytes(data)
        os.replace(unfinished, file)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)  # half a file helps nobody
        if isinstance(error, OSError) and not error.filename:
            error.filename = str(file)  # a full disk does not say of what
        raise


def write_json(file: Path, value: Any) -> None:
    """Write plain values as JSON that a person can read, whole or not at all.

    Args:
        file: where they go.
        value: dictionaries, lists, texts, numbers.
    """
    write_whole(file, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def read_json(file: Path) -> Any:
    """Read a JSON file.

    Args:
        file: where it is.

    Raises:
        ValueError: if it is not JSON in UTF-8; the message names the file.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}.") from error


def to_toml(values: Mapping[str, bool | int | float | str]) -> str:
    """Write named values as TOML, one a line.

    Args:
        values: the values by their names.

    Example:
        >>> print(to_toml({"epochs": 5, "norm_first": True}), end="")
        epochs = 5
        norm_first = true
    """
    # JSON writes numbers, texts and true as TOML does.
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    return "".join(f"{line}\n" for line in lines)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        file: where it is.

    Raises:
        ValueError: if it is not TOML in UTF-8; the message names the file.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{file} is not TOML: {error}.") from error


_SHARED = "tokenizer.json"
_NAMES = ("src_vocab", "tgt_vocab")
_ALONE = "vocab"  # of a language model
_UNSURE = "unsure_above"  # of a translator whose doubt was measured


def write_vocabularies(
    folder: Path, vocabularies: Sequence[Vocabulary]
) -> dict[str, Any]:
    """Write what needs a file of its own, and return the rest for a JSON file."""
    description: dict[str, Any] = {}
    same = vocabularies[0] is vocabularies[-1]
    names = _NAMES if len(vocabularies) == 2 else (_ALONE,)
    for name, vocabulary in zip(names, vocabularies, strict=True):
        if isinstance(vocabulary, SubwordVocabulary):
            file = _SHARED if same else f"{name.removesuffix('_vocab')}.json"
            write_whole(folder / file, vocabulary.to_json())
            description[name] = file
        else:
            description[name] = vocabulary.tokens
    return description


def read_vocabularies(
    folder: Path, description: dict[str, Any]
) -> tuple[Vocabulary, Vocabulary]:
    """Read what :func:`write_vocabularies` wrote."""
    src, tgt = (description[name] for name in _NAMES)
    src_vocab = _read(folder, src)
    return src_vocab, src_vocab if src == tgt else _read(folder, tgt)


def read_vocabulary(folder: Path, description: dict[str, Any]) -> Vocabulary:
    """Read what :func:`write_vocabularies` wrote of one vocabulary alone."""
    return _read(folder, description[_ALONE])


def write_reading(
    punctuate: bool, prose: bool, unsure_above: float | None = None
) -> dict[str, Any]:
    """Say for a JSON file how a translator reads and doubts.

    What "tidy" is to the file, :class:`~lib.translator.Translator` calls punctuate.
    """
    doubt = {} if unsure_above is None else {_UNSURE: unsure_above}
    return {"tidy": punctuate, "prose": prose, **doubt}


def read_reading(description: Mapping[str, Any]) -> dict[str, Any]:
    """Read what :func:`write_reading` said; older files tell nothing of prose."""
    prose = bool(description.get("prose", False))
    reading: dict[str, Any] = {"punctuate": bool(description["tidy"]), "prose": prose}
    if _UNSURE in description:
        reading[_UNSURE] = float(description[_UNSURE])
        if not reading[_UNSURE] >= 0:  # not a number, too
            raise ValueError(f"{_UNSURE} is {description[_UNSURE]!r}")
    return reading


def _read(folder: Path, content: Any) -> Vocabulary:
    """Return the words in the list, or the sub-words in the file of that name."""
    if isinstance(content, str):
        if Path(content).name != content:  # never a file outside the folder
            raise ValueError(f"{content!r} is not the name of a file in it")
        if not (folder / content).is_file():
            raise ValueError(f"it has no file {content} for its vocabulary")
        return SubwordVocabulary.load(folder / content)
    if not isinstance(content, list) or not all(isinstance(t, str) for t in content):
        raise ValueError("a vocabulary is not a list of words")
    for token in content:
        if re.search("[\ud800-\udfff]", token):  # half a character, which no file takes
            raise ValueError(f"the token {token!r} is no text")
    return Vocabulary(content, specials=())
