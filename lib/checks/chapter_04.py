"""The checks of chapter 4: masks, a masked softmax, and five suspects."""

from collections.abc import Collection, Mapping
from typing import Any

import torch

from lib.checks.core import (
    as_tensor,
    brief,
    exercise,
    expect,
    expect_equal,
    expect_shape,
    expect_tensor,
    without,
)
from lib.checks.masked_softmax import masked_softmax
from lib.checks.suspects import suspects
from lib.masks import causal_mask, padding_mask

__all__ = [
    "decoder_mask",
    "for_pytorch",
    "looking_ahead",
    "masked_softmax",
    "suspects",
    "window_mask",
]

INVERTED = "This mask is inverted: True means may be attended to."
NO_SELF = "A position does not see itself here: keep the diagonal."
WRONG_PAD = "Token 0 was taken for padding: use pad_id, which is 2 here."


def _expect_boolean(got: Any, what: str) -> None:
    expect_tensor(got, what)
    expect(
        got.dtype == torch.bool,
        f"{what} should be boolean, but its dtype is {got.dtype}: compare with "
        "something, or use dtype=torch.bool.",
    )


@exercise("4.1", praise="With a width of the whole length it is the causal mask again.")
def window_mask(answer: Any) -> None:
    """Check `window_mask(length, width)`."""
    ones = torch.ones(6, 6, dtype=torch.bool)
    right = ones.tril() & ones.triu(-2)
    wide, narrow = ones.tril() & ones.triu(-3), ones.tril() & ones.triu(-1)
    got = as_tensor(answer(6, 3))
    expect_shape(got, (6, 6), "window_mask(6, 3)")
    _expect_boolean(got, "window_mask(6, 3)")
    expect_equal(
        got,
        right,
        "window_mask(6, 3)",
        diagnoses=[
            (~right, INVERTED),
            (wide, "One too wide: width 3 means the position itself and two before."),
            (
                narrow,
                "One too narrow: width 3 means the position itself and two before.",
            ),
            (wide.tril(-1), NO_SELF),
            (right.T, "This window looks ahead: rows are queries, columns are keys."),
            (right | right.T, "This window reaches into the future too: close it."),
            (ones.tril(), "The whole past is open here: cut off what lies too far."),
            (
                torch.zeros(6, 6).bool(),
                "Nothing is open here: join with & what lies "
                "on or below the diagonal and what lies on or above a lower one.",
            ),
        ],
    )
    expect_equal(answer(4, 1), torch.eye(4).bool(), "window_mask(4, 1)")
    expect_equal(answer(3, 9), causal_mask(3), "window_mask(3, 9)")


FORBIDDEN = (
    "This calls causal_mask or padding_mask: the task is to build both conditions "
    "yourself, with tril and a comparison."
)


@exercise("4.2", praise="This is the mask that the decoder of chapter 8 builds.")
def decoder_mask(answer: Any) -> None:
    """Check `decoder_mask(token_ids, pad_id)`."""
    # Padding at either end and inside, and a token 0 that is none: so no two slips
    # give the same mask.
    tokens = torch.tensor([[5, 0, 6, 9], [2, 2, 5, 7], [5, 2, 8, 2]])
    past, real = causal_mask(4), padding_mask(tokens, 2)
    rows = real.transpose(-2, -1)
    right = past & real
    what = "decoder_mask(token_ids, 2) for a batch of shape (3, 4)"
    with without(FORBIDDEN, named={"causal_mask", "padding_mask"}):
        got = as_tensor(answer(tokens, 2))
    expect_shape(
        got,
        (3, 1, 4, 4),
        what,
        diagnoses=[
            (
                (3, 4, 4),
                "The axis for the heads is missing: the shape is (B, 1, T, T).",
            ),
            (
                (4, 4),
                "This is one mask for all, but each sentence has its own padding.",
            ),
            ((3, 1, 1, 4), "This is the padding mask alone: add the causal one."),
            (
                (3, 1, 4, 1),
                "This marks padding in the rows, and has no causal mask: padding "
                "belongs in the columns.",
            ),
            ((1, 3, 4, 4), "The axis for the heads comes second: (B, 1, T, T)."),
        ],
    )
    _expect_boolean(got, what)
    rows_alone = "Padding is blocked in the rows, but its columns are open: a mask of "
    no_pad = "No padding is blocked here: compare token_ids with pad_id."
    expect_equal(
        got,
        right,
        what,
        diagnoses=[
            (~right, INVERTED),
            (past | real, "A key must pass both: combine them with &, not with |."),
            (past.T & real, "The future is open and the past is closed: use tril."),
            (past.T.triu(1) & real, "The future is open and the past is closed."),
            (past.tril(-1) & real, NO_SELF),
            (
                torch.ones(4, 4).tril(1).bool() & real,
                "Each position sees one token ahead: use tril without a diagonal.",
            ),
            (
                right & rows,
                "The rows of padding are blocked too, which leaves queries that may "
                "attend to nothing: block columns only.",
            ),
            (past & rows, rows_alone + "shape (B, 1, 1, T) marks columns."),
            (past & ~real, "Only padding is open here: use != pad_id, not ==."),
            (past & padding_mask(tokens, 0), WRONG_PAD),
            (past.expand(3, 1, 4, 4), no_pad),
            (real.expand(3, 1, 4, 4), "The future is open here: combine with tril."),
        ],
    )


@exercise(
    "4.4", praise="What the book joins with &, the other convention joins with |."
)
def for_pytorch(answer: Any) -> None:
    """Check `for_pytorch(token_ids, pad_id)`."""
    tokens = torch.tensor([[5, 0, 6], [5, 2, 2]])
    pair = answer(tokens, 2)
    expect(
        isinstance(pair, tuple | list) and len(pair) == 2,
        "for_pytorch should return the pair (tgt_mask, tgt_key_padding_mask).",
    )
    tgt_mask, key_padding = pair
    expect_shape(
        tgt_mask,
        (3, 3),
        "tgt_mask",
        diagnoses=[
            (
                (2, 3),
                "The pair is in the wrong order: tgt_mask, of shape (T, T), first.",
            ),
            (
                (2, 1, 3, 3),
                "PyTorch joins the masks itself: tgt_mask has shape (T, T).",
            ),
        ],
    )
    _expect_boolean(tgt_mask, "tgt_mask")
    past = causal_mask(3)
    expect_equal(
        tgt_mask,
        ~past,
        "tgt_mask",
        diagnoses=[
            (past, "tgt_mask is in the book's convention: turn it around with ~."),
            (past.T, "tgt_mask blocks the diagonal: block only what lies above it."),
            (~past.T, "tgt_mask blocks the past and leaves the future open."),
        ],
    )
    expect_shape(
        key_padding,
        (2, 3),
        "tgt_key_padding_mask",
        diagnoses=[
            (
                (2, 1, 1, 3),
                "tgt_key_padding_mask has the shape (B, T) in PyTorch: leave out the "
                "axes for heads and queries.",
            ),
        ],
    )
    _expect_boolean(key_padding, "tgt_key_padding_mask")
    marks = "tgt_key_padding_mask is in the book's convention: True marks the padding."
    expect_equal(
        key_padding,
        tokens == 2,
        "tgt_key_padding_mask",
        diagnoses=[
            (tokens != 2, marks),
            (tokens == 0, WRONG_PAD),
            (torch.zeros(2, 3).bool(), "No padding is marked here: use == pad_id."),
        ],
    )


VERDICTS = {
    "A": "A is honest: its window has a gap, but all of it lies in the past.",
    "D": "D is honest: a running sum adds up the past and nothing else.",
    "B": "One is missing that sees a single token ahead: change only the next token, "
    "and look at the output before it.",
    "C": "One is missing whose mask is right, but whose outputs are mixed afterwards: "
    "test the model from outside, not its mask.",
    "E": "One is missing that leaks only in long sentences: test with a dozen tokens "
    "or more.",
}


@exercise("4.5", praise="B by one step, C through a mean, E in long sentences only.")
def looking_ahead(answer: Any) -> None:
    """Check the set of suspects that look ahead."""
    kind = isinstance(answer, Collection) and not isinstance(answer, str | Mapping)
    expect(
        kind and set(answer) <= set(VERDICTS),
        'looking_ahead should be a set of names such as {"A", "B"}, but is '
        f"{brief(answer)}.",
    )
    for name, sentence in VERDICTS.items():
        expect((name in answer) == (name in "BCE"), sentence)
