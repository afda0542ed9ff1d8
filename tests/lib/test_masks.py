"""The two masks, their convention, and its opposite in `nn.Transformer`."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lib.masks import causal_mask, padding_mask

IDS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1)


@given(length=st.integers(1, 20))
def test_each_position_sees_itself_and_the_past(length: int) -> None:
    mask = causal_mask(length)
    assert mask.dtype == torch.bool
    assert mask.shape == (length, length)
    for query in range(length):
        for key in range(length):
            assert bool(mask[query, key]) == (key <= query)


@pytest.mark.parametrize("length", [0, -4])
def test_a_causal_mask_of_nothing_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=rf"length must be at least 1.* {length}\."):
        causal_mask(length)


def test_the_causal_mask_lives_where_it_is_wanted() -> None:
    assert causal_mask(3).device.type == "cpu"
    assert causal_mask(3, "cpu").device.type == "cpu"
    assert causal_mask(3, torch.device("meta")).device.type == "meta"


@given(rows=IDS, pad_id=st.integers(-1, 4))
def test_real_tokens_are_true_and_padding_false(
    rows: list[list[int]], pad_id: int
) -> None:
    width = max(map(len, rows))
    ids = torch.tensor([row + [pad_id] * (width - len(row)) for row in rows])
    mask = padding_mask(ids, pad_id)
    assert mask.dtype == torch.bool
    assert mask.shape == (len(rows), 1, 1, width)
    assert mask[:, 0, 0].tolist() == [
        [i != pad_id for i in row] for row in ids.tolist()
    ]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.uint8])
def test_any_whole_numbers_will_do(dtype: torch.dtype) -> None:
    ids = torch.tensor([[1, 0]], dtype=dtype)
    assert padding_mask(ids, 0).tolist() == [[[[True, False]]]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bool])
def test_ids_that_are_no_whole_numbers_are_refused(dtype: torch.dtype) -> None:
    with pytest.raises(TypeError, match=f"whole numbers, but they are {dtype}"):
        padding_mask(torch.ones(2, 3, dtype=dtype), pad_id=0)


@pytest.mark.parametrize("shape", [(3,), (), (2, 3, 4)])
def test_ids_of_a_wrong_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"shape \(B, S\)") as error:
        padding_mask(torch.ones(shape, dtype=torch.long), pad_id=0)
    assert str(shape) in str(error.value)


def test_both_masks_together_let_through_what_both_let_through() -> None:
    ids = torch.tensor([[5, 6, 0], [5, 6, 7]])
    both = padding_mask(ids, 0) & causal_mask(3)
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    assert both[1, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_convention_is_that_of_pytorchs_attention_function() -> None:
    q, k, v = torch.randn(3, 1, 2, 5, 4, dtype=torch.float64)
    torch.testing.assert_close(
        F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(5)),
        F.scaled_dot_product_attention(q, k, v, is_causal=True),
    )


def test_the_transformer_of_pytorch_wants_the_opposite() -> None:
    theirs = nn.Transformer.generate_square_subsequent_mask(5)
    # Theirs is -inf, "blocked", exactly where ours is False.
    assert torch.equal(theirs == float("-inf"), ~causal_mask(5))

    attention = nn.MultiheadAttention(4, 1, batch_first=True, dtype=torch.float64)
    x = torch.randn(1, 5, 4, dtype=torch.float64)
    _, right = attention(x, x, x, attn_mask=~causal_mask(5))
    _, inverted = attention(x, x, x, attn_mask=causal_mask(5))
    assert torch.equal(right[0] > 0, causal_mask(5))
    assert not torch.equal(inverted[0] > 0, causal_mask(5))
