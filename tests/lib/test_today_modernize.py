"""From 2017 to today by one named change after the other, and into a folder."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import record_attention
from lib.config import TransformerConfig
from lib.decoding import generate
from lib.decoding.cache import CachedTextScorer
from lib.model import Transformer, count_parameters
from lib.speed import fuse, is_plain
from lib.text import SubwordVocabulary, Vocabulary
from lib.text.files import read_json
from lib.today import (
    LanguageConfig,
    LanguageModel,
    Leaves,
    RMSNorm,
    leaves_of,
    modernize,
)
from lib.translator import (
    SHIPPED,
    Translator,
    read_language_model,
    write_language_model,
)
from tests.refusals import refuses
from tests.strategies import assert_close, randomize, tiny_config

CHANGES: dict[str, dict[str, Any]] = {
    "norm": {"norm": "rms", "eps": 1e-6},
    "gated": {"feed_forward": "gated"},
    "activation": {"activation": "gelu_tanh"},
    "width": {"d_ff": 5},
    "learned": {"positions": "learned"},
    "rotary": {"positions": "rotary", "base": 500.0, "pairs": "neighbors"},
    "grouped": {"kv_heads": 2},
    "multi-query": {"kv_heads": 1},
    "no biases": {"bias": False},
}
LLAMA = {"norm": "rms", "feed_forward": "gated", "positions": "rotary", "kv_heads": 2}
ALL = pytest.mark.parametrize("changes", [*CHANGES.values(), LLAMA], ids=str)
FAMILIES = pytest.mark.parametrize("family", [Transformer, LanguageModel])


def built(family: type, **changes: Any) -> Any:
    torch.manual_seed(0)
    sizes = {"d_model": 16, "n_heads": 4, "d_ff": 24, "n_layers": 2, "max_len": 30}
    if family is Transformer:
        return Transformer(tiny_config(**{**sizes, **changes})).eval()
    return LanguageModel(LanguageConfig(11, **{**sizes, **changes})).eval()


def answer(model: Any, ids: Tensor) -> Tensor:
    return model(ids, ids) if isinstance(model, Transformer) else model(ids)


def shapes(model: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(p.shape) for name, p in model.named_parameters()}


IDS = torch.tensor([[3, 4, 5, 6], [7, 3, 8, 1]])


@FAMILIES
@ALL
def test_a_change_is_made_everywhere_and_named(
    family: type, changes: dict[str, Any]
) -> None:
    model = built(family)
    before = answer(model, IDS)
    modern = modernize(model, **changes)
    assert leaves_of(modern).changes() == changes
    assert leaves_of(model) == Leaves()
    assert torch.equal(answer(model, IDS), before), "the model stays as it is"
    expected = answer(modern, IDS)
    assert not torch.allclose(expected, before)
    assert is_plain(modern)
    assert_close(answer(fuse(modern), IDS), expected)
    with record_attention(modern) as weights:
        answer(modern, IDS)
    names = [name for name in weights if name.endswith("self_attention")]
    assert len(names) == (4 if family is Transformer else 2)
    assert weights[names[0]].shape == (2, 4, 4, 4)


@FAMILIES
@settings(max_examples=10)
@given(names=st.permutations(list(LLAMA)))
def test_changes_in_any_order_make_one_model(family: type, names: list[str]) -> None:
    model = built(family)
    step_by_step = model
    for name in names:
        step_by_step = modernize(step_by_step, **{name: LLAMA[name]})
    at_once = modernize(model, **LLAMA)
    assert leaves_of(step_by_step) == leaves_of(at_once)
    assert shapes(step_by_step) == shapes(at_once)
    back = {f.name: f.default for f in dataclasses.fields(Leaves)}
    assert shapes(modernize(at_once, **back)) == shapes(model)


def test_a_gated_layer_has_as_many_parameters() -> None:
    model = built(LanguageModel, d_ff=48)
    gated = modernize(model, feed_forward="gated", bias=False)
    assert count_parameters(gated) == count_parameters(modernize(model, bias=False))


def test_only_self_attention_is_turned() -> None:
    modern = modernize(built(Transformer), positions="rotary")
    layer = modern.decoder.layers[0]
    names = [type(part).__name__ for part in layer.modules()]
    assert names.count("Rotary") == 1  # which queries and keys share
    assert "Rotary" not in [type(p).__name__ for p in layer.cross_attention.modules()]


def test_what_is_not_exchanged_keeps_its_numbers_and_its_tie() -> None:
    model = built(LanguageModel)
    modern = modernize(model, norm="rms", bias=False)
    assert modern.output_proj.weight is modern.embedding.table.weight
    assert modern.output_proj.weight is not model.output_proj.weight
    assert torch.equal(modern.embedding.table.weight, model.embedding.table.weight)
    assert modern.output_proj.bias is None


def test_a_piece_of_the_readers_own_is_kept() -> None:
    class Own(RMSNorm):
        pass

    model = built(LanguageModel)
    model.encoder.norm = Own(16)
    assert type(modernize(model, norm="rms").encoder.norm) is Own


@FAMILIES
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kv_heads": 3}, "3 does not divide 4"),
        ({"norm": "batch"}, "norm must be one of layer, rms, but it is"),
        ({"activation": "swish"}, "activation must be one of relu"),
        ({"positions": "rotary"}, "even number of them, but it has 5"),
        ({"heads": 2}, "There is no change 'heads'; the changes are"),
    ],
)
def test_what_does_not_fit_is_refused(
    family: type, changes: dict[str, Any], words: str
) -> None:
    refuses(lambda: modernize(built(family, d_model=20), **changes), words)


MEASURED: dict[str, dict[str, Any]] = {  # for chapter 19, whose names these are
    "pre-norm": {},
    "RMS norm": {"norm": "rms"},
    "gated": {"feed_forward": "gated"},
    "rotary": {"positions": "rotary"},
    "grouped": {"kv_heads": 2},
    "multi-query": {"kv_heads": 1},
}


def test_measured_sizes_and_caches_are_those_of_the_models() -> None:
    record = read_json(SHIPPED / "measurements" / "since_2017.json")
    how, runs = record["settings"], record["runs"]
    named = ("d_model", "n_heads", "n_layers", "d_ff", "max_len")
    sizes = {name: how[name] for name in named}
    for run in (run for run in runs if run["seed"] == 0):
        first = "pre-norm" in run["changes"]
        config = LanguageConfig(how["sub_words"], norm_first=first, **sizes)
        names: dict[str, Any] = {}
        for change in run["changes"]:
            names |= MEASURED[change]
        model = modernize(LanguageModel(config).eval(), **names)
        assert run["parameters"] == count_parameters(model)
        with torch.inference_mode():
            scorer = CachedTextScorer(model, IDS[:1, :1])
            scorer.step(IDS[0, :1])
        kept = [each for part in scorer.own for each in (part.keys, part.values)]
        assert run["cache"] == sum(each[:, :, :1].nbytes for each in kept)


def test_the_measured_families_have_the_sizes_of_the_models() -> None:
    """Of chapter 18; one more word has a vector of 48 numbers and one in the output."""
    how: dict[str, Any] = {"d_model": 48, "n_heads": 4, "tie_embeddings": True}
    how |= {"norm_first": True, "max_len": 64}
    halves = Transformer(TransformerConfig(9, 9, n_layers=1, d_ff=96, **how))
    stack = LanguageModel(LanguageConfig(9, n_layers=2, d_ff=96 + 48, **how))
    words = set()
    for run in read_json(SHIPPED / "measurements" / "families.json")["runs"]:
        model = halves if run["kind"] == "encoder-decoder" else stack
        words.add((run["parameters"] - count_parameters(model)) / (48 + 1))
    assert len(words) == 1 and all(more.is_integer() for more in words)


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
        ({"leaves": {"norm": "rms"}}, "its own, such as 'encoder"),
        ({"leaves": {"d_ff": 10**18, "positions": "learned"}}, "no weights can be"),
        ({"model": {"vocab_size": 8}}, "8 tokens, and its vocabulary 7"),
        ({"model": {"vocab_size": 7, "n_layers": 3}}, "of 2 layers, not of 3"),
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
