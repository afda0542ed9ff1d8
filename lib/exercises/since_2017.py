"""The exercises of chapter 19: a cache, a gate, shared keys, rotary positions."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lib.exercises.record import Cases, Draw, case, exercise


def _bytes(layers: int, n_heads: int, kv_heads: int, d_model: int, tokens: int) -> int:
    return layers * 2 * kv_heads * (d_model // n_heads) * tokens * 2


@exercise("What one text costs, each text of a batch costs.", right=_bytes)
def cache_bytes(draw: Draw) -> Cases:
    """`cache_bytes(layers, n_heads, kv_heads, d_model, tokens)`, in 16 bits."""
    yield case(1, 1, 1, 1, 1, what="cache_bytes of one number")
    yield case(4, 4, 2, 64, 1, what="cache_bytes of this chapter's model")
    groups = draw.randint(1, 3)
    heads = groups * draw.randint(2, 4)
    d_model, tokens = heads * draw.randint(2, 9), draw.randint(5, 99)
    yield case(draw.randint(2, 9), heads, groups, d_model, tokens)


cache_bytes.slips = {
    "Keys are kept, and values too, and a number has two bytes: twice as much.": (
        lambda *sizes: _bytes(*sizes) // 2
    ),
    "Too many heads or numbers: kv_heads heads of d_model / n_heads are kept.": (
        lambda layers, n_heads, kv_heads, d_model, tokens: _bytes(
            layers, n_heads, n_heads, d_model, tokens
        )
    ),
    "A number of 16 bits has 2 bytes.": lambda *sizes: 8 * _bytes(*sizes),
    "A head has d_model / n_heads numbers, not d_model.": (
        lambda layers, n_heads, kv_heads, d_model, tokens: _bytes(
            layers, 1, kv_heads, d_model, tokens
        )
    ),
}


def _gated(x: Tensor, gate: Tensor, inner: Tensor, outer: Tensor) -> Tensor:
    return (F.silu(x @ gate.T) * (x @ inner.T)) @ outer.T


@exercise("Three matrices, each two thirds as wide: as many numbers.", right=_gated)
def gated(draw: Draw) -> Cases:
    """`gated(x, gate, inner, outer)`: a gated feed-forward of three matrices."""
    one, two = torch.eye(1), torch.full((1, 1), 2.0)
    yield case(torch.ones(1, 1), -one, two, one, what="gated of one number")
    rows, width, d_ff = 3, 2 * draw.randint(1, 3), 5
    matrices = [draw.normal(d_ff, width) for _ in range(2)]
    yield case(draw.normal(rows, width), *matrices, draw.normal(width, d_ff))


gated.slips = {
    "The gate is multiplied with the inner numbers, not added to them.": (
        lambda x, gate, inner, outer: (F.silu(x @ gate.T) + x @ inner.T) @ outer.T
    ),
    "The SiLU belongs to the gate, not to the inner numbers.": (
        lambda x, gate, inner, outer: _gated(x, inner, gate, outer)
    ),
    "SiLU is z · sigmoid(z); this takes the sigmoid alone.": (
        lambda x, gate, inner, outer: ((x @ gate.T).sigmoid() * (x @ inner.T)) @ outer.T
    ),
    "The SiLU is missing: the gate's numbers go through it first.": (
        lambda x, gate, inner, outer: ((x @ gate.T) * (x @ inner.T)) @ outer.T
    ),
}


def _share(keys: Tensor, n_heads: int) -> Tensor:
    return keys.repeat_interleave(n_heads // keys.size(1), dim=1)


@exercise("So heads of queries that are neighbors share their keys.", right=_share)
def share_keys(draw: Draw) -> Cases:
    """`share_keys(keys, n_heads)`: keys (B, G, T, d) for all heads (B, H, T, d)."""
    keys = torch.arange(4.0).view(1, 2, 2, 1)
    yield case(keys, 4, what="share_keys of 2 heads for 4")
    groups = draw.randint(2, 3)
    yield case(draw.normal(2, groups, 4, 2), groups * (5 - groups))


share_keys.slips = {
    "Neighbors share: heads 1 and 2 take the first keys, heads 3 and 4 the second. "
    "These take turns.": lambda keys, n_heads: keys.repeat(
        1, n_heads // keys.size(1), 1, 1
    ),
    "Copy heads (dimension 1), not tokens.": lambda keys, n_heads: (
        keys.repeat_interleave(n_heads // keys.size(1), dim=2)
    ),
    "Each head of keys is used n_heads / G times, not n_heads times.": (
        lambda keys, n_heads: keys.repeat_interleave(n_heads, dim=1)
    ),
}


def _rotary(
    x: Tensor, base: float, *, first: int = 0, power: float = 1, sign: int = 1
) -> Tensor:
    """Turn pairs across the halves; the options make what people get wrong."""
    length, width = x.shape
    speed = base ** (-torch.arange(0, width, 2) * power / width)  # (d / 2)
    angle = sign * torch.arange(first, first + length)[:, None] * speed
    (a, b), cos, sin = x.chunk(2, dim=-1), angle.cos(), angle.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def _neighbors(x: Tensor, base: float) -> Tensor:
    order = torch.arange(x.size(1)).view(-1, 2).T.flatten()
    return _rotary(x[:, order], base)[:, order.argsort()]


@exercise("Queries and keys go through it, values do not.", right=_rotary)
def rotary(draw: Draw) -> Cases:
    """`rotary(x, base)`: turn the pairs of x (T, d), across its halves."""
    ones = torch.tensor([[1.0, 0.0]]).expand(3, 2).clone()
    yield case(ones, 100.0, what="rotary of (1, 0), three times")
    numbered = torch.arange(8.0).view(2, 4)
    yield case(numbered, 100.0, what="rotary of the numbers 0 to 7")
    yield case(draw.normal(4, 2 * draw.randint(2, 4)), 10.0 * draw.randint(2, 9))


rotary.slips = {
    "Positions begin at 0: the first row stays as it is.": (
        lambda x, base: _rotary(x, base, first=1)
    ),
    "This turns backwards: the sign of the sine is wrong.": (
        lambda x, base: _rotary(x, base, sign=-1)
    ),
    "The pair i has the exponent 2i / d, as in chapter 2, not i / d.": (
        lambda x, base: _rotary(x, base, power=0.5)
    ),
    "This pairs neighbors: pair number i with number i + d / 2.": _neighbors,
}
