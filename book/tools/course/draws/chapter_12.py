"""Hidden values for chapter 12."""

from collections.abc import Iterator
from typing import Any

from book.tools.course.hidden import Draw, Observe, call, draws


def _chances(draw: Draw, words: str) -> dict[str, float]:
    weights = [draw.uniform(0.05, 1.0) for _ in words]
    return {word: one / sum(weights) for word, one in zip(words, weights, strict=True)}


@draws("12.1")
def grow(draw: Draw) -> Iterator[Observe]:
    """Another beam, other words and chances."""
    table = {begin: _chances(draw, "XYZ") for begin in ("A", "B", "C")}
    beam = [(begin, -draw.uniform(0.1, 3.0)) for begin in table]

    def grown(answer: Any) -> list[Any]:
        got = answer(list(beam), table.__getitem__, draw_size)
        return [part for begin, score in got for part in (begin, float(score))]

    draw_size = draw.randint(1, 5)
    yield grown


@draws("12.2")
def best(draw: Draw) -> Iterator[Observe]:
    """Other sentences, another alpha."""
    hypotheses = [
        (name, draw.randint(1, 30), -draw.uniform(1.0, 9.0)) for name in "abcde"
    ]
    yield call(hypotheses, draw.uniform(0.0, 1.2))


@draws("12.3")
def clipped(draw: Draw) -> Iterator[Observe]:
    """Other sentences of few words, and longer n-grams."""
    candidate = draw.choices(["el", "la", "gato"], k=draw.randint(2, 9))
    reference = draw.choices(["el", "la", "gato"], k=draw.randint(2, 9))
    yield call(candidate, reference, draw.randint(1, 3))


@draws("12.4")
def cache_size(draw: Draw) -> Iterator[Observe]:
    """Other sizes."""
    yield call(*(draw.randint(1, 50) for _ in range(4)))


@draws("12.5")
def beam_step(draw: Draw) -> Iterator[Observe]:
    """Other scores, another end, another size of the beam."""
    size, words = draw.randint(2, 4), draw.randint(6, 9)
    scores = draw.normal(size).abs().neg().sort(descending=True).values
    chances = (2 * draw.normal(size, words)).log_softmax(dim=-1)
    end = draw.randrange(words)

    def steps(answer: Any) -> list[Any]:
        going, ended = answer(scores, chances, size, end)
        found = [tuple(map(float, one)) for one in [*going, *ended]]
        return [len(going), len(ended), *found]

    yield steps
