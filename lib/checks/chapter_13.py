"""The checks of chapter 13: decided heads, alignments, looking back, silence."""

from typing import Any

import torch

from lib.checks.core import (
    as_tensor,
    brief,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    expect_tensor,
    unwrap,
)

__all__ = ["align", "decidedness", "share_on_previous", "silence"]

_WEIGHTS = torch.tensor(
    [
        [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]],
        [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6]],
    ]
)


@exercise("13.1", praise="A head that points at one word in every row is at 1.")
def decidedness(answer: Any) -> None:
    """Check `decidedness(weights)`."""
    got = as_tensor(answer(_WEIGHTS))
    expect_shape(
        got,
        (2,),
        "decidedness(weights) for weights of shape (2, 2, 3)",
        diagnoses=[
            ((), "One number for each head is wanted, not one for all: keep dim 0."),
            ((2, 2), "That is one number for each row: take their mean."),
        ],
    )
    expect_close(
        got,
        torch.tensor([0.75, 0.5]),
        "decidedness(weights)",
        diagnoses=[
            (torch.full((2,), 1 / 3), "The mean of all weights is always 1/S."),
            (torch.tensor([0.8, 0.6]), "The mean over the rows is missing."),
            (torch.tensor([1.5, 1.0]), "The rows were added: take their mean."),
            (torch.tensor([0.1, 0.25]), "Those are the smallest: take the largest."),
            (
                torch.tensor([0.5333, 0.4333]),
                "The largest of each column was taken: rows are queries, so go along "
                "the last dimension.",
            ),
        ],
    )


@exercise("13.2", praise="Over a whole corpus this makes a small dictionary.")
def align(answer: Any) -> None:
    """Check `align(weights, source, target)`."""
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    right = [("la", "the"), ("casa", "house"), ("blanca", "white")]
    got = answer(weights, ["the", "white", "house"], ["la", "casa", "blanca"])
    expect(
        isinstance(got, list | tuple | zip),
        f"align(weights, source, target) should be a list of pairs, but it is "
        f"{brief(got)}.",
    )
    expect_equal(
        [tuple(pair) for pair in got],
        right,
        "align(weights, source, target)",
        diagnoses=[
            ([(s, t) for t, s in right], "Each pair begins with the target word."),
            (
                [("la", "the"), ("casa", "white"), ("blanca", "house")],
                "The words were paired by their places, without the weights.",
            ),
            (
                [("la", "house"), ("casa", "the"), ("blanca", "the")],
                "The smallest weight was taken.",
            ),
            (
                [("la", 0), ("casa", 2), ("blanca", 1)],
                "Those are places: look up which source word stands there.",
            ),
        ],
    )
    longer = answer(torch.tensor([[0.1, 0.9]]), ["go", "<eos>"], ["vamos"])
    expect_equal(
        [tuple(pair) for pair in longer],
        [("vamos", "<eos>")],
        "align(weights, source, target) for one target word",
        diagnoses=[
            (
                lambda got: got[0] == ("vamos", "go"),
                "The largest of each column was taken: rows are target words, so go "
                "along the last dimension.",
            )
        ],
    )


@exercise("13.3", praise="Some heads of BERT put more than half their weight there.")
def share_on_previous(answer: Any) -> None:
    """Check `share_on_previous(weights)`."""
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    expect_close(
        answer(weights),
        0.5,
        "share_on_previous(weights)",
        diagnoses=[
            (0.2, "That is the token after: the diagonal below is number −1."),
            (1.3 / 3, "That is the token itself: take the diagonal below."),
            (1.0 / 3, "The first token has none before it, and must not count."),
            (1.0, "Take the mean of the weights, not their sum."),
            (0.1, "That is two tokens back: the line just below the main one."),
        ],
    )


@exercise("13.4", praise="With a hook on output_proj the whole model runs without it.")
def silence(answer: Any) -> None:
    """Check `silence(joined, head, n_heads)`."""
    joined = torch.arange(1.0, 13.0).view(1, 2, 6)
    before = joined.clone()
    got = as_tensor(answer(joined, 1, 3))
    expect_tensor(got, "silence(joined, 1, 3)")
    expect_shape(
        got,
        (1, 2, 6),
        "silence(joined, 1, 3)",
        diagnoses=[
            ((1, 2, 4), "The head was cut out: keep its places, with zeros in them."),
            ((1, 2, 2), "Only the head came back: keep the others, and lose this one."),
        ],
    )
    right = before.clone()
    right[..., 2:4] = 0.0
    every_third, rows, first = before.clone(), before.clone(), before.clone()
    every_third[..., 1::3] = 0.0
    rows[:, 1] = 0.0
    first[..., 0:2] = 0.0
    one = before.clone()
    one[..., 1] = 0.0
    expect_close(
        got,
        right,
        "silence(joined, 1, 3)",
        diagnoses=[
            (before, "Nothing is zero: a head has D / n_heads numbers."),
            (every_third, "A head's numbers stand side by side, not every third one."),
            (rows, "A token was silenced, not a head: use the last dimension."),
            (first, "Heads are counted from 0: that is the one before."),
            (one, "A head has D / n_heads numbers, and only one is zero."),
            (before - right, "The others were silenced: keep them, and lose this one."),
        ],
    )
    unwrap(answer)(joined, 1, 3)
    expect(
        torch.equal(joined, before),
        "The joined heads that were handed in have changed too: silence a copy.",
    )
