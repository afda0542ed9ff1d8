"""Exercise 3.4: where each position looks, and what to say if it looks elsewhere."""

import torch
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from lib.checks.core import expect

__all__ = ["expect_look_back"]


def expect_look_back(queries: Tensor, keys: Tensor) -> None:
    """Expect a weight of 0.99 on the position before each; name what is there."""
    length = len(keys)
    _, weights = scaled_dot_product_attention(queries, keys, keys)
    here = torch.arange(length)
    expect(
        not weights.isnan().any(),
        "The weights are NaN: the scores are infinite, so make the queries shorter.",
    )
    before = (here - 1).clamp(min=0)
    at_place = weights[here, before]
    if bool((at_place >= 0.99).all()):
        return
    flat = (weights.amax(dim=-1) - weights.amin(dim=-1) < 1e-4).tolist()
    expect(
        not all(flat),
        "Every position looks at all alike, because all its scores are equal: query t "
        "should be the key of t − 1, made long.",
    )
    found = weights.argmax(dim=-1)
    if bool((at_place[1:] >= 0.99).all()):
        _expect_first_at_home(weights[0], flat[0])
    if found.equal(before) and not any(flat):
        expect(
            False,
            "Each position prefers the one before it, but not clearly enough: the "
            f"lowest weight is {at_place.min():.2f}, so make the queries longer (the "
            "scores are divided by the root of their width).",
        )
    _expect_no_known_pattern(weights, found)
    off = int((at_place < 0.99).nonzero()[0])
    where = "spread over all alike" if flat[off] else f"on position {found[off]}"
    expect(
        False,
        f"Position {off} of {length} should look at position {before[off]}, but its "
        f"{'weight is' if flat[off] else 'largest weight is'} {where}.",
    )


def _expect_first_at_home(weights: Tensor, flat: bool) -> None:
    """All but the first position are right: say what the first one does."""
    found = int(weights.argmax())
    expect(
        not flat,
        "The first position looks at all alike, because its scores are equal: nothing "
        "stands before it, so give it the query that finds its own key.",
    )
    expect(
        found < len(weights) - 1,
        "The first position looks at the last one: nothing stands before it, so it "
        "shall look at itself.",
    )
    expect(
        found == 0,
        "The first position has nothing before it and shall look at itself, but its "
        f"largest weight is on position {found}.",
    )
    expect(
        False,
        f"The first position looks at itself with a weight of {weights[0]:.2f} only: "
        "make its query as long as the others.",
    )


def _expect_no_known_pattern(weights: Tensor, found: Tensor) -> None:
    """Name the pattern if every position looks at the same wrong neighbor."""
    length = len(found)
    here = torch.arange(length)
    after = (here + 1).clamp(max=length - 1)
    exchanged = weights[here, after][1:-1] > 0.9  # the ends may be undecided
    for wrong, sentence in (
        (
            found.equal(after) or (length > 2 and bool(exchanged.all())),
            "Each position looks at the one after it: query t must be the key of "
            "t − 1, not of t + 1 (or queries and keys are exchanged).",
        ),
        (
            found.equal(here),
            "Each position looks at itself: shift the keys by one row to get the "
            "queries.",
        ),
    ):
        expect(not wrong, sentence)
