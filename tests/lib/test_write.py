"""``python -m lib write``: what it writes, and what it says to wrong input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split

from lib.__main__ import main
from lib.decoding import generate
from lib.text import Vocabulary
from lib.today import LanguageConfig, LanguageModel, read_pretrained
from lib.translator import write_language_model
from tests.foreign_models import foreign, saved

LETTERS = ["!", *"abcdefghijklmnopqrstuvwx", "\n", "\x1b"]  # id 0 is a "!", as GPT-2's

Write = Callable[..., str]


@pytest.fixture
def write(capsys: pytest.CaptureFixture[str]) -> Write:
    """Run the command, and return what it says where."""

    def run(*options: str, code: int = 0) -> str:
        assert main(["write", *options]) == code
        said = capsys.readouterr()
        assert bool(said.out) is not bool(code)
        return said.err if code else said.out

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A GPT-2 of letters, with its tokenizer."""
    sizes = {"vocab_size": len(LETTERS), "eos_token_id": None, "bos_token_id": None}
    return with_letters(saved(foreign("gpt2", 1, **sizes), tmp_path / "gpt2"))


def with_letters(folder: Path) -> Path:
    ids = {letter: place for place, letter in enumerate(LETTERS)}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="!"))
    tokenizer.pre_tokenizer = Split("", "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


# --- what others trained --------------------------------------------------------------


def test_at_temperature_zero_it_takes_the_likeliest(write: Write, folder: Path) -> None:
    model = read_pretrained(folder)
    assert isinstance(model, LanguageModel)
    (ids,) = generate(model, [[2, 1, 3]], max_new=20)
    wanted = "bac" + "".join(LETTERS[number] for number in ids)
    how = ("--model", str(folder), "--temperature", "0", "--tokens", "20")
    found = write("bac", *how)
    assert found == wanted.replace("\x1b", r"\x1b") + "\n"
    assert write("bac", *how, "--seed", "3") == found
    for option, value in (("--top-k", "1"), ("--top-p", "0.000001")):
        assert write("bac", *how[:2], "--tokens", "20", option, value) == found


def test_a_seed_writes_the_same_again_and_none_another(
    write: Write, folder: Path
) -> None:
    model = ("--model", str(folder), "--tokens", "30")
    first = write("abc", *model, "--seed", "5")
    assert write("abc", *model, "--seed", "5") == first
    assert write("abc", *model, "--seed", "6") != first
    assert len({write("abc", *model) for _ in range(3)}) == 3


@pytest.mark.parametrize("at", [[4], [8, 4]])
def test_a_text_ends_at_its_end(at: list[int], write: Write, folder: Path) -> None:
    model = read_pretrained(folder)
    assert isinstance(model, LanguageModel)
    (ids,) = generate(model, [[1]], max_new=9)
    ends = [ids[place] for place in at]
    told = json.dumps({"eos_token_id": ends})
    (folder / "generation_config.json").write_text(told)
    end = min(map(ids.index, ends))
    wanted = "a" + "".join(LETTERS[number] for number in ids[:end]) + "\n"
    how = ("--model", str(folder), "--temperature", "0")
    assert write("a", *how) == wanted.replace("\x1b", r"\x1b")


def test_a_model_of_the_book_never_writes_what_is_no_text(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vocabulary = Vocabulary(["the", "dog", "bites", "."])
    torch.manual_seed(1)
    sizes = LanguageConfig(len(vocabulary), d_model=8, n_heads=2, n_layers=1)
    write_language_model(tmp_path / "own", LanguageModel(sizes), vocabulary)
    how = ("--model", str(tmp_path / "own"), "--tokens", "50", "--temperature", "9")
    for seed in "123":
        text = write("the dog", *how, "--seed", seed)
        assert text.startswith("the dog")
        assert "<" not in text
    assert main(["write", "the cat", *how]) == 0
    assert capsys.readouterr().err == "This model has never seen: cat.\n"


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ("bert", "This model sees later tokens (causal=False)"),
        ("marian", "is a marian, which translates and does not write on."),
    ],
)
def test_who_does_not_write_is_told(
    family: str, words: str, write: Write, tmp_path: Path
) -> None:
    theirs = foreign(family, 2, vocab_size=len(LETTERS), pad_token_id=7)
    folder = saved(theirs, tmp_path)
    if family == "bert":  # that a marian has no tokenizer.json is not what is wrong
        with_letters(folder)
    assert words in write("a", "--model", str(folder), code=2)


def test_a_text_that_cannot_be_read_is_refused(write: Write, folder: Path) -> None:
    model = ("--model", str(folder))
    assert "prompt 0 has 0" in write("", *model, code=2)
    assert "prompt 0 has 49" in write("a" * 49, *model, code=2)
    (folder / "tokenizer.json").unlink()
    assert "has no file tokenizer.json" in write("a", *model, code=2)
