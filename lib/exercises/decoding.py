"""The exercises of chapter 13: steps of a beam, its winner, a nucleus, a cache."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from lib.decoding import length_norm
from lib.exercises.forms import TEXT, pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise

Beam = list[tuple[str, float]]
Next = Callable[[str], dict[str, float]]


def _beams(draw: Draw) -> Cases:
    table = {"A": {"A": 0.45, "B": 0.55}, "B": {"A": 0.1, "B": 0.9}}
    beam = [("A", math.log(0.9)), ("B", math.log(0.1))]
    what = "a beam with one strong beginning, grown"
    yield case(beam, table.__getitem__, 2, what=what)
    beam = [("A", math.log(0.6)), ("B", math.log(0.4))]
    yield case(beam, table.__getitem__, 2, what="grow(beam, next_probabilities, 2)")
    yield case([("B", -1.0)], table.__getitem__, 1, what="a beam of 1, grown")
    chances = draw.normal(3, 3).softmax(dim=-1).tolist()
    drawn = {
        begin: dict(zip("XYZ", row, strict=True))
        for begin, row in zip("ABC", chances, strict=True)
    }
    beam = [(begin, -draw.uniform(0.1, 3.0)) for begin in drawn]
    yield case(beam, drawn.__getitem__, draw.randint(1, 5))


def _is_beam(got: Any) -> bool:
    pairs = isinstance(got, list | tuple)
    return pairs and all(isinstance(one, list | tuple) and len(one) == 2 for one in got)


@exercise(
    _beams,
    form=("a list of pairs (beginning, log-probability)", _is_beam),
    read=lambda got: [(begin, float(score)) for begin, score in got],
)
def grow(beam: Beam, next_probabilities: Next, size: int) -> Beam:
    """One step of a beam, on text."""
    children = [
        (begin + word, score + math.log(p))
        for begin, score in beam
        for word, p in next_probabilities(begin).items()
    ]
    return sorted(children, key=lambda child: child[1], reverse=True)[:size]


Hypotheses = Sequence[tuple[str, int, float]]


def _hypotheses(draw: Draw) -> Cases:
    hypotheses = [("short", 3, -2.0), ("long", 6, -2.4), ("bad", 6, -9.0)]
    for alpha in (0.6, 0.0):
        yield case(hypotheses, alpha, what=f"best(hypotheses, {alpha})")
    many = [("ten", 10, -5.0), ("eleven", 11, -5.45)]
    yield case(many, 1.0, what="best(hypotheses, 1.0) for lengths 10 and 11")
    names = [(name, draw.randint(1, 30), -draw.uniform(1.0, 9.0)) for name in "abcde"]
    yield case(names, draw.uniform(0.0, 1.2))


@exercise(_hypotheses, form=TEXT)
def best(hypotheses: Hypotheses, alpha: float) -> str:
    """The winner after the length norm."""
    return max(hypotheses, key=lambda one: one[2] / length_norm(one[1], alpha))[0]


Shares = dict[str, float]


def _shares(draw: Draw) -> Cases:
    sure = {"el": 0.05, "la": 0.15, "un": 0.5, "mi": 0.3}
    for p in (0.4, 0.5, 0.9):
        yield case(sure, p, what=f"nucleus(probabilities, {p})")
    shares = draw.normal(6).softmax(dim=-1).tolist()
    yield case(dict(zip("abcdef", shares, strict=True)), draw.uniform(0.3, 0.9))


@exercise(
    _shares,
    form=(
        "a dictionary from words to probabilities",
        lambda got: isinstance(got, dict),
    ),
    read=lambda got: {word: float(share) for word, share in sorted(got.items())},
)
def nucleus(probabilities: Shares, p: float) -> Shares:
    """The likeliest words that make up a share p."""
    taken: Shares = {}
    for word in sorted(probabilities, key=probabilities.__getitem__, reverse=True):
        if sum(taken.values()) >= p:
            break
        taken[word] = probabilities[word]
    return {word: share / sum(taken.values()) for word, share in taken.items()}


@exercise(lambda draw: [(3, 192, 64, 20), [draw.randint(1, 50) for _ in range(4)]])
def cache_size(n_layers: int, d_model: int, batch: int, length: int) -> int:
    """The numbers that a cache keeps."""
    return 2 * n_layers * d_model * batch * length


Triple = tuple[int, int, float]


def _scores(draw: Draw) -> Cases:
    for beginnings, shares in (
        # Children in order: (0, 1), <eos> of 1, (0, 2), (0, 3).
        ((-1.0, -1.5), ((0.05, 0.45, 0.3, 0.2), (0.6, 0.1, 0.25, 0.05))),
        # The third of the children is an end.
        ((-1.0, -1.3), ((0.3, 0.5, 0.1, 0.1), (0.34, 0.25, 0.21, 0.2))),
        # Both best children are ends.
        ((-1.0, -1.1), ((0.5, 0.4, 0.1), (0.6, 0.3, 0.1))),
    ):
        scores, log_probs = torch.tensor(beginnings), torch.tensor(shares).log()
        yield case(scores, log_probs, 2, 0)
    scores = draw.normal(3).abs().neg().sort(descending=True).values
    chances = (2 * draw.normal(3, 8)).log_softmax(dim=-1)
    yield case(scores, chances, 3, draw.randrange(8))


def _plain(got: Any) -> Parts:
    """Parents, words and scores as plain numbers."""
    going, ended = ([(int(p), int(w), float(s)) for p, w, s in part] for part in got)
    return Parts({"The list of those that go on": going, "What ended": ended})


@exercise(
    _scores,
    form=pair("two lists, those that go on and those that have ended"),
    read=_plain,
)
def beam_step(
    scores: Tensor, log_probs: Tensor, size: int, eos_id: int
) -> tuple[list[Triple], list[Triple]]:
    """One step of a beam, on tensors: scores (K) and log_probs (K, V)."""
    totals = scores[:, None] + log_probs  # (K, V)
    found, places = totals.flatten().topk(2 * size)
    ranked = zip(places.tolist(), found.tolist(), strict=True)
    children = [(*divmod(place, log_probs.size(1)), score) for place, score in ranked]
    going = [child for child in children if child[1] != eos_id]
    ended = [child for child in children[:size] if child[1] == eos_id]
    return going[:size], ended
