"""States that are kept, exchanged and read: against runs that need no hook."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lib.evaluation import logit_lens, patched, record_states
from tests.refusals import refuses
from tests.strategies import tiny_model

SRC, OTHER = torch.tensor([[4, 5, 6, 7]]), torch.tensor([[4, 8, 6, 7]])
TGT = torch.tensor([[1, 4, 5]])
PLACES = [
    "src_embedding",
    "encoder.layers.1",
    "decoder.layers.0",
    "decoder.layers.1.cross_attention_residual",
]


MODEL = tiny_model(norm_first=True).requires_grad_(False)


def states_of(src: Tensor) -> dict[str, Tensor]:
    with record_states(MODEL, *PLACES) as states:
        MODEL(src, TGT)
    return states


def test_a_layer_gives_what_it_gives_when_called_alone() -> None:
    states = states_of(SRC)
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    memory = MODEL.encode(SRC, mask)
    torch.testing.assert_close(MODEL.encoder.norm(states["encoder.layers.1"]), memory)


def test_the_lens_at_the_last_layer_is_what_the_model_writes() -> None:
    with record_states(MODEL, "decoder.layers.1") as states:
        logits = MODEL(SRC, TGT)
    assert torch.equal(logit_lens(MODEL, states["decoder.layers.1"]), logits)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(PLACES), st.integers(0, 2))
def test_an_own_state_changes_nothing_and_another_only_what_comes_later(
    name: str, position: int
) -> None:
    before = MODEL(SRC, TGT)
    with patched(MODEL, name, states_of(SRC)[name], position):
        torch.testing.assert_close(MODEL(SRC, TGT), before)
    with patched(MODEL, name, states_of(OTHER)[name], position):
        moved = (MODEL(SRC, TGT) - before).abs().amax(dim=-1)[0] > 1e-6
    if name.startswith("decoder"):
        assert not moved[:position].any() and moved[position]
    assert torch.equal(MODEL(SRC, TGT), before)


@pytest.mark.parametrize(
    ("name", "position"), [("encoder.layers.1", slice(None)), ("src_embedding", 1)]
)
def test_what_is_all_that_differs_makes_it_the_other_sentence(
    name: str, position: int | slice
) -> None:
    with patched(MODEL, name, states_of(OTHER)[name], position):
        torch.testing.assert_close(MODEL(SRC, TGT), MODEL(OTHER, TGT))


def test_what_is_recorded_stays_as_it_was_when_a_place_is_patched() -> None:
    """An exchange in place would write into the state that was kept."""
    name = "encoder.layers.1"
    mine, other = states_of(SRC)[name], states_of(OTHER)[name]
    with record_states(MODEL, name) as kept, patched(MODEL, name, other, 1):
        MODEL(SRC, TGT)
    assert torch.equal(kept[name], mine)


def test_a_state_of_another_length_is_refused_by_its_shape() -> None:
    state = states_of(SRC)["encoder.layers.1"][:, :3]
    with patched(MODEL, "encoder.layers.1", state, 0):
        refuses(lambda: MODEL(SRC, TGT), r"shape \(1, 3, 8\), .* \(1, 4, 8\)")
