"""The exercises of chapter 12: what a training asks for, walks by, and stops at."""

import math
import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.exercises.forms import NUMBER, TENSOR, TEXT, pair
from lib.exercises.record import Cases, Draw, case, exercise


def _smoothed(
    kept: Callable[[float, int], float] = lambda e, n: 1 - e + e / n,
    share: Callable[[float, int], float] = lambda e, n: e / n,
) -> Callable[[int, int, float], Tensor]:
    """An answer that gives the label this and all others that, of ε and V."""

    def answer(label: int, vocab_size: int, smoothing: float) -> Tensor:
        wanted = torch.full((vocab_size,), float(share(smoothing, vocab_size)))
        wanted[label] = kept(smoothing, vocab_size)
        return wanted

    return answer


@exercise(
    "The cross-entropy with this distribution is the smoothed loss, and its entropy is "
    "the floor.",
    right=_smoothed(),
    form=TENSOR,
)
def smoothed(draw: Draw) -> Cases:
    """`smoothed(label, vocab_size, smoothing)`: what smoothing asks for."""
    yield case(2, 5, 0.1)
    yield case(0, 4, 0.4)
    yield case(1, 3, 0.0)
    size = draw.randint(3, 20)
    yield case(draw.randrange(size), size, draw.uniform(0.01, 0.5))


smoothed.slips = {
    "The probabilities do not add up to 1: the right word gets its part of what is "
    "spread over all words, too.": _smoothed(lambda e, n: 1 - e),
    "This spreads the share over the other words only; label smoothing spreads it over "
    "all words, the right one included.": (
        _smoothed(lambda e, n: 1 - e, lambda e, n: e / (n - 1))
    ),
    "The two shares are exchanged: smoothing is what is spread, the rest goes to the "
    "right word.": _smoothed(lambda e, n: e + (1 - e) / n, lambda e, n: (1 - e) / n),
    "{what} should be probabilities, which add up to 1.": [
        _smoothed(lambda e, n: 1 + e / n),
        _smoothed(lambda e, n: 1 - e, lambda e, n: e),
    ],
}


def _rate(
    power: float = -0.5, choose: Callable[[float, float], float] = min
) -> Callable[[int, int, int], float]:
    def answer(step: int, d_model: int, warmup_steps: int) -> float:
        return float(d_model**power * choose(step**-0.5, step * warmup_steps**-1.5))

    return answer


def _rates(answer: Any, steps: tuple[int, ...], *sizes: int) -> list[float]:
    return [1e6 * float(answer(step, *sizes)) for step in steps]


@exercise(
    "The two curves meet where the warm-up ends, and the rate is highest there.",
    right=_rate(),
    form=NUMBER,
)
def paper_rate(draw: Draw) -> Cases:
    """`paper_rate(step, d_model, warmup_steps)`: the rule of §5.3."""
    end = draw.randint(10, 5000)
    others = draw.randint(1, end), end * draw.randint(2, 9)
    for steps, d_model, warmup in (
        ((100, 4000, 64000), 512, 4000),  # before, at and after the end of the warm-up
        (others, draw.choice([64, 192, 300]), end),
    ):
        call = f"paper_rate(step, {d_model}, {warmup})"
        what = f"A million times {call} for the steps {steps}"
        yield case(steps, d_model, warmup, what=what, use=_rates)


paper_rate.slips = {
    "This takes the larger of the two curves: the rate would be lowest where the "
    "warm-up ends.": _rate(choose=max),
    "The factor d_model**-0.5 is missing: larger models get a smaller rate.": (
        _rate(power=0)
    ),
    "There is no warm-up: this is the falling curve alone; if you take a minimum, look "
    "at the exponent of warmup_steps, which is -1.5.": (
        _rate(choose=lambda down, up: down)
    ),
    "The rate never comes down: this is the rising line alone.": (
        _rate(choose=lambda down, up: up)
    ),
}


def _norm(tensors: list[Tensor]) -> float:
    return math.sqrt(sum(float((one**2).sum()) for one in tensors))


def _shortened(gradients: list[Tensor], longest: float, length: float) -> list[Tensor]:
    factor = min(1.0, longest / length) if length else 1.0
    return [one * factor for one in gradients]


def _are_tensors(got: Any) -> bool:
    return isinstance(got, list | tuple) and all(isinstance(g, Tensor) for g in got)


@exercise(
    "`nn.utils.clip_grad_norm_` does the same, in place, for a whole model.",
    right=lambda gradients, longest: _shortened(gradients, longest, _norm(gradients)),
    form=("a list of tensors", _are_tensors),
)
def clip(draw: Draw) -> Cases:
    """`clip(gradients, longest)`: one factor for all gradients together."""
    zeros, short = [[0.0, 0.0, 0.0]], [[0.3, 0.4], [-0.1]]
    long: list[Any] = [[[3.0, 1.5]], [-4.0], [0.0, 0.0]]
    for numbers, longest in ((long, 1.0), (long, 2.5), (short, 1.0), (zeros, 1.0)):
        what = f"clip({numbers}, {longest})"
        yield case([torch.tensor(one) for one in numbers], longest, what=what)
    gradients = [draw.normal(*draw.sample([1, 2, 3, 4], 2)) for _ in range(3)]
    yield case(gradients, draw.uniform(0.1, 2.0))
    yield case(gradients, 1000.0)


clip.slips = {
    "All gradients may be zero: do not divide by a length of 0.": (
        lambda gradients, longest: [
            one * min(1.0, longest / _norm(gradients)) for one in gradients
        ]
    ),
    "Gradients that are short enough were stretched; they stay as they are.": (
        lambda gradients, longest: [
            one * longest / (_norm(gradients) or longest) for one in gradients
        ]
    ),
    "Each tensor was shortened on its own, and this changes the direction: the length "
    "is that of all of them together.": lambda gradients, longest: [
        _shortened([one], longest, _norm([one]))[0] for one in gradients
    ],
    "Each number was cut off on its own, and this changes the direction: multiply all "
    "of them by one factor.": (
        lambda gradients, longest: [one.clamp(-longest, longest) for one in gradients]
    ),
    "The root is missing: the length is the root of the sum of squares.": (
        lambda gradients, longest: _shortened(gradients, longest, _norm(gradients) ** 2)
    ),
}

_OTHER_FILES = [
    "settings.json",
    "epoch-99.safetensors.unfinished",
    "epoch-x.safetensors",
]


def _last_file(
    names: list[str], match: Any = re.fullmatch, read: Callable[[str], Any] = int
) -> str:
    found = [match(r"epoch-(\d+)\.safetensors", name) for name in names]
    return str(max((one for one in found if one), key=lambda one: read(one[1])).string)


@exercise(
    "With names like these, mistake 24 cannot happen to you any more.",
    right=_last_file,
    form=("the name of a file", TEXT[1]),
)
def last_file(draw: Draw) -> Cases:
    """`last_file(names)`: the highest number, not the last name."""
    for numbers, others in (
        ([1], []),
        ([2, 12, 9, 10], []),
        ([100, 99], _OTHER_FILES),
        ([3], _OTHER_FILES),
        (draw.sample(range(1, 2000), 6), ["last.safetensors", *_OTHER_FILES]),
    ):
        names = [f"epoch-{number}.safetensors" for number in numbers]
        names[1:1] = others
        yield case(names, what=f"last_file({names})")


last_file.slips = {
    "A name of another form was taken: only epoch-NUMBER.safetensors counts.": (
        lambda names: _last_file(names, match=re.match)
    ),
    "This is a number; the name of the file is asked for.": (
        lambda names: int(re.findall(r"\d+", _last_file(names))[0])
    ),
    "This is mistake 24: the names were compared as text, and 9 comes after 12.": (
        lambda names: _last_file(names, read=str)
    ),
    "The names come in any order: the last in the list is not the last epoch.": (
        lambda names: names[-1]
    ),
}


def _mean_over_words(losses: list[float], words: list[int]) -> float:
    pairs = zip(losses, words, strict=True)
    return sum(loss * n for loss, n in pairs if n) / sum(words)


@exercise(
    "Sums may be added, means may not: this holds for accuracies and for BLEU too.",
    right=lambda losses, words: _mean_over_words(losses, words),
    form=NUMBER,
    read=float,
)
def global_loss(draw: Draw) -> Cases:
    """`global_loss(mean_losses, words)`: a mean over all words."""
    yield case([2.0, 4.0], [30, 10])
    yield case([3.0], [7])
    yield case([1.0, 2.0, 6.0], [5, 1, 2])
    yield case([1.5, math.nan], [4, 0])
    losses = [draw.uniform(0.5, 6.0) for _ in range(draw.randint(1, 5))]
    words = [draw.randint(1, 400) for _ in losses]
    yield case([*losses, math.nan], [*words, 0])


global_loss.slips = {
    "An empty share spoils the rest: nan times 0 is still nan, so leave it out.": (
        lambda losses, words: (
            sum(loss * n for loss, n in zip(losses, words, strict=True)) / sum(words)
        )
    ),
    "This is the mean of the means: a word in a small share counts for more than one "
    "in a large share.": lambda losses, words: sum(losses) / len(losses),
    "This is the sum of all losses; divide by the number of words.": (
        lambda losses, words: _mean_over_words(losses, words) * sum(words)
    ),
    "Divide by the number of words, not by the number of shares.": (
        lambda losses, words: _mean_over_words(losses, words) * sum(words) / len(losses)
    ),
}


def _stopped(
    losses: list[float], patience: int, equal: bool = False
) -> tuple[int, int]:
    """The last epoch and the best; `equal` takes a loss that is no lower for a low."""
    best = 1
    for epoch in range(1, len(losses) + 1):
        now, lowest = losses[epoch - 1], losses[best - 1]
        best = epoch if now < lowest or (equal and now == lowest) else best
        if epoch - best == patience:
            return epoch, best
    return len(losses), best


@exercise(
    "`lib.training` does the same, and keeps the weights of the best epoch.",
    right=lambda losses, patience: _stopped(losses, patience),
    form=pair("two numbers, the last epoch and the best one"),
)
def early_stop(draw: Draw) -> Cases:
    """`early_stop(losses, patience)`: the end of the run, and its best epoch."""
    drawn = [round(draw.uniform(1.0, 3.0), 1) for _ in range(draw.randint(4, 12))]
    for losses, patience in (
        ([2.0, 1.5, 1.5, 1.5, 1.6, 1.7, 1.4], 2),
        ([3.1, 2.6, 2.7, 2.5, 2.55, 2.6, 2.4], 2),
        ([3.0, 2.0, 2.5, 2.6, 1.0], 3),
        ([2.0, 1.5, 1.6], 2),
        ([1.0, 1.1, 1.05, 1.02, 0.5], 3),
        (drawn, draw.randint(1, 4)),
    ):
        yield case(losses, patience, what=f"early_stop({losses}, {patience})")


early_stop.slips = {
    "This looks ahead: the run has ended before it gets to that epoch.": (
        lambda losses, patience: (len(losses), losses.index(min(losses)) + 1)
    ),
    "The weights are those of the best epoch, not of the last.": (
        lambda losses, patience: [_stopped(losses, patience)[0]] * 2
    ),
    "The run ends as soon as `patience` epochs have brought no new low, not one "
    "later.": lambda losses, patience: _stopped(losses, patience + 1),
    "The run ends too early: it is patient for `patience` epochs since its lowest "
    "loss, and each new low begins the count anew.": (
        lambda losses, patience: _stopped(losses, patience - 1)
    ),
    "The run goes on too long: a loss that is not below the lowest so far is no new "
    "low.": lambda losses, patience: _stopped(losses, patience, equal=True),
}
