"""The checks of chapter 3: softmax, attention for one query, its scale, a look back."""

import math
from typing import Any

import torch
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from lib.checks import expect
from lib.checks.calls import ATTENTION, SOFTMAX, without
from lib.checks.core import exercise
from lib.checks.guard import CheckFailed

__all__ = ["attend", "look_back", "softmax", "spread"]


@exercise(
    "3.1",
    praise="Only differences of scores count, so subtracting the largest is free.",
)
def softmax(answer: Any) -> None:
    """Check `softmax(x)`: shares along the last axis, for large scores too."""
    x = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])
    powers = x.exp()
    forbidden = "This calls PyTorch's own softmax: build it from .exp() and .sum()."
    with without(forbidden, SOFTMAX):
        got = answer(x)
    slips: expect.Slips = {
        "This divides by the sum of the whole table: each row must sum to 1 on its "
        "own, so sum over dim=-1 with keepdim=True.": powers / powers.sum(),
        "The shares sum to 1 down the columns: one query is a row, so sum over the "
        "last axis, dim=-1.": x.softmax(dim=0),
        "Each row is divided by its largest power, so that the largest share is 1: "
        "divide by the sum.": powers / powers.amax(dim=-1, keepdim=True),
        "The scores themselves are divided by their sum: take the exponential of each "
        "first.": x / x.sum(dim=-1, keepdim=True),
        "These are the powers of e, not yet divided by their sum.": powers,
        "These are shares of powers of 2: take powers of e, with .exp().": (
            (x * math.log(2)).softmax(dim=-1)
        ),
    }
    expect.close(got, x.softmax(dim=-1), "softmax(x)", slips)
    large = torch.tensor([1000.0, 999.0, 0.0])
    what = "softmax of the scores [1000, 999, 0]"
    slips = {
        "Scores of 1000 give NaN, because e to the 1000 is infinite: subtract the "
        "row's largest score before exp.": _has_nan
    }
    expect.close(answer(large), large.softmax(dim=-1), what, slips)
    mixed = torch.tensor([[1000.0, 999.0], [1.0, 0.0]])
    what = "softmax of a row of large scores above a row of small ones"
    slips = {
        "One row of large scores turned another row into NaN: subtract each row's own "
        "largest score, not that of the whole tensor.": _has_nan
    }
    expect.close(answer(mixed), mixed.softmax(dim=-1), what, slips)
    deep = torch.arange(24.0).reshape(2, 3, 4).cos()
    expect.close(answer(deep), deep.softmax(dim=-1), "softmax of a (2, 3, 4) tensor")


def _has_nan(got: Any) -> bool:
    return bool(torch.as_tensor(got).isnan().any())


@exercise(
    "3.2",
    praise="Stack many queries as rows, and this is the matrix form of the chapter.",
)
def attend(answer: Any) -> None:
    """Check `attend(query, keys, values)`: attention for one query."""
    query = torch.tensor([1.0, 0.0, 2.0, -1.0])
    keys = torch.tensor(
        [[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.5, 0.0, 1.0, 1.0]]
    )
    values = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, -1.0]])
    scores = keys @ query
    right = (scores / 2).softmax(dim=-1) @ values
    forbidden = (
        "This hands the work to a ready-made attention: write the three steps yourself."
    )
    with without(forbidden, of_torch=ATTENTION, named=ATTENTION):
        got = expect.as_tensor(answer(query, keys, values))
    slips: expect.Slips = {
        "There is one number for each key, so these are the weights: mix the values "
        "with them, weights @ values.": (3,),
        "These are the weighted values one by one: add them up.": (3, 2),
        "The result is as wide as a key, so the keys were mixed: mix the values, "
        "weights @ values.": (4,),
        "One query gives one output of shape (d_v): leave out the axis of size 1.": (
            (1, 2)
        ),
    }
    expect.shape(got, (2,), "attend(query, keys, values)", slips)
    slips = {
        "The scores were not scaled: divide them by the square root of d_k before the "
        "softmax.": scores.softmax(dim=-1) @ values,
        "This divides by d_k: divide by its square root.": (
            (scores / 4).softmax(dim=-1) @ values
        ),
        "This divides by the root of the number of keys: d_k is how many numbers one "
        "key has.": (scores / math.sqrt(3)).softmax(dim=-1) @ values,
        "This divides by the root of the width of the values: d_k is how many numbers "
        "one key has.": (scores / math.sqrt(2)).softmax(dim=-1) @ values,
        "The scores went straight into the mix: turn them into shares with a softmax "
        "first.": scores / 2 @ values,
        "The shares were divided by the root of d_k, and no longer sum to 1: divide "
        "the scores, before the softmax.": scores.softmax(dim=-1) / 2 @ values,
        **_other_shares(query, keys, values),
    }
    expect.close(got, right, "attend(query, keys, values)", slips)


def _other_shares(query: Tensor, keys: Tensor, values: Tensor) -> expect.Slips:
    """Outputs whose shares were found in another way than by the scaled softmax."""
    scores = keys @ query
    cosines = torch.cosine_similarity(keys, query.unsqueeze(0))
    sigmoids = [f.sigmoid() for f in (scores / 2, scores)]
    sigmoids += [s / s.sum() for s in sigmoids]
    return {
        "The scores were multiplied by the root of d_k: divide by it.": (
            (2 * scores).softmax(dim=-1) @ values
        ),
        "A sigmoid looks at each score alone, so the weights need not sum to 1: take "
        "the softmax over all keys.": expect.AnyOf(*(s @ values for s in sigmoids)),
        "The scores were divided by their sum without an exponential: use the softmax, "
        "which keeps shares positive for every score.": scores / scores.sum() @ values,
        "The scores are cosines: take the plain dot product, whose size also depends "
        "on the lengths of the vectors.": expect.AnyOf(
            *(f.softmax(dim=-1) @ values for f in (cosines, cosines / 2))
        ),
    }


@exercise(
    "3.3",
    praise="The length of both vectors counts, so vectors 3 times too long give scores "
    "9 times too large.",
)
def spread(answer: Any) -> None:
    """Check `spread(d_k, sigma)`: the standard deviation of a dot product."""
    slips: expect.Slips = {
        "64 is the variance: the standard deviation is its square root.": 64.0,
        "That is the spread after scaling: the question is about the unscaled dot "
        "product.": 1.0,
        "The spread grows with d_k: multiply by its root, do not divide.": 0.125,
    }
    expect.close(answer(64, 1.0), 8.0, "spread(64, 1.0)", slips)
    slips = {
        "sigma counts twice, once for the query and once for the key.": 24.0,
        "The variance of one product is sigma to the 4th, so its root has sigma "
        "squared.": 648.0,
        "Larger numbers give larger dot products: sigma must come in.": 8.0,
    }
    expect.close(answer(64, 3.0), 72.0, "spread(64, 3.0)", slips)
    expect.close(answer(16, 0.5), 1.0, "spread(16, 0.5)")


@exercise(
    "3.4",
    praise="Queries that are keys of other positions, made long, can move attention "
    "anywhere.",
)
def look_back(answer: Any) -> None:
    """Check `look_back(length)`: each position looks at the one before it."""
    for length in (5, 2, 30):
        got = answer(length)
        expect.pair(got, f"look_back({length}) should return the pair (queries, keys).")
        queries, keys = (expect.as_tensor(rows) for rows in got)
        for rows, name in ((queries, "queries"), (keys, "keys")):
            expect.tensor(rows, name)
            expect.that(
                rows.dim() == 2 and rows.size(0) == length,
                f"The {name} should have one row for each of the {length} positions, "
                f"but their shape is {tuple(rows.shape)}.",
            )
        expect.equal(queries.size(1), keys.size(1), "the width of the queries")
        _expect_look_back(queries.float(), keys.float())


def _expect_look_back(queries: Tensor, keys: Tensor) -> None:
    """Expect a weight of 0.99 on the position before each; name what is there."""
    length = len(keys)
    _, weights = scaled_dot_product_attention(queries, keys, keys)
    here = torch.arange(length)
    before = (here - 1).clamp(min=0)
    at_place = weights[here, before]
    if bool((at_place >= 0.99).all()):
        return
    found = weights.argmax(dim=-1)
    flat = (weights.amax(dim=-1) - weights.amin(dim=-1) < 1e-4).tolist()
    slips = {
        "The weights are NaN: the scores are infinite, so make the queries shorter.": (
            weights.isnan().any()
        ),
        "Every position looks at all alike, because all its scores are equal: query t "
        "should be the key of t − 1, made long.": all(flat),
    }
    expect.none_of(slips)
    if bool((at_place[1:] >= 0.99).all()):
        _expect_first_at_home(weights[0], flat[0])
    itself = (
        "Each position looks at itself: shift the keys by one row to get the queries."
    )
    slips = {
        "Each position prefers the one before it, but not clearly enough: the lowest "
        f"weight is {at_place.min():.2f}, so make the queries longer (the scores are "
        "divided by the root of their width).": found.equal(before) and not any(flat),
        "Each position looks at the one after it: query t must be the key of t − 1, "
        "not of t + 1 (or queries and keys are exchanged).": _look_on(weights),
        itself: found.equal(here),
    }
    expect.none_of(slips)
    off = int((at_place < 0.99).nonzero()[0])
    where = "spread over all alike" if flat[off] else f"on position {found[off]}"
    raise CheckFailed(
        f"Position {off} of {length} should look at position {before[off]}, but its "
        f"{'weight is' if flat[off] else 'largest weight is'} {where}."
    )


def _expect_first_at_home(weights: Tensor, flat: bool) -> None:
    """Say what the first position does where all others are right."""
    found = int(weights.argmax())
    slips = {
        "The first position looks at all alike, because its scores are equal: nothing "
        "stands before it, so give it the query that finds its own key.": flat,
        "The first position looks at the last one: nothing stands before it, so it "
        "shall look at itself.": found == len(weights) - 1,
        "The first position has nothing before it and shall look at itself, but its "
        f"largest weight is on position {found}.": found != 0,
        f"The first position looks at itself with a weight of {weights[0]:.2f} only: "
        "make its query as long as the others.": True,
    }
    expect.none_of(slips)


def _look_on(weights: Tensor) -> bool:
    """Whether each position looks at the one after it; the ends may be undecided."""
    length = len(weights)
    here = torch.arange(length)
    after = (here + 1).clamp(max=length - 1)
    clearly = weights[here, after][1:-1] > 0.9
    return weights.argmax(dim=-1).equal(after) or (length > 2 and bool(clearly.all()))
