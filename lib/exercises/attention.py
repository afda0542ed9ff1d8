"""The exercises of chapter 3: softmax, attention for one query, its scale."""

import math
from typing import Any

import torch
from torch import Tensor

from lib.exercises.calls import ATTENTION, SOFTMAX
from lib.exercises.forms import pair
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise


def _scores(draw: Draw) -> Cases:
    yield case(torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]]))
    large = torch.tensor([1000.0, 999.0, 0.0])
    yield case(large, what="softmax of the scores [1000, 999, 0]")
    mixed = torch.tensor([[1000.0, 999.0], [1.0, 0.0]])
    yield case(mixed, what="softmax of a row of large scores above a row of small ones")
    yield case(draw.normal(2, 3, 4), what="softmax of a (2, 3, 4) tensor")
    yield case(1000 * draw.normal(3, 4))


@exercise(
    _scores,
    without=Without(
        "This calls PyTorch's own softmax: build it from .exp() and .sum().",
        like=lambda x: x.log_softmax(dim=-1).exp(),
        of_torch=SOFTMAX,
    ),
)
def softmax(x: Tensor) -> Tensor:
    """Shares along the last axis, for large scores too."""
    powers = (x - x.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def _keys_and_values(draw: Draw) -> Cases:
    for d_k, length, d_v in (
        (4, 3, 2),  # three sizes, so that no two slips give the same
        (7, 5, 3),
    ):
        yield case(draw.normal(d_k), draw.normal(length, d_k), draw.normal(length, d_v))


@exercise(
    _keys_and_values,
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
def attend(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention for one query (d_k)."""
    scores = keys @ query / math.sqrt(query.size(0))  # (S)
    weights = scores.softmax(dim=-1)  # (S)
    return weights @ values  # (d_v)


@exercise(
    lambda draw: [
        (64, 1.0),
        (64, 3.0),
        (draw.randint(2, 900), draw.uniform(0.2, 4.0)),
    ]
)
def spread(d_k: int, sigma: float) -> float:
    """The standard deviation of a dot product."""
    return math.sqrt(d_k) * sigma**2


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


@exercise(
    lambda draw: [
        case(length, use=_looked_at) for length in (5, 2, draw.randint(6, 40))
    ],
    form=pair("the pair (queries, keys)"),
)
def look_back(length: int) -> tuple[Tensor, Tensor]:
    """Each position looks at the one before it."""
    keys, before = torch.eye(length), torch.arange(length) - 1
    sharpness = 20 * math.sqrt(length)  # undoes the scale
    return sharpness * keys[before.clamp(min=0)], keys
