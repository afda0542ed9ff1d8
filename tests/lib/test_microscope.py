"""States that are kept, exchanged, read and left out, against runs without a hook."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lib.evaluation import logit_lens, mean_outputs, patched, record_states, unplugged
from lib.model import Transformer
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
    mine = states_of(SRC)[name]
    with patched(MODEL, name, mine, position):
        torch.testing.assert_close(MODEL(SRC, TGT), before)
    with (
        record_states(MODEL, name) as kept,
        patched(MODEL, name, states_of(OTHER)[name], position),
    ):
        moved = (MODEL(SRC, TGT) - before).abs().amax(dim=-1)[0] > 1e-6
    if name.startswith("decoder"):
        assert not moved[:position].any() and moved[position]
    assert torch.equal(kept[name], mine)  # not exchanged in its place
    assert torch.equal(MODEL(SRC, TGT), before)


def test_what_is_all_that_differs_makes_it_the_other_sentence() -> None:
    name = "encoder.layers.1"
    with patched(MODEL, name, states_of(OTHER)[name], slice(None)):
        torch.testing.assert_close(MODEL(SRC, TGT), MODEL(OTHER, TGT))


def test_a_state_of_another_length_is_refused_by_its_shape() -> None:
    state = states_of(SRC)["encoder.layers.1"][:, :3]
    with patched(MODEL, "encoder.layers.1", state, 0):
        refuses(lambda: MODEL(SRC, TGT), r"shape \(1, 3, 8\), .* \(1, 4, 8\)")


@pytest.fixture
def model() -> Transformer:
    return tiny_model()


def run(model: Transformer, *parts: str, src: Tensor = SRC) -> Tensor:
    with torch.no_grad(), unplugged(model, *parts):
        return model(src, TGT)


def test_all_is_as_before_behind_the_block_also_after_an_error(
    model: Transformer,
) -> None:
    before = run(model)
    assert not torch.allclose(run(model, "feed_forward"), before)
    with pytest.raises(RuntimeError), unplugged(model, "positions"):
        raise RuntimeError
    assert torch.equal(run(model), before)


def test_without_positions_the_order_of_the_source_is_lost(model: Transformer) -> None:
    turned = SRC.flip(1)
    assert not torch.allclose(run(model), run(model, src=turned), atol=1e-4)
    without = run(model, "positions"), run(model, "positions", src=turned)
    torch.testing.assert_close(*without)


def test_without_cross_attention_every_source_gives_the_same(
    model: Transformer,
) -> None:
    without = [run(model, "cross_attention", src=src) for src in (SRC, SRC + 1)]
    torch.testing.assert_close(*without)


def test_one_layer_is_named_by_its_number_and_all_without(model: Transformer) -> None:
    both = ("decoder.layers.0.feed_forward", "decoder.layers.1.feed_forward")
    assert torch.equal(run(model, *both), run(model, "decoder.feed_forward"))
    assert not torch.equal(run(model, both[0]), run(model, "decoder.feed_forward"))


def test_a_part_that_gives_the_same_for_all_is_replaced_by_its_mean_unseen(
    model: Transformer,
) -> None:
    part = "encoder.layers.1.feed_forward"
    outer = model.encoder.get_submodule("layers.1.feed_forward.outer")
    assert isinstance(outer, torch.nn.Linear)
    torch.nn.init.zeros_(outer.weight)
    torch.nn.init.zeros_(outer.bias)
    torch.nn.init.normal_(outer.bias)
    before = run(model)
    with mean_outputs(model, part) as means:
        run(model)
        run(model, src=SRC + 1)
    torch.testing.assert_close(means[part], outer.bias.detach())
    with torch.no_grad(), unplugged(model, part, means=means):
        torch.testing.assert_close(model(SRC, TGT), before)
    assert not torch.allclose(run(model, part), before)


@pytest.mark.parametrize("part", ["", "encoder.cross_attention"])
def test_a_part_that_is_not_there_is_named(model: Transformer, part: str) -> None:
    with pytest.raises(ValueError, match=f"no part {part!r}"), unplugged(model, part):
        pass
