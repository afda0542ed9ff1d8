"""The checks of chapter 11: what a training asks for, walks by, and stops at."""

import math
from typing import Any

import torch
from torch import Tensor

from lib.checks import expect
from lib.checks.core import exercise

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
    cases=[(2, 5, 0.1), (0, 4, 0.4), (1, 3, 0.0)],
)
def smoothed(answer: Any, label: int, size: int, smoothing: float) -> None:
    """Check `smoothed(label, vocab_size, smoothing)`: what smoothing asks for."""

    def peak(at_label: float, elsewhere: float) -> Tensor:
        values = torch.full((size,), elsewhere)
        values[label] = at_label
        return values

    got, what = (
        answer(label, size, smoothing),
        f"smoothed({label}, {size}, {smoothing})",
    )
    expect.shape(got, (size,), what)
    kept, share = 1 - smoothing, smoothing / size
    slips: expect.Slips = {
        "The probabilities do not add up to 1: the right word gets its part of what is "
        "spread over all words, too.": peak(kept, share),
        "This spreads the share over the other words only; label smoothing spreads it "
        "over all words, the right one included.": peak(kept, smoothing / (size - 1)),
        "This is certainty: nothing has been taken from the right word.": peak(
            1.0, 0.0
        ),
        "The two shares are exchanged: smoothing is what is spread, the rest goes to "
        "the right word.": peak(smoothing + kept / size, kept / size),
        f"{what} should be probabilities, which add up to 1.": (
            lambda got: abs(float(got.sum()) - 1) > 1e-4
        ),
    }
    expect.close(got, peak(kept + share, share), what, slips)


@exercise(
    "11.2",
    praise="The two curves meet where the warm-up ends, and the rate is highest there.",
)
def paper_rate(answer: Any) -> None:
    """Check `paper_rate(step, d_model, warmup_steps)`: the rule of §5.3."""
    d_model, warmup = 512, 4000
    steps = (100, 4000, 64000)  # before, at and after the end of the warm-up
    got = [answer(step, d_model, warmup) for step in steps]
    what = f"paper_rate(step, 512, 4000) for the steps {steps}"
    expect.that(
        all(isinstance(rate, int | float | Tensor) for rate in got),
        f"{what} should be three numbers.",
    )
    scale = torch.tensor(float(d_model)) ** -0.5
    up = torch.tensor([step * warmup**-1.5 for step in steps])
    down = torch.tensor([step**-0.5 for step in steps])
    right = scale * up.minimum(down)
    # In units of the right rate, which is a very small number.
    slips: expect.Slips = {
        "This takes the larger of the two curves: the rate would be lowest where the "
        "warm-up ends.": scale * up.maximum(down) / right,
        "The factor d_model**-0.5 is missing: larger models get a smaller rate.": (
            1 / scale.expand(3)
        ),
        "d_model has the exponent -0.5: larger models get a smaller rate.": (
            1 / scale.expand(3) ** 2
        ),
        "There is no warm-up: this is the falling curve alone; if you take a minimum, "
        "look at the exponent of warmup_steps, which is -1.5.": scale * down / right,
        "The rate never comes down: this is the rising line alone.": scale * up / right,
    }
    ratios = torch.tensor([float(rate) for rate in got]) / right
    what = f"{what}, divided by the right rates,"
    expect.close(ratios, torch.ones(3), what, slips)


@exercise(
    "11.3",
    praise="`nn.utils.clip_grad_norm_` does the same, in place, for a whole model.",
    cases=[
        ([[[3.0, 1.5]], [-4.0], [0.0, 0.0]], 1.0),
        ([[[3.0, 1.5]], [-4.0], [0.0, 0.0]], 2.5),
        ([[0.3, 0.4], [-0.1]], 1.0),
        ([[0.0, 0.0, 0.0]], 1.0),
    ],
)
def clip(answer: Any, numbers: list[Any], longest: float) -> None:
    """Check `clip(gradients, longest)`: one factor for all gradients together."""
    gradients = [torch.tensor(gradient) for gradient in numbers]
    what = f"clip({[g.tolist() for g in gradients]}, {longest})"
    got = answer(gradients, longest)
    expect.that(
        isinstance(got, list | tuple)
        and len(got) == len(gradients)
        and all(isinstance(g, Tensor) for g in got),
        f"{what} should be a list of {len(gradients)} tensors.",
    )
    for one, gradient in zip(got, gradients, strict=True):
        expect.shape(one, tuple(gradient.shape), "each tensor of the list")
    flat = _together(gradients)

    def shortened(x: Tensor, length: Tensor) -> Tensor:
        return x * min(1.0, longest / max(float(length), 1e-9))

    slips: expect.Slips = {
        "Gradients of length zero became nan: do not divide by a length of 0.": (
            lambda got: bool(got.isnan().any())
        ),
        "Gradients that are short enough were stretched; they stay as they are.": (
            flat * longest / flat.norm() if flat.any() else flat
        ),
        "Each tensor was shortened on its own, and this changes the direction: the "
        "length is that of all of them together.": (
            _together([shortened(g, g.norm()) for g in gradients])
        ),
        "Each number was cut off on its own, and this changes the direction: multiply "
        "all of them by one factor.": flat.clamp(-longest, longest),
        "The length is the root of the sum of squares, not the sum of absolute "
        "values.": shortened(flat, flat.abs().sum()),
        "The root is missing: the length is the root of the sum of squares.": (
            shortened(flat, flat.norm() ** 2)
        ),
        "Nothing was shortened, although the length is above the limit.": flat,
    }
    right = shortened(flat, flat.norm())
    expect.close(_together(got), right, f"{what}, all numbers in a row,", slips)


def _together(tensors: list[Tensor]) -> Tensor:
    return torch.cat([tensor.flatten() for tensor in tensors])


_OTHER_FILES = [
    "settings.json",
    "epoch-99.safetensors.unfinished",
    "epoch-x.safetensors",
]


@exercise(
    "11.4",
    praise="With names like these, mistake 24 cannot happen to you any more.",
    cases=[
        (["epoch-1.safetensors"], 1),
        ([f"epoch-{number}.safetensors" for number in (2, 12, 9, 10)], 12),
        (["epoch-100.safetensors", *_OTHER_FILES, "epoch-99.safetensors"], 100),
        (["epoch-3.safetensors", *_OTHER_FILES], 3),
    ],
)
def last_file(answer: Any, names: list[str], epoch: int) -> None:
    """Check `last_file(names)`: the highest number, not the last name."""
    slips: expect.Slips = {
        "A name of another form was taken: only epoch-NUMBER.safetensors counts.": (
            expect.AnyOf(*_OTHER_FILES)
        ),
        "This is a number; the name of the file is asked for.": (
            lambda got: isinstance(got, int)
        ),
        "This is mistake 24: the names were compared as text, and 9 comes "
        "after 12.": max(name for name in names if name not in _OTHER_FILES),
        "The names come in any order: the last in the list is not the last epoch.": (
            names[-1]
        ),
    }
    right = f"epoch-{epoch}.safetensors"
    expect.equal(answer(names), right, f"last_file({names})", slips)


@exercise(
    "11.5",
    praise="Sums may be added, means may not: this holds for accuracies and for BLEU "
    "too.",
    cases=[
        ([2.0, 4.0], [30, 10]),
        ([3.0], [7]),
        ([1.0, 2.0, 6.0], [5, 1, 2]),
        ([1.5, math.nan], [4, 0]),
    ],
)
def global_loss(answer: Any, losses: list[float], words: list[int]) -> None:
    """Check `global_loss(mean_losses, words)`: a mean over all words."""
    got, what = answer(losses, words), f"global_loss({losses}, {words})"
    expect.that(isinstance(got, int | float | Tensor), f"{what} should be a number.")
    total = sum(loss * n for loss, n in zip(losses, words, strict=True) if n)
    slips: expect.Slips = {
        "An empty share spoils the rest: nan times 0 is still nan, so leave it out.": (
            math.isnan
        ),
        "This is the mean of the means: a word in a small share counts for more than "
        "one in a large share.": sum(losses) / len(losses),
        "This is the sum of all losses; divide by the number of words.": total,
        "Divide by the number of words, not by the number of shares.": (
            total / len(losses)
        ),
    }
    expect.close(float(got), total / sum(words), what, slips)


@exercise(
    "11.6",
    praise="`lib.training` does the same, and keeps the weights of the best epoch.",
    cases=[
        ([3.1, 2.6, 2.7, 2.5, 2.55, 2.6, 2.4], 2, (6, 4)),
        ([3.0, 2.0, 2.5, 2.6, 1.0], 3, (5, 5)),
        ([2.0, 1.5, 1.5, 1.5, 1.6, 1.7, 1.4], 2, (4, 2)),
        ([2.0, 1.5, 1.2], 2, (3, 3)),
        ([1.0, 1.1, 1.05, 1.02, 0.5], 3, (4, 1)),
    ],
)
def early_stop(
    answer: Any, losses: list[float], patience: int, right: tuple[int, int]
) -> None:
    """Check `early_stop(losses, patience)`: the end of the run, and its best epoch."""
    got, what = answer(losses, patience), f"early_stop({losses}, {patience})"
    expect.pair(got, f"{what} should be two numbers, the last epoch and the best one.")
    ended, best = right
    slips: expect.Slips = {
        "The two numbers are exchanged: first the end, then the best.": (best, ended),
        "Epochs are counted from 1, as in the log of a run.": (ended - 1, best - 1),
        "The best epoch is counted from 0: epochs are counted from 1.": (
            (ended, best - 1)
        ),
        "This looks ahead: the run has ended before it gets to that epoch.": (
            (len(losses), losses.index(min(losses)) + 1)
        ),
        "The weights are those of the best epoch, not of the last.": (ended, ended),
        "The run ends as soon as `patience` epochs have brought no new low, not one "
        "later.": lambda got: got[0] == ended + 1,
        "The run ends too early: it is patient for `patience` epochs since its lowest "
        "loss, and each new low begins the count anew.": lambda got: got[0] < ended,
        "The run goes on too long: a loss that is not below the lowest so far is no "
        "new low.": lambda got: got[0] > ended,
    }
    expect.equal(got, right, what, slips)
