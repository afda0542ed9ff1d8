"""Pieces: whether a model is still made as its config says, so that a shortcut may go.

The cache of chapter 12 and the packing of chapter 15 compute what the model computes,
in an order of their own. Whoever changes a piece, or puts a hook on it, wants the
change to be seen; so such a model goes the long way.
"""

from __future__ import annotations

import functools
from types import FunctionType, ModuleType
from typing import TypeVar

import torch
from torch import Tensor, nn

from lib import attention, layers, model, positions
from lib.config import TransformerConfig
from lib.model import Transformer
from lib.speed import fused

__all__ = ["are_unchanged"]

Value = TypeVar("Value")

_PLAIN: dict[type, type] = {
    fused.FusedAttention: attention.MultiHeadAttention,
    fused.FusedDropout: nn.Dropout,
    fused.FusedLayerNorm: layers.LayerNorm,
}


def _functions(owner: type | ModuleType) -> dict[str, FunctionType]:
    return {
        name: value
        for name, value in vars(owner).items()
        if isinstance(value, FunctionType)
    }


_MODULES = (attention, fused, layers, model, positions)
_CLASSES = {
    value
    for module in _MODULES
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, nn.Module)
}
# What stood there when the book was imported.
_OWNERS: tuple[type | ModuleType, ...] = (*_MODULES, *_CLASSES)
_AS_WRITTEN = {owner: _functions(owner) for owner in _OWNERS}
_METHODS = frozenset().union(*map(_functions, _CLASSES))


def are_unchanged(whole: Transformer, *names: str) -> bool:
    """Tell whether parts of a model are as the book builds them, without hooks.

    Its fused twins count as unchanged. A method that was written over, in a class or
    in one piece alone, is a change; so are other pieces, and weights of other shapes.

    Args:
        whole: the Transformer.
        names: the parts to look at, as ``"decoder"``; without any, everything.

    Example:
        >>> sizes = TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16)
        >>> transformer = Transformer(sizes)
        >>> are_unchanged(transformer)
        True
        >>> _ = transformer.encoder.register_forward_hook(print)
        >>> are_unchanged(transformer), are_unchanged(transformer, "decoder")
        (False, True)

    Built in chapter 12.
    """
    # Whoever tries something in a notebook may write over a method of a class. New
    # names do not matter: torch.compile leaves some in the modules.
    for owner, functions in _AS_WRITTEN.items():
        if not functions.items() <= vars(owner).items():
            return False
    kinds, shapes = _plan(whole.config)
    parts = dict(whole.named_modules())
    mine = {name: _PLAIN.get(type(part), type(part)) for name, part in parts.items()}
    return (
        _under(names, mine) == _under(names, kinds)
        and _under(names, _shapes(whole)) == _under(names, shapes)
        and not any(map(_is_touched, _under(names, parts).values()))
    )


@functools.cache
def _plan(
    config: TransformerConfig,
) -> tuple[dict[str, type], dict[str, torch.Size]]:
    """Return what the book builds for these sizes: each piece, and each shape."""
    with torch.device("meta"):  # no numbers, only shapes
        built = Transformer(config)
    return {name: type(part) for name, part in built.named_modules()}, _shapes(built)


def _shapes(whole: Transformer) -> dict[str, torch.Size]:
    tensors: list[tuple[str, Tensor]] = list(whole.named_parameters())
    return {name: each.shape for name, each in [*tensors, *whole.named_buffers()]}


def _under(names: tuple[str, ...], found: dict[str, Value]) -> dict[str, Value]:
    if not names:
        return found
    return {name: each for name, each in found.items() if name.split(".")[0] in names}


def _is_touched(part: nn.Module) -> bool:
    """Tell whether a piece has a hook, is compiled, or has a method of its own."""
    return bool(
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
        or part._compiled_call_impl
        or not _METHODS.isdisjoint(vars(part))
    )
