"""The whole model: its sizes, equal to PyTorch's, blind to future and padding."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import record_attention
from lib.config import TransformerConfig
from lib.masks import causal_mask, padding_mask
from lib.model import Decoder, Encoder, Transformer, count_parameters
from tests.pytorch_twins import assert_learn_alike, pairs_of, transformer_twin
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import (
    EVERY_DTYPE,
    SIZES,
    Sizes,
    assert_close,
    pad,
    randomize,
    tiny_model,
)

BOTH = [False, True]


def words(least: int = 1) -> st.SearchStrategy[list[int]]:
    """Return sentences of real token ids: never padding, which is 0 or 10."""
    return st.lists(st.integers(1, 9), min_size=least, max_size=7)


# --- equality with PyTorch ------------------------------------------------------------


@given(
    sizes=SIZES,
    n_layers=st.integers(1, 3),
    d_ff=st.integers(1, 12),
    norm_first=st.booleans(),
)
def test_stacks_and_gradients_equal_pytorchs(
    sizes: Sizes, n_layers: int, d_ff: int, norm_first: bool
) -> None:
    config = sizes.config(n_layers=n_layers, d_ff=d_ff, norm_first=norm_first)
    ours = nn.ModuleDict({"encoder": Encoder(config), "decoder": Decoder(config)})
    randomize(ours.to(sizes.dtype), sizes.seed)
    theirs = transformer_twin(ours, config, sizes.dtype)
    src, tgt = sizes.vectors(sizes.source, sizes.target)
    src_real = sizes.mask(sizes.batch, sizes.source)
    tgt_real = sizes.mask(sizes.batch, sizes.target)
    tgt_real[:, 0] = True  # PyTorch's answer for a row that sees nothing is NaN
    past = causal_mask(sizes.target)
    src_mask, tgt_mask = src_real[:, None, None], tgt_real[:, None, None] & past

    memory = ours["encoder"](src, src_mask)
    output = ours["decoder"](tgt, memory, tgt_mask, src_mask)
    expected = theirs(
        src,
        tgt,
        tgt_mask=~past,
        src_key_padding_mask=~src_real,
        tgt_key_padding_mask=~tgt_real,
        memory_key_padding_mask=~src_real,
    )
    assert_learn_alike(output, expected, pairs_of(ours, theirs))


def test_from_ids_to_logits_equal_pytorchs_pieces() -> None:
    model = tiny_model()
    config, dtype = model.config, torch.float64
    theirs = transformer_twin(model, config, dtype).eval()
    # Padding may also stand in front, or in between.
    src, tgt = pad([[5, 0, 7, 8], [0, 9, 10]]), pad([[1, 4, 12], [1, 5]])

    def embedded(ids: Tensor, table: Tensor) -> Tensor:
        vectors = F.embedding(ids, table) * math.sqrt(8)
        return vectors + model.positions.table[: ids.size(1)]

    expected = F.linear(
        theirs(
            embedded(src, model.src_embedding.table.weight),
            embedded(tgt, model.tgt_embedding.table.weight),
            tgt_mask=~causal_mask(3),
            src_key_padding_mask=src == 0,
            tgt_key_padding_mask=tgt == 0,
            memory_key_padding_mask=src == 0,
        ),
        model.output_proj.weight,
        model.output_proj.bias,
    )
    assert_close(model(src, tgt), expected)


# --- the future and padding -----------------------------------------------------------


@given(src=words(), tgt=words(least=2), data=st.data())
def test_no_word_sees_the_words_after_it(src: list[int], tgt: list[int], data) -> None:
    model = tiny_model()
    place = data.draw(st.integers(1, len(tgt) - 1))
    changed = [*tgt[:place], *(i % 10 + 1 for i in tgt[place:])]
    before, after = model(pad([src, src]), pad([tgt, changed]))
    assert_close(after[:place], before[:place])
    assert not torch.allclose(after[place], before[place])  # but its own word it sees


@given(
    sources=st.lists(words(), min_size=2, max_size=4),
    targets=st.lists(words(), min_size=4, max_size=4),
    norm_first=st.booleans(),
    pad_id=st.sampled_from([0, 10]),
    extra=st.integers(0, 3),
)
def test_a_sentence_alone_equals_itself_in_a_batch(
    sources: list[list[int]],
    targets: list[list[int]],
    norm_first: bool,
    pad_id: int,
    extra: int,
) -> None:
    model = tiny_model(norm_first=norm_first, pad_id=pad_id)
    targets = targets[: len(sources)]
    src = F.pad(pad(sources, pad_id), (0, extra), value=pad_id)
    tgt = F.pad(pad(targets, pad_id), (0, extra), value=pad_id)
    together = model(src, tgt)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        alone = model(torch.tensor([source]), torch.tensor([target]))
        assert_close(together[row : row + 1, : len(target)], alone)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_sentences_of_padding_alone_stay_finite(dtype: torch.dtype) -> None:
    model = tiny_model(dtype)
    src = torch.tensor([[5, 6, 7], [0, 0, 0]])
    logits = model(src, src)
    assert logits.dtype == dtype
    assert logits.isfinite().all()
    gradients = torch.autograd.grad(logits.square().mean(), list(model.parameters()))
    assert all(gradient.isfinite().all() for gradient in gradients)


# --- parameters -----------------------------------------------------------------------


@pytest.mark.parametrize("tied", BOTH)
def test_gradients_reach_every_parameter(tied: bool) -> None:
    model = tiny_model(tgt_vocab_size=11, tie_embeddings=tied)
    randomize(model)
    src, tgt = torch.arange(11)[None], torch.arange(11)[None].flip(1)
    F.cross_entropy(model(src, tgt)[0], torch.arange(11)).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        if "key_proj.bias" not in name:  # it shifts all scores of a row alike
            assert (parameter.grad != 0).any(), name
        if "embedding" in name:  # every word learns, and so do all its numbers
            assert (parameter.grad[1:] != 0).all(), name


@pytest.mark.parametrize("tied", BOTH)
def test_parameters_are_those_of_pytorchs_layers_and_of_the_tables(tied: bool) -> None:
    model = tiny_model(tgt_vocab_size=11, tie_embeddings=tied)
    twin = transformer_twin(model, model.config, torch.float64)
    tables = (1 if tied else 3) * 11 * 8 + 11  # and the bias of the output
    assert count_parameters(model) == count_parameters(twin) + tables


def test_the_papers_base_model_has_65_million_parameters() -> None:
    config = TransformerConfig(37_000, 37_000, tie_embeddings=True)
    with torch.device("meta"):  # sizes only, no numbers
        # Table 3 counts no bias of the output; the paper does not say it has one.
        millions = (count_parameters(Transformer(config)) - 37_000) / 1e6
    assert 62 < millions < 65.5


def test_counting_leaves_out_what_is_frozen_and_counts_the_shared_once() -> None:
    first = nn.Linear(3, 2)
    assert count_parameters(nn.Sequential(first, first)) == 8
    first.bias.requires_grad_(False)
    assert count_parameters(first) == 6


def test_weights_of_a_longer_model_fit_a_shorter_one() -> None:
    long, short = tiny_model(max_len=50), tiny_model(max_len=5, seed=1)
    src, tgt = pad([[5, 6, 7]]), pad([[1, 5]])
    assert not torch.equal(short(src, tgt), long(src, tgt))
    short.load_state_dict(long.state_dict())
    assert torch.equal(short(src, tgt), long(src, tgt))


# --- modes and dtypes -----------------------------------------------------------------


def test_dropout_falls_on_the_embeddings_of_both_sides() -> None:
    model = tiny_model(dropout=0.0)
    model.dropout.p = 0.5  # §5.4: on the sums of embeddings and positions
    src, tgt = pad([[5, 6, 7]]), pad([[1, 5]])
    mask = padding_mask(src, 0)
    memory = model.encode(src, mask)
    model.train()
    assert not torch.equal(model.encode(src, mask), model.encode(src, mask))
    again, first = (model.decode(tgt, memory, mask) for _ in range(2))
    assert not torch.equal(again, first)


def test_every_dropout_is_that_of_the_config() -> None:
    dropouts = [
        module.p
        for module in tiny_model(dropout=0.3).modules()
        if isinstance(module, nn.Dropout)
    ]
    # Two in each encoder layer, three in each decoder layer, one on the embeddings.
    assert dropouts == [0.3] * (2 * 2 + 2 * 3 + 1)


def test_autocast_keeps_masked_words_out() -> None:
    model = tiny_model(torch.float32)
    src, tgt = pad([[5, 6, 7], [8, 9]]), pad([[1, 5, 4], [1, 6]])
    with torch.autocast("cpu", torch.bfloat16), record_attention(model) as weights:
        logits = model(src, tgt)
    assert logits.isfinite().all()
    assert (weights["encoder.layers.0.self_attention"][1, ..., 2] == 0).all()


# --- refusals -------------------------------------------------------------------------

IDS = torch.ones(2, 3, dtype=torch.long)


@each_refusal(
    (lambda: tiny_model()(IDS * 11, IDS), "between 0 and 10, .* from 11 to 11"),
    (lambda: tiny_model()(IDS, IDS * 13), "between 0 and 12, .* from 13 to 13"),
    (lambda: tiny_model()(IDS.repeat(1, 5), IDS), "15 tokens .* max_len = 12"),
    (lambda: tiny_model()(IDS, IDS[:1]), r"src .* \(2, 3\) and tgt \(1, 3\)"),
    (lambda: tiny_model()(IDS[0], IDS[0, :3]), r"\(B, S\), but got \(3,\)"),
    (lambda: tiny_model()(IDS, IDS[:, :0]), "length must be at least 1"),
    (lambda: tiny_model()(IDS, IDS > 0), "whole numbers, but they are torch.bool"),
)
def test_ids_that_do_not_fit_are_refused(call: Call, words: str) -> None:
    refuses(call, words)


def test_an_empty_batch_gives_empty_logits() -> None:
    assert tiny_model()(IDS[:0], IDS[:0]).shape == (0, 3, 13)


WHOLE = (
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
        *(({name: 0}, rf"{name} must be at least 1, .* 0\.") for name in WHOLE),
        *(
            ({name: value}, f"{name} must be a whole number, but it is {value!r}")
            for name in (*WHOLE, "pad_id")
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
