"""Pieces: which modules are the book's own, unchanged, so that a shortcut may be taken.

The cache of chapter 12 and the packing of chapter 15 compute what the model computes,
in an order of their own. Whoever changes a piece, or puts a hook on it, wants the
change to be seen; so such a model goes the long way.
"""

from __future__ import annotations

from types import FunctionType, ModuleType

from torch import nn

from lib import attention, layers, model, positions
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
_SUBLAYERS = (MultiHeadAttention, PositionwiseFeedForward, Residual)


def _functions(owner: type | ModuleType) -> dict[str, FunctionType]:
    return {
        name: value
        for name, value in vars(owner).items()
        if isinstance(value, FunctionType)
    }


_AS_WRITTEN = {
    owner: _functions(owner) for owner in (*_OWN, attention, layers, model, positions)
}
_METHODS = frozenset().union(*map(_functions, _OWN))


def are_unchanged(*modules: nn.Module) -> bool:
    """Tell whether modules are made of the book's own pieces alone, without hooks.

    A piece counts as changed, too, if a method is exchanged, in its class or in it
    alone, or if it holds something else than what it was built with.

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
    # Whoever tries something in a notebook may write over a method of a class.
    for owner, functions in _AS_WRITTEN.items():
        # New names do not matter: torch.compile leaves some in the modules.
        if not functions.items() <= vars(owner).items():
            return False
    return all(
        type(part) in _OWN
        and not _has_hooks(part)
        and _METHODS.isdisjoint(vars(part))
        and _holds_what_it_should(part)
        for module in modules
        for part in module.modules()
    )


def _has_hooks(part: nn.Module) -> bool:
    return bool(
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
        or part._compiled_call_impl
    )


def _holds_what_it_should(part: nn.Module) -> bool:
    """Tell whether a shortcut finds what it reads in a piece without calling it."""
    match part:
        case nn.Linear() | LayerNorm() | nn.Dropout():  # most are
            return True
        case Residual():
            return isinstance(part.dropout, (nn.Dropout, nn.Identity))
        case MultiHeadAttention():
            return all(_is_linear(child, square=True) for child in part.children())
        case PositionwiseFeedForward():
            return all(_is_linear(child) for child in part.children())
        case EncoderLayer() | DecoderLayer():
            return all(isinstance(child, _SUBLAYERS) for child in part.children())
        case Encoder():
            return all(isinstance(layer, EncoderLayer) for layer in part.layers)
        case Decoder():
            return all(isinstance(layer, DecoderLayer) for layer in part.layers)
        case Transformer():
            return isinstance(part.positions, PositionalEncoding)
    return True


def _is_linear(part: nn.Module, square: bool = False) -> bool:
    return (
        isinstance(part, nn.Linear)
        and part.bias is not None
        and (not square or part.in_features == part.out_features)
    )
