"""Cells that download are off on the page, and do what it says when they are on.

Nothing is downloaded here: what a cell would fetch is put where it looks.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from nbformat import NotebookNode
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import PreTrainedTokenizerFast

from lib.corpora.remote import VARIABLE
from tests.book_sources import CHAPTERS, read
from tests.foreign_models import foreign, saved
from tests.lib import test_pretrained_files

(CELLS,) = (read(path).cells for path in CHAPTERS if "_pretrained" in path.stem)
OFF = [cell for cell in CELLS if "download" in cell.metadata.get("tags", [])]
FLAG = "DOWNLOAD"
TALES = "# @title One tale"
TALE = test_pretrained_files.TALE
story = test_pretrained_files.story  # the fixture
Names = dict[str, Any]


def with_words(words: str) -> NotebookNode:
    """The one cell that has these words."""
    (cell,) = (cell for cell in CELLS if words in cell.source)
    return cell


def turned_on(words: str) -> str:
    """The source of the cell that has these words, switched on."""
    return str(with_words(words).source.replace(" = False", " = True"))


@pytest.fixture(scope="module")
def names() -> Names:
    """What the chapter imports."""
    found: Names = {FLAG: True}
    exec(with_words("# @title What this chapter imports").source, found)
    return found


@pytest.fixture
def cache(story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A download folder with stories260K in it, as a download would leave it."""
    (tmp_path / "stories260K").mkdir()
    for name in ("tok512.bin", "stories260K.bin"):
        shutil.copy(story.with_name(name), tmp_path / "stories260K")
    monkeypatch.setenv(VARIABLE, str(tmp_path))


def test_they_are_off_and_show_at_most_what_was_found() -> None:
    assert len(OFF) == 3
    for cell in OFF:
        assert f"if {FLAG}" in cell.source
        assert f"{FLAG} = True" not in cell.source
    assert [bool(cell.outputs) for cell in OFF] == [True, False, False]
    page = with_words("> Once upon a time").source
    (begun,) = re.findall("^> (.*)", page, re.MULTILINE)
    assert TALE.startswith(begun), "it is not the beginning of the published tale"


@pytest.mark.usefixtures("cache")
def test_the_tale_is_told(names: Names, capsys: pytest.CaptureFixture[str]) -> None:
    """And what the figure shows is found again, with nothing kept."""
    source, subs = re.subn(r"\((\d+), \".+\"\),", '(-1, ""),', turned_on(TALES))
    assert subs == 8
    exec(source, names)
    (stored,) = (each.text for each in OFF[0].outputs if "text" in each)
    assert capsys.readouterr().out == stored
    shown: list[Any] = []
    exec(turned_on("# @title A tale"), {**names, "display": shown.append})
    assert capsys.readouterr().out == f"260,032 numbers\n{TALE}\n"
    assert "Once" in shown[0].data


def test_a_gpt2_of_the_same_format_goes_on(
    names: Names,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A small one, with bytes for tokens; the cell asks the hub for its folder."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    cutter = Tokenizer(BPE({each: n for n, each in enumerate(letters)}, []))
    cutter.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    cutter.decoder = decoders.ByteLevel()
    folder = tmp_path / "gpt2"
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "bos_token_id": 0, "eos_token_id": 0}
    saved(foreign("gpt2", 0, n_positions=128, pad_token_id=None, **sizes), folder)
    PreTrainedTokenizerFast(tokenizer_object=cutter).save_pretrained(folder)
    asked: list[tuple[str, list[str]]] = []

    def snapshot(name: str, allow_patterns: list[str]) -> str:
        asked.append((name, allow_patterns))
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    exec(turned_on("# @title GPT-2 small"), names)
    told = capsys.readouterr().out
    assert told.startswith("I enjoy walking with my cute dog")
    assert len(told) > 40
    ((name, patterns),) = asked
    assert name == "openai-community/gpt2"
    assert {"config.json", "model.safetensors"} <= set(patterns)
