"""The checks behind the exercises of chapter 7, Encoder and decoder."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.checks.core import (
    CheckFailed,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    expect_tensor,
    unwrap,
)
from lib.config import TransformerConfig
from lib.layers import EncoderLayer
from lib.masks import causal_mask
from lib.model import Decoder, Encoder

__all__ = ["expected_size", "fresh_copies", "visible", "weight_shapes"]


@exercise(
    "7.1",
    praise="Rows are queries, columns are keys; only in the cross-attention do they "
    "come from two sentences.",
)
def weight_shapes(answer: Any) -> None:
    """Check the shapes of the weights of the three attentions."""
    b, h, s, t = 2, 4, 5, 6
    right = ((b, h, s, s), (b, h, t, t), (b, h, t, s))
    diagnoses = [
        (
            ((b, h, s, s), (b, h, t, t), (b, h, s, t)),
            "The cross-attention is the wrong way round: the decoder asks, so its rows "
            "are target positions, and its columns source words.",
        ),
        (
            ((b, h, t, t), (b, h, s, s), (b, h, t, s)),
            "The two self-attentions are exchanged: the encoder reads the source, with "
            "S tokens.",
        ),
        (
            ((b, h, s, s), (b, h, t, t), (b, h, t, t)),
            "The keys of the cross-attention come from the memory, so there are S of "
            "them and not T.",
        ),
        (
            ((b, h, s, s), (b, h, t, t), (b, h, s, s)),
            "The queries of the cross-attention come from the decoder, so there are T "
            "of them and not S.",
        ),
        (
            ((b, s, s), (b, t, t), (b, t, s)),
            "The heads are missing: each head has weights of its own, so H stands "
            "behind B.",
        ),
        (
            ((h, s, s), (h, t, t), (h, t, s)),
            "The batch is missing: each sentence has weights of its own, so B stands "
            "first.",
        ),
    ]
    expect_equal(answer(b, h, s, t), right, "weight_shapes(2, 4, 5, 6)", diagnoses)
    b, h, s, t = 1, 8, 3, 3
    expect_equal(answer(b, h, s, t), ((b, h, s, s),) * 3, "weight_shapes(1, 8, 3, 3)")


@exercise(
    "7.2",
    praise="You can now read the mask of any model from outside, without its code.",
)
def visible(answer: Any) -> None:
    """Check that a function finds out which output depends on which input."""
    length = 5
    x = torch.randn(1, length, 16)
    decoder, encoder = _decoder(length), _encoder()
    triangle = causal_mask(length)
    found = answer(decoder, x)
    expect_tensor(found, "visible(decoder, x)")
    expect_shape(
        found,
        (length, length),
        "visible(decoder, x)",
        [((1, length, length), "Drop the batch: the result has shape (T, T).")],
    )
    if found.dtype != torch.bool:
        raise CheckFailed(
            f"visible should return a boolean matrix, but its dtype is {found.dtype}: "
            "compare the movement with a small number such as 1e-5."
        )
    diagnoses = [
        (
            triangle.T,
            "The matrix is transposed: output i is the row, the input j that you "
            "changed is the column.",
        ),
        (
            torch.eye(length, dtype=torch.bool),
            "You found only the diagonal: after changing input j, compare all outputs "
            "and not only output j.",
        ),
        (
            torch.ones(length, length, dtype=torch.bool),
            "Everything seems visible: change one input at a time, in a fresh clone of "
            "x for each.",
        ),
        (
            torch.zeros(length, length, dtype=torch.bool),
            "Nothing moves: run the changed vectors, and compare with the run of the "
            "unchanged ones.",
        ),
        (
            ~triangle,
            "The matrix is inverted: True stands for an output that does move.",
        ),
        (
            torch.ones(length, length).tril(-1).bool(),
            "Count a word's own output too: the diagonal is visible.",
        ),
    ]
    expect_equal(found, triangle, "visible(decoder, x)", diagnoses)
    everything = torch.ones(length, length, dtype=torch.bool)
    expect_equal(answer(encoder, x), everything, "visible(encoder, x)", diagnoses[:1])
    expect_equal(answer(_cumulate, x), triangle, "visible of a running sum")


def _config() -> TransformerConfig:
    return TransformerConfig(
        9, 9, d_model=16, n_heads=2, n_layers=2, d_ff=32, dropout=0.0
    )


def _encoder() -> Callable[[Tensor], Tensor]:
    encoder = Encoder(_config())
    return lambda x: encoder(x)


def _decoder(length: int) -> Callable[[Tensor], Tensor]:
    decoder, memory = Decoder(_config()), torch.randn(1, 3, 16)
    return lambda x: decoder(x, memory, causal_mask(length))


def _cumulate(x: Tensor) -> Tensor:
    return x.cumsum(dim=1)


@exercise(
    "7.3",
    praise="Six layers of one build, and each may now learn something of its own.",
)
def fresh_copies(answer: Any) -> None:
    """Check that a layer is copied in build but not in numbers."""
    layer = EncoderLayer(_config())
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            # Norms as after some training, so that drawing them anew shows.
            if "norm" in name:
                parameter.add_(0.5)
    before = copy.deepcopy(layer.state_dict())
    count = 3
    layers = [unwrap(one) for one in answer(layer, count)]
    expect(
        len(layers) == count,
        f"fresh_copies(layer, {count}) should return {count} layers, but returned "
        f"{len(layers)}.",
    )
    for one in layers:
        expect(
            isinstance(one, EncoderLayer),
            f"Each copy should be an EncoderLayer like the given one, but one is a "
            f"{type(one).__name__}.",
        )
    expect(
        len({id(one) for one in layers}) == count,
        "One and the same layer stands in the list several times: training one of them "
        "would train them all, so copy it with copy.deepcopy.",
    )
    expect(
        all(one is not layer for one in layers)
        and all(torch.equal(before[k], v) for k, v in layer.state_dict().items()),
        "The given layer was changed or put into the list: draw new matrices for its "
        "copies only.",
    )
    _expect_different([layer, *layers])
    _expect_kept(layer, layers)


def _matrices(layer: nn.Module) -> dict[str, Tensor]:
    return {name: p for name, p in layer.named_parameters() if p.dim() > 1}


def _expect_different(layers: list[nn.Module]) -> None:
    clones = 0
    for first, second in itertools.combinations(layers, 2):
        a, b = _matrices(first), _matrices(second)
        same = [name for name in a if torch.equal(a[name], b[name])]
        clones += len(same) == len(a)
        if same and len(same) < len(a):
            raise CheckFailed(
                f"Two layers still hold the same matrix {same[0]}: draw every "
                "parameter with more than one dimension anew."
            )
    expect(
        not clones,
        "These are clones: a deep copy takes the numbers over too, so draw the "
        "matrices of each copy anew.",
    )


def _expect_kept(layer: nn.Module, layers: list[nn.Module]) -> None:
    """Demand that vectors are left alone, and that matrices follow Xavier's rule."""
    for one in layers:
        for name, parameter in one.named_parameters():
            original = layer.get_parameter(name)
            if parameter.dim() == 1:
                expect(
                    torch.equal(parameter, original),
                    f"The vector {name} was drawn anew: leave biases and norms alone.",
                )
                continue
            bound = math.sqrt(6 / sum(parameter.shape))
            largest = parameter.abs().max().item()
            expect(
                0.8 * bound < largest <= bound,
                f"The matrix {name} does not follow Xavier's rule: its largest number "
                f"should be just under {bound:.3f}, but is {largest:.3f}.",
            )


@exercise(
    "7.4",
    praise="Pre-norm vectors grow with the root of the depth, which is why the stack "
    "ends in one more norm.",
)
def expected_size(answer: Any) -> None:
    """Check the size of the vectors after some pre-norm layers."""
    for n_layers, r in ((24, 0.5), (6, 0.3), (1, 1.0)):
        expect_close(
            answer(n_layers, r),
            math.sqrt(1 + 2 * n_layers * r**2),
            f"expected_size({n_layers}, {r})",
            [
                (
                    math.sqrt(1 + n_layers * r**2),
                    "That counts one sublayer for each layer, but an encoder layer has "
                    "two: attention and feed-forward.",
                ),
                (
                    math.sqrt(1 + 3 * n_layers * r**2),
                    "That counts three sublayers for each layer, as in a decoder; an "
                    "encoder layer has two.",
                ),
                (
                    1 + 2 * n_layers * r,
                    "That adds the sizes, as if all vectors pointed the same way; at a "
                    "right angle the squares add up.",
                ),
                (
                    1 + 2 * n_layers * r**2,
                    "That is the square of the size: take the root.",
                ),
                (
                    math.sqrt(1 + 2 * n_layers * r),
                    "Square r too: under the root stand squares of sizes.",
                ),
                (
                    math.sqrt(2 * n_layers * r**2),
                    "The vector that enters is missing: its size 1 counts too.",
                ),
            ],
            atol=1e-6,
        )
