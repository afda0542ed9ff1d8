"""The checks of chapter 4: masks, a masked softmax, and five suspects."""

from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from lib.checks import expect
from lib.checks.calls import without
from lib.checks.core import exercise
from lib.checks.guard import CheckFailed, brief
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

_INVERTED = "This mask is inverted: True means may be attended to."
_NO_SELF = "A position does not see itself here: keep the diagonal."
_WRONG_PAD = "Token 0 was taken for padding: use pad_id, which is 2 here."


def _expect_boolean(got: Any, what: str) -> None:
    expect.tensor(got, what)
    expect.that(
        got.dtype == torch.bool,
        f"{what} should be boolean, but its dtype is {got.dtype}: compare with "
        "something, or use dtype=torch.bool.",
    )


@exercise("4.1", praise="With a width of the whole length it is the causal mask again.")
def window_mask(answer: Any) -> None:
    """Check `window_mask(length, width)`: each position and the few before it."""
    ones = torch.ones(6, 6, dtype=torch.bool)
    right = ones.tril() & ones.triu(-2)
    wide, narrow = ones.tril() & ones.triu(-3), ones.tril() & ones.triu(-1)
    what = "window_mask(6, 3)"
    got = expect.as_tensor(answer(6, 3))
    expect.shape(got, (6, 6), what)
    _expect_boolean(got, what)
    slips: expect.Slips = {
        _INVERTED: ~right,
        "One too wide: width 3 means the position itself and two before.": wide,
        "One too narrow: width 3 means the position itself and two before.": narrow,
        _NO_SELF: wide.tril(-1),
        "This window looks ahead: rows are queries, columns are keys.": right.T,
        "This window reaches into the future too: close it.": right | right.T,
        "The whole past is open here: cut off what lies too far.": ones.tril(),
        "Nothing is open here: join with & what lies on or below the diagonal and what "
        "lies on or above a lower one.": torch.zeros(6, 6).bool(),
    }
    expect.equal(got, right, what, slips)
    expect.equal(answer(4, 1), torch.eye(4).bool(), "window_mask(4, 1)")
    expect.equal(answer(3, 9), causal_mask(3), "window_mask(3, 9)")


@exercise("4.2", praise="This is the mask that the decoder of chapter 8 builds.")
def decoder_mask(answer: Any) -> None:
    """Check `decoder_mask(token_ids, pad_id)`: the past, without its padding."""
    # Padding at either end and inside, and a token 0 that is none: so no two slips
    # give the same mask.
    tokens = torch.tensor([[5, 0, 6, 9], [2, 2, 5, 7], [5, 2, 8, 2]])
    past, real = causal_mask(4), padding_mask(tokens, 2)
    rows = real.transpose(-2, -1)
    right = past & real
    what = "decoder_mask(token_ids, 2) for a batch of shape (3, 4)"
    forbidden = (
        "This calls causal_mask or padding_mask: the task is to build both conditions "
        "yourself, with tril and a comparison."
    )
    with without(forbidden, named={"causal_mask", "padding_mask"}):
        got = expect.as_tensor(answer(tokens, 2))
    slips: expect.Slips = {
        "The axis for the heads is missing: the shape is (B, 1, T, T).": (3, 4, 4),
        "This is one mask for all, but each sentence has its own padding.": (4, 4),
        "This is the padding mask alone: add the causal one.": (3, 1, 1, 4),
        "This marks padding in the rows, and has no causal mask: padding belongs in "
        "the columns.": (3, 1, 4, 1),
        "The axis for the heads comes second: (B, 1, T, T).": (1, 3, 4, 4),
    }
    expect.shape(got, (3, 1, 4, 4), what, slips)
    _expect_boolean(got, what)
    rows_alone = "Padding is blocked in the rows, but its columns are open: a mask of "
    slips = {
        _INVERTED: ~right,
        "A key must pass both: combine them with &, not with |.": past | real,
        "The future is open and the past is closed: use tril.": past.T & real,
        "The future is open and the past is closed.": past.T.triu(1) & real,
        _NO_SELF: past.tril(-1) & real,
        "Each position sees one token ahead: use tril without a diagonal.": (
            torch.ones(4, 4).tril(1).bool() & real
        ),
        "The rows of padding are blocked too, which leaves queries that may attend to "
        "nothing: block columns only.": right & rows,
        rows_alone + "shape (B, 1, 1, T) marks columns.": past & rows,
        "Only padding is open here: use != pad_id, not ==.": past & ~real,
        _WRONG_PAD: past & padding_mask(tokens, 0),
        "No padding is blocked here: compare token_ids with pad_id.": (
            past.expand(3, 1, 4, 4)
        ),
        "The future is open here: combine with tril.": real.expand(3, 1, 4, 4),
    }
    expect.equal(got, right, what, slips)


@exercise(
    "4.3", praise="Finite on the way, and exactly zero at the end, in every type."
)
def masked_softmax(answer: Any) -> None:
    """Check `masked_softmax(scores, mask)`: shares of the open keys alone."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]])
    mask = torch.tensor([[True, False, True], [True, True, True]])
    low = scores.masked_fill(~mask, -1e9)
    upside_down = scores.masked_fill(mask, -1e9).softmax(dim=-1)[0]
    slips: expect.Slips = {
        "The weights were zeroed after the softmax only, so the row does not sum to 1: "
        "write over the scores before it.": scores.softmax(dim=-1) * mask,
        "The mask is read backward: True means may be attended to.": (
            lambda got: torch.allclose(got[0], upside_down, atol=1e-4)
        ),
        "The mask had no effect: masked_fill returns a new tensor, so keep it.": (
            scores.softmax(dim=-1)
        ),
        "A score of 0 still gets a share: write a very low number over it.": (
            (scores * mask).softmax(dim=-1)
        ),
        "This softmax runs down the columns: use dim=-1.": low.softmax(dim=0),
    }
    what = "masked_softmax(scores, mask)"
    expect.close(answer(scores, mask), low.softmax(dim=-1), what, slips)
    empty = torch.tensor([[False, False, False], [True, True, False]])
    _expect_zeros(answer(scores, empty), empty, "float32")
    half = _in_half_precision(answer, scores.half(), empty)
    expect.tensor(half, "masked_softmax of float16 scores", dtype=torch.float16)
    _expect_zeros(half, empty, "float16")
    _expect_room_below(answer)
    _expect_last_axis(answer)
    _expect_gradient(answer, scores, empty)


def _expect_room_below(answer: Any) -> None:
    """Scores may be as low as their type allows: what is filled in lies below them."""
    mask = torch.tensor([[True, False, True]])
    for low, dtype in ((-1e30, torch.float32), (-6e4, torch.float16)):
        scores = torch.tensor([[low, 0.0, low]], dtype=dtype)
        what = (
            f"masked_softmax of the scores {low:g}, 0 and {low:g} in {dtype}, the "
            "middle one blocked,"
        )
        slips: expect.Slips = {
            f"With scores of {low:g} in {dtype} the open keys lose their shares: what "
            "you write over a blocked score must lie below every score, so ask the "
            "type for it, torch.finfo(scores.dtype).min.": lambda got: got[0, 0] != 0.5
        }
        expect.close(answer(scores, mask), [[0.5, 0.0, 0.5]], what, slips, atol=1e-3)


def _expect_last_axis(answer: Any) -> None:
    """Scores have the shape (B, H, T, S); one mask serves all heads and queries."""
    scores = torch.randn(2, 3, 4, 5)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()[:, None, None]
    filled = scores.masked_fill(~mask, -1e9)
    what = "masked_softmax of scores of shape (2, 3, 4, 5)"
    got = answer(scores, mask)
    expect.shape(got, (2, 3, 4, 5), what)
    others = [filled.softmax(axis).masked_fill(~mask, 0.0) for axis in range(3)]
    slips: expect.Slips = {
        "The shares do not sum to 1 along the last axis, which counts the keys: use "
        "softmax(dim=-1), however many axes stand before it.": expect.AnyOf(*others)
    }
    expect.close(got, filled.softmax(dim=-1), what, slips)


def _expect_zeros(weights: Any, mask: Tensor, dtype: str) -> None:
    slips = {
        f"A row in which everything is blocked gives NaN in {dtype}: fill with the "
        "lowest finite number, torch.finfo(scores.dtype).min, not with −∞.": (
            weights.isnan().any()
        ),
        f"A row in which everything is blocked still hands out shares in {dtype}: fill "
        "the weights with zero where the mask is False, after the softmax.": (
            (weights[~mask] != 0).any()
        ),
    }
    expect.none_of(slips)
    total = weights[1].sum().item()
    expect.close(total, 1.0, f"the sum of an open row in {dtype}", atol=2e-3)


def _in_half_precision(answer: Any, scores: Tensor, mask: Tensor) -> Any:
    try:
        return answer(scores, mask)
    except CheckFailed as failure:
        expect.that(
            "without overflow" not in str(failure),
            "Scores of float16 cannot hold the number that you fill with: ask the type "
            "for its lowest, torch.finfo(scores.dtype).min.",
        )
        raise


def _expect_gradient(answer: Any, scores: Tensor, mask: Tensor) -> None:
    asked = scores.clone().requires_grad_()
    answer(asked, mask)[1].square().sum().backward()
    expect.that(
        asked.grad is not None and asked.grad.isfinite().all(),
        "The weights are right, but the gradient is not finite: a NaN was made on the "
        "way and replaced afterwards, so fill with a finite number from the start.",
    )


@exercise(
    "4.4", praise="What the book joins with &, the other convention joins with |."
)
def for_pytorch(answer: Any) -> None:
    """Check `for_pytorch(token_ids, pad_id)`: two masks in which True blocks."""
    tokens = torch.tensor([[5, 0, 6], [5, 2, 2]])
    got = answer(tokens, 2)
    expect.pair(
        got, "for_pytorch should return the pair (tgt_mask, tgt_key_padding_mask)."
    )
    tgt_mask, key_padding = got
    slips: expect.Slips = {
        "The pair is in the wrong order: tgt_mask, of shape (T, T), first.": (2, 3),
        "PyTorch joins the masks itself: tgt_mask has shape (T, T).": (2, 1, 3, 3),
    }
    expect.shape(tgt_mask, (3, 3), "tgt_mask", slips)
    _expect_boolean(tgt_mask, "tgt_mask")
    past = causal_mask(3)
    slips = {
        "tgt_mask is in the book's convention: turn it around with ~.": past,
        "tgt_mask blocks the diagonal: block only what lies above it.": past.T,
        "tgt_mask blocks the past and leaves the future open.": ~past.T,
    }
    expect.equal(tgt_mask, ~past, "tgt_mask", slips)
    slips = {
        "tgt_key_padding_mask has the shape (B, T) in PyTorch: leave out the axes for "
        "heads and queries.": (2, 1, 1, 3)
    }
    expect.shape(key_padding, (2, 3), "tgt_key_padding_mask", slips)
    _expect_boolean(key_padding, "tgt_key_padding_mask")
    slips = {
        "tgt_key_padding_mask is in the book's convention: True marks the padding.": (
            tokens != 2
        ),
        _WRONG_PAD: tokens == 0,
        "No padding is marked here: use == pad_id.": torch.zeros(2, 3).bool(),
    }
    expect.equal(key_padding, tokens == 2, "tgt_key_padding_mask", slips)


_VERDICTS = {
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
    """Check the set `looking_ahead`: the suspects that see a later token."""
    kind = isinstance(answer, Collection) and not isinstance(answer, str | Mapping)
    expect.that(
        kind and set(answer) <= set(_VERDICTS),
        'looking_ahead should be a set of names such as {"A", "B"}, but is '
        f"{brief(answer)}.",
    )
    for name, sentence in _VERDICTS.items():
        expect.that((name in answer) == (name in "BCE"), sentence)
