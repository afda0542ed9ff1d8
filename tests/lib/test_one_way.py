"""One way through the model: training and decoding see whatever a reader changes.

Each change here alters the numbers. Trained and decoded as the book does it, with twins
where they may stand, the changed model must give what it gives on its plain way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lib.decoding import beam_search, greedy_decode
from lib.layers import DecoderLayer
from lib.model import Transformer
from lib.speed import fuse
from lib.speed.linear import LowRank
from tests.strategies import pad, tiny_model

SRC = pad([[3, 4, 5], [6], [7, 8, 9], [3, 3]])
TGT_IN = pad([[1, 3, 4], [1, 5, 5], [1, 4], [1, 9, 9]])

Change = Callable[[Any], None]


def model() -> Transformer:
    return tiny_model(seed=3, tgt_vocab_size=11)


def double_output(_module: nn.Module, _inputs: object, output: Tensor) -> Tensor:
    return 2 * output


def other_heads(whole: Any) -> None:
    whole.decoder.layers[0].self_attention.n_heads = 4


def hooked(whole: Any, name: str) -> None:
    whole.get_submodule(name).register_forward_hook(double_output)


def subclass_of_a_layer(whole: Any) -> None:
    class Louder(DecoderLayer):
        def forward(self, *args: Tensor | None) -> Tensor:
            return 2 * super().forward(*args)  # type: ignore[arg-type]

    whole.decoder.layers[1].__class__ = Louder


def layer_exchanged(whole: Any) -> None:
    class Own(nn.Module):
        def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
            return x + x.mean(dim=1, keepdim=True)

    whole.encoder.layers[0] = Own()


def layer_of_another_width(whole: Any) -> None:
    wider = tiny_model(seed=5, tgt_vocab_size=11, d_ff=24)
    whole.decoder.layers[0] = wider.decoder.layers[0]
    whole.encoder.layers[1] = wider.encoder.layers[1]


def own_method(whole: Any) -> None:
    layer = whole.encoder.layers[0]
    original = layer.forward
    layer.forward = lambda *args: 2 * original(*args)


def subclass_of_the_model(whole: Any) -> None:
    class Louder(Transformer):
        def decode(self, *args: Tensor) -> Tensor:
            return 2 * super().decode(*args)

    whole.__class__ = Louder


def compiled_layer(whole: Any) -> None:
    layer = whole.decoder.layers[0]
    layer._compiled_call_impl = lambda *args: 2 * layer._call_impl(*args)


def linear_maps_of_ones_own(whole: Any) -> None:
    for part in [*whole.encoder.modules(), *whole.decoder.modules()]:
        for name, child in list(part.named_children()):
            if isinstance(child, nn.Linear):
                adapted = LowRank(child, rank=2).double()
                nn.init.normal_(adapted.up.weight)
                setattr(part, name, adapted)


PARTS = [
    "encoder",
    "encoder.layers.0.self_attention_residual",
    "encoder.layers.1.feed_forward.inner",
    "decoder.layers.0",
    "decoder.layers.1.cross_attention.query_proj",
    "decoder.layers.1.self_attention_residual.norm",
    "tgt_embedding",
    "positions",
    "output_proj",
]
CHANGES = [
    *(other_heads, subclass_of_a_layer, layer_exchanged, layer_of_another_width),
    *(own_method, subclass_of_the_model, compiled_layer, linear_maps_of_ones_own),
]
HOOKS = [functools.partial(hooked, name=name) for name in PARTS]
EVERY_CHANGE = pytest.mark.parametrize(
    "change",
    [*CHANGES, *HOOKS],
    ids=[*(change.__name__ for change in CHANGES), *PARTS],
)


@EVERY_CHANGE
def test_training_sees_it(change: Change) -> None:
    whole = model()
    before = fuse(whole)(SRC, TGT_IN)
    change(whole)
    expected = whole(SRC, TGT_IN)
    assert not torch.allclose(expected, before), "the change must change something"
    torch.testing.assert_close(fuse(whole)(SRC, TGT_IN), expected)


@EVERY_CHANGE
@torch.no_grad()
def test_decoding_sees_it(change: Change) -> None:
    """Without the cache each step is the model's own `decode` (test_decoding.py)."""
    whole = model()
    change(whole)
    # Log-probabilities tell a change that leaves the likeliest words in place.
    found, long = (
        [best for (best,) in beam_search(whole, SRC, 1, 2, 3, max_len=6, cached=cached)]
        for cached in (None, False)
    )
    assert [one.ids for one in found] == [one.ids for one in long]
    expected = pytest.approx([one.score for one in long])
    assert [one.score for one in found] == expected
    written = greedy_decode(whole, SRC, 1, 10, max_len=6)
    again = greedy_decode(whole, SRC, 1, 10, max_len=6, cached=False)
    assert torch.equal(written, again)
