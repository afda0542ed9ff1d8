"""Attention: equal to PyTorch's, blind where masked, finite everywhere."""

from __future__ import annotations

import copy
import math
import re

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import (
    MultiHeadAttention,
    check_attention_shapes,
    record_attention,
    scaled_dot_product_attention,
)
from lib.masks import causal_mask
from tests.pytorch_twins import attention_pairs, attention_twin, gradients
from tests.strategies import (
    EVERY_DTYPE,
    PRECISIONS,
    SIZES,
    Sizes,
    assert_close,
    randomize,
)

LEADING = st.sampled_from([(), (2,), (2, 3), (1, 2, 2)])


def inputs(
    sizes: Sizes, leading: tuple[int, ...], d_value: int = 3
) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value = sizes.tensors(
        (*leading, sizes.target, sizes.d_head),
        (*leading, sizes.source, sizes.d_head),
        (*leading, sizes.source, d_value),
    )
    return query, key, value


# --- scaled_dot_product_attention ---------------------------------------------------


@given(sizes=SIZES, leading=LEADING, masked=st.booleans(), d_value=st.integers(1, 5))
def test_values_and_gradients_equal_pytorchs(
    sizes: Sizes, leading: tuple[int, ...], masked: bool, d_value: int
) -> None:
    ours = inputs(sizes, leading, d_value)
    theirs = inputs(sizes, leading, d_value)
    for x in (*ours, *theirs):
        x.requires_grad_()
    mask = sizes.mask(sizes.target, sizes.source) if masked else None

    output, weights = scaled_dot_product_attention(*ours, mask)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=mask)
    assert_close(output, expected)
    assert weights.shape == (*leading, sizes.target, sizes.source)
    assert_close(weights @ ours[2], expected)

    output.square().mean().backward()
    expected.square().mean().backward()
    for our, their in zip(ours, theirs, strict=True):
        assert our.grad is not None
        assert their.grad is not None
        assert_close(our.grad, their.grad)


@given(sizes=SIZES, leading=LEADING, masked=st.booleans())
def test_weights_are_a_distribution_that_is_zero_where_masked(
    sizes: Sizes, leading: tuple[int, ...], masked: bool
) -> None:
    mask = torch.ones(sizes.target, sizes.source, dtype=torch.bool)
    if masked:
        mask = sizes.mask(sizes.target, sizes.source, full_rows=True)
    _, weights = scaled_dot_product_attention(*inputs(sizes, leading), mask)
    assert (weights >= 0).all()
    assert (weights[..., ~mask] == 0).all()
    may_see_something = mask.any(dim=-1).to(sizes.dtype)
    assert_close(weights.sum(dim=-1), may_see_something.expand(weights.shape[:-1]))


@given(sizes=SIZES)
def test_a_mask_is_the_same_as_leaving_the_words_out(sizes: Sizes) -> None:
    query, key, value = inputs(sizes, (2,))
    keep = sizes.mask(1, sizes.source)[0]
    masked, _ = scaled_dot_product_attention(query, key, value, keep)
    short, _ = scaled_dot_product_attention(query, key[:, keep], value[:, keep])
    assert_close(masked, short)


@given(sizes=SIZES, data=st.data())
def test_keys_and_values_in_another_order_give_the_same(sizes: Sizes, data) -> None:
    query, key, value = inputs(sizes, (2,))
    mask = sizes.mask(sizes.target, sizes.source)
    order = data.draw(st.permutations(range(sizes.source)))
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    shuffled, shuffled_weights = scaled_dot_product_attention(
        query, key[:, order], value[:, order], mask[:, order]
    )
    assert_close(shuffled, output)
    assert_close(shuffled_weights, weights[..., order])


def test_a_pencil_size_example() -> None:
    # Scores (ln 3, 0) / sqrt(1), so the weights are 3/4 and 1/4.
    query = torch.tensor([[1.0]])
    key = torch.tensor([[math.log(3)], [0.0]])
    value = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    output, weights = scaled_dot_product_attention(query, key, value)
    assert_close(weights, torch.tensor([[0.75, 0.25]]))
    assert_close(output, torch.tensor([[6.0, 1.0]]))


def test_the_scale_is_the_root_of_the_key_width() -> None:
    # d_k = 4 and a score of 2 ln 3: divided by sqrt(4) it is ln 3 again.
    query = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    key = torch.zeros(2, 4)
    key[0, 0] = 2 * math.log(3)
    _, weights = scaled_dot_product_attention(query, key, torch.zeros(2, 1))
    assert_close(weights, torch.tensor([[0.75, 0.25]]))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_row_that_may_see_nothing_stays_finite_in_every_dtype(
    dtype: torch.dtype,
) -> None:
    torch.manual_seed(0)
    arguments = torch.randn(3, 2, 3, 4, dtype=dtype).unbind()
    for x in arguments:
        x.requires_grad_()
    mask = torch.tensor([[True, False, False], [False] * 3, [True, True, False]])
    query, key, value = arguments
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert output.dtype == weights.dtype == dtype
    assert (output[:, 1] == 0).all()
    assert (weights[:, 1] == 0).all()
    assert (weights[:, ~mask] == 0).all()
    assert output.isfinite().all()
    output.square().sum().backward()
    for x in arguments:
        assert x.grad is not None
        assert x.grad.isfinite().all()
    assert query.grad is not None
    assert (query.grad[:, 1] == 0).all()  # what sees nothing learns nothing
    assert key.grad is not None
    assert (key.grad[:, 2] == 0).all()  # what nobody sees learns nothing
    assert value.grad is not None
    assert (value.grad[:, 2] == 0).all()


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_very_unlikely_word_still_beats_a_masked_one(dtype: torch.dtype) -> None:
    # The allowed score is -20000, near the end of what float16 can hold.
    query = torch.tensor([[200.0]], dtype=dtype)
    key = torch.tensor([[-100.0], [100.0]], dtype=dtype)
    value = torch.tensor([[1.0], [7.0]], dtype=dtype)
    mask = torch.tensor([[True, False]])
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert weights.tolist() == [[1.0, 0.0]]
    assert output.tolist() == [[1.0]]


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_huge_numbers_give_a_hard_choice(dtype: torch.dtype) -> None:
    words = 1e15 * torch.eye(3, dtype=dtype)
    output, weights = scaled_dot_product_attention(words, words, words)
    assert torch.equal(weights, torch.eye(3, dtype=dtype))
    assert torch.equal(output, words)


def test_arguments_are_left_as_they_are() -> None:
    sizes = Sizes(2, 1, 3, 4, 2, torch.float32, seed=3)
    arguments = (*inputs(sizes, (2,)), sizes.mask(3, 4))
    before = copy.deepcopy(arguments)
    scaled_dot_product_attention(*arguments)
    for now, then in zip(arguments, before, strict=True):
        assert torch.equal(now, then)


@pytest.mark.parametrize(
    "shape", [(), (4,), (1, 4), (3, 1), (3, 4), (2, 1, 1), (2, 3, 4), (1, 1, 4)]
)
def test_any_mask_that_broadcasts_will_do(shape: tuple[int, ...]) -> None:
    sizes = Sizes(2, 1, 3, 4, 2, torch.float64, seed=4)
    arguments = inputs(sizes, (2,))
    mask = torch.rand(shape, generator=torch.Generator().manual_seed(1)) < 0.7
    got = scaled_dot_product_attention(*arguments, mask)
    whole = scaled_dot_product_attention(*arguments, mask.expand(2, 3, 4).clone())
    assert torch.equal(got[0], whole[0])
    assert torch.equal(got[1], whole[1])


def test_no_queries_or_no_keys_give_an_empty_or_a_zero_answer() -> None:
    none, some = torch.ones(2, 0, 4), torch.ones(2, 3, 4)
    output, weights = scaled_dot_product_attention(none, some, some)
    assert (output.shape, weights.shape) == ((2, 0, 4), (2, 0, 3))
    output, weights = scaled_dot_product_attention(some, none, none)
    assert (output.shape, weights.shape) == ((2, 3, 4), (2, 3, 0))
    assert (output == 0).all()


@pytest.mark.parametrize(
    ("query", "key", "value", "what"),
    [
        ((3, 4), (5, 6), (5, 6), "equally wide"),
        ((3, 4), (5, 4), (6, 4), "one value for each key"),
        ((2, 3, 4), (3, 5, 4), (3, 5, 4), "all but their last two"),
        ((2, 3, 4), (2, 5, 4), (5, 4), "all but their last two"),
        ((1, 3, 4), (2, 5, 4), (2, 5, 4), "all but their last two"),
        ((4,), (5, 4), (5, 4), "two dimensions"),
        ((3, 4), (4,), (5, 4), "two dimensions"),
        ((3, 4), (5, 4), (), "two dimensions"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_by_name(
    query: tuple[int, ...], key: tuple[int, ...], value: tuple[int, ...], what: str
) -> None:
    arguments = torch.ones(query), torch.ones(key), torch.ones(value)
    for function in (scaled_dot_product_attention, check_attention_shapes):
        with pytest.raises(ValueError, match=what) as error:
            function(*arguments)
        named = [s for s in (query, key, value) if str(s) in str(error.value)]
        assert len(named) >= 2


@pytest.mark.parametrize(
    "shape", [(4, 3), (2, 4, 3), (5,), (3, 5), (3, 3, 4), (1, 2, 3, 4), (0,)]
)
def test_a_mask_that_does_not_fit_is_refused_by_both_shapes(
    shape: tuple[int, ...],
) -> None:
    arguments = torch.ones(2, 3, 4), torch.ones(2, 4, 4), torch.ones(2, 4, 4)
    with pytest.raises(ValueError, match=re.escape("(2, 3, 4)")) as error:
        scaled_dot_product_attention(*arguments, torch.ones(shape, dtype=torch.bool))
    assert f"its shape is {shape}" in str(error.value)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8])
def test_a_mask_that_is_not_boolean_is_refused(dtype: torch.dtype) -> None:
    x = torch.ones(3, 4)
    with pytest.raises(TypeError, match=f"must be boolean.* {dtype}"):
        scaled_dot_product_attention(x, x, x, torch.ones(3, 3, dtype=dtype))


# --- MultiHeadAttention -------------------------------------------------------------


def attention(sizes: Sizes) -> MultiHeadAttention:
    module = MultiHeadAttention(sizes.d_model, sizes.heads).to(sizes.dtype)
    randomize(module, sizes.seed)
    return module


@given(sizes=SIZES, masked=st.booleans(), causal=st.booleans())
def test_heads_and_gradients_equal_pytorchs(
    sizes: Sizes, masked: bool, causal: bool
) -> None:
    ours = attention(sizes)
    theirs = attention_twin(ours)
    query, memory = sizes.tensors(
        (sizes.batch, sizes.target, sizes.d_model),
        (sizes.batch, sizes.source, sizes.d_model),
    )
    if causal:  # self-attention, so that queries and keys are the same words
        memory = query
    length = memory.size(1)
    real = torch.ones(sizes.batch, length, dtype=torch.bool)
    if masked:
        real = sizes.mask(sizes.batch, length)
        real[:, 0] = True  # PyTorch's answer for a row that sees nothing is NaN
    past = causal_mask(length) if causal else torch.ones(1, 1, dtype=torch.bool)

    output, weights = ours(query, memory, memory, real[:, None, None] & past)
    expected, expected_weights = theirs(
        query,
        memory,
        memory,
        key_padding_mask=~real,
        attn_mask=~past if causal else None,
        average_attn_weights=False,
    )
    assert_close(output, expected)
    assert_close(weights, expected_weights)

    output.square().mean().backward()
    expected.square().mean().backward()
    for our, their in gradients(attention_pairs(ours, theirs)):
        assert_close(our, their)


@pytest.mark.parametrize(("d_model", "n_heads"), [(8, 3), (8, 0), (8, -2), (0, 1)])
def test_heads_that_do_not_divide_the_width_are_refused(
    d_model: int, n_heads: int
) -> None:
    with pytest.raises(ValueError, match=rf"is {n_heads} and d_model is {d_model}\."):
        MultiHeadAttention(d_model, n_heads)


@given(sizes=SIZES)
def test_splitting_and_merging_heads_are_inverse(sizes: Sizes) -> None:
    module = attention(sizes)
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_model))
    heads = module.split_heads(x)
    assert heads.shape == (sizes.batch, sizes.heads, sizes.target, sizes.d_head)
    for head in range(sizes.heads):
        columns = slice(head * sizes.d_head, (head + 1) * sizes.d_head)
        assert torch.equal(heads[:, head], x[..., columns])
    assert torch.equal(module.merge_heads(heads), x)


def test_a_mask_for_each_head_is_kept_apart() -> None:
    sizes = Sizes(2, 2, 3, 4, 2, torch.float64, seed=5)
    query, memory = sizes.tensors((2, 3, 4), (2, 4, 4))
    mask = sizes.mask(2, 2, 3, 4)
    _, weights = attention(sizes)(query, memory, memory, mask)
    assert torch.equal(weights > 0, mask)


@pytest.mark.parametrize("argument", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 3), (3,), (1, 2, 3, 8)])
def test_vectors_without_a_batch_are_refused(
    argument: int, shape: tuple[int, ...]
) -> None:
    arguments = [torch.ones(2, 3, 8)] * 3
    arguments[argument] = torch.ones((*shape[:-1], 8))
    with pytest.raises(ValueError, match=re.escape("(B, T, 8)")) as error:
        MultiHeadAttention(8, 2)(*arguments)
    assert str((*shape[:-1], 8)) in str(error.value)


@pytest.mark.parametrize("argument", [0, 1, 2])
def test_vectors_of_another_width_are_refused_by_both_widths(argument: int) -> None:
    arguments = [torch.ones(2, 3, 8)] * 3
    arguments[argument] = torch.ones(2, 3, 6)
    with pytest.raises(ValueError, match=re.escape("(B, T, 8)")) as error:
        MultiHeadAttention(8, 2)(*arguments)
    assert "(2, 3, 6)" in str(error.value)


def test_batches_and_masks_that_do_not_fit_are_refused() -> None:
    module = MultiHeadAttention(8, 2)
    x = torch.ones(2, 3, 8)
    with pytest.raises(ValueError, match=r"\(2, 2, 3, 4\), \(1, 2, 5, 4\)"):
        module(x, torch.ones(1, 5, 8), torch.ones(1, 5, 8))
    with pytest.raises(ValueError, match=r"one value for each key.*5, 4\).*6, 4\)"):
        module(x, torch.ones(2, 5, 8), torch.ones(2, 6, 8))
    with pytest.raises(ValueError, match=r"\(2, 2, 3, 3\).*\(2, 1, 1, 5\)"):
        module(x, x, x, torch.ones(2, 1, 1, 5, dtype=torch.bool))
    # A mask (B, S) would be read as (T, S): other sizes are refused, not guessed.
    with pytest.raises(ValueError, match=r"\(2, 2, 3, 3\).*\(2, 3\)"):
        module(x, x, x, torch.ones(2, 3, dtype=torch.bool))


# --- record_attention ---------------------------------------------------------------


class Pair(nn.Module):
    """Two attentions, one inside a list."""

    def __init__(self) -> None:
        super().__init__()
        self.first = MultiHeadAttention(4, 2)
        self.others = nn.ModuleList([MultiHeadAttention(4, 1)])

    def forward(self, x: Tensor) -> Tensor:
        y, _ = self.first(x, x, x)
        result: Tensor = self.others[0](x, y, y)[0]
        return result


def test_recording_finds_every_attention_by_its_name() -> None:
    model, x = Pair(), torch.randn(2, 3, 4)
    with record_attention(model) as weights:
        assert weights == {}
        model(x)
    assert list(weights) == ["first", "others.0"]
    assert torch.equal(weights["first"], model.first(x, x, x)[1])
    assert weights["others.0"].shape == (2, 1, 3, 3)
    assert not weights["first"].requires_grad


def test_recording_keeps_the_last_call_and_ends_with_the_block() -> None:
    model = MultiHeadAttention(4, 2)
    x, y = torch.randn(1, 2, 4), torch.randn(1, 5, 4)
    with record_attention(model) as weights:
        model(x, x, x)
        model(y, y, y)
    assert weights[""].shape == (1, 2, 5, 5)
    model(x, x, x)
    assert weights[""].shape == (1, 2, 5, 5)


def test_recording_leaves_nothing_behind_even_after_an_error() -> None:
    model = Pair()

    def fail() -> None:
        with record_attention(model):
            model(torch.ones(3, 4))

    with pytest.raises(ValueError, match="B, T, 4"):
        fail()
    for module in model.modules():
        assert not module._forward_hooks
