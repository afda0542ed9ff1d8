"""The two masks, their convention, and its opposite in `nn.Transformer`."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lib.masks import causal_mask, padding_mask
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import pad

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
