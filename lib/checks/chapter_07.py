"""The checks of chapter 7: shapes, what is visible, copies, sizes, a decoder layer."""

import copy
import math
from typing import Any

import torch
from torch import Tensor

from lib.checks import expect
from lib.checks.copies import expect_different, expect_kept
from lib.checks.core import exercise
from lib.checks.visibility import (
    cumulate,
    decoder_of,
    encoder_of,
    one_number,
    small_config,
)
from lib.exercises.guard import unwrap
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
    """Check `weight_shapes(B, H, S, T)`: the weights of the three attentions."""
    b, h, s, t = 2, 4, 5, 6
    right = ((b, h, s, s), (b, h, t, t), (b, h, t, s))
    slips: expect.Slips = {
        "The cross-attention is the wrong way round: the decoder asks, so its rows are "
        "target positions, and its columns source words.": (
            ((b, h, s, s), (b, h, t, t), (b, h, s, t))
        ),
        "The two self-attentions are exchanged: the encoder reads the source, with S "
        "tokens.": ((b, h, t, t), (b, h, s, s), (b, h, t, s)),
        "The keys of the cross-attention come from the memory, so there are S of them "
        "and not T.": ((b, h, s, s), (b, h, t, t), (b, h, t, t)),
        "The queries of the cross-attention come from the decoder, so there are T of "
        "them and not S.": ((b, h, s, s), (b, h, t, t), (b, h, s, s)),
        "The heads are missing: each head has weights of its own, so H stands "
        "behind B.": ((b, s, s), (b, t, t), (b, t, s)),
        "The batch is missing: each sentence has weights of its own, so B stands "
        "first.": ((h, s, s), (h, t, t), (h, t, s)),
    }
    expect.equal(answer(b, h, s, t), right, "weight_shapes(2, 4, 5, 6)", slips)
    b, h, s, t = 1, 8, 3, 3
    expect.equal(answer(b, h, s, t), ((b, h, s, s),) * 3, "weight_shapes(1, 8, 3, 3)")


@exercise(
    "7.2",
    praise="You can now read the mask of any model from outside, without its code.",
)
def visible(answer: Any) -> None:
    """Check `visible(run, x)`: which output depends on which input."""
    x = torch.randn(1, 5, 16)
    decoder, encoder = decoder_of(5), encoder_of()
    triangle = causal_mask(5)
    everything = torch.ones_like(triangle)
    found, what = answer(decoder, x), "visible(decoder, x)"
    slips: expect.Slips = {"Drop the batch: the result has shape (T, T).": (1, 5, 5)}
    expect.shape(found, (5, 5), what, slips)
    expect.that(
        found.dtype == torch.bool,
        f"visible should return a boolean matrix, but its dtype is {found.dtype}: "
        "compare the movement with a small number such as 1e-5.",
    )
    transposed = {
        "The matrix is transposed: output i is the row, the input j that you changed "
        "is the column.": triangle.T
    }
    slips = transposed | {
        "You found only the diagonal: after changing input j, compare all outputs and "
        "not only output j.": torch.eye(5).bool(),
        "Everything seems visible: change one input at a time, in a fresh clone of x "
        "for each.": everything,
        "Nothing moves: run the changed vectors, and compare with the run of the "
        "unchanged ones.": ~everything,
        "The matrix is inverted: True stands for an output that does move.": ~triangle,
        "Count a word's own output too: the diagonal is visible.": triangle.tril(-1),
    }
    expect.equal(found, triangle, what, slips)
    expect.equal(answer(encoder, x), everything, "visible(encoder, x)", transposed)
    expect.equal(answer(cumulate, x), triangle, "visible of a running sum")
    _expect_noticed(answer, x, triangle)


def _expect_noticed(answer: Any, x: Tensor, triangle: Tensor) -> None:
    """Demand that small movements and those behind a layer norm are seen too."""
    nothing = torch.zeros_like(triangle)
    what = "visible of a run that moves one number in each output"
    slips: expect.Slips = {
        "One number that moves is enough for an output to have moved: take the largest "
        "difference (amax), not the smallest.": nothing
    }
    expect.equal(answer(one_number, x), triangle, what, slips)
    pre_norm = decoder_of(x.size(1), norm_first=True)
    slips = {
        "Nothing moved, because a layer norm takes away what is added to all numbers "
        "of a word alike: change input j by random numbers.": nothing
    }
    expect.equal(answer(pre_norm, x), triangle, "visible of a pre-norm decoder", slips)


@exercise(
    "7.3",
    praise="Six layers of one build, and each may now learn something of its own.",
)
def fresh_copies(answer: Any) -> None:
    """Check `fresh_copies(layer, n)`: copied in build, but not in numbers."""
    layer = EncoderLayer(small_config())
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            # Norms as after some training, so that drawing them anew shows.
            if "norm" in name:
                parameter.add_(0.5)
    before = copy.deepcopy(layer.state_dict())
    layers = [unwrap(one) for one in answer(layer, 3)]
    expect.that(
        len(layers) == 3,
        f"fresh_copies(layer, 3) should return 3 layers, but returned {len(layers)}.",
    )
    for one in layers:
        expect.that(
            isinstance(one, EncoderLayer),
            f"Each copy should be an EncoderLayer like the given one, but one is a "
            f"{type(one).__name__}.",
        )
    kept = all(torch.equal(before[k], v) for k, v in layer.state_dict().items())
    slips = {
        "One and the same layer stands in the list several times: training one of them "
        "would train them all, so copy it with copy.deepcopy.": len(set(layers)) < 3,
        "The given layer was changed or put into the list: draw new matrices for its "
        "copies only.": layer in layers or not kept,
    }
    expect.none_of(slips)
    expect_different([layer, *layers])
    expect_kept(layer, layers)


@exercise(
    "7.4",
    praise="Pre-norm vectors grow with the root of the depth, which is why the stack "
    "ends in one more norm.",
    cases=[(24, 0.5), (6, 0.3), (1, 1.0)],
)
def expected_size(answer: Any, n: int, r: float) -> None:
    """Check `expected_size(n_layers, r)`: how long pre-norm vectors get."""
    what = f"expected_size({n}, {r})"
    slips: expect.Slips = {
        "That counts one sublayer for each layer, but an encoder layer has two: "
        "attention and feed-forward.": math.sqrt(1 + n * r**2),
        "That counts three sublayers for each layer, as in a decoder; an encoder "
        "layer has two.": math.sqrt(1 + 3 * n * r**2),
        "That adds the sizes, as if all vectors pointed the same way; at a right "
        "angle the squares add up.": 1 + 2 * n * r,
        "That is the square of the size: take the root.": 1 + 2 * n * r**2,
        "Square r too: under the root stand squares of sizes.": math.sqrt(
            1 + 2 * n * r
        ),
        "The vector that enters is missing: its size 1 counts too.": (
            math.sqrt(2 * n * r**2)
        ),
    }
    expect.close(answer(n, r), math.sqrt(1 + 2 * n * r**2), what, slips, atol=1e-6)


@exercise(
    "7.5",
    praise="Self-attention, cross-attention, feed-forward: a decoder layer.",
    cases=[(False,), (True,)],
)
@torch.no_grad()
def decoder_forward(answer: Any, norm_first: bool) -> None:
    """Check `decoder_forward(layer, x, memory, ...)`: the three sublayers in order."""
    x, memory = torch.randn(2, 4, 16), torch.randn(2, 3, 16)
    src_mask = torch.tensor([[True, True, True], [True, True, False]])[:, None, None]
    masks = (causal_mask(4), src_mask)
    layer = DecoderLayer(small_config(norm_first))
    for parameter in layer.parameters():  # norms that have learned something
        parameter.add_(0.2 * torch.randn_like(parameter))
    got = answer(layer, x, memory, *masks)
    what = f"decoder_forward for a layer with norm_first={norm_first}"
    slips: expect.Slips = {
        "The output is as long as the source: the queries of the cross-attention come "
        "from the decoder, keys and values from the memory.": (2, 3, 16)
    }
    expect.shape(got, (2, 4, 16), what, slips)
    right = layer(x, memory, *masks)
    expect.close(got, right, what, _misled(layer, x, memory, *masks))


def _misled(
    layer: DecoderLayer, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor
) -> expect.Slips:
    """What typical mistakes give."""

    def own(x: Tensor, mask: Tensor | None = tgt_mask) -> Tensor:
        attend = layer.self_attention
        return layer.self_attention_residual(x, lambda y: attend(y, y, y, mask)[0])

    def cross(x: Tensor, mask: Tensor | None = src_mask) -> Tensor:
        attend = layer.cross_attention
        return layer.cross_attention_residual(
            x, lambda y: attend(y, memory, memory, mask)[0]
        )

    def within(x: Tensor) -> Tensor:
        attend = layer.cross_attention
        return layer.cross_attention_residual(x, lambda y: attend(y, y, y, tgt_mask)[0])

    def think(x: Tensor) -> Tensor:
        return layer.feed_forward_residual(x, layer.feed_forward)

    def bare() -> Tensor:
        y = layer.self_attention(x, x, x, tgt_mask)[0]
        y = layer.cross_attention(y, memory, memory, src_mask)[0]
        return layer.feed_forward(y)

    def with_one_residual() -> Tensor:
        around, one = layer.self_attention_residual, layer.cross_attention
        y = around(own(x), lambda y: one(y, memory, memory, src_mask)[0])
        return around(y, layer.feed_forward)

    return {
        "The self-attention has no mask: give it tgt_mask.": think(cross(own(x, None))),
        "The cross-attention has no mask: it gets src_mask.": (
            think(cross(own(x), None))
        ),
        "Neither attention has its mask: tgt_mask for the first, src_mask for the "
        "second.": think(cross(own(x, None), None)),
        "The memory is read first: a decoder layer first looks at its own words.": (
            think(own(cross(x)))
        ),
        "The memory is never read: the cross-attention is missing.": think(own(x)),
        "The self-attention is missing.": think(cross(x)),
        "The feed-forward block is missing.": cross(own(x)),
        "The cross-attention reads the decoder's own words: its keys and values are "
        "the memory.": think(within(own(x))),
        "The residuals are missing: each sublayer stands inside its own.": bare(),
        "One residual serves all three sublayers: each has its own, because each norm "
        "has learned numbers of its own.": with_one_residual(),
    }
