"""The exercises of chapter 19: a cache, a gate, shared keys, rotary positions."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.record import Cases, Draw, case, exercise


def _sizes(draw: Draw) -> Cases:
    yield case(1, 1, 1, 1, 1, what="cache_bytes of one number")
    yield case(4, 4, 2, 64, 1, what="cache_bytes of this chapter's model")
    yield case(draw.randint(2, 9), 6, 2, 6 * draw.randint(2, 9), draw.randint(5, 99))


@exercise(_sizes)
def cache_bytes(
    layers: int, n_heads: int, kv_heads: int, d_model: int, tokens: int
) -> int:
    """The bytes of keys and values, in 16 bits."""
    return layers * 2 * kv_heads * (d_model // n_heads) * tokens * 2


def _matrices(draw: Draw) -> Cases:
    one, two = torch.eye(1), torch.full((1, 1), 2.0)
    yield case(torch.ones(1, 1), -one, two, one, what="gated of one number")
    gate, inner, outer = draw.normal(5, 4), draw.normal(5, 4), draw.normal(4, 5)
    yield case(draw.normal(3, 4), gate, inner, outer)


@exercise(_matrices)
def gated(x: Tensor, gate: Tensor, inner: Tensor, outer: Tensor) -> Tensor:
    """A gated feed-forward of three matrices."""
    return (F.silu(x @ gate.T) * (x @ inner.T)) @ outer.T


def _keys(draw: Draw) -> list[Any]:
    keys = torch.arange(4.0).view(1, 2, 2, 1)
    drawn = draw.normal(2, 3, 4, 2), 6
    return [case(keys, 4, what="share_keys of 2 heads for 4"), drawn]


@exercise(_keys)
def share_keys(keys: Tensor, n_heads: int) -> Tensor:
    """Keys (B, G, T, d) for all heads (B, H, T, d)."""
    return keys.repeat_interleave(n_heads // keys.size(1), dim=1)


def _pairs(draw: Draw) -> Cases:
    ones = torch.tensor([[1.0, 0.0]]).expand(3, 2).clone()
    yield case(ones, 100.0, what="rotary of (1, 0), three times")
    numbered = torch.arange(8.0).view(2, 4)
    yield case(numbered, 100.0, what="rotary of the numbers 0 to 7")
    yield case(draw.normal(4, 6), 10.0 * draw.randint(2, 9))


@exercise(_pairs)
def rotary(x: Tensor, base: float) -> Tensor:
    """Turn the pairs of x (T, d), across its halves."""
    length, width = x.shape
    speed = base ** (-torch.arange(0, width, 2) / width)  # (d / 2)
    angle = torch.arange(length)[:, None] * speed
    (a, b), cos, sin = x.chunk(2, dim=-1), angle.cos(), angle.sin()
    turned = a * cos - b * sin, a * sin + b * cos
    return torch.cat(turned, dim=-1)
