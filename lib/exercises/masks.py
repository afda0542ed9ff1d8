"""The exercises of chapter 4: masks, a masked softmax, and five suspects."""

import math  # noqa: F401 - the slips call it
from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from lib.exercises.forms import named, pair
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise
from lib.exercises.suspects import suspects as suspects  # the chapter calls it
from lib.masks import causal_mask, padding_mask


@exercise(
    lambda draw: [(6, 3), (4, 1), (3, 9), (draw.randint(3, 12), draw.randint(1, 6))]
)
def window_mask(length: int, width: int) -> Tensor:
    """Each position and the few before it."""
    return torch.ones(length, length).triu(1 - width).tril().bool()


def _tokens(draw: Draw) -> list[Any]:
    # Padding at either end and inside, and a token 0 that is none: so no two slips
    # give the same mask.
    tokens = torch.tensor([[5, 0, 6, 9], [2, 2, 5, 7], [5, 2, 8, 2]])
    return [(tokens, 2), (draw.ids(0, 3, 4, 6), 2)]


@exercise(
    _tokens,
    without=Without(
        "This calls causal_mask or padding_mask: the task is to build both conditions "
        "yourself, with tril and a comparison.",
        like=lambda ids, pad: padding_mask(ids, pad) & causal_mask(ids.size(1)),
        named={"causal_mask", "padding_mask"},
    ),
)
def decoder_mask(token_ids: Tensor, pad_id: int) -> Tensor:
    """The past, without its padding."""
    padding, past = padding_mask(token_ids, pad_id), causal_mask(token_ids.size(1))
    return padding & past


def _gradient_is_finite(answer: Any, scores: Tensor, mask: Tensor) -> Any:
    asked = scores.clone().requires_grad_()
    answer(asked, mask)[1].square().sum().backward()
    return asked.grad is not None and bool(asked.grad.isfinite().all())


def _scores(draw: Draw) -> Cases:
    scores = torch.tensor([[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]])
    yield case(scores, torch.tensor([[True, False, True], [True, True, True]]))
    empty = torch.tensor([[False, False, False], [True, True, False]])
    yield case(scores, empty)
    yield case(scores.half(), empty, what="masked_softmax of float16 scores")
    low = torch.tensor([[-1e30, 0.0, -1e30]])
    what = "masked_softmax of the scores -1e+30, 0 and -1e+30 in torch.float32"
    yield case(low, torch.tensor([[True, False, True]]), what=what)
    # Scores have the shape (B, H, T, S); one mask serves all heads and queries.
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()[:, None, None]
    yield case(draw.normal(2, 3, 4, 5), mask)
    what = "That the gradient is finite"
    yield case(scores, empty, what=what, use=_gradient_is_finite)
    mask = draw.ids(0, 1, 4, 5).bool()
    mask[2] = False
    yield case(20 * draw.normal(2, 4, 5), mask)
    yield case(draw.normal(4, 5).half() - 60_000, mask)


@exercise(_scores)
def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Shares of the open keys alone."""
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


@exercise(
    lambda draw: [
        (torch.tensor([[5, 0, 6], [5, 2, 2]]), 2),
        (draw.ids(0, 3, 3, 5), 1),
    ],
    form=pair("the pair (tgt_mask, tgt_key_padding_mask)"),
    read=named("tgt_mask", "tgt_key_padding_mask"),
)
def for_pytorch(token_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """Two masks in which True blocks."""
    return ~causal_mask(token_ids.size(1)), token_ids == pad_id


def _are_names(got: Any) -> bool:
    kind = isinstance(got, Collection) and not isinstance(got, str | Mapping)
    return kind and set(got) <= set("ABCDE")


@exercise(
    lambda draw: [case(what="looking_ahead")],
    form=('a set of names such as {"A", "B"}', _are_names),
    read=lambda names: Parts((name, name in names) for name in "ADBCE"),
)
def looking_ahead() -> set[str]:
    """The suspects that see a later token."""
    return set("BCE")
