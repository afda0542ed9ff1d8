"""Every setting of the config, every wrong one, and the way to JSON and back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.config import TransformerConfig

SIZES = (
    *("src_vocab_size", "tgt_vocab_size", "d_model", "n_heads", "n_layers", "d_ff"),
    "max_len",
)


def config(**changes: Any) -> TransformerConfig:
    return TransformerConfig(**{"src_vocab_size": 20, "tgt_vocab_size": 30, **changes})


def test_defaults_are_the_papers_base_model() -> None:
    base = config()
    assert (base.d_model, base.n_heads, base.n_layers, base.d_ff) == (512, 8, 6, 2048)
    assert (base.dropout, base.d_head, base.norm_first) == (0.1, 64, False)


def test_equal_settings_are_equal_and_hash_alike() -> None:
    assert config() == config()
    assert len({config(), config(), config(n_heads=4)}) == 2


@given(
    n_heads=st.integers(1, 12),
    d_head=st.integers(1, 16),
    n_layers=st.integers(1, 4),
    dropout=st.floats(0, 1, exclude_max=True),
    norm_first=st.booleans(),
)
def test_every_possible_setting_survives_json(
    n_heads: int, d_head: int, n_layers: int, dropout: float, norm_first: bool
) -> None:
    settings = config(
        d_model=2 * n_heads * d_head,
        n_heads=n_heads,
        n_layers=n_layers,
        dropout=dropout,
        norm_first=norm_first,
    )
    assert settings.d_head == 2 * d_head
    again = TransformerConfig.from_dict(json.loads(json.dumps(settings.to_dict())))
    assert again == settings


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("value", [0, -3])
def test_sizes_below_one_are_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"{name} .*at least 1.* {value}\."):
        config(**{name: value})


@pytest.mark.parametrize("name", [*SIZES, "pad_id"])
@pytest.mark.parametrize("value", [8.0, "8", None, True, [8]])
def test_sizes_that_are_no_whole_number_are_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a whole number") as error:
        config(**{name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("name", ["norm_first", "tie_embeddings"])
@pytest.mark.parametrize("value", [0, 1, "True", None])
def test_switches_that_are_no_truth_value_are_refused(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be True or False") as error:
        config(**{name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize("value", ["0.1", None, True])
def test_a_dropout_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="dropout must be a number"):
        config(dropout=value)


@pytest.mark.parametrize("value", [-0.1, 1.0, 1, 2.5, math.nan, math.inf])
def test_a_dropout_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=rf"dropout .* {value}\."):
        config(dropout=value)


@given(n_heads=st.integers(2, 40), d_model=st.integers(1, 80).map(lambda n: 2 * n))
def test_heads_must_divide_the_model(n_heads: int, d_model: int) -> None:
    if d_model % n_heads == 0:
        assert config(d_model=d_model, n_heads=n_heads).d_head * n_heads == d_model
    else:
        with pytest.raises(ValueError, match=f"{n_heads} does not divide {d_model}"):
            config(d_model=d_model, n_heads=n_heads)


def test_an_odd_model_is_refused() -> None:
    with pytest.raises(ValueError, match=r"d_model must be even.* 15\."):
        config(d_model=15, n_heads=5)


@pytest.mark.parametrize("pad_id", [-1, 20, 25])
def test_padding_must_be_a_token_of_both_vocabularies(pad_id: int) -> None:
    with pytest.raises(ValueError, match=rf"from 0 to 19.* {pad_id}\."):
        config(pad_id=pad_id)
    assert config(pad_id=19).pad_id == 19


def test_tied_embeddings_need_one_vocabulary() -> None:
    with pytest.raises(ValueError, match="sizes are 20 and 30"):
        config(tie_embeddings=True)
    assert config(tgt_vocab_size=20, tie_embeddings=True).tie_embeddings


def test_from_dict_names_what_it_does_not_know_or_misses() -> None:
    with pytest.raises(ValueError, match=r"'n_head'.*n_heads"):
        TransformerConfig.from_dict({**config().to_dict(), "n_head": 4})
    for name in ("src_vocab_size", "tgt_vocab_size"):
        settings = config().to_dict()
        del settings[name]
        with pytest.raises(ValueError, match=name):
            TransformerConfig.from_dict(settings)


def test_from_dict_fills_in_the_defaults_and_checks() -> None:
    sizes = {"src_vocab_size": 20, "tgt_vocab_size": 30}
    assert TransformerConfig.from_dict(sizes) == config()
    with pytest.raises(ValueError, match="3 does not divide 512"):
        TransformerConfig.from_dict({**sizes, "n_heads": 3})
