"""An exported translator writes what the book's own writes, without PyTorch."""

from __future__ import annotations

import copy
import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch

from lib import corpora
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.text import Vocabulary
from lib.translator import ExportedTranslator, Translator, export
from lib.translator.export import export_translator
from tests.refusals import refuses

ROOT = Path(__file__).parents[2]
SHIPPED = ("grammar-en-es", "tatoeba-en-es")


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of both shipped translators, as they are exported."""
    base = tmp_path_factory.mktemp("exports")
    for name in SHIPPED:
        export_translator(Translator.load(name), base / name)
    return base


@pytest.fixture(scope="module")
def generated() -> list[str]:
    """Return 500 sentences that no model saw in training, halves of both parts."""
    splits = corpora.load("grammar").splits
    parts = ("unseen_sentences", "unseen_combinations")
    return [pair[0] for part in parts for pair in splits[part][:250]]


@pytest.fixture(scope="module")
def ours(generated: list[str]) -> dict[str, list[str]]:
    return {name: Translator.load(name).translate(generated) for name in SHIPPED}


def make(seed: int, words: tuple[int, int] = (30, 20), **changes) -> Translator:
    """Return an untrained translator, which writes on until the limit or nearly."""
    torch.manual_seed(seed)
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 2, "d_ff": 24, "max_len": 60}
    config = TransformerConfig(words[0] + 4, words[1] + 4, **{**sizes, **changes})
    src, tgt = (Vocabulary([f"w{n}" for n in range(count)]) for count in words)
    if config.tie_embeddings:
        tgt = src
    return Translator(Transformer(config), src, tgt)


@pytest.fixture
def small() -> Translator:
    return make(0)


def sentences_for(translator: Translator, count: int = 24) -> list[str]:
    chance = random.Random(0)
    words = translator.src_vocab.tokens[4:]
    lengths = [1, 59, *(chance.randint(1, 20) for _ in range(count - 2))]
    return [" ".join(chance.choices(words, k=length)) for length in lengths]


# --- the same text --------------------------------------------------------------------


@pytest.mark.parametrize("model", SHIPPED)
def test_500_of_500_greedy_translations_are_the_same_text(
    model: str, exports: Path, generated: list[str], ours: dict[str, list[str]]
) -> None:
    assert len(set(generated)) == 500
    assert len(set(ours[model])) > 400
    served = ExportedTranslator(exports / model, threads=1)
    assert served.translate(generated) == ours[model]


@pytest.mark.parametrize(
    "changes",
    [
        {"norm_first": True},
        {"norm_first": False},
        {"norm_first": True, "tie_embeddings": True, "words": (25, 25)},
        {"norm_first": False, "tie_embeddings": True, "words": (25, 25)},
        {"n_layers": 1, "n_heads": 1, "d_model": 4},
    ],
    ids=["pre-norm", "post-norm", "pre-norm, tied", "post-norm, tied", "smallest"],
)
def test_every_kind_of_model_writes_the_same(changes: dict, tmp_path: Path) -> None:
    """Sources as long as the model reads, translations as long as it may write."""
    translator = make(1, **changes)
    sentences = sentences_for(translator)
    expected = translator.translate(sentences)
    assert max(len(text.split()) for text in expected) == 60
    served = ExportedTranslator(export_translator(translator, tmp_path / "it"), 1)
    assert served.translate(sentences, batch_size=5) == expected


@pytest.mark.parametrize("wanted", ["pad_id", "sos_id", "eos_id", "unk_id"])
def test_a_model_that_wants_a_special_token_is_treated_alike(
    wanted: str, tmp_path: Path
) -> None:
    """<pad> and <sos> are never written; <eos> may come first; <unk> is a word."""
    translator = make(2)
    with torch.no_grad():
        number = getattr(translator.tgt_vocab, wanted)
        translator.model.output_proj.bias[number] = 50.0
    sentences = sentences_for(translator, 6)
    expected = translator.translate(sentences)
    export_translator(translator, tmp_path / "export")
    assert ExportedTranslator(tmp_path / "export").translate(sentences) == expected
    assert (expected == [""] * 6) is (wanted == "eos_id")
    assert ("<" in "".join(expected)) is (wanted == "unk_id")


def test_a_beam_and_8_bits_write_nearly_the_same(
    tmp_path: Path, exports: Path, generated: list[str]
) -> None:
    """The engine divides by the length in another way; 8 bits are a third as large."""
    name = "tatoeba-en-es"
    own, some = Translator.load(name), generated[::5]
    folder = export_translator(own, tmp_path / "export", "int8")
    small, large = ((each / "model.bin").stat() for each in (folder, exports / name))
    assert small.st_size < large.st_size / 3
    for engine, beam_size, least in ((exports / name, 4, 0.9), (folder, 1, 0.7)):
        found = ExportedTranslator(engine, 1).translate(some, beam_size=beam_size)
        expected = own.translate(some, beam_size=beam_size)
        same = sum(one == other for one, other in zip(found, expected, strict=True))
        assert least * len(some) < same


def test_the_model_is_left_as_it_was(tmp_path: Path) -> None:
    """Even its numbers, which the library scales for 8 bits."""
    translator = make(3, tie_embeddings=True, words=(25, 25))
    model = translator.model.train()
    before = copy.deepcopy(model)
    export_translator(translator, tmp_path / "export", "int8")
    for one, other in zip(model.parameters(), before.parameters(), strict=True):
        assert torch.equal(one, other)
    assert torch.equal(model.positions.table, before.positions.table)
    assert model.training


# --- as Translator does ---------------------------------------------------------------


def test_sentences_are_read_as_the_translator_reads_them(exports: Path) -> None:
    for name in SHIPPED:
        own, served = Translator.load(name), ExportedTranslator(exports / name)
        assert served.read("i like  it!") == own.read("i like  it!")
        unknown = own.unknown_words("i like the zyzzyva")
        assert served.unknown_words("i like the zyzzyva") == unknown
        assert served.unsure_above == own.unsure_above
        assert served.max_len == own.max_len


def test_opening_and_translating_need_no_pytorch(exports: Path) -> None:
    program = (
        "import sys; from lib.translator import ExportedTranslator as Exported; "
        "print(Exported('grammar-en-es').translate(['I like the red car.'])[0]); "
        "print({'torch', 'lightning'} & set(sys.modules))"
    )
    own = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", program]
    told = subprocess.check_output(command, cwd=exports, env=own, encoding="utf-8")
    assert told.splitlines() == ["Me gusta el coche rojo.", "set()"]


# --- what is refused ------------------------------------------------------------------


CHANGES: list[Callable[[Any], object]] = [
    lambda layer: setattr(layer.self_attention, "n_heads", 1),
    lambda layer: layer.feed_forward.register_forward_hook(print),
    lambda layer: setattr(layer.feed_forward, "inner", torch.nn.Identity()),
    lambda layer: setattr(layer.feed_forward, "inner", torch.nn.Linear(16, 9)),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_model_that_was_changed_is_not_exported(
    change: Callable[[Any], object], small: Translator, tmp_path: Path
) -> None:
    change(small.model.encoder.layers[1])
    words = "book's own pieces, unchanged, can be exported"
    refuses(lambda: export_translator(small, tmp_path / "export"), words)
    assert not list(tmp_path.iterdir())


def test_what_is_in_the_folder_stays_there(small: Translator, tmp_path: Path) -> None:
    empty, mine = tmp_path / "empty", tmp_path / "mine.txt"
    empty.mkdir()
    mine.write_text("mine")
    export_translator(small, empty)  # nothing is lost there
    before = {file: file.read_bytes() for file in empty.iterdir()}
    for folder in (tmp_path, mine, empty):
        refuses(lambda: export_translator(small, folder), kind=FileExistsError)  # noqa: B023
    assert {file.name for file in tmp_path.iterdir()} == {"mine.txt", "empty"}
    assert mine.read_text() == "mine"
    assert {file: file.read_bytes() for file in empty.iterdir()} == before


def test_a_failure_on_the_way_leaves_nothing(
    small: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Mock(side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    monkeypatch.setattr(export, "write_json", full)
    with pytest.raises(OSError, match="No space left"):
        export_translator(small, tmp_path / "export")
    assert not list(tmp_path.iterdir())


def test_a_library_that_is_missing_is_named(
    small: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = export_translator(small, tmp_path / "export")
    for module in ("ctranslate2", "ctranslate2.specs"):
        monkeypatch.setitem(sys.modules, module, None)
    words = "needs the library ctranslate2, which is.* with: pip install ctranslate2"
    refuses(lambda: export_translator(small, tmp_path / "other"), words, OSError)
    refuses(lambda: ExportedTranslator(folder), words, OSError)
    assert {file.name for file in tmp_path.iterdir()} == {"export"}


def test_half_an_export_or_another_one_is_refused(
    small: Translator, tmp_path: Path
) -> None:
    folder = export_translator(small, tmp_path / "export")
    words = "is no exported translator"
    refuses(lambda: ExportedTranslator(tmp_path), words, FileNotFoundError)
    for name, change, words in (
        ("model.bin", lambda whole: whole[:-9], r"its file model\.bin has [0-9,]+ byt"),
        ("model.bin", lambda whole: bytes(len(whole)), "is not a whole export of this"),
        (
            "engine.json",
            lambda whole: whole.replace(b"1", b"2", 1),
            "format 2 is not 1",
        ),
    ):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(change(whole))
        refuses(lambda: ExportedTranslator(folder), words)
        (folder / name).write_bytes(whole)


@pytest.mark.parametrize(("beam_size", "length_penalty"), [(1, 0.6), (4, 0.6), (4, 0)])
def test_the_engine_doubts_as_the_book_does(
    beam_size: int, length_penalty: float, exports: Path
) -> None:
    name, search = "grammar-en-es", (64, beam_size, length_penalty)
    sentences = ["I like the red car.", "Ana sings.", "Did you like the white houses?"]
    served = ExportedTranslator(exports / name, 1)
    ours = Translator.load(name).translate_with_doubt(sentences, *search)
    found = served.translate_with_doubt(sentences, *search)
    assert [one.text for one in found] == [one.text for one in ours]
    assert [one.doubt for one in found] == pytest.approx(
        [one.doubt for one in ours], abs=1e-4
    )
