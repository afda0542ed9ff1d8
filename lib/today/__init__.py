"""From 2017 to today: what came later, as leaves, and models of one language."""

from lib.today.blocks import (
    ACTIVATIONS,
    FeedForward,
    GatedFeedForward,
    GroupedQueryAttention,
    LearnedPositionalEncoding,
    NoPositions,
    RMSNorm,
    Rotary,
    RotaryLinear,
    UnpaddedEmbedding,
)
from lib.today.modernize import (
    LanguageConfig,
    LanguageModel,
    Leaves,
    leaves_of,
    modernize,
)
from lib.today.pretrained import read_pretrained, read_tokenizer

__all__ = [
    "ACTIVATIONS",
    "FeedForward",
    "GatedFeedForward",
    "GroupedQueryAttention",
    "LanguageConfig",
    "LanguageModel",
    "LearnedPositionalEncoding",
    "Leaves",
    "NoPositions",
    "RMSNorm",
    "Rotary",
    "RotaryLinear",
    "UnpaddedEmbedding",
    "leaves_of",
    "modernize",
    "read_pretrained",
    "read_tokenizer",
]
