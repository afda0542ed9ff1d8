"""The exercises of chapter 3: softmax, attention for one query, its scale."""

import math
from typing import Any

import torch
from torch import Tensor

from lib.exercises.calls import ATTENTION, SOFTMAX
from lib.exercises.forms import pair
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise


@exercise(
    "Only differences of scores count, so subtracting the largest is free.",
    right=lambda x: x.softmax(dim=-1),
    without=Without(
        "This calls PyTorch's own softmax: build it from .exp() and .sum().",
        like=lambda x: x.log_softmax(dim=-1).exp(),
        of_torch=SOFTMAX,
    ),
)
def softmax(draw: Draw) -> Cases:
    """`softmax(x)`: shares along the last axis, for large scores too."""
    yield case(torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]]))
    large = torch.tensor([1000.0, 999.0, 0.0])
    yield case(large, what="softmax of the scores [1000, 999, 0]")
    mixed = torch.tensor([[1000.0, 999.0], [1.0, 0.0]])
    yield case(mixed, what="softmax of a row of large scores above a row of small ones")
    yield case(draw.normal(2, 3, 4), what="softmax of a (2, 3, 4) tensor")
    shape = [draw.randint(1, 4) for _ in range(draw.randint(0, 3))]
    yield case(draw.normal(*shape, 5))
    yield case(1000 * draw.normal(3, 4))


softmax.slips = {
    "This divides by the sum of the whole table: each row must sum to 1 on its own, so "
    "sum over dim=-1 with keepdim=True.": lambda x: x.exp() / x.exp().sum(),
    "The shares sum to 1 down the columns: one query is a row, so sum over the last "
    "axis, dim=-1.": lambda x: x.softmax(dim=0),
    "These are the powers of e, not yet divided by their sum.": lambda x: x.exp(),
    "Scores of 1000 give NaN, because e to the 1000 is infinite: subtract the row's "
    "largest score before exp.": lambda x: x.exp() / x.exp().sum(-1, True),
    "One row of large scores turned another row into NaN: subtract each row's own "
    "largest score, not that of the whole tensor.": (
        lambda x: (x - x.max()).exp() / (x - x.max()).exp().sum(-1, True)
    ),
}


def _attend(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return (keys @ query / math.sqrt(query.size(0))).softmax(dim=0) @ values


@exercise(
    "Stack many queries as rows, and this is the matrix form of the chapter.",
    right=_attend,
    without=Without(
        "This hands the work to a ready-made attention: write the three steps "
        "yourself.",
        like=lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(
            q[None], k, v
        ),
        of_torch=ATTENTION,
        named=ATTENTION,
    ),
)
def attend(draw: Draw) -> Cases:
    """`attend(query, keys, values)`: attention for one query."""
    for d_k, length, d_v in (
        (4, 3, 2),  # three sizes, so that no two slips give the same
        (draw.randint(3, 9), draw.randint(2, 7), draw.randint(1, 6)),
    ):
        yield case(draw.normal(d_k), draw.normal(length, d_k), draw.normal(length, d_v))


attend.slips = {
    "There is one number for each key, a score or a weight: mix the values with the "
    "weights, weights @ values.": lambda q, k, v: (k @ q / 2).softmax(0),
    "The result is as wide as a key, so the keys were mixed: mix the values, "
    "weights @ values.": lambda q, k, v: (k @ q / 2).softmax(0) @ k,
    "The scores were not scaled: divide them by the square root of d_k before the "
    "softmax.": lambda q, k, v: (k @ q).softmax(0) @ v,
    "This divides by d_k: divide by its square root.": (
        lambda q, k, v: (k @ q / len(q)).softmax(0) @ v
    ),
    "The scores went straight into the mix: turn them into shares with a softmax "
    "first.": lambda q, k, v: k @ q / len(q) ** 0.5 @ v,
}


@exercise(
    "The length of both vectors counts, so vectors 3 times too long give scores 9 "
    "times too large.",
    right=lambda d_k, sigma: math.sqrt(d_k) * sigma**2,
)
def spread(draw: Draw) -> Cases:
    """`spread(d_k, sigma)`: the standard deviation of a dot product."""
    yield case(64, 1.0)
    yield case(64, 3.0)
    yield case(draw.randint(2, 900), draw.uniform(0.2, 4.0))


spread.slips = {
    "64 is the variance: the standard deviation is its square root.": (
        lambda d_k, sigma: d_k * sigma**4
    ),
    "That is the spread after scaling: the question is about the unscaled dot "
    "product.": lambda d_k, sigma: sigma**2,
    "sigma counts twice, once for the query and once for the key.": (
        lambda d_k, sigma: math.sqrt(d_k) * sigma
    ),
    "Larger numbers give larger dot products: sigma must come in.": (
        lambda d_k, sigma: math.sqrt(d_k)
    ),
}


def _looking(places: Any, sharpness: float = 20.0) -> Any:
    """An answer whose queries are the keys of these places, made long."""

    def answer(length: int) -> tuple[Tensor, Tensor]:
        keys = torch.eye(length)
        sharp = sharpness * math.sqrt(length)
        return sharp * keys[places(torch.arange(length))], keys

    return answer


def _looked_at(answer: Any, length: int) -> Any:
    """Which position each one looks at, with a weight of at least 0.99."""
    queries, keys = (torch.as_tensor(rows).float() for rows in answer(length))
    weights = (queries @ keys.T / math.sqrt(keys.size(1))).softmax(dim=-1)
    seen = [_place(row) for row in weights]
    later = f"What the positions from 1 to {length - 1} look at"
    return Parts({later: seen[1:], "What the first position looks at": seen[0]})


def _place(weights: Tensor) -> int | str:
    if weights.isnan().any():
        return "NaN"
    if weights.max() - weights.min() < 1e-4:
        return "all alike"
    place = int(weights.argmax())
    return place if weights[place] >= 0.99 else f"{place}, but not clearly enough"


_look_back = _looking(lambda t: (t - 1).clamp(min=0))


@exercise(
    "Queries that are keys of other positions, made long, can move attention anywhere.",
    right=_look_back,
    form=pair("the pair (queries, keys)"),
)
def look_back(draw: Draw) -> Cases:
    """`look_back(length)`: each position looks at the one before it."""
    for length in (5, 2, draw.randint(6, 40)):
        yield case(length, use=_looked_at)


look_back.slips = {
    "Each position prefers the one before it, but not clearly enough: make the queries "
    "longer (the scores are divided by the root of their width).": (
        _looking(lambda t: (t - 1).clamp(min=0), sharpness=2.0)
    ),
    "Each position looks at the one after it: query t must be the key of t − 1, not of "
    "t + 1 (or queries and keys are exchanged).": [
        _looking(lambda t: (t + 1).clamp(max=len(t) - 1)),
        lambda length: _look_back(length)[::-1],
    ],
    "Each position looks at itself: shift the keys by one row to get the queries.": (
        _looking(lambda t: t)
    ),
    "The first position looks at all alike, because its scores are equal: nothing "
    "stands before it, so give it the query that finds its own key.": lambda length: (
        _look_back(length)[0] * (torch.arange(length) > 0)[:, None],
        torch.eye(length),
    ),
    "The first position looks at the last one: nothing stands before it, so it shall "
    "look at itself.": _looking(lambda t: (t - 1) % len(t)),
}
