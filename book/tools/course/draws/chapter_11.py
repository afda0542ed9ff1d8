"""Hidden values for chapter 11."""

import math
from collections.abc import Iterator
from typing import Any

import torch

from book.tools.course.hidden import Draw, Observe, call, draws


@draws("11.1")
def smoothed(draw: Draw) -> Iterator[Observe]:
    """Other labels, vocabularies and shares."""
    size = draw.randint(3, 20)
    yield call(draw.randrange(size), size, draw.uniform(0.01, 0.5))


@draws("11.2")
def paper_rate(draw: Draw) -> Iterator[Observe]:
    """Other widths and warm-ups, before its end and after it."""
    width, steps = draw.choice([64, 192, 300]), draw.randint(10, 5000)
    early, late = draw.randint(1, steps), steps * draw.randint(2, 9)
    yield lambda answer: math.log(answer(early, width, steps))
    yield lambda answer: math.log(answer(late, width, steps))


@draws("11.3")
def clip(draw: Draw) -> Iterator[Observe]:
    """Other gradients, too long, short, and all zero."""
    gradients = [draw.normal(*draw.sample([1, 2, 3, 4], 2)) for _ in range(3)]
    yield call(gradients, draw.uniform(0.1, 2.0))
    yield call(gradients, 1000.0)
    yield call([torch.zeros(3)], 1.0)


@draws("11.4")
def last_file(draw: Draw) -> Iterator[Observe]:
    """Other numbers in another order, among names of other forms."""
    names = [f"epoch-{n}.safetensors" for n in draw.sample(range(1, 2000), 6)]
    others = ["settings.json", "epoch-5000.safetensors.unfinished", "last.safetensors"]
    names += others
    draw.shuffle(names)
    yield call(names)


@draws("11.5")
def global_loss(draw: Draw) -> Iterator[Observe]:
    """Other shares, one of which may be empty."""
    losses = [draw.uniform(0.5, 6.0) for _ in range(draw.randint(1, 5))]
    words = [draw.randint(1, 400) for _ in losses]
    yield call([*losses, math.nan], [*words, 0])


@draws("11.6")
def early_stop(draw: Draw) -> Iterator[Observe]:
    """Other losses, another patience."""
    losses = [round(draw.uniform(1.0, 3.0), 1) for _ in range(draw.randint(4, 12))]
    patience = draw.randint(1, 4)

    def ends(answer: Any) -> list[int]:
        return [int(epoch) for epoch in answer(list(losses), patience)]

    yield ends
