"""Five small models for exercise 4.5; some of them look ahead."""

from collections.abc import Callable

import torch
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from lib.masks import causal_mask

__all__ = ["suspects"]

Model = Callable[[Tensor], Tensor]


def suspects() -> dict[str, Model]:
    """Build five models for exercise 4.5, "A" to "E"; some of them look ahead.

    Returns:
        A dictionary from a name to a function of token ids, which go from 0 to 19.

    Shape:
        - Token ids: :math:`(B, T)`.
        - Output: :math:`(B, T, 8)`.
    """
    models = (_with_gap, _one_ahead, _centered, _with_running_sum, _built_for_eight)
    return dict(zip("ABCDE", models, strict=True))


def _attend(ids: Tensor, mask: Tensor) -> Tensor:
    """Random vectors for the tokens, which look at one another once."""
    table = torch.randn(20, 8, generator=torch.Generator().manual_seed(4))
    x = table[ids]  # (B, T, 8)
    return scaled_dot_product_attention(x, x, x, mask)[0]


def _with_gap(ids: Tensor) -> Tensor:
    """A: honest, though its window has a gap."""
    past = causal_mask(ids.size(1))
    return _attend(ids, past & (past.triu(-2) | past.tril(-5)))


def _one_ahead(ids: Tensor) -> Tensor:
    """B: sees the next token."""
    return _attend(ids, causal_mask(ids.size(1) + 1)[1:, :-1])


def _centered(ids: Tensor) -> Tensor:
    """C: the mask is right, but the mean over all positions is subtracted."""
    output = _attend(ids, causal_mask(ids.size(1)))
    return output - output.mean(dim=1, keepdim=True)


def _with_running_sum(ids: Tensor) -> Tensor:
    """D: honest, though it mixes positions outside of attention."""
    output = _attend(ids, causal_mask(ids.size(1)))
    return output + output.cumsum(dim=1)


def _built_for_eight(ids: Tensor) -> Tensor:
    """E: the mask was built for eight tokens; later ones see everything."""
    length = ids.size(1)
    mask = torch.ones(length, length, dtype=torch.bool)
    mask[:8] = causal_mask(length)[:8]
    return _attend(ids, mask)
