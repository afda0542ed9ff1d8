"""Pieces: which modules are the book's own, unchanged, so that a shortcut may be taken.

The cache of chapter 12 and the packing of chapter 15 compute what the model computes,
in an order of their own. Whoever changes a piece, or puts a hook on it, wants the
change to be seen; so such a model goes the long way.
"""

from __future__ import annotations

from torch import nn

from lib.attention import MultiHeadAttention
from lib.fused import FusedAttention, FusedDropout, FusedLayerNorm
from lib.layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    PositionwiseFeedForward,
    Residual,
    TokenEmbedding,
)
from lib.model import Decoder, Encoder, Transformer
from lib.positions import PositionalEncoding

__all__ = ["are_unchanged"]

_OWN = (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    FusedAttention,
    FusedDropout,
    FusedLayerNorm,
    LayerNorm,
    MultiHeadAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    Residual,
    TokenEmbedding,
    Transformer,
    nn.Dropout,
    nn.Embedding,
    nn.Identity,
    nn.Linear,
    nn.ModuleList,
    nn.ReLU,
)


def are_unchanged(*modules: nn.Module) -> bool:
    """Tell whether modules are made of the book's own pieces alone, without hooks.

    Args:
        modules: any modules; all that they hold is looked at too.

    Example:
        >>> attention = MultiHeadAttention(d_model=4, n_heads=2)
        >>> are_unchanged(attention)
        True
        >>> _ = attention.register_forward_hook(print)
        >>> are_unchanged(attention)
        False

    Built in chapter 12.
    """
    return all(
        type(part) in _OWN
        and not part._forward_hooks
        and not part._forward_pre_hooks
        and part._compiled_call_impl is None
        for module in modules
        for part in module.modules()
    )
