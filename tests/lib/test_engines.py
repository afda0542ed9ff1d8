"""An exported translator writes what the book's own writes, without PyTorch."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lib import corpora
from lib.config import TransformerConfig
from lib.engines import ENGINES, EngineTranslator, export, open_engine
from lib.engines.export import export_translator
from lib.model import Transformer
from lib.speed import changed_part
from lib.text import Vocabulary
from lib.translator import Translator

ROOT = Path(__file__).parents[2]
SHIPPED = ("grammar-en-es", "tatoeba-en-es")
EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)
Exporter = Callable[[str, str], EngineTranslator]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exporter:
    """Return what exports a shipped translator, each once, and opens it."""
    done: dict[tuple[str, str], EngineTranslator] = {}
    base = tmp_path_factory.mktemp("exports")

    def open_once(model: str, engine: str) -> EngineTranslator:
        if (model, engine) not in done:
            folder = base / f"{model}-{engine}"
            export_translator(Translator.load(model), engine, folder)
            done[model, engine] = open_engine(folder, threads=1)
        return done[model, engine]

    return open_once


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


def sentences_for(translator: Translator, count: int = 24) -> list[str]:
    chance = random.Random(0)
    words = translator.src_vocab.tokens[4:]
    lengths = [1, 59, *(chance.randint(1, 20) for _ in range(count - 2))]
    return [" ".join(chance.choices(words, k=length)) for length in lengths]


# --- the same text --------------------------------------------------------------------


@EVERY_ENGINE
@pytest.mark.parametrize("model", SHIPPED)
def test_500_of_500_greedy_translations_are_the_same_text(
    model: str,
    engine: str,
    exported: Exporter,
    generated: list[str],
    ours: dict[str, list[str]],
) -> None:
    assert len(set(generated)) == 500
    assert len(set(ours[model])) > 400
    assert exported(model, engine).translate(generated) == ours[model]


@EVERY_ENGINE
def test_500_of_500_real_sentences_too(engine: str, exported: Exporter) -> None:
    if not (corpora.download_folder() / "spa-eng.zip").is_file():
        pytest.skip("the corpus tatoeba-en-es is not here; it is not downloaded")
    test = corpora.load("tatoeba-en-es").splits["test"]
    sources = list(corpora.references(test))[:500]
    expected = Translator.load("tatoeba-en-es").translate(sources)
    assert exported("tatoeba-en-es", engine).translate(sources) == expected


@EVERY_ENGINE
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
def test_every_kind_of_model_writes_the_same(
    engine: str, changes: dict, tmp_path: Path
) -> None:
    """Sources as long as the model reads, translations as long as it may write."""
    translator = make(1, **changes)
    sentences = sentences_for(translator)
    expected = translator.translate(sentences)
    limits = [min(len(s.split()) + 51, 60) for s in sentences]
    lengths = [len(text.split()) for text in expected]
    assert max(lengths) == 60
    assert any(n == most for n, most in zip(lengths, limits, strict=True))
    export_translator(translator, engine, tmp_path / "export")
    served = open_engine(tmp_path / "export", threads=1)
    assert served.translate(sentences) == expected
    assert served.translate(sentences, batch_size=5) == expected
    assert served.translate(sentences[:1]) == expected[:1]
    assert served.translate([]) == []


@EVERY_ENGINE
@pytest.mark.parametrize("wanted", ["pad_id", "sos_id", "eos_id", "unk_id"])
def test_a_model_that_wants_a_special_token_is_treated_alike(
    wanted: str, engine: str, tmp_path: Path
) -> None:
    """<pad> and <sos> are never written; <eos> may come first; <unk> is a word."""
    translator = make(2)
    with torch.no_grad():
        number = getattr(translator.tgt_vocab, wanted)
        translator.model.output_proj.bias[number] = 50.0
    sentences = sentences_for(translator, 6)
    expected = translator.translate(sentences)
    export_translator(translator, engine, tmp_path / "export")
    assert open_engine(tmp_path / "export", 1).translate(sentences) == expected
    if wanted == "eos_id":
        assert expected == [""] * 6
    elif wanted == "unk_id":
        assert set(expected[0].split()) == {"<unk>"}
    else:
        assert "<" not in "".join(expected)
        assert len(expected[0].split()) > 5


def test_with_a_beam_nearly_all_are_the_same(
    exported: Exporter, generated: list[str]
) -> None:
    """The engine divides by the length in another way, so a few may differ."""
    some = generated[::5]
    expected = Translator.load("tatoeba-en-es").translate(some, beam_size=4)
    found = exported("tatoeba-en-es", "ctranslate2").translate(some, beam_size=4)
    same = sum(one == other for one, other in zip(found, expected, strict=True))
    assert same >= 0.9 * len(some)


def test_onnx_has_no_beam(exported: Exporter) -> None:
    with pytest.raises(ValueError, match=r"beam of 1 \(--beam 1\), not of 4"):
        exported("grammar-en-es", "onnx").translate(["I go."], beam_size=4)


def test_8_bits_are_a_third_as_large_and_write_nearly_the_same(
    tmp_path: Path, generated: list[str], ours: dict[str, list[str]]
) -> None:
    translator = Translator.load("tatoeba-en-es")
    sizes = {}
    for weights in ("float32", "int8"):
        folder = tmp_path / weights
        export_translator(translator, "ctranslate2", folder, weights)
        sizes[weights] = (folder / "model.bin").stat().st_size
    assert sizes["int8"] < sizes["float32"] / 3
    found = open_engine(tmp_path / "int8", 1).translate(generated)
    pairs = list(zip(found, ours["tatoeba-en-es"], strict=True))
    assert 0.7 * len(pairs) < sum(one == other for one, other in pairs)


@pytest.mark.parametrize(
    ("engine", "weights"),
    [("ctranslate2", "float32"), ("ctranslate2", "int8"), ("onnx", "float32")],
)
def test_the_model_is_left_as_it_was(engine: str, weights: str, tmp_path: Path) -> None:
    translator = make(3, tie_embeddings=True, words=(25, 25))
    translator.model.train()
    before = {k: v.clone() for k, v in translator.model.state_dict().items()}
    positions = translator.model.positions.table.clone()
    export_translator(translator, engine, tmp_path / "export", weights)
    for name, weight in translator.model.state_dict().items():
        assert torch.equal(weight, before[name]), name
    assert torch.equal(translator.model.positions.table, positions)
    assert translator.model.training
    assert changed_part(translator.model) is None


# --- as Translator does ---------------------------------------------------------------


@EVERY_ENGINE
def test_sentences_are_read_as_the_translator_reads_them(
    engine: str, exported: Exporter
) -> None:
    served, own = exported("grammar-en-es", engine), Translator.load("grammar-en-es")
    for sentence in ("i like  it!", "Do you?", "She reads a book."):
        assert served.read(sentence).text == own.read(sentence).text
        assert served.unknown_words(sentence) == own.unknown_words(sentence)
    assert served.unknown_words("i like the zyzzyva") == ["zyzzyva"]
    wrong: Any
    for wrong in ("", "?!", "the dog " * 400, 5):
        with pytest.raises((TypeError, ValueError)) as theirs:
            served.translate([wrong])
        with pytest.raises((TypeError, ValueError)) as mine:
            own.translate([wrong])
        assert str(theirs.value) == str(mine.value)
    with pytest.raises(TypeError, match="takes a list of sentences"):
        served.translate("I like it.")
    for changes, words in (
        ({"batch_size": 0}, "batch_size must be at least 1"),
        ({"beam_size": 0}, "beam_size must lie between 1 and"),
        ({"length_penalty": -1.0}, "length_penalty must not be below 0"),
    ):
        with pytest.raises(ValueError, match=words):
            served.translate(["I like it."], **changes)


@EVERY_ENGINE
def test_opening_and_translating_need_no_pytorch(engine: str, tmp_path: Path) -> None:
    export_translator(Translator.load("grammar-en-es"), engine, tmp_path / "export")
    program = (
        "import sys; from lib.engines import open_engine; "
        "print(open_engine('export', 1).translate(['I like the red car.'])[0]); "
        "print({'torch', 'lightning'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Me gusta el coche rojo.", "set()"]


# --- what is refused ------------------------------------------------------------------


@pytest.fixture
def small() -> Translator:
    return make(0)


@EVERY_ENGINE
def test_a_model_that_was_changed_is_not_exported(
    engine: str, small: Translator, tmp_path: Path
) -> None:
    layer: Any = small.model.decoder.layers[0]
    layer.self_attention.n_heads = 1
    with pytest.raises(ValueError, match="an attention has not 2 heads"):
        export_translator(small, engine, tmp_path / "export")
    small.model.encoder.layers[0].register_forward_hook(print)
    with pytest.raises(ValueError, match=r"unchanged, can be exported; .* has a hook"):
        export_translator(small, engine, tmp_path / "export")
    assert not list(tmp_path.iterdir())


def test_an_unknown_engine_and_impossible_weights_are_refused(
    small: Translator, tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    with pytest.raises(ValueError, match="'marian'; the engines are ctranslate2, onnx"):
        export_translator(small, "marian", folder)
    with pytest.raises(ValueError, match="takes weights in float32, not in 'int8'"):
        export_translator(small, "onnx", folder, "int8")
    with pytest.raises(ValueError, match="in float32 or int8, not in 'int4'"):
        export_translator(small, "ctranslate2", folder, "int4")
    assert not list(tmp_path.iterdir())


@EVERY_ENGINE
def test_what_is_in_the_folder_stays_there(
    engine: str, small: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"such as mine\.txt; name a new folder"):
        export_translator(small, engine, tmp_path)
    with pytest.raises(FileExistsError, match=r"mine\.txt is a file"):
        export_translator(small, engine, tmp_path / "mine.txt")
    empty = tmp_path / "empty"
    empty.mkdir()
    with monkeypatch.context() as there:
        there.chdir(empty)
        with pytest.raises(FileExistsError, match="that you stand in"):
            export_translator(small, engine, ".")
    export_translator(small, engine, empty)  # nothing is lost there
    with pytest.raises(FileExistsError, match="holds something already"):
        export_translator(small, engine, empty)
    assert {file.name for file in tmp_path.iterdir()} == {"mine.txt", "empty"}
    assert (tmp_path / "mine.txt").read_text() == "mine"


@EVERY_ENGINE
def test_a_failure_on_the_way_leaves_nothing(
    engine: str,
    small: Translator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(export, "write_description", full)
    with pytest.raises(OSError, match="No space left"):
        export_translator(small, engine, tmp_path / "export")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("engine", "library"), [("ctranslate2", "ctranslate2.specs"), ("onnx", "onnx")]
)
def test_a_library_that_is_missing_is_named(
    engine: str,
    library: str,
    small: Translator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    export_translator(small, engine, tmp_path / "export")
    with monkeypatch.context() as without:
        without.setitem(sys.modules, library, None)
        with pytest.raises(OSError, match=f"needs the library {library}, which is"):
            export_translator(small, engine, tmp_path / "other")
    run = {"ctranslate2": "ctranslate2", "onnx": "onnxruntime"}[engine]
    monkeypatch.setitem(sys.modules, run, None)
    with pytest.raises(OSError, match=r"install what requirements-export\.txt lists"):
        open_engine(tmp_path / "export")
    assert {file.name for file in tmp_path.iterdir()} == {"export"}


LARGEST = {"ctranslate2": "model.bin", "onnx": "decoder.onnx"}


@EVERY_ENGINE
def test_half_an_export_is_refused(
    engine: str, small: Translator, tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    export_translator(small, engine, folder)
    with pytest.raises(FileNotFoundError, match="is no exported translator"):
        open_engine(tmp_path)
    file = folder / LARGEST[engine]
    whole = file.read_bytes()
    for content in (whole[:-9], b"", None):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        with pytest.raises(ValueError, match=f"its file {file.name} has [0-9,]+ bytes"):
            open_engine(folder)
    file.write_bytes(b"\0" * len(whole))
    with pytest.raises(ValueError, match="is not a whole export of this book: "):
        open_engine(folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("{", "damaged"),
        ("[]", "names no engine"),
        ({"engine": "abacus"}, "names no engine"),
        ({"format": 2}, "format 2 is not 1"),
        ({"bytes": 3}, "not a whole export"),
        ({"max_len": "many"}, "not a whole export"),
        ({"tgt_vocab": "../words.json"}, "is not the name of a file in it"),
    ],
)
def test_a_damaged_description_is_refused(
    change: str | dict, words: str, small: Translator, tmp_path: Path
) -> None:
    export_translator(small, "ctranslate2", tmp_path / "export")
    file = tmp_path / "export" / "engine.json"
    if isinstance(change, dict):
        change = json.dumps(json.loads(file.read_text("utf-8")) | change)
    file.write_text(change)
    with pytest.raises(ValueError, match=words):
        open_engine(tmp_path / "export")
