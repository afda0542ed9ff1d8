"""Guard: what a reader may have changed, so that no twin hides it.

A twin gives the numbers of the code that it was written for. Whoever overwrites that
code, or watches a piece with a hook, wants the change to be seen; so the twins ask here
first, and such a model goes the plain way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from types import BuiltinFunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.modules import module as torch_module

from lib import attention, layers, masks, model, positions
from lib.config import TransformerConfig
from lib.model import Transformer

_LIB = (attention, layers, masks, model, positions)
_PYTORCH = (nn.Module, nn.Linear, nn.Embedding, nn.Dropout, nn.ModuleList, nn.Identity)

_PIECES = {
    piece
    for module in _LIB
    for piece in vars(module).values()
    if isinstance(piece, type) and issubclass(piece, nn.Module)
}


def _functions(owner: type | ModuleType) -> dict[str, Callable[..., Any]]:
    functions = {name: each for name, each in vars(owner).items() if callable(each)}
    if owner is torch:  # the operations alone: tools wrap others, as torch.manual_seed
        return {
            k: v for k, v in functions.items() if isinstance(v, BuiltinFunctionType)
        }
    return functions


_OWNERS: tuple[type | ModuleType, ...]
_OWNERS = (*_LIB, *_PIECES, *_PYTORCH, F, torch, torch.Tensor)
# What stood there when the book was imported.
_AS_WRITTEN: dict[type | ModuleType, Mapping[str, Any]] = {
    owner: _functions(owner) for owner in _OWNERS
}


def overwritten() -> str | None:
    """Name a function or method, the book's or PyTorch's, that was written over.

    Returns:
        Its name; None where all is as it was when ``lib`` was imported.
    """
    for owner, functions in _AS_WRITTEN.items():
        now = vars(owner)
        for name, function in functions.items():
            if now.get(name) is not function:
                return f"{owner.__name__}.{name}"
    # Much of Tensor is inherited: what is written over there appears as a new name.
    shadowing = vars(torch.Tensor).keys() - _AS_WRITTEN[torch.Tensor].keys()
    for name in shadowing & vars(torch._C.TensorBase).keys():
        if callable(vars(torch.Tensor)[name]):
            return f"Tensor.{name}"
    return None


def changed_part(whole: Transformer, *names: str) -> str | None:
    """Name a part of a Transformer that is not as its config builds it.

    Another number of heads or inner width is no change: twins read them from the
    pieces.

    Args:
        whole: the Transformer.
        names: the parts to look at, as "decoder"; without any, everything.

    Returns:
        What is changed, in words; None where nothing is.

    Example:
        >>> from lib.config import TransformerConfig
        >>> sizes = TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16)
        >>> transformer = Transformer(sizes)
        >>> changed_part(transformer)
        >>> _ = transformer.encoder.register_forward_hook(print)
        >>> changed_part(transformer)
        'encoder has a hook, is compiled, or has a method of its own'
        >>> changed_part(transformer, "decoder")
    """
    if any(map(_is_foreign, _hooks_of_all())):
        return "a hook watches all modules"
    kinds, weights = _plan(whole.config)
    parts = dict(whole.named_modules())
    for name in kinds.keys() | parts.keys():
        if names and name.split(".")[0] not in names:
            continue
        title = name or "the model"
        if type(parts.get(name)) is not kinds.get(name):
            return f"{title} is not what the book builds there"
        if _is_touched(parts[name]):
            return f"{title} has a hook, is compiled, or has a method of its own"
    return None if whole.state_dict().keys() == weights else "a weight is missing"


@functools.cache
def _plan(config: TransformerConfig) -> tuple[dict[str, type], frozenset[str]]:
    """Return what the book builds for these sizes: the kind of each part, the names."""
    with torch.device("meta"):  # no numbers
        built = Transformer(config)
    kinds = {name: type(part) for name, part in built.named_modules()}
    return kinds, frozenset(built.state_dict())


def _is_touched(part: nn.Module) -> bool:
    """Tell whether a piece has a hook, is compiled, or has a method of its own."""
    return bool(
        any(_hooks(part))
        or part._compiled_call_impl
        or any(callable(v) and hasattr(type(part), k) for k, v in vars(part).items())
    )


def _hooks(part: nn.Module) -> Iterator[Mapping[int, Any]]:
    yield part._forward_hooks
    yield part._forward_pre_hooks
    yield part._backward_hooks
    yield part._backward_pre_hooks


def _hooks_of_all() -> Iterator[Callable[..., Any]]:
    return chain(
        torch_module._global_forward_hooks.values(),
        torch_module._global_forward_pre_hooks.values(),
        torch_module._global_backward_hooks.values(),
        torch_module._global_backward_pre_hooks.values(),
    )


def _is_foreign(hook: Callable[..., Any]) -> bool:
    # PyTorch's own, as those of its counter of operations, change nothing.
    return not (getattr(hook, "__module__", None) or "").startswith("torch.")
