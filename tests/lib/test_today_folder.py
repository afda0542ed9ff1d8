"""A language model, or a translator of today, in a folder: whole, half, damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from lib.decoding import generate
from lib.model import Transformer
from lib.text import SubwordVocabulary, Vocabulary
from lib.today import LanguageConfig, LanguageModel, leaves_of, modernize
from lib.translator import Translator, read_language_model, write_language_model
from tests.lib.test_today_modernize import CHANGES, LLAMA
from tests.refusals import refuses
from tests.strategies import randomize, tiny_config

WORDS = Vocabulary(["lets", "go", "to"], specials=("<pad>", "<sos>", "<eos>", "<unk>"))
MARKED = Vocabulary(["go"], specials=("<pad>", "<sos>", "<eos>", "<unk>", "<sep>"))
PIECES = SubwordVocabulary.build(["low lower lowest", "new newer newest"] * 9, 30)


def small(vocabulary: Vocabulary = WORDS, **sizes: Any) -> LanguageModel:
    sizes = {"d_model": 16, "n_heads": 4, "n_layers": 2, "d_ff": 24, **sizes}
    return LanguageModel(LanguageConfig(len(vocabulary), **sizes)).eval()


@pytest.mark.parametrize("changes", [{}, *CHANGES.values(), LLAMA], ids=str)
@pytest.mark.parametrize("tied", [True, False])
def test_a_language_model_comes_back(
    tmp_path: Path, changes: dict[str, Any], tied: bool
) -> None:
    model = modernize(small(tie_embeddings=tied), **changes)
    randomize(model)
    write_language_model(tmp_path, model, WORDS)
    found, words = read_language_model(tmp_path)
    assert words.tokens == WORDS.tokens
    assert (found.config, leaves_of(found)) == (model.config, leaves_of(model))
    ids = torch.tensor([[1, 4, 5, 0]])
    assert torch.equal(found.eval()(ids), model.eval()(ids))
    assert (found.output_proj.weight is found.embedding.table.weight) is tied


@pytest.mark.parametrize("vocabulary", [WORDS, MARKED, PIECES])
def test_its_words_come_back_and_half_the_file_is_enough(
    tmp_path: Path, vocabulary: Vocabulary
) -> None:
    model = small(vocabulary)
    for name in ("whole", "half"):
        write_language_model(tmp_path / name, model, vocabulary, half=name == "half")
    whole, half = (tmp_path / n / "model.safetensors" for n in ("whole", "half"))
    assert half.stat().st_size < 0.7 * whole.stat().st_size
    found, words = read_language_model(tmp_path / "half")
    assert words.ids == vocabulary.ids
    assert generate(found, [[1]], max_new=3) == generate(model, [[1]], max_new=3)


def test_a_translator_of_today_comes_back(tmp_path: Path) -> None:
    config = tiny_config(
        src_vocab_size=len(WORDS), tgt_vocab_size=len(WORDS), d_model=16, n_heads=4
    )
    model = modernize(Transformer(config), **LLAMA)
    Translator(model, WORDS, WORDS).save(tmp_path)
    found = Translator.load(tmp_path).model
    assert leaves_of(found) == leaves_of(model)
    ids = torch.tensor([[4, 5, 6]])
    assert torch.equal(found(ids, ids), model.eval()(ids, ids))


def described(folder: Path, **changes: Any) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **changes}))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"leaves": {"norm": "batch"}}, "norm must be one of layer, rms"),
        ({"leaves": {"color": 1}}, "argument 'color'"),
        ({"leaves": {"norm": "rms"}}, "its own, such as 'encoder"),
        ({"leaves": {"d_ff": 10**18, "positions": "learned"}}, "no weights can be"),
        ({"leaves": 3}, "is not a whole language model"),
        ({"model": {"vocab_size": 8}}, "8 tokens, and its vocabulary 7"),
        ({"model": {"vocab_size": 7, "n_layers": 3}}, "of 2 layers, not of 3"),
        ({"vocab": ["<pad>"]}, "special token"),
        ({"kind": "translator"}, "it holds a translator"),
    ],
    ids=str,
)
def test_what_is_damaged_is_refused(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    write_language_model(tmp_path, small(), WORDS)
    described(tmp_path, **changes)
    with pytest.raises(ValueError, match=sentence):
        read_language_model(tmp_path)


def test_one_kind_is_not_taken_for_the_other(tmp_path: Path) -> None:
    write_language_model(tmp_path, small(), WORDS)
    told = r"not a whole translator .* a language model"
    refuses(lambda: Translator.load(tmp_path), told)
    refuses(lambda: read_language_model("grammar-en-es"), "it holds a translator")
    gone, kind = tmp_path / "nowhere", FileNotFoundError
    told = "no folder of a language model"
    refuses(lambda: read_language_model(gone), told, kind)
    refuses(lambda: Translator.load(gone), "translators are: grammar-en-es", kind)


def test_what_diverged_is_not_written(tmp_path: Path) -> None:
    model: Any = small()
    model.encoder.norm.weight.data[0] = torch.nan
    told = "training has diverged"
    refuses(lambda: write_language_model(tmp_path, model, WORDS), told)
