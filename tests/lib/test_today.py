"""What came after 2017: each leaf against PyTorch's or transformers' own."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from transformers import LlamaConfig
from transformers.models.llama import modeling_llama as llama

from lib.attention import MultiHeadAttention, record_attention
from lib.layers import PositionwiseFeedForward
from lib.masks import causal_mask
from lib.speed import fuse
from lib.today import (
    FeedForward,
    GatedFeedForward,
    GroupedQueryAttention,
    LanguageConfig,
    LanguageModel,
    LearnedPositionalEncoding,
    RMSNorm,
    Rotary,
    UnpaddedEmbedding,
)
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import SIZES, Sizes, assert_close, randomize

GROUPS = st.tuples(st.integers(1, 3), st.integers(1, 3))  # kv heads, queries for each


def tiny(seed: int = 0, **changes: Any) -> LanguageModel:
    """Return a small language model in evaluation mode."""
    torch.manual_seed(seed)
    sizes = {"d_model": 8, "n_heads": 2, "n_layers": 2, "d_ff": 16, "max_len": 20}
    return LanguageModel(LanguageConfig(11, **{**sizes, **changes})).eval()


def llama_config(sizes: Sizes, groups: tuple[int, int]) -> LlamaConfig:
    heads = groups[0] * groups[1]
    return LlamaConfig(
        hidden_size=heads * sizes.d_head,
        num_attention_heads=heads,
        num_key_value_heads=groups[0],
        intermediate_size=7,
        attn_implementation="eager",  # type: ignore[call-arg]
    )


@given(SIZES, st.sampled_from([1e-5, 1e-6, 1e-2]))
def test_the_norm_is_that_of_pytorch(sizes: Sizes, eps: float) -> None:
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_model))
    ours = RMSNorm(sizes.d_model, eps).to(sizes.dtype)
    randomize(ours, sizes.seed)
    theirs = nn.RMSNorm(sizes.d_model, eps).to(sizes.dtype)
    theirs.load_state_dict(ours.state_dict())
    assert_close(ours(x), theirs(x))


@given(SIZES, st.integers(1, 9))
def test_the_gated_layer_is_that_of_llama(sizes: Sizes, d_ff: int) -> None:
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_model))
    config = LlamaConfig(
        hidden_size=sizes.d_model, intermediate_size=d_ff, num_attention_heads=1
    )
    theirs = llama.LlamaMLP(config).to(sizes.dtype)
    ours = GatedFeedForward(sizes.d_model, d_ff).to(sizes.dtype)
    for name, other in (("gate", "gate"), ("inner", "up"), ("outer", "down")):
        weight = theirs.get_submodule(f"{other}_proj").weight
        ours.get_submodule(name).weight = weight
    assert_close(ours(x), theirs(x))


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("relu", nn.ReLU()),
        ("gelu", nn.GELU()),
        ("gelu_tanh", nn.GELU("tanh")),
        ("silu", nn.SiLU()),
    ],
)
def test_activations_are_those_of_pytorch(name: str, theirs: nn.Module) -> None:
    x = torch.randn(2, 3, 4)
    ours = FeedForward(4, 6, name)
    assert_close(ours(x), ours.outer(theirs(ours.inner(x))))
    gated = GatedFeedForward(4, 6, name, bias=True)
    assert_close(gated(x), gated.outer(theirs(gated.gate(x)) * gated.inner(x)))
    assert ours.state_dict().keys() == PositionwiseFeedForward(4, 6).state_dict().keys()


@given(SIZES, st.integers(1, 3), st.integers(0, 40))
def test_turning_is_that_of_transformers(sizes: Sizes, heads: int, start: int) -> None:
    (x,) = sizes.tensors((sizes.batch, sizes.target, heads * sizes.d_head))
    config = llama_config(sizes, (1, 1))
    places = start + torch.arange(sizes.target)[None]
    cos, sin = llama.LlamaRotaryEmbedding(config)(x, places)
    split = x.unflatten(-1, (heads, -1)).transpose(1, 2)
    expected = llama.apply_rotary_pos_emb(split, split, cos, sin)[0]
    rotary = Rotary(sizes.d_head, max_len=60)
    rotary.start = start
    got = rotary(x).unflatten(-1, (heads, -1)).transpose(1, 2)
    torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-5)


@given(SIZES)
def test_both_pairings_turn_alike(sizes: Sizes) -> None:
    """Neighbors are halves whose numbers stand in another order, as in llama2.c."""
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_head))
    order = torch.arange(sizes.d_head).view(-1, 2).T.flatten()  # 0 2 4 ... 1 3 5 ...
    halves, neighbors = (
        Rotary(sizes.d_head, 9, pairs=pairs) for pairs in ("halves", "neighbors")
    )
    assert_close(halves(x[..., order]), neighbors(x)[..., order])


@given(SIZES, GROUPS)
def test_grouped_attention_is_that_of_llama(
    sizes: Sizes, groups: tuple[int, int]
) -> None:
    config = llama_config(sizes, groups)
    width = config.hidden_size
    (x,) = sizes.tensors((sizes.batch, sizes.target, width))
    theirs = llama.LlamaAttention(config, 0).to(sizes.dtype).eval()
    heads = config.num_attention_heads
    rotary = Rotary(sizes.d_head, sizes.target)
    ours = GroupedQueryAttention(width, heads, groups[0], bias=False, rotary=rotary)
    for name in ("query", "key", "value", "output"):
        other = theirs.get_submodule(f"{name[0]}_proj")
        ours.get_submodule(f"{name}_proj").weight = other.weight
    mask = causal_mask(sizes.target)
    hidden = torch.zeros(mask.shape, dtype=sizes.dtype).masked_fill(~mask, -math.inf)
    turn = llama.LlamaRotaryEmbedding(config)(x, torch.arange(sizes.target)[None])
    expected = theirs(x, turn, hidden[None, None])
    for got, wanted in zip(ours(x, x, x, mask), expected, strict=True):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


def test_with_a_head_of_keys_for_each_query_it_is_the_attention_of_2017() -> None:
    plain = MultiHeadAttention(12, 3)
    grouped = GroupedQueryAttention(12, 3, kv_heads=3)
    grouped.load_state_dict(plain.state_dict())
    x, memory = torch.randn(2, 4, 12), torch.randn(2, 5, 12)
    for got, wanted in zip(
        grouped(x, memory, memory), plain(x, memory, memory), strict=True
    ):
        assert_close(got, wanted)


@pytest.mark.parametrize("causal", [True, False])
def test_who_sees_a_later_token(causal: bool) -> None:
    model = tiny(causal=causal)
    ids = torch.tensor([[3, 4, 5, 6, 7]])
    other = ids.clone()
    other[0, 3] = 9
    change = (model(ids) - model(other)).abs().amax(dim=-1)[0]
    assert (change[3:] > 1e-4).all()
    assert (change[:3] == 0).all() if causal else (change[:3] > 1e-4).all()


@pytest.mark.parametrize("causal", [True, False])
def test_what_the_mask_hides_does_not_matter(causal: bool) -> None:
    model = tiny(causal=causal)
    ids, other = torch.tensor([[3, 4, 0, 0]]), torch.tensor([[3, 4, 7, 8]])
    mask = torch.tensor([[True, True, False, False]])
    assert_close(model(ids, mask)[:, :2], model(other, mask)[:, :2])
    assert_close(model(ids, mask)[:, :2], model(ids[:, :2]))
    told = r"shape is \(1, 3\) and that of the ids"
    refuses(lambda: model(ids, mask[:, :3]), told)


@pytest.mark.parametrize("tied", [True, False])
def test_a_language_model_can_be_fused_and_looked_into(tied: bool) -> None:
    model = tiny(tie_embeddings=tied)
    ids = torch.tensor([[3, 0, 5], [6, 7, 0]])
    with record_attention(model) as weights:
        expected = model(ids)
    assert_close(fuse(model)(ids), expected)
    assert list(weights) == [f"encoder.layers.{i}.self_attention" for i in range(2)]
    same = model.output_proj.weight is model.embedding.table.weight
    assert same is tied


def test_no_id_is_padding_and_the_scale_is_free() -> None:
    embedding = UnpaddedEmbedding(5, 4, scale=1.0)
    assert_close(embedding(torch.tensor([[0]]))[0, 0], embedding.table.weight[0])
    assert embedding.table.weight[0].abs().sum() > 0


WIDTH, LONG = r"\(\.\.\., 4\), but got \(1, 2, 3\)", "A text of 4 tokens is longer"
SIZE = "vocab_size must be a whole number of at least 1"
CONFIG: Any = LanguageConfig


@each_refusal(
    (lambda: GroupedQueryAttention(16, 8, kv_heads=7), "7 does not divide 8"),
    (
        lambda: GroupedQueryAttention(16, 2, 1, rotary=Rotary(4, 10)),
        "heads of 4 numbers, but these have 8",
    ),
    (lambda: Rotary(3, 10), "even number of them, but it has 3"),
    (lambda: Rotary(4, 10, pairs="thirds"), "or neighbors, but it is 'thirds'"),
    (lambda: FeedForward(4, 4, "swish"), "activation must be one of relu"),
    *(
        (lambda part=part: part(torch.ones(1, 2, 3)), WIDTH)
        for part in (
            RMSNorm(4),
            GatedFeedForward(4, 4),
            LearnedPositionalEncoding(4, 9),
        )
    ),
    (lambda: Rotary(2, 3)(torch.ones(1, 4, 2)), LONG),
    (lambda: LearnedPositionalEncoding(2, 3)(torch.ones(1, 4, 2)), LONG),
    (lambda: CONFIG(0), SIZE),
    (lambda: CONFIG(9.5), SIZE),
    (lambda: CONFIG(9, n_heads=5), "5 does not divide 128"),
    (lambda: CONFIG(9, causal=1), "causal must be True or False"),
    (lambda: CONFIG(9, pad_id=0), "'pad_id'"),
)
def test_impossible_pieces_and_sizes_are_refused(call: Call, words: str) -> None:
    refuses(call, words)


def test_sizes_come_back_from_a_file() -> None:
    config = LanguageConfig(11, causal=False)
    assert LanguageConfig(**config.to_dict()) == config
