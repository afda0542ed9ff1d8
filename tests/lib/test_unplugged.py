"""Parts of a model that are taken out for a moment: which, how, and back again."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lib.evaluation import mean_outputs, unplugged
from lib.model import Transformer
from tests.strategies import tiny_model

SRC, TGT = torch.tensor([[4, 5, 6, 7]]), torch.tensor([[1, 4, 5]])


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
    assert torch.equal(run(model, part), run(model))
    torch.nn.init.normal_(outer.bias)
    before = run(model)
    with mean_outputs(model, part) as means:
        run(model)
        run(model, src=SRC + 1)
    torch.testing.assert_close(means[part], outer.bias.detach())
    with torch.no_grad(), unplugged(model, part, means=means):
        torch.testing.assert_close(model(SRC, TGT), before)
    assert not torch.allclose(run(model, part), before)


@pytest.mark.parametrize("part", ["", "heads", "encoder.cross_attention"])
def test_a_part_that_is_not_there_is_named(model: Transformer, part: str) -> None:
    with pytest.raises(ValueError, match=f"no part {part!r}"), unplugged(model, part):
        pass
