"""Every wrong setting of the config, and the way to JSON and back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from lib.config import TransformerConfig
from tests.refusals import refuses

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


def test_all_settings_survive_json() -> None:
    settings = config(tgt_vocab_size=20, pad_id=19, dropout=0.0, tie_embeddings=True)
    again = TransformerConfig.from_dict(json.loads(json.dumps(settings.to_dict())))
    assert again == settings


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        *(({name: 0}, rf"{name} must be at least 1, .* 0\.") for name in SIZES),
        *(
            ({name: value}, f"{name} must be a whole number, but it is {value!r}")
            for name in (*SIZES, "pad_id")
            for value in (8.0, None, True)
        ),
        *(
            ({name: 1}, f"{name} must be True or False, but it is 1")
            for name in ("norm_first", "tie_embeddings")
        ),
        ({"dropout": "0.1"}, "dropout must be a number, but it is '0.1'"),
        ({"dropout": True}, "dropout must be a number, but it is True"),
        ({"dropout": -0.1}, r"dropout must be at least 0 .* -0\.1\."),
        ({"dropout": 1}, r"dropout must be at least 0 and below 1, .* 1\."),
        ({"dropout": math.nan}, r"dropout must be at least 0 .* nan\."),
        ({"n_heads": 3}, "n_heads must divide d_model, but 3 does not divide 512"),
        ({"d_model": 15, "n_heads": 5}, r"d_model must be even.* 15\."),
        ({"max_len": 100_001}, r"max_len must be at most 100,000, .* 100001\."),
        ({"pad_id": -1}, r"from 0 to 19, but it is -1\."),
        ({"pad_id": 20}, r"from 0 to 19, but it is 20\."),
        ({"tie_embeddings": True}, "one vocabulary .* sizes are 20 and 30"),
        ({"n_head": 4}, r"Unknown setting 'n_head'.*n_heads"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], words: str) -> None:
    refuses(
        lambda: TransformerConfig.from_dict({**config().to_dict(), **changes}), words
    )


@pytest.mark.parametrize("name", ["src_vocab_size", "tgt_vocab_size"])
def test_from_dict_fills_in_all_but_the_vocabularies(name: str) -> None:
    sizes = {"src_vocab_size": 20, "tgt_vocab_size": 30}
    assert TransformerConfig.from_dict(sizes) == config()
    del sizes[name]
    refuses(lambda: TransformerConfig.from_dict(sizes), f"{name!r} is missing")
