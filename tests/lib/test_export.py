"""An exported translator writes what the book's own writes, without PyTorch."""

from __future__ import annotations

import copy
import errno
import json
import os
import random
import subprocess
import sys
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
    limits = [min(len(s.split()) + 51, 60) for s in sentences]
    lengths = [len(text.split()) for text in expected]
    assert max(lengths) == 60
    assert any(n == most for n, most in zip(lengths, limits, strict=True))
    served = ExportedTranslator(export_translator(translator, tmp_path / "it"), 1)
    assert served.translate(sentences) == expected
    assert served.translate(sentences, batch_size=5) == expected
    assert served.translate([]) == []


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


def test_with_a_beam_nearly_all_are_the_same(
    exports: Path, generated: list[str]
) -> None:
    """The engine divides by the length in another way, so a few may differ."""
    some, name = generated[::5], "tatoeba-en-es"
    expected = Translator.load(name).translate(some, beam_size=4)
    found = ExportedTranslator(exports / name, 1).translate(some, beam_size=4)
    same = sum(one == other for one, other in zip(found, expected, strict=True))
    assert same >= 0.9 * len(some)


def test_8_bits_are_a_third_as_large_and_write_nearly_the_same(
    tmp_path: Path, exports: Path, generated: list[str], ours: dict[str, list[str]]
) -> None:
    name = "tatoeba-en-es"
    folder = export_translator(Translator.load(name), tmp_path / "export", "int8")
    small, large = ((each / "model.bin").stat() for each in (folder, exports / name))
    assert small.st_size < large.st_size / 3
    found = ExportedTranslator(folder).translate(generated)
    same = sum(one == other for one, other in zip(found, ours[name], strict=True))
    assert same > 0.7 * len(found)


@pytest.mark.parametrize("weights", ["float32", "int8"])
def test_the_model_is_left_as_it_was(weights: str, tmp_path: Path) -> None:
    translator = make(3, tie_embeddings=True, words=(25, 25))
    model = translator.model.train()
    before = copy.deepcopy(model)
    export_translator(translator, tmp_path / "export", weights)
    for one, other in zip(model.parameters(), before.parameters(), strict=True):
        assert torch.equal(one, other)
    assert torch.equal(model.positions.table, before.positions.table)
    assert model.training


# --- as Translator does ---------------------------------------------------------------


def test_sentences_are_read_as_the_translator_reads_them(exports: Path) -> None:
    own = Translator.load("grammar-en-es")
    served = ExportedTranslator(exports / "grammar-en-es")
    for sentence in ("i like  it!", "Do you?", "She reads a book."):
        assert served.read(sentence).text == own.read(sentence).text
    assert served.unknown_words("i like the zyzzyva") == ["zyzzyva"]
    wrongs: list[dict[str, Any]] = [
        *({"sentences": [text]} for text in ("", "?!", "the dog " * 400, 5)),
        {"sentences": "I like it."},
        *({"batch_size": 0}, {"beam_size": 9999}),
        {"beam_size": 2, "length_penalty": -1.0},
    ]
    for wrong in wrongs:
        given = {"sentences": ["I like it."]} | wrong
        mine = refuses(lambda: own.translate(**given))  # noqa: B023
        assert refuses(lambda: served.translate(**given)) == mine  # noqa: B023


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


def test_a_model_that_was_changed_is_not_exported(
    small: Translator, tmp_path: Path
) -> None:
    def is_refused(words: str) -> None:
        words = f"unchanged, can be exported; .*{words}"
        refuses(lambda: export_translator(small, tmp_path / "export"), words)
        assert not list(tmp_path.iterdir())

    encoder: Any = small.model.encoder.layers[0]
    decoder: Any = small.model.decoder.layers[0]
    decoder.self_attention.n_heads = 1
    is_refused(r"decoder\.layers\.0\.self_attention has not 2 heads")
    decoder.self_attention.n_heads = 2
    hook = encoder.register_forward_hook(print)
    is_refused(r"encoder\.layers\.0 has a hook")
    hook.remove()
    encoder.feed_forward.inner = torch.nn.Linear(16, 24, bias=False)
    is_refused("other names or shapes")
    encoder.feed_forward.inner = torch.nn.Identity()
    is_refused(r"encoder\.layers\.0\.feed_forward\.inner is not what the book builds")


def test_what_is_in_the_folder_stays_there(
    small: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_refused(folder: Path | str, words: str) -> None:
        refuses(lambda: export_translator(small, folder), words, FileExistsError)

    empty, mine = tmp_path / "empty", tmp_path / "mine.txt"
    empty.mkdir()
    mine.write_text("mine")
    is_refused(tmp_path, "holds something already, such as ")
    is_refused(mine, r"mine\.txt is a file")
    with monkeypatch.context() as there:
        there.chdir(empty)
        is_refused(".", "that you stand in")
    export_translator(small, empty)  # nothing is lost there
    is_refused(empty, "holds something already")
    assert {file.name for file in tmp_path.iterdir()} == {"mine.txt", "empty"}
    assert mine.read_text() == "mine"


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


def test_half_an_export_is_refused(small: Translator, tmp_path: Path) -> None:
    folder = export_translator(small, tmp_path / "export")
    words = "is no exported translator"
    refuses(lambda: ExportedTranslator(tmp_path), words, FileNotFoundError)
    file = folder / "model.bin"
    whole = file.read_bytes()
    for content, words in (
        (whole[:-9], r"its file model\.bin has [0-9,]+ bytes"),
        (b"\0" * len(whole), "is not a whole export of this book: "),
    ):
        file.write_bytes(content)
        refuses(lambda: ExportedTranslator(folder), words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 2}, "format 2 is not 1"),
        ({"tgt_vocab": "../words.json"}, "is not the name of a file in it"),
    ],
)
def test_another_description_is_refused(
    change: dict, words: str, small: Translator, tmp_path: Path
) -> None:
    file = export_translator(small, tmp_path / "export") / "engine.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change))
    refuses(lambda: ExportedTranslator(file.parent), words)


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
    unread = ExportedTranslator(exports / "tatoeba-en-es", 1)
    assert unread.unsure_above == Translator.load("tatoeba-en-es").unsure_above
