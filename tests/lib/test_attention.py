"""Attention and masks: equal to PyTorch's, blind where masked, finite everywhere."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import (
    MultiHeadAttention,
    record_attention,
    scaled_dot_product_attention,
)
from lib.masks import causal_mask, padding_mask
from lib.speed import FusedAttention
from tests.pytorch_twins import (
    assert_learn_alike,
    attention_twin,
    one_by_one,
    pairs_of,
)
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import EVERY_DTYPE, SIZES, Sizes, assert_close, pad, randomize

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
    ours, theirs = inputs(sizes, leading, d_value), inputs(sizes, leading, d_value)
    for x in (*ours, *theirs):
        x.requires_grad_()
    mask = sizes.mask(sizes.target, sizes.source) if masked else None
    output, weights = scaled_dot_product_attention(*ours, mask)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=mask)
    assert weights.shape == (*leading, sizes.target, sizes.source)
    assert_close(weights @ ours[2], expected)
    assert_learn_alike(output, expected, one_by_one(ours, theirs))


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


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_row_that_may_see_nothing_stays_finite_in_every_dtype(
    dtype: torch.dtype,
) -> None:
    torch.manual_seed(0)
    words = torch.randn(3, 2, 3, 4, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, False, False], [False] * 3, [True, True, False]])
    query, key, value = words
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert output.dtype == weights.dtype == dtype
    assert output.isfinite().all()
    assert (output[:, 1] == 0).all()
    assert (weights[:, ~mask] == 0).all()
    (gradient,) = torch.autograd.grad(output.square().sum(), words)
    assert gradient.isfinite().all()
    assert (gradient[0, :, 1] == 0).all()  # what sees nothing learns nothing
    assert (gradient[1:, :, 2] == 0).all()  # what nobody sees learns nothing


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_very_unlikely_word_still_beats_a_masked_one(dtype: torch.dtype) -> None:
    # The scores are -20000 and 20000, near the end of what float16 can hold.
    query = torch.tensor([[200.0]], dtype=dtype)
    key = torch.tensor([[-100.0], [100.0]], dtype=dtype)
    value = torch.tensor([[1.0], [7.0]], dtype=dtype)
    mask = torch.tensor([[True, False]])
    output, weights = scaled_dot_product_attention(query, key, value, mask)
    assert weights.tolist() == [[1.0, 0.0]]
    assert output.tolist() == [[1.0]]
    output, _ = scaled_dot_product_attention(query, key, value)
    assert output.tolist() == [[7.0]]


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


Shape = tuple[int, ...]


def attend(
    query: Shape, key: Shape, value: Shape, mask: Tensor | None = None
) -> object:
    q, k, v = map(torch.ones, (query, key, value))
    return scaled_dot_product_attention(q, k, v, mask)


def masked(*shape: int, dtype: torch.dtype = torch.bool) -> object:
    return attend((2, 3, 4), (2, 4, 4), (2, 4, 4), mask=torch.ones(shape, dtype=dtype))


@each_refusal(
    (lambda: attend((3, 4), (5, 6), (5, 6)), r"wide.*\(3, 4\) and key \(5, 6\)"),
    (lambda: attend((3, 4), (5, 4), (6, 4)), r"one value.*\(5, 4\).* \(6, 4\)"),
    (lambda: attend((2, 3, 4), (3, 5, 4), (3, 5, 4)), r"agree.*\(2, 3, 4\), \(3,"),
    (lambda: attend((2, 3, 4), (2, 5, 4), (5, 4)), r"agree.*\(2, 5, 4\) and \(5,"),
    (lambda: attend((4,), (5, 4), (5, 4)), r"two dimensions .* \(4,\), \(5, 4\)"),
    (lambda: attend((3, 4), (4,), (5, 4)), r"two dimensions .* \(3, 4\), \(4,\)"),
    (lambda: attend((3, 4), (5, 4), ()), r"two dimensions .* \(5, 4\) and \(\)"),
    (lambda: masked(4, 3), r"\(2, 3, 4\), but its shape is \(4, 3\)"),
    (lambda: masked(3, 3, 4), r"\(2, 3, 4\), but its shape is \(3, 3, 4\)"),
    (lambda: masked(1, 2, 3, 4), r"but its shape is \(1, 2, 3, 4\)"),
    (lambda: masked(0), r"\(2, 3, 4\), but its shape is \(0,\)"),
    (lambda: masked(3, 4, dtype=torch.uint8), r"must be boolean.* torch\.uint8"),
    (lambda: MultiHeadAttention(8, 3), r"n_heads is 3 and d_model is 8\."),
    (lambda: MultiHeadAttention(8, 0), r"n_heads is 0 and d_model is 8\."),
    (lambda: MultiHeadAttention(0, 1), r"n_heads is 1 and d_model is 0\."),
)
def test_what_does_not_fit_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


# --- MultiHeadAttention -------------------------------------------------------------


@given(sizes=SIZES, masked=st.booleans(), causal=st.booleans())
def test_heads_and_gradients_equal_pytorchs(
    sizes: Sizes, masked: bool, causal: bool
) -> None:
    ours = MultiHeadAttention(sizes.d_model, sizes.heads).to(sizes.dtype)
    randomize(ours, sizes.seed)
    theirs = attention_twin(ours)
    query, memory = sizes.vectors(sizes.target, sizes.source)
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
    assert_close(weights, expected_weights)
    assert_learn_alike(output, expected, pairs_of(ours, theirs))


KINDS = pytest.mark.parametrize("kind", [MultiHeadAttention, FusedAttention])


@KINDS
@pytest.mark.parametrize("argument", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 8), (8,), (1, 2, 3, 8), (2, 3, 6)])
def test_vectors_of_another_shape_are_refused(
    kind: type[MultiHeadAttention], argument: int, shape: tuple[int, ...]
) -> None:
    arguments = [torch.ones(2, 3, 8)] * 3
    arguments[argument] = torch.ones(shape)
    assert str(shape) in refuses(lambda: kind(8, 2)(*arguments), r"\(B, T, 8\)")


@KINDS
def test_batches_and_masks_that_do_not_fit_are_refused(
    kind: type[MultiHeadAttention],
) -> None:
    module, x, memory = kind(8, 2), torch.ones(2, 3, 8), torch.ones(2, 5, 8)
    for words, *arguments in (
        (r"\(2, 2, 3, 4\), \(1, 2, 5, 4\)", x, memory[:1], memory[:1]),
        (r"one value for each key.*5, 4\).*3, 4\)", x, memory, x),
        # A mask (B, S) would be read as (T, S): other sizes are refused, not guessed.
        (r"\(2, 2, 3, 3\).*\(2, 3\)", x, x, x, x[..., 0] > 0),
        (r"must be boolean.*float32", x, x, x, x[0, :, :3]),
    ):
        refuses(lambda arguments=arguments: module(*arguments), words)  # type: ignore[misc]


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


def test_recording_finds_every_attention_by_its_name_and_keeps_its_last_call() -> None:
    model, x = Pair(), torch.randn(2, 3, 4)
    with record_attention(model) as weights:
        assert weights == {}
        model(torch.randn(2, 5, 4))
        model(x)
    assert list(weights) == ["first", "others.0"]
    assert torch.equal(weights["first"], model.first(x, x, x)[1])
    assert weights["others.0"].shape == (2, 1, 3, 3)
    assert not weights["first"].requires_grad


def test_recording_leaves_nothing_behind_even_after_an_error() -> None:
    model = Pair()
    with pytest.raises(KeyError), record_attention(model):
        raise KeyError
    assert not any(module._forward_hooks for module in model.modules())


IDS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1)


@given(length=st.integers(1, 20))
def test_each_position_sees_itself_and_the_past(length: int) -> None:
    mask = causal_mask(length)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[k <= q for k in range(length)] for q in range(length)]
    # Where nn.Transformer has -inf, "blocked", ours is False.
    theirs = nn.Transformer.generate_square_subsequent_mask(length)
    assert torch.equal(theirs == float("-inf"), ~mask)


def test_the_causal_mask_lives_where_it_is_wanted() -> None:
    assert causal_mask(3).device.type == "cpu"
    assert causal_mask(3, "meta").device.type == "meta"


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
@given(rows=IDS, pad_id=st.integers(0, 4))
def test_real_tokens_are_true_and_padding_false(
    dtype: torch.dtype, rows: list[list[int]], pad_id: int
) -> None:
    ids = pad(rows, pad_id).to(dtype)
    mask = padding_mask(ids, pad_id)
    assert mask.dtype == torch.bool
    assert mask.shape == (len(ids), 1, 1, ids.size(1))
    real = [[i != pad_id for i in row] for row in ids.tolist()]
    assert mask[:, 0, 0].tolist() == real


@each_refusal(
    (lambda: causal_mask(0), r"length must be at least 1, but it is 0\."),
    (lambda: padding_mask(torch.ones(2, 3), 0), "whole numbers, .* torch.float32"),
    (lambda: padding_mask(torch.ones(2, 3) > 0, 0), "whole numbers, .* torch.bool"),
    (lambda: padding_mask(torch.ones(3).int(), 0), r"\(B, S\), but got \(3,\)"),
    (lambda: padding_mask(torch.ones(2, 1, 4).int(), 0), r"but got \(2, 1, 4\)"),
)
def test_what_is_no_mask_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
