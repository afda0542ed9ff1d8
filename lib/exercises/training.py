"""The exercises of chapter 12: what a training asks for, walks by, and stops at."""

import math
import re
from typing import Any

import torch
from torch import Tensor

from lib.exercises.forms import NUMBER, TENSOR, TEXT, pair, several
from lib.exercises.record import Cases, Draw, case, exercise


def _labels(draw: Draw) -> list[Any]:
    size = draw.randint(3, 20)
    drawn = draw.randrange(size), size, draw.uniform(0.01, 0.5)
    return [(2, 5, 0.1), (0, 4, 0.4), (1, 3, 0.0), drawn]


@exercise(_labels, form=TENSOR)
def smoothed(label: int, vocab_size: int, smoothing: float) -> Tensor:
    """What smoothing asks for, as a tensor (V,)."""
    share = smoothing / vocab_size
    wanted = torch.full((vocab_size,), share)
    wanted[label] = 1 - smoothing + share
    return wanted


def _rates(answer: Any, steps: tuple[int, ...], *sizes: int) -> list[float]:
    return [1e6 * float(answer(step, *sizes)) for step in steps]


def _steps(draw: Draw) -> Cases:
    end = draw.randint(10, 5000)
    others = draw.randint(1, end), end * draw.randint(2, 9)
    for steps, d_model, warmup in (
        ((100, 4000, 64000), 512, 4000),  # before, at and after the end of the warm-up
        (others, draw.choice([64, 192, 300]), end),
    ):
        call = f"paper_rate(step, {d_model}, {warmup})"
        what = f"A million times {call} for the steps {steps}"
        yield case(steps, d_model, warmup, what=what, use=_rates)


@exercise(_steps, form=NUMBER)
def paper_rate(step: int, d_model: int, warmup_steps: int) -> float:
    """The rule of §5.3."""
    rising, falling = step * warmup_steps**-1.5, step**-0.5
    return d_model**-0.5 * min(rising, falling)


def _gradients(draw: Draw) -> Cases:
    zeros, short = [[0.0, 0.0, 0.0]], [[0.3, 0.4], [-0.1]]
    long: list[Any] = [[[3.0, 1.5]], [-4.0], [0.0, 0.0]]
    for numbers, longest in ((long, 1.0), (long, 2.5), (short, 1.0), (zeros, 1.0)):
        what = f"clip({numbers}, {longest})"
        yield case([torch.tensor(one) for one in numbers], longest, what=what)
    yield case([draw.normal(2, 3), draw.normal(4)], draw.uniform(0.1, 2.0))


@exercise(_gradients, form=several("a list of tensors", Tensor))
def clip(gradients: list[Tensor], longest: float) -> list[Tensor]:
    """One factor for all gradients together."""
    length = math.sqrt(sum(float((one**2).sum()) for one in gradients))
    factor = min(1.0, longest / length) if length else 1.0
    return [one * factor for one in gradients]


_OTHER_FILES = [
    "settings.json",
    "epoch-99.safetensors.unfinished",
    "epoch-x.safetensors",
]


def _files(draw: Draw) -> Cases:
    for numbers, others in (
        ([1], []),
        ([1, 12, 2, 31, 38, 35, 29, 24], []),  # the highest is also the last as text
        ([2, 12, 9, 10], []),
        ([100, 99], _OTHER_FILES),
        ([3], _OTHER_FILES),
        (draw.sample(range(1, 2000), 6), ["last.safetensors", *_OTHER_FILES]),
    ):
        names = [f"epoch-{number}.safetensors" for number in numbers]
        names[1:1] = others
        yield case(names, what=f"last_file({names})")


@exercise(_files, form=("the name of a file", TEXT[1]))
def last_file(names: list[str]) -> str:
    """The highest number, not the last name."""
    found = {}
    for name in names:
        if match := re.fullmatch(r"epoch-(\d+)\.safetensors", name):
            found[int(match[1])] = name
    return found[max(found)]


def _shares(draw: Draw) -> list[Any]:
    losses = [draw.uniform(0.5, 6.0) for _ in range(4)]
    words = [draw.randint(1, 400) for _ in losses]
    return [
        ([2.0, 4.0], [30, 10]),
        ([3.0], [7]),
        ([1.0, 2.0, 6.0], [5, 1, 2]),
        ([1.5, math.nan], [4, 0]),
        ([*losses, math.nan], [*words, 0]),
    ]


@exercise(_shares, form=NUMBER, read=float)
def global_loss(mean_losses: list[float], words: list[int]) -> float:
    """A mean over all words."""
    pairs = zip(mean_losses, words, strict=True)
    return sum(loss * n for loss, n in pairs if n > 0) / sum(words)


def _losses(draw: Draw) -> Cases:
    drawn = [round(draw.uniform(1.0, 3.0), 1) for _ in range(9)]
    for losses, patience in (
        ([2.0, 1.5, 1.5, 1.5, 1.6, 1.7, 1.4], 2),
        ([3.1, 2.6, 2.7, 2.5, 2.55, 2.6, 2.4], 2),
        ([3.0, 2.0, 2.5, 2.6, 1.0], 3),
        ([2.0, 1.5, 1.6], 2),
        ([1.0, 1.1, 1.05, 1.02, 0.5], 3),
        (drawn, draw.randint(1, 4)),
    ):
        yield case(losses, patience, what=f"early_stop({losses}, {patience})")


@exercise(_losses, form=pair("two numbers, the last epoch and the best one"))
def early_stop(losses: list[float], patience: int) -> tuple[int, int]:
    """The end of the run, and its best epoch."""
    best = 1
    for epoch, loss in enumerate(losses, start=1):
        if loss < losses[best - 1]:
            best = epoch
        if epoch - best == patience:
            return epoch, best
    return len(losses), best
