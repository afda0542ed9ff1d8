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


def _grow(
    beam: Beam,
    next_probabilities: Next,
    size: int,
    grown: Callable[[float, float], float] = lambda score, p: score + math.log(p),
) -> Beam:
    """Grow a beam; `grown` is the new score, of the old one and a probability."""
    children = [
        (begin + word, grown(score, p))
        for begin, score in beam
        for word, p in next_probabilities(begin).items()
    ]
    return sorted(children, key=lambda one: one[1], reverse=True)[:size]


def _by(grown: Callable[[float, float], float]) -> Callable[[Beam, Next, int], Beam]:
    return lambda beam, following, size: _grow(beam, following, size, grown)


def _is_beam(got: Any) -> bool:
    pairs = isinstance(got, list | tuple)
    return pairs and all(isinstance(one, list | tuple) and len(one) == 2 for one in got)


@exercise(
    "One beginning may fill the whole beam with its children.",
    right=_grow,
    form=("a list of pairs (beginning, log-probability)", _is_beam),
    read=lambda got: [(begin, float(score)) for begin, score in got],
)
def grow(draw: Draw) -> Cases:
    """`grow(beam, next_probabilities, size)`: one step of a beam, on text."""
    table = {"A": {"A": 0.45, "B": 0.55}, "B": {"A": 0.1, "B": 0.9}}
    beam = [("A", math.log(0.6)), ("B", math.log(0.4))]
    yield case(beam, table.__getitem__, 2, what="grow(beam, next_probabilities, 2)")
    yield case([("B", -1.0)], table.__getitem__, 1, what="a beam of 1, grown")
    drawn = {}
    for begin in "ABC":
        weights = [draw.uniform(0.05, 1.0) for _ in "XYZ"]
        chances = [one / sum(weights) for one in weights]
        drawn[begin] = dict(zip("XYZ", chances, strict=True))
    beam = [(begin, -draw.uniform(0.1, 3.0)) for begin in drawn]
    yield case(beam, drawn.__getitem__, draw.randint(1, 5))


grow.slips = {
    "Logarithms are added, not multiplied.": _by(lambda score, p: score * math.log(p)),
    "The score of the beginning is missing: add it.": _by(lambda score, p: math.log(p)),
    "That is the probability: keep its logarithm.": (
        _by(lambda score, p: math.exp(score) * p)
    ),
    "Add the logarithm of the probability.": _by(lambda score, p: score + p),
    "Only the best beginning was grown: the choice is made among the children of all "
    "of them.": lambda beam, following, size: _grow(beam[:1], following, size),
}

Hypotheses = Sequence[tuple[str, int, float]]


def _best(
    hypotheses: Hypotheses,
    alpha: float,
    norm: Callable[[int, float], float] = length_norm,
    choose: Any = max,
) -> str:
    chosen: Any = choose(hypotheses, key=lambda one: one[2] / norm(one[1], alpha))
    return str(chosen[0])


@exercise(
    "Dividing a negative number by more brings it closer to zero.",
    right=_best,
    form=TEXT,
)
def best(draw: Draw) -> Cases:
    """`best(hypotheses, alpha)`: the winner after the length norm."""
    hypotheses = [("short", 3, -2.0), ("long", 6, -2.4), ("bad", 6, -9.0)]
    for alpha in (0.6, 0.0):
        yield case(hypotheses, alpha, what=f"best(hypotheses, {alpha})")
    many = [("ten", 10, -5.0), ("eleven", 11, -5.45)]
    yield case(many, 1.0, what="best(hypotheses, 1.0) for lengths 10 and 11")
    names = [(name, draw.randint(1, 30), -draw.uniform(1.0, 9.0)) for name in "abcde"]
    yield case(names, draw.uniform(0.0, 1.2))


best.slips = {
    "This one is best without a norm: divide by length_norm(tokens, alpha).": (
        lambda hypotheses, alpha: _best(hypotheses, 0.0)
    ),
    "The lowest score was taken: the highest is the best.": (
        lambda hypotheses, alpha: _best(hypotheses, alpha, choose=min)
    ),
    "With alpha = 0 nothing should be divided: use alpha.": (
        lambda hypotheses, alpha: _best(hypotheses, alpha or 0.6)
    ),
    "Divide by length_norm, (5 + length) / 6, not by the length.": (
        lambda hypotheses, alpha: _best(hypotheses, alpha, lambda n, power: n**power)
    ),
}

Shares = dict[str, float]


def _nucleus(
    probabilities: Shares, p: float, *, reverse: bool = True, late: bool = False
) -> Shares:
    """The words that top-p draws from; the options make what people get wrong."""
    taken: Shares = {}
    for word in sorted(probabilities, key=probabilities.__getitem__, reverse=reverse):
        total = sum(taken.values())
        if total >= p or (late and taken and total + probabilities[word] > p):
            break
        taken[word] = probabilities[word]
    return {word: share / sum(taken.values()) for word, share in taken.items()}


@exercise(
    "Where the model is sure, one word is the whole nucleus.",
    right=_nucleus,
    form=(
        "a dictionary from words to probabilities",
        lambda got: isinstance(got, dict),
    ),
    read=lambda got: {word: float(share) for word, share in sorted(got.items())},
)
def nucleus(draw: Draw) -> Cases:
    """`nucleus(probabilities, p)`: the likeliest words that make up a share p."""
    sure = {"el": 0.05, "la": 0.15, "un": 0.5, "mi": 0.3}
    for p in (0.4, 0.9):
        yield case(sure, p, what=f"nucleus(probabilities, {p})")
    weights = [draw.uniform(0.05, 1.0) for _ in "abcdef"]
    shares = [one / sum(weights) for one in weights]
    yield case(dict(zip("abcdef", shares, strict=True)), draw.uniform(0.3, 0.9))


nucleus.slips = {
    "They should add up to 1 again: divide by the sum of those that are left.": (
        lambda probabilities, p: {
            word: probabilities[word] for word in _nucleus(probabilities, p)
        }
    ),
    "One word too few: a word is taken while those before it are below p.": (
        lambda probabilities, p: _nucleus(probabilities, p, late=True)
    ),
    "The least likely words were taken: begin with the likeliest.": (
        lambda probabilities, p: _nucleus(probabilities, p, reverse=False)
    ),
    "Nothing was cut off: stop when the words have the share p.": (
        lambda probabilities, p: _nucleus(probabilities, 2.0)
    ),
}


def _size(n_layers: int, d_model: int, batch: int, length: int) -> int:
    return 2 * n_layers * d_model * batch * length


@exercise("For long texts this outgrows the weights of the model.", right=_size)
def cache_size(draw: Draw) -> Cases:
    """`cache_size(n_layers, d_model, batch, length)`: the numbers it keeps."""
    yield case(3, 192, 64, 20)
    yield case(*(draw.randint(1, 50) for _ in range(4)))


cache_size.slips = {
    "Keys and values: that is two for each token.": (
        lambda n, d, batch, length: n * d * batch * length
    ),
    "Each layer has keys and values of its own.": (
        lambda n, d, batch, length: _size(1, d, batch, length)
    ),
    "Each sentence of the batch has a cache of its own.": (
        lambda n, d, batch, length: _size(n, d, 1, length)
    ),
    "Every token that was written stays in the cache.": (
        lambda n, d, batch, length: _size(n, d, batch, 1)
    ),
}

Triple = tuple[int, int, float]
Step = tuple[list[Triple], list[Triple]]


def _beam_step(
    scores: Tensor,
    log_probs: Tensor,
    size: int,
    eos_id: int,
    *,
    looked: int = 2,
    late: bool = False,
) -> Step:
    """One step; the options make what people get wrong."""
    totals = scores[:, None] + log_probs
    found, places = totals.flatten().topk(looked * size)
    going: list[Triple] = []
    ended: list[Triple] = []
    ranked = zip(found.tolist(), places.tolist(), strict=True)
    for rank, (score, place) in enumerate(ranked):
        parent, word = divmod(place, log_probs.size(1))
        if word != eos_id:
            going.append((parent, word, score))
        elif rank < size or late:
            ended.append((parent, word, score))
        if len(going) == size:
            break
    return going, ended


def _exchanged(*step: Any) -> Step:
    going, ended = _beam_step(*step)
    return [(word, parent, score) for parent, word, score in going], ended


def _plain(got: Any) -> Parts:
    """Parents, words and scores as plain numbers."""
    going, ended = ([(int(p), int(w), float(s)) for p, w, s in part] for part in got)
    return Parts({"The list of those that go on": going, "What ended": ended})


@exercise(
    "The parents are what the cache is put in order by.",
    right=_beam_step,
    form=pair("two lists, those that go on and those that have ended"),
    read=_plain,
)
def beam_step(draw: Draw) -> Cases:
    """`beam_step(scores, log_probs, size, eos_id)`, with 0 for <eos>."""
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
    size, words = draw.randint(2, 4), draw.randint(6, 9)
    scores = draw.normal(size).abs().neg().sort(descending=True).values
    chances = (2 * draw.normal(size, words)).log_softmax(dim=-1)
    yield case(scores, chances, size, draw.randrange(words))


beam_step.slips = {
    "Parent and word are exchanged: in the flat table a row has V places, so the place "
    "is parent * V + word.": _exchanged,
    "What ends in <eos> does not go on: put it aside.": (
        lambda scores, log_probs, size, eos_id: _beam_step(scores, log_probs, size, -1)
    ),
    "Too few go on: look at the best 2 * size children, half of which may have "
    "ended.": lambda *step: _beam_step(*step, looked=1),
    "An end among the first `size` children is put aside, not dropped.": (
        lambda *step: (_beam_step(*step)[0], [])
    ),
    "Only an end among the first `size` children counts.": (
        lambda *step: _beam_step(*step, late=True)
    ),
}
