"""The checks behind the exercises of chapter 7, Encoder and decoder."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor

from lib.checks.copies import expect_different, expect_kept
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
from lib.checks.decoder_layers import misled
from lib.checks.visibility import (
    cumulate,
    decoder_of,
    encoder_of,
    one_number,
    small_config,
)
from lib.layers import DecoderLayer, EncoderLayer
from lib.masks import causal_mask

__all__ = [
    "decoder_forward",
    "expected_size",
    "fresh_copies",
    "visible",
    "weight_shapes",
]


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
    decoder, encoder = decoder_of(length), encoder_of()
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
    expect_equal(answer(cumulate, x), triangle, "visible of a running sum")
    _expect_noticed(answer, x, triangle)


def _expect_noticed(answer: Any, x: Tensor, triangle: Tensor) -> None:
    """Demand that small movements and those behind a layer norm are seen too."""
    nothing = torch.zeros_like(triangle)
    expect_equal(
        answer(one_number, x),
        triangle,
        "visible of a run that moves one number in each output",
        [
            (
                nothing,
                "One number that moves is enough for an output to have moved: take the "
                "largest difference (amax), not the smallest.",
            )
        ],
    )
    expect_equal(
        answer(decoder_of(x.size(1), norm_first=True), x),
        triangle,
        "visible of a pre-norm decoder",
        [
            (
                nothing,
                "Nothing moved, because a layer norm takes away what is added to all "
                "numbers of a word alike: change input j by random numbers.",
            )
        ],
    )


@exercise(
    "7.3",
    praise="Six layers of one build, and each may now learn something of its own.",
)
def fresh_copies(answer: Any) -> None:
    """Check that a layer is copied in build but not in numbers."""
    layer = EncoderLayer(small_config())
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
    expect_different([layer, *layers])
    expect_kept(layer, layers)


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


@exercise(
    "7.5",
    praise="Self-attention, cross-attention, feed-forward: a decoder layer.",
)
def decoder_forward(answer: Any) -> None:
    """Check the way of x through the three sublayers of a decoder layer."""
    x, memory = torch.randn(2, 4, 16), torch.randn(2, 3, 16)
    tgt_mask = causal_mask(4)
    src_mask = torch.tensor([[True, True, True], [True, True, False]])[:, None, None]
    masks = (tgt_mask, src_mask)
    for norm_first in (False, True):
        layer = DecoderLayer(small_config(norm_first))
        with torch.no_grad():
            for parameter in layer.parameters():  # norms that have learned something
                parameter.add_(0.2 * torch.randn_like(parameter))
            got = answer(layer, x, memory, *masks)
            what = f"decoder_forward for a layer with norm_first={norm_first}"
            expect_shape(
                got,
                (2, 4, 16),
                what,
                [
                    (
                        (2, 3, 16),
                        "The output is as long as the source: the queries of the "
                        "cross-attention come from the decoder, keys and values from "
                        "the memory.",
                    )
                ],
            )
            right = layer(x, memory, *masks)
            expect_close(got, right, what, misled(layer, x, memory, *masks))
