"""The checks of chapter 11: what a training asks for, walks by, and stops at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lib.checks.core import (
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    expect_tensor,
)
from lib.checks.early_stop import early_stop

__all__ = [
    "clip",
    "early_stop",
    "global_loss",
    "last_file",
    "paper_rate",
    "smoothed",
]


@exercise(
    "11.1",
    praise="The cross-entropy with this distribution is the smoothed loss, and its "
    "entropy is the floor.",
)
def smoothed(answer: Any) -> None:
    """Check `smoothed(label, vocab_size, smoothing)`: what smoothing asks for."""
    for label, size, smoothing in ((2, 5, 0.1), (0, 4, 0.4), (1, 3, 0.0)):
        what = f"smoothed({label}, {size}, {smoothing})"
        got = answer(label, size, smoothing)
        expect_tensor(got, what)
        expect_shape(got, (size,), what)
        share = smoothing / size
        expected = _peak(label, size, 1 - smoothing + share, share)
        expect_close(
            got,
            expected,
            what,
            [
                (
                    _peak(label, size, 1 - smoothing, share),
                    "The probabilities do not add up to 1: the right word gets its "
                    "part of what is spread over all words, too.",
                ),
                (
                    _peak(label, size, 1 - smoothing, smoothing / (size - 1)),
                    "This spreads the share over the other words only; label smoothing "
                    "spreads it over all words, the right one included.",
                ),
                (
                    _peak(label, size, 1.0, 0.0),
                    "This is certainty: nothing has been taken from the right word.",
                ),
                (
                    _peak(label, size, smoothing + (1 - smoothing) / size, 0.0)
                    + _peak(label, size, 0.0, (1 - smoothing) / size),
                    "The two shares are exchanged: smoothing is what is spread, the "
                    "rest goes to the right word.",
                ),
                (
                    lambda got: abs(float(got.sum()) - 1) > 1e-4,
                    f"{what} should be probabilities, which add up to 1.",
                ),
            ],
        )


def _peak(label: int, size: int, at_label: float, elsewhere: float) -> Tensor:
    values = torch.full((size,), elsewhere)
    values[label] = at_label
    return values


@exercise(
    "11.2",
    praise="The two curves meet where the warm-up ends, and the rate is highest there.",
)
def paper_rate(answer: Any) -> None:
    """Check `paper_rate(step, d_model, warmup_steps)`: the rule of §5.3."""
    d_model, warmup = 512, 4000
    steps = (100, 4000, 64000)  # before, at and after the end of the warm-up
    got = [answer(step, d_model, warmup) for step in steps]
    what = f"paper_rate(step, {d_model}, {warmup}) for the steps {steps}"
    expect(
        all(isinstance(rate, int | float | Tensor) for rate in got),
        f"{what} should be three numbers.",
    )
    scale = torch.tensor(float(d_model)) ** -0.5
    up = torch.tensor([step * warmup**-1.5 for step in steps])
    down = torch.tensor([step**-0.5 for step in steps])
    right = scale * up.minimum(down)
    # In units of the right rate, which is a very small number.
    expect_close(
        torch.tensor([float(rate) for rate in got]) / right,
        torch.ones(3),
        f"{what}, divided by the right rates,",
        [
            (
                scale * up.maximum(down) / right,
                "This takes the larger of the two curves: the rate would be lowest "
                "where the warm-up ends.",
            ),
            (
                1 / scale.expand(3),
                "The factor d_model**-0.5 is missing: larger models get a smaller "
                "rate.",
            ),
            (
                1 / scale.expand(3) ** 2,
                "d_model has the exponent -0.5: larger models get a smaller rate.",
            ),
            (
                scale * down / right,
                "There is no warm-up: this is the falling curve alone; if you take a "
                "minimum, look at the exponent of warmup_steps, which is -1.5.",
            ),
            (
                scale * up / right,
                "The rate never comes down: this is the rising line alone.",
            ),
        ],
    )


@exercise(
    "11.3",
    praise="`nn.utils.clip_grad_norm_` does the same, in place, for a whole model.",
)
def clip(answer: Any) -> None:
    """Check `clip(gradients, longest)`: one factor for all gradients together."""
    long = [torch.tensor([[3.0, 1.5]]), torch.tensor([-4.0]), torch.zeros(2)]
    _check_clipped(answer, long, 1.0)
    _check_clipped(answer, long, 2.5)
    _check_clipped(answer, [torch.tensor([0.3, 0.4]), torch.tensor([-0.1])], 1.0)
    _check_clipped(answer, [torch.zeros(3)], 1.0)


def _check_clipped(answer: Any, gradients: list[Tensor], longest: float) -> None:
    what = f"clip({[g.tolist() for g in gradients]}, {longest})"
    got = answer([g.clone() for g in gradients], longest)
    expect(
        isinstance(got, list | tuple)
        and len(got) == len(gradients)
        and all(isinstance(g, Tensor) for g in got),
        f"{what} should be a list of {len(gradients)} tensors.",
    )
    for one, gradient in zip(got, gradients, strict=True):
        expect_shape(one, tuple(gradient.shape), "each tensor of the list")
    flat = _together(gradients)
    length = float(flat.norm())
    factor = min(1.0, longest / length) if length else 1.0
    expect_close(
        _together(got),
        flat * factor,
        f"{what}, all numbers in a row,",
        [
            (
                lambda got: bool(got.isnan().any()),
                "Gradients of length zero became nan: do not divide by a length of 0.",
            ),
            (
                flat * (longest / length if length else 1.0),
                "Gradients that are short enough were stretched; they stay as they "
                "are.",
            ),
            (
                _together([_shorten(g, longest) for g in gradients]),
                "Each tensor was shortened on its own, and this changes the direction: "
                "the length is that of all of them together.",
            ),
            (
                flat.clamp(-longest, longest),
                "Each number was cut off on its own, and this changes the direction: "
                "multiply all of them by one factor.",
            ),
            (
                flat * min(1.0, longest / max(float(flat.abs().sum()), 1e-9)),
                "The length is the root of the sum of squares, not the sum of absolute "
                "values.",
            ),
            (
                flat * min(1.0, longest / max(length**2, 1e-9)),
                "The root is missing: the length is the root of the sum of squares.",
            ),
            (flat, "Nothing was shortened, although the length is above the limit."),
        ],
    )


def _together(tensors: Sequence[Tensor]) -> Tensor:
    return torch.cat([tensor.flatten() for tensor in tensors])


def _shorten(gradient: Tensor, longest: float) -> Tensor:
    return gradient * min(1.0, longest / max(float(gradient.norm()), 1e-9))


@exercise(
    "11.4",
    praise="With names like these, mistake 24 cannot happen to you any more.",
)
def last_file(answer: Any) -> None:
    """Check `last_file(names)`: the highest number, not the last name."""

    def name(number: int) -> str:
        return f"epoch-{number}.safetensors"

    plain = [name(number) for number in (2, 12, 9, 10)]
    rest = ["settings.json", "epoch-99.safetensors.unfinished", "epoch-x.safetensors"]
    for names, right in (
        ([name(1)], name(1)),
        (plain, name(12)),
        ([name(100), *rest, name(99)], name(100)),
        ([name(3), *rest], name(3)),
    ):
        expect_equal(
            answer(list(names)),
            right,
            f"last_file({names})",
            [
                (
                    lambda got, names=names: got in rest,
                    "A name of another form was taken: only epoch-NUMBER.safetensors "
                    "counts.",
                ),
                (
                    lambda got: isinstance(got, int),
                    "This is a number; the name of the file is asked for.",
                ),
                (
                    max(n for n in names if n not in rest),
                    "This is mistake 24: the names were compared as text, and 9 comes "
                    "after 12.",
                ),
                (
                    names[-1],
                    "The names come in any order: the last in the list is not the last "
                    "epoch.",
                ),
            ],
        )


@exercise(
    "11.5",
    praise="Sums may be added, means may not: this holds for accuracies and for BLEU "
    "too.",
)
def global_loss(answer: Any) -> None:
    """Check `global_loss(mean_losses, words)`: a mean over all words."""
    for losses, words in (
        ([2.0, 4.0], [30, 10]),
        ([3.0], [7]),
        ([1.0, 2.0, 6.0], [5, 1, 2]),
        ([1.5, math.nan], [4, 0]),
    ):
        what = f"global_loss({losses}, {words})"
        got = answer(list(losses), list(words))
        expect(isinstance(got, int | float | Tensor), f"{what} should be a number.")
        total = sum(loss * n for loss, n in zip(losses, words, strict=True) if n)
        expect_close(
            float(got),
            total / sum(words),
            what,
            [
                (
                    lambda got, losses=losses: math.isnan(got),
                    "An empty share spoils the rest: nan times 0 is still nan, so "
                    "leave it out.",
                ),
                (
                    sum(losses) / len(losses),
                    "This is the mean of the means: a word in a small share counts for "
                    "more than one in a large share.",
                ),
                (
                    total,
                    "This is the sum of all losses; divide by the number of words.",
                ),
                (
                    total / len(losses),
                    "Divide by the number of words, not by the number of shares.",
                ),
            ],
        )
