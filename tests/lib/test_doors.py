"""Whatever lies in a folder of a model is read, or refused in one sentence."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib.today import modernize, read_pretrained
from lib.training import SafetensorsCheckpointIO
from lib.translator import (
    ExportedTranslator,
    Translator,
    read_language_model,
    write_language_model,
)
from lib.translator.export import export_translator
from tests.foreign_models import foreign, saved
from tests.lib.test_today_modernize import LLAMA, WORDS, small
from tests.lib.test_translator import make, make_subwords

WORD = re.compile(rb'"(?:[^"\\]|\\.)*"|[\w.]+')
PICKLE = b"\x80\x04}\x94."
VALUES = (
    st.sampled_from([None, True, -1, 0.5, 10**8, 10**30, "", "../words.json", [], {}])
    | st.integers()
    | st.text(max_size=9)
)


@st.composite
def spoiled(draw: Callable[[Any], Any], whole: bytes) -> bytes:
    """A file cut off, one with other bytes or with another word, or something else."""
    at, other = draw(st.integers(0, len(whole))), draw(st.binary(max_size=9))
    (start, end) = draw(st.sampled_from([*map(re.Match.span, WORD.finditer(whole))]))
    value = json.dumps(draw(VALUES)).encode()
    return draw(
        st.sampled_from(
            [
                *(whole[:at], other, whole[:at] + other + whole[at + 1 :], PICKLE),
                *[whole[:start] + value + whole[end:]] * 4,
            ]
        )
    )


def language_model(folder: Path) -> None:
    write_language_model(folder, modernize(small(), **LLAMA), WORDS)


Door = tuple[Callable[[Path], Any], Callable[[Path], Any]]
CHECKPOINT = "checkpoint.safetensors"
DOORS: dict[str, Door] = {
    "translator": (lambda f: make().save(f), Translator.load),
    "pieces": (lambda f: make_subwords().save(f), Translator.load),
    "language model": (language_model, read_language_model),
    "of others": (lambda f: saved(foreign("gpt2", 1), f), read_pretrained),
    "export": (lambda f: export_translator(make(), f), ExportedTranslator),
    "checkpoint": (
        lambda f: SafetensorsCheckpointIO().save_checkpoint({"a": [1]}, f / CHECKPOINT),
        lambda f: SafetensorsCheckpointIO().load_checkpoint(f / CHECKPOINT),
    ),
}


@pytest.mark.parametrize("door", DOORS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_file_holds_it_is_read_or_refused_in_one_sentence(
    door: str, data: st.DataObject, tmp_path: Path
) -> None:
    write, read = DOORS[door]
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    if not kept.exists():
        kept.mkdir()
        write(kept)
        read(kept)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(kept, folder)
    names = sorted(file.name for file in folder.iterdir() if file.suffix != ".md")
    file = folder / data.draw(st.sampled_from(names))
    whole = file.read_bytes()
    file.unlink()
    if data.draw(st.integers(0, 9)):
        file.write_bytes(data.draw(spoiled(whole)))
    before = {each: each.read_bytes() for each in folder.iterdir()}
    try:
        read(folder)
    except (ValueError, FileNotFoundError) as error:
        message = str(error)
        assert str(folder) in message and "\n" not in message
        assert len(message) < 300 + 2 * len(str(folder))
    assert {each: each.read_bytes() for each in folder.iterdir()} == before
