"""The checks of chapter 13: decided heads, alignments, looking back, silence."""

from typing import Any

import torch

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import brief, unwrap

__all__ = ["align", "decidedness", "share_on_previous", "silence"]


@exercise("13.1", praise="A head that points at one word in every row is at 1.")
def decidedness(answer: Any) -> None:
    """Check `decidedness(weights)`: the mean of the largest weights of a head."""
    first_head = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    second_head = [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6]]
    got = expect.as_tensor(answer(torch.tensor([first_head, second_head])))
    what = "decidedness(weights) for weights of shape (2, 2, 3)"
    slips: expect.Slips = {
        "One number for each head is wanted, not one for all: keep dim 0.": (),
        "That is one number for each row: take their mean.": (2, 2),
    }
    expect.shape(got, (2,), what, slips)
    slips = {
        "The mean of all weights is always 1/S.": [1 / 3, 1 / 3],
        "The mean over the rows is missing.": [0.8, 0.6],
        "The rows were added: take their mean.": [1.5, 1.0],
        "Those are the smallest: take the largest.": [0.1, 0.25],
        "The largest of each column was taken: rows are queries, so go along the last "
        "dimension.": [0.5333, 0.4333],
    }
    expect.close(got, [0.75, 0.5], "decidedness(weights)", slips)


@exercise("13.2", praise="Over a whole corpus this makes a small dictionary.")
def align(answer: Any) -> None:
    """Check `align(weights, source, target)`: each target word with a source word."""
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    right = [("la", "the"), ("casa", "house"), ("blanca", "white")]
    got = answer(weights, ["the", "white", "house"], ["la", "casa", "blanca"])
    what = "align(weights, source, target)"
    expect.that(
        isinstance(got, list | tuple | zip),
        f"{what} should be a list of pairs, but it is {brief(got)}.",
    )
    slips: expect.Slips = {
        "Each pair begins with the target word.": [(s, t) for t, s in right],
        "The words were paired by their places, without the weights.": (
            [("la", "the"), ("casa", "white"), ("blanca", "house")]
        ),
        "The smallest weight was taken.": (
            [("la", "house"), ("casa", "the"), ("blanca", "the")]
        ),
        "Those are places: look up which source word stands there.": (
            [("la", 0), ("casa", 2), ("blanca", 1)]
        ),
    }
    expect.equal(list(map(tuple, got)), right, what, slips)
    got = answer(torch.tensor([[0.1, 0.9]]), ["go", "<eos>"], ["vamos"])
    what = f"{what} for one target word"
    slips = {
        "The largest of each column was taken: rows are target words, so go along the "
        "last dimension.": lambda got: got[0] == ("vamos", "go")
    }
    expect.equal(list(map(tuple, got)), [("vamos", "<eos>")], what, slips)


@exercise("13.3", praise="Some heads of BERT put more than half their weight there.")
def share_on_previous(answer: Any) -> None:
    """Check `share_on_previous(weights)`: how far a head looks one token back."""
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    slips: expect.Slips = {
        "That is the token after: the diagonal below is number −1.": 0.2,
        "That is the token itself: take the diagonal below.": 1.3 / 3,
        "The first token has none before it, and must not count.": 1.0 / 3,
        "Take the mean of the weights, not their sum.": 1.0,
        "That is two tokens back: the line just below the main one.": 0.1,
    }
    expect.close(answer(weights), 0.5, "share_on_previous(weights)", slips)


@exercise("13.4", praise="With a hook on output_proj the whole model runs without it.")
def silence(answer: Any) -> None:
    """Check `silence(joined, head, n_heads)`: zeros in the place of one head."""
    joined = torch.arange(1.0, 13.0).view(1, 2, 6)
    before, what = joined.clone(), "silence(joined, 1, 3)"
    got = expect.as_tensor(answer(joined, 1, 3))
    slips: expect.Slips = {
        "The head was cut out: keep its places, with zeros in them.": (1, 2, 4),
        "Only the head came back: keep the others, and lose this one.": (1, 2, 2),
    }
    expect.shape(got, (1, 2, 6), what, slips)
    right, every_third, rows, first, one = (before.clone() for _ in range(5))
    right[..., 2:4] = 0.0
    every_third[..., 1::3] = 0.0
    rows[:, 1] = 0.0
    first[..., 0:2] = 0.0
    one[..., 1] = 0.0
    slips = {
        "Nothing is zero: a head has D / n_heads numbers.": before,
        "A head's numbers stand side by side, not every third one.": every_third,
        "A token was silenced, not a head: use the last dimension.": rows,
        "Heads are counted from 0: that is the one before.": first,
        "A head has D / n_heads numbers, and only one is zero.": one,
        "The others were silenced: keep them, and lose this one.": before - right,
    }
    expect.close(got, right, what, slips)
    unwrap(answer)(joined, 1, 3)
    expect.that(
        torch.equal(joined, before),
        "The joined heads that were handed in have changed too: silence a copy.",
    )
