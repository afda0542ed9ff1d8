"""Small maps beside frozen ones, and matrices in 8 bits."""

from __future__ import annotations

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from lib.attention import MultiHeadAttention
from lib.model import Transformer
from lib.speed.linear import LowRank, in_eight_bits, to_eight_bits
from lib.today.blocks import replace_leaves
from tests.refusals import refuses
from tests.strategies import tiny_model

SRC, TGT = torch.randint(4, 9, (2, 3, 5), generator=torch.Generator().manual_seed(0))


def adapted() -> tuple[Transformer, Transformer]:
    model = tiny_model(torch.float32)
    small = copy.deepcopy(model).requires_grad_(False)
    for part in [
        each for each in small.modules() if isinstance(each, MultiHeadAttention)
    ]:
        for name in ("query_proj", "value_proj"):
            setattr(part, name, LowRank(getattr(part, name), rank=2))
    return model, small


def learning(model: nn.Module) -> list[nn.Parameter]:
    return [each for each in model.parameters() if each.requires_grad]


def test_nothing_changes_before_the_first_step_and_merged_is_the_same_after() -> None:
    model, small = adapted()
    assert torch.equal(small(SRC, TGT), model(SRC, TGT))
    for each in learning(small):
        nn.init.normal_(each)
    assert not torch.allclose(small(SRC, TGT), model(SRC, TGT), atol=1e-2)
    whole = replace_leaves(small, {LowRank: LowRank.merged})
    assert torch.allclose(whole(SRC, TGT), small(SRC, TGT), atol=1e-5)
    assert not any(isinstance(part, LowRank) for part in whole.modules())
    assert whole.state_dict().keys() == model.state_dict().keys()


def test_only_the_small_maps_learn_and_the_model_stays_as_it_is() -> None:
    model, small = adapted()
    kept = {name: each.clone() for name, each in model.state_dict().items()}
    assert sum(each.numel() for each in learning(small)) == 6 * 2 * 2 * 2 * 8
    adam = torch.optim.Adam(learning(small), lr=0.1)
    for _ in range(2):
        small(SRC, TGT).square().sum().backward()
        adam.step()
    assert all(torch.equal(kept[name], each) for name, each in model.named_parameters())
    assert all(each.requires_grad and each.grad is None for each in model.parameters())


def test_a_rank_below_1_is_refused() -> None:
    refuses(lambda: LowRank(nn.Linear(4, 3), rank=0), "rank must be at least 1.* 0")


@pytest.mark.filterwarnings("ignore:torch.quantize")  # it will go one day
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_eight_bits_are_those_of_pytorch(rows: int, columns: int, seed: int) -> None:
    weight = torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))
    whole, scale = to_eight_bits(weight)
    zeros = torch.zeros(rows, dtype=torch.int64)
    theirs = torch.quantize_per_channel(weight, scale[:, 0], zeros, 0, torch.qint8)
    assert int((whole - theirs.int_repr()).abs().max()) <= 1  # at a half
    assert bool(((whole * scale - weight).abs() <= 0.501 * scale).all())


def test_a_row_of_zeros_stays_zero() -> None:
    whole, scale = to_eight_bits(torch.zeros(2, 3))
    assert not (whole * scale).any()


def test_a_model_in_eight_bits_is_the_model_with_unfolded_matrices() -> None:
    model, _ = adapted()
    small = in_eight_bits(model)
    logits = small(SRC, TGT)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                whole, scale = to_eight_bits(weight)
                weight.copy_(whole * scale)
        assert torch.allclose(logits, model(SRC, TGT), atol=1e-5)
    matrices = [each for each in small.state_dict().values() if each.dim() == 2]
    assert {each.dtype for each in matrices if each.size(1) > 1} == {torch.int8}
