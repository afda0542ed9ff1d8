"""Hidden values for chapter 7."""

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from book.tools.course.hidden import Draw, Observe, call, draws
from lib.config import TransformerConfig
from lib.layers import DecoderLayer
from lib.masks import causal_mask


@draws("7.1")
def weight_shapes(draw: Draw) -> Iterator[Observe]:
    """Four other sizes."""
    yield call(*draw.sample(range(2, 40), 4))


@draws("7.2")
def visible(draw: Draw) -> Iterator[Observe]:
    """Other functions from sentences to sentences."""
    length = draw.randint(3, 7)
    sees = draw.ids(0, 1, length, length).float() + torch.eye(length)
    yield call(lambda x: sees @ x, draw.normal(1, length, draw.randint(2, 6)))


@draws("7.3")
def fresh_copies(draw: Draw) -> Iterator[Observe]:
    """Another layer, another number of copies."""
    width, count = draw.randint(4, 9), draw.randint(2, 4)
    linear = nn.Linear(width, 2 * width)
    layer = nn.Sequential(linear, nn.LayerNorm(2 * width))
    kept = copy.deepcopy(layer.state_dict())

    def are_fresh(answer: Any) -> list[Any]:
        layers = answer(layer, count)
        every = [*layers, layer]
        pairs = [(a, b) for i, a in enumerate(every) for b in every[:i]]
        bound = (6 / (3 * width)) ** 0.5  # that of Xavier's rule
        return [
            len(layers),
            any(torch.equal(a[0].weight, b[0].weight) for a, b in pairs),
            all(torch.equal(one[0].bias, kept["0.bias"]) for one in layers),
            all(torch.equal(one[1].weight, kept["1.weight"]) for one in layers),
            all(float(one[0].weight.detach().abs().max()) <= bound for one in layers),
            torch.equal(linear.weight, kept["0.weight"]),
        ]

    yield are_fresh


@draws("7.4")
def expected_size(draw: Draw) -> Iterator[Observe]:
    """Other numbers of layers, other sizes."""
    yield call(draw.randint(1, 30), draw.uniform(0.1, 3.0))


@draws("7.5")
def decoder_forward(draw: Draw) -> Iterator[Observe]:
    """Other layers, in both orders, with other masks."""
    source, target = draw.randint(2, 6), draw.randint(2, 6)
    for norm_first in (True, False):
        config = TransformerConfig(
            9, 9, d_model=8, n_heads=2, n_layers=1, d_ff=16, norm_first=norm_first
        )
        layer = DecoderLayer(config).eval()
        src_mask = torch.ones(2, 1, 1, source, dtype=torch.bool)
        src_mask[0, ..., -1] = False
        yield call(
            layer,
            draw.normal(2, target, 8),
            draw.normal(2, source, 8),
            causal_mask(target),
            src_mask,
        )
