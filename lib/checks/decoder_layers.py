"""What goes wrong on the way through a decoder layer, for exercise 7.5."""

from typing import Any

from torch import Tensor

from lib.layers import DecoderLayer

__all__ = ["misled"]


def misled(
    layer: DecoderLayer, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor
) -> list[tuple[Any, str]]:
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

    def bare(x: Tensor) -> Tensor:
        x = layer.self_attention(x, x, x, tgt_mask)[0]
        x = layer.cross_attention(x, memory, memory, src_mask)[0]
        return layer.feed_forward(x)

    def with_one_residual(x: Tensor) -> Tensor:
        around, one = layer.self_attention_residual, layer.cross_attention
        x = around(own(x), lambda y: one(y, memory, memory, src_mask)[0])
        return around(x, layer.feed_forward)

    return [
        (
            think(cross(own(x, None))),
            "The self-attention has no mask: give it tgt_mask.",
        ),
        (
            think(cross(own(x), None)),
            "The cross-attention has no mask: it gets src_mask.",
        ),
        (
            think(cross(own(x, None), None)),
            "Neither attention has its mask: tgt_mask for the first, src_mask for the "
            "second.",
        ),
        (
            think(own(cross(x))),
            "The memory is read first: a decoder layer first looks at its own words.",
        ),
        (think(own(x)), "The memory is never read: the cross-attention is missing."),
        (think(cross(x)), "The self-attention is missing."),
        (cross(own(x)), "The feed-forward block is missing."),
        (
            think(within(own(x))),
            "The cross-attention reads the decoder's own words: its keys and "
            "values are the memory.",
        ),
        (bare(x), "The residuals are missing: each sublayer stands inside its own."),
        (
            with_one_residual(x),
            "One residual serves all three sublayers: each has its own, because each "
            "norm has learned numbers of its own.",
        ),
    ]
