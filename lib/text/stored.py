"""Vocabularies in the folder of a model: lists of words, or files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lib.text.files import write_whole
from lib.text.subwords import SubwordVocabulary
from lib.text.words import Vocabulary

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
