"""The checks of chapter 3: softmax, attention for one query, its scale, a look back."""

import math
from typing import Any

import torch

from lib.checks.core import (
    ATTENTION,
    SOFTMAX,
    as_tensor,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    expect_tensor,
    without,
)
from lib.checks.looks import expect_look_back
from lib.checks.shares import other_shares

__all__ = ["attend", "look_back", "softmax", "spread"]


@exercise(
    "3.1",
    praise="Only differences of scores count, so subtracting the largest is free.",
)
def softmax(answer: Any) -> None:
    """Check `softmax(x)`: shares along the last axis, for large scores too."""
    x = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    powers = x.exp()
    with without(
        "This calls PyTorch's own softmax: build it from .exp() and .sum().", SOFTMAX
    ):
        got = answer(x)
    expect_close(
        got,
        x.softmax(dim=-1),
        "softmax(x)",
        diagnoses=[
            (
                powers / powers.sum(),
                "This divides by the sum of the whole table: each row "
                "must sum to 1 on its own, so sum over dim=-1 with keepdim=True.",
            ),
            (
                x.softmax(dim=0),
                "The shares sum to 1 down the columns: one query is a row, "
                "so sum over the last axis, dim=-1.",
            ),
            (
                powers / powers.amax(dim=-1, keepdim=True),
                "Each row is divided by its "
                "largest power, so that the largest share is 1: divide by the sum.",
            ),
            (
                x / x.sum(dim=-1, keepdim=True),
                "The scores themselves are divided by "
                "their sum: take the exponential of each first.",
            ),
            (powers, "These are the powers of e, not yet divided by their sum."),
            (
                (x * math.log(2)).softmax(dim=-1),
                "These are shares of powers of 2: take powers of e, with .exp().",
            ),
        ],
    )
    large = torch.tensor([1000.0, 999.0, 0.0])
    expect_close(
        answer(large),
        large.softmax(dim=-1),
        "softmax of the scores [1000, 999, 0]",
        diagnoses=[
            (
                _has_nan,
                "Scores of 1000 give NaN, because e to the 1000 is infinite: "
                "subtract the row's largest score before exp.",
            ),
        ],
    )
    far_apart = torch.tensor([[1000.0, 999.0], [1.0, 0.0]])
    expect_close(
        answer(far_apart),
        far_apart.softmax(dim=-1),
        "softmax of a row of large scores above a row of small ones",
        diagnoses=[
            (
                _has_nan,
                "One row of large scores turned another row into NaN: subtract "
                "each row's own largest score, not that of the whole tensor.",
            ),
        ],
    )
    deep = torch.arange(24.0).reshape(2, 3, 4).cos()
    expect_close(answer(deep), deep.softmax(dim=-1), "softmax of a (2, 3, 4) tensor")


def _has_nan(got: Any) -> bool:
    return bool(torch.as_tensor(got).isnan().any())


@exercise(
    "3.2",
    praise="Stack many queries as rows, and this is the matrix form of the chapter.",
)
def attend(answer: Any) -> None:
    """Check `attend(query, keys, values)` for one query."""
    query = torch.tensor([1.0, 0.0, 2.0, -1.0])
    keys = torch.tensor(
        [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.5, 0.0, 1.0, 1.0]]
    )
    values = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, -1.0]])
    scores = keys @ query
    weights = (scores / 2).softmax(dim=-1)
    expected = weights @ values
    with without(
        "This hands the work to a ready-made attention: write the three steps "
        "yourself.",
        of_torch=ATTENTION,
        named=ATTENTION,
    ):
        got = as_tensor(answer(query, keys, values))
    expect_shape(
        got,
        (2,),
        "attend(query, keys, values)",
        diagnoses=[
            (
                (3,),
                "There is one number for each key, so these are the weights: mix the "
                "values with them, weights @ values.",
            ),
            ((3, 2), "These are the weighted values one by one: add them up."),
            (
                (4,),
                "The result is as wide as a key, so the keys were mixed: mix the "
                "values, weights @ values.",
            ),
            (
                (1, 2),
                "One query gives one output of shape (d_v): leave out the axis of "
                "size 1.",
            ),
        ],
    )
    expect_close(
        got,
        expected,
        "attend(query, keys, values)",
        diagnoses=[
            (
                scores.softmax(dim=-1) @ values,
                "The scores were not scaled: divide them "
                "by the square root of d_k before the softmax.",
            ),
            (
                (scores / 4).softmax(dim=-1) @ values,
                "This divides by d_k: divide by its square root.",
            ),
            (
                (scores / math.sqrt(3)).softmax(dim=-1) @ values,
                "This divides by the root "
                "of the number of keys: d_k is how many numbers one key has.",
            ),
            (
                (scores / math.sqrt(2)).softmax(dim=-1) @ values,
                "This divides by the root "
                "of the width of the values: d_k is how many numbers one key has.",
            ),
            (
                scores / 2 @ values,
                "The scores went straight into the mix: turn them into "
                "shares with a softmax first.",
            ),
            (
                scores.softmax(dim=-1) / 2 @ values,
                "The shares were divided by the root of d_k, and no longer sum to 1: "
                "divide the scores, before the softmax.",
            ),
            *other_shares(query, keys, values),
        ],
    )


@exercise(
    "3.3",
    praise="The length of both vectors counts, so vectors 3 times too long give scores "
    "9 times too large.",
)
def spread(answer: Any) -> None:
    """Check `spread(d_k, sigma)`, the standard deviation of a dot product."""
    expect_close(
        answer(64, 1.0),
        8.0,
        "spread(64, 1.0)",
        diagnoses=[
            (64.0, "64 is the variance: the standard deviation is its square root."),
            (
                1.0,
                "That is the spread after scaling: the question is about the unscaled "
                "dot product.",
            ),
            (0.125, "The spread grows with d_k: multiply by its root, do not divide."),
        ],
    )
    expect_close(
        answer(64, 3.0),
        72.0,
        "spread(64, 3.0)",
        diagnoses=[
            (24.0, "sigma counts twice, once for the query and once for the key."),
            (
                648.0,
                "The variance of one product is sigma to the 4th, so its root has "
                "sigma squared.",
            ),
            (8.0, "Larger numbers give larger dot products: sigma must come in."),
        ],
    )
    expect_close(answer(16, 0.5), 1.0, "spread(16, 0.5)")


@exercise(
    "3.4",
    praise="Queries that are keys of other positions, made long, can move attention "
    "anywhere.",
)
def look_back(answer: Any) -> None:
    """Check `look_back(length)`: each position looks at the one before it."""
    for length in (5, 2, 30):
        pair = answer(length)
        expect(
            isinstance(pair, tuple | list) and len(pair) == 2,
            f"look_back({length}) should return the pair (queries, keys).",
        )
        queries, keys = (as_tensor(rows) for rows in pair)
        for rows, name in ((queries, "queries"), (keys, "keys")):
            expect_tensor(rows, name)
            expect(
                rows.dim() == 2 and rows.size(0) == length,
                f"The {name} should have one row for each of the {length} positions, "
                f"but their shape is {tuple(rows.shape)}.",
            )
        expect_equal(queries.size(1), keys.size(1), "the width of the queries")
        expect_look_back(queries.float(), keys.float())
