"""The exercises of chapter 4: masks, a masked softmax, and five suspects."""

import math
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from lib.exercises.forms import pair
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise
from lib.exercises.suspects import suspects as suspects  # the chapter calls it
from lib.masks import causal_mask, padding_mask


def _window(length: int, width: int, ahead: int = 0) -> Tensor:
    return torch.ones(length, length).triu(1 - width).tril(ahead).bool()


@exercise(
    "With a width of the whole length it is the causal mask again.", right=_window
)
def window_mask(draw: Draw) -> Cases:
    """`window_mask(length, width)`: each position and the few before it."""
    yield case(6, 3)
    yield case(4, 1)
    yield case(3, 9)
    yield case(draw.randint(3, 12), draw.randint(1, 6))


window_mask.slips = {
    "This mask is inverted: True means may be attended to.": (
        lambda n, w: ~_window(n, w)
    ),
    "One too wide or too narrow: width 3 means the position itself and two before.": [
        lambda n, w: _window(n, w + 1),
        lambda n, w: _window(n, w - 1),
    ],
    "This window reaches into the future too: close it.": (
        lambda n, w: _window(n, w, w - 1)
    ),
    "The whole past is open here: cut off what lies too far.": (
        lambda n, w: causal_mask(n)
    ),
}


def _both(token_ids: Tensor, pad_id: int) -> Tensor:
    return padding_mask(token_ids, pad_id) & causal_mask(token_ids.size(1))


@exercise(
    "This is the mask that the decoder of chapter 9 builds.",
    right=_both,
    without=Without(
        "This calls causal_mask or padding_mask: the task is to build both conditions "
        "yourself, with tril and a comparison.",
        like=_both,
        named={"causal_mask", "padding_mask"},
    ),
)
def decoder_mask(draw: Draw) -> Cases:
    """`decoder_mask(token_ids, pad_id)`: the past, without its padding."""
    # Padding at either end and inside, and a token 0 that is none: so no two slips
    # give the same mask.
    tokens = torch.tensor([[5, 0, 6, 9], [2, 2, 5, 7], [5, 2, 8, 2]])
    yield case(tokens, 2)
    yield case(draw.ids(0, 3, draw.randint(1, 4), draw.randint(2, 8)), 2)


decoder_mask.slips = {
    "The axis for the heads is missing: the shape is (B, 1, T, T).": (
        lambda ids, pad: _both(ids, pad)[:, 0]
    ),
    "This is one mask for all, but each sentence has its own padding.": (
        lambda ids, pad: causal_mask(ids.size(1))
    ),
    "This is the padding mask alone: add the causal one.": padding_mask,
    "A key must pass both: combine them with &, not with |.": (
        lambda ids, pad: padding_mask(ids, pad) | causal_mask(ids.size(1))
    ),
    "The rows of padding are blocked too, which leaves queries that may attend to "
    "nothing: block columns only.": lambda ids, pad: (
        _both(ids, pad) & padding_mask(ids, pad).mT
    ),
}


def _filled(scores: Tensor, mask: Tensor, low: float | None = None) -> Tensor:
    """Fill with the lowest number or with another, and with zeros at the end."""
    low = torch.finfo(scores.dtype).min if low is None else low
    return scores.masked_fill(~mask, low).softmax(dim=-1).masked_fill(~mask, 0.0)


def _added_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return (scores + low).softmax(dim=-1).nan_to_num(0.0)


def _gradient_is_finite(answer: Any, scores: Tensor, mask: Tensor) -> Any:
    asked = scores.clone().requires_grad_()
    answer(asked, mask)[1].square().sum().backward()
    return asked.grad is not None and bool(asked.grad.isfinite().all())


@exercise(
    "Finite on the way, and exactly zero at the end, in every type.", right=_filled
)
def masked_softmax(draw: Draw) -> Cases:
    """`masked_softmax(scores, mask)`: shares of the open keys alone."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]])
    yield case(scores, torch.tensor([[True, False, True], [True, True, True]]))
    empty = torch.tensor([[False, False, False], [True, True, False]])
    yield case(scores, empty)
    yield case(scores.half(), empty, what="masked_softmax of float16 scores")
    for low, dtype in ((-1e30, torch.float32), (-6e4, torch.float16)):
        high = torch.tensor([[low, 0.0, low]], dtype=dtype)
        what = f"masked_softmax of the scores {low:g}, 0 and {low:g} in {dtype}"
        yield case(high, torch.tensor([[True, False, True]]), what=what)
    # Scores have the shape (B, H, T, S); one mask serves all heads and queries.
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()[:, None, None]
    yield case(draw.normal(2, 3, 4, 5), mask)
    what = "That the gradient is finite"
    yield case(scores, empty, what=what, use=_gradient_is_finite)
    keys = draw.randint(3, 6)
    mask = draw.ids(0, 1, 4, keys).bool()
    mask[draw.randrange(4)] = False
    yield case(20 * draw.normal(2, 4, keys), mask)
    yield case(draw.normal(4, keys).half() - 60_000, mask)


masked_softmax.slips = {
    "The weights were zeroed after the softmax only, so the row does not sum to 1: "
    "write over the scores before it.": lambda s, m: s.softmax(-1) * m,
    "The mask is read backward: True means may be attended to.": (
        lambda s, m: _filled(s, ~m)
    ),
    "A row in which everything is blocked gives NaN: fill with the lowest finite "
    "number, torch.finfo(scores.dtype).min, not with −∞.": (
        lambda s, m: s.masked_fill(~m, -math.inf).softmax(-1)
    ),
    "A row in which everything is blocked still hands out shares: fill the weights "
    "with zero where the mask is False, after the softmax.": (
        lambda s, m: s.masked_fill(~m, -1e4).softmax(-1)
    ),
    "Scores of float16 cannot hold the number that you fill with: ask the type for its "
    "lowest, torch.finfo(scores.dtype).min.": lambda s, m: _filled(s, m, -1e9),
    "The weights are right, but the gradient is not finite: a NaN was made on the way "
    "and replaced afterwards, so fill with a finite number from the start.": (
        _added_infinity
    ),
}


def _blocked(token_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    return ~causal_mask(token_ids.size(1)), token_ids == pad_id


@exercise(
    "What the book joins with &, the other convention joins with |.",
    right=_blocked,
    form=pair("the pair (tgt_mask, tgt_key_padding_mask)"),
    read=lambda got: Parts(tgt_mask=got[0], tgt_key_padding_mask=got[1]),
)
def for_pytorch(draw: Draw) -> Cases:
    """`for_pytorch(token_ids, pad_id)`: two masks in which True blocks."""
    yield case(torch.tensor([[5, 0, 6], [5, 2, 2]]), 2)
    yield case(draw.ids(0, 3, draw.randint(1, 4), draw.randint(2, 8)), 1)


for_pytorch.slips = {
    "The pair is in the wrong order: tgt_mask, of shape (T, T), first.": (
        lambda ids, pad: _blocked(ids, pad)[::-1]
    ),
    "PyTorch joins the masks itself: tgt_mask has shape (T, T).": (
        lambda ids, pad: (~_both(ids, pad), ids == pad)
    ),
    "tgt_mask is in the book's convention: turn it around with ~.": (
        lambda ids, pad: (~_blocked(ids, pad)[0], ids == pad)
    ),
    "tgt_key_padding_mask has the shape (B, T) in PyTorch: leave out the axes for "
    "heads and queries.": lambda ids, pad: (
        _blocked(ids, pad)[0],
        ~padding_mask(ids, pad),
    ),
    "tgt_key_padding_mask is in the book's convention: True marks the padding.": (
        lambda ids, pad: (_blocked(ids, pad)[0], ids != pad)
    ),
}


def _are_names(got: Any) -> bool:
    kind = isinstance(got, Collection) and not isinstance(got, str | Mapping)
    return kind and set(got) <= set("ABCDE")


@exercise(
    "B by one step, C through a mean, E in long sentences only.",
    right={"B", "C", "E"},
    form=('a set of names such as {"A", "B"}', _are_names),
    read=lambda names: Parts((name, name in names) for name in "ADBCE"),
)
def looking_ahead(draw: Draw) -> Cases:
    """The set `looking_ahead`: the suspects that see a later token."""
    yield case()


looking_ahead.slips = {
    "A is honest: its window has a gap, but all of it lies in the past.": set("ABCE"),
    "D is honest: a running sum adds up the past and nothing else.": set("BCDE"),
    "One is missing that sees a single token ahead: change only the next token, and "
    "look at the output before it.": set("CE"),
    "One is missing whose mask is right, but whose outputs are mixed afterwards: test "
    "the model from outside, not its mask.": set("BE"),
    "One is missing that leaks only in long sentences: test with a dozen tokens or "
    "more.": set("BC"),
}
