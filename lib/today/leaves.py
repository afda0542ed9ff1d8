"""Leaves: pieces of a model that others take the place of, for the same calls.

The model that its owner holds stays as it is; a copy that shares its weights computes.
Whatever a reader changes in a model is seen there: a piece of a class of one's own, a
hook, a method that was set on one piece, another number of heads, a compiled piece.
What is **not** seen is a function that was written over for all: `LayerNorm.forward`,
`lib.attention.scaled_dot_product_attention` or `torch.Tensor.softmax`, say. A leaf does
not call it. A hook on all modules at once gets no attention weights either. Make a
subclass instead, or call the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from torch import nn

AnyModule = TypeVar("AnyModule", bound=nn.Module)


def replace_leaves(
    model: AnyModule, table: Mapping[type[nn.Module], Callable[..., nn.Module]]
) -> AnyModule:
    """Copy a model, but not its weights, with other leaves in place of its own.

    Args:
        model: any module; it stays as it is.
        table: which class takes the place of which, with the same weights; or a
            function that makes a new piece out of the old one. Only a piece of exactly
            this class is replaced, and only if it has no hook, no method of its own,
            and was not compiled: whoever made a variant wants it kept.

    Returns:
        The copy, whose weights are those of the model, but for new pieces.

    Example:
        >>> class Quiet(nn.Dropout):
        ...     pass
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1))
        >>> copied = replace_leaves(model, {nn.Dropout: Quiet})
        >>> type(copied[1]).__name__, copied[0].weight is model[0].weight
        ('Quiet', True)
    """
    if _has_own_method(model):  # it knows this very object, and stays it
        return model
    kind = type(model) if _has_hook(model) else table.get(type(model), type(model))
    if not isinstance(kind, type):  # it makes a new piece
        return kind(model)  # type: ignore[return-value]
    copied: AnyModule = kind.__new__(kind)  # type: ignore[call-overload]
    copied.__dict__.update(vars(model))  # the very weights, hooks and settings
    copied._modules = {
        name: part and replace_leaves(part, table)
        for name, part in model._modules.items()
    }
    return copied


def is_touched(part: nn.Module) -> bool:
    """Tell whether a piece has a hook or a method of its own, or was compiled.

    Args:
        part: any module; what is in it is not looked at.

    Example:
        >>> part = nn.Linear(2, 2)
        >>> is_touched(part)
        False
        >>> _ = part.register_forward_hook(print)
        >>> is_touched(part)
        True
    """
    return _has_hook(part) or _has_own_method(part)


def _has_hook(part: nn.Module) -> bool:
    return bool(
        part._forward_hooks
        or part._forward_pre_hooks
        or part._backward_hooks
        or part._backward_pre_hooks
    )


def _has_own_method(part: nn.Module) -> bool:
    """Tell whether one object has a method that its class does not have so."""
    # What PyTorch compiled is such a method too.
    return any(callable(v) and hasattr(type(part), k) for k, v in vars(part).items())
