"""One named change after the other takes a model from 2017 to today."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import record_attention
from lib.config import TransformerConfig
from lib.decoding.cache import CachedTextScorer
from lib.model import Transformer, count_parameters
from lib.speed import fuse, is_plain
from lib.text.files import read_json
from lib.today import (
    LanguageConfig,
    LanguageModel,
    Leaves,
    RMSNorm,
    leaves_of,
    modernize,
)
from lib.translator import SHIPPED
from tests.refusals import refuses
from tests.strategies import assert_close, tiny_config

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
