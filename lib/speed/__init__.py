"""Speed: leaves that give the numbers of the book's own pieces sooner."""

from lib.speed.fused import (
    FUSED,
    FusedAttention,
    FusedDropout,
    FusedGroupedAttention,
    FusedLayerNorm,
    fuse,
    is_plain,
    mix_values,
    side_by_side,
)
from lib.speed.linear import in_eight_bits, to_eight_bits
from lib.today.blocks import replace_leaves

__all__ = [
    "FUSED",
    "FusedAttention",
    "FusedDropout",
    "FusedGroupedAttention",
    "FusedLayerNorm",
    "fuse",
    "in_eight_bits",
    "is_plain",
    "mix_values",
    "replace_leaves",
    "side_by_side",
    "to_eight_bits",
]
