"""The checks of chapter 12: steps of a beam, its winner, clipped counts, a cache."""

import math
from typing import Any

import torch

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import brief

__all__ = ["beam_step", "best", "cache_size", "clipped", "grow"]

_NEXT = {
    "": {"A": 0.6, "B": 0.4},
    "A": {"A": 0.5, "B": 0.5},
    "B": {"A": 0.1, "B": 0.9},
}
_BEAM = [("A", math.log(0.6)), ("B", math.log(0.4))]


def _is_pair(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2


def _check_score(begin: Any, score: Any, what: str) -> None:
    """Check the score of one grown beginning; the order is checked elsewhere."""
    if begin not in ("AA", "AB", "BA", "BB"):
        return
    first, second = _NEXT[""][begin[0]], _NEXT[begin[0]][begin[1]]
    slips: expect.Slips = {
        "Logarithms are added, not multiplied.": math.log(first) * math.log(second),
        "The score of the beginning is missing: add it.": math.log(second),
        "The score of the new word is missing: add it.": math.log(first),
        "That is the probability: keep its logarithm.": first * second,
        "Add the logarithm of the probability.": math.log(first) + second,
    }
    right, what = math.log(first * second), f"the score of {begin} in {what}"
    expect.close(score, right, what, slips)


@exercise("12.1", praise="One beginning may fill the whole beam with its children.")
def grow(answer: Any) -> None:
    """Check `grow(beam, next_probabilities, size)`: one step of a beam, on text."""
    what = "grow(beam, next_probabilities, 2)"
    got = answer(_BEAM, _NEXT.__getitem__, 2)
    expect.that(
        isinstance(got, list | tuple) and all(map(_is_pair, got)),
        f"{what} should be a list of pairs (beginning, log-probability), but it is "
        f"{brief(got)}.",
    )
    expect.that(
        len(got) == 2,
        f"{what} should keep 2 beginnings in all, but it keeps {len(got)}: cut the "
        "list after sorting, not before growing.",
    )
    for begin, score in got:
        _check_score(begin, score, what)
    begins = [begin for begin, _ in got]
    worth_the_same = "AB" if "AB" in begins[1:] else "AA"
    slips: expect.Slips = {
        "Each beginning grows by a word: add the word to it.": ["A", "B"],
        "The worst were kept: log-probabilities are negative, and the highest is the "
        "best.": expect.AnyOf(["BA", "AA"], ["BA", "AB"]),
        "The best should come first, and B B is the best: add the logarithms of both "
        "words, then sort.": expect.AnyOf(["AA", "BB"], ["AB", "BB"]),
        "Only the best beginning was grown: the choice is made among the children of "
        "all of them.": expect.AnyOf(["AA", "AB"], ["AB", "AA"]),
    }
    right = ["BB", worth_the_same]
    expect.equal(begins, right, f"the beginnings of {what}", slips)
    one = answer([("B", -1.0)], _NEXT.__getitem__, 1)
    expect.equal([b for b, _ in one], ["BB"], "a beam of 1, grown")


@exercise("12.2", praise="Dividing a negative number by more brings it closer to zero.")
def best(answer: Any) -> None:
    """Check `best(hypotheses, alpha)`: the winner after the length norm."""
    hypotheses = [("short", 3, -2.0), ("long", 6, -2.4), ("bad", 6, -9.0)]
    slips: expect.Slips = {
        "The norm has no effect: divide by length_norm(length, alpha).": "short",
        "The lowest score was taken: the highest is the best.": "bad",
        "Return the text alone, not the whole hypothesis.": (
            lambda found: isinstance(found, tuple)
        ),
    }
    expect.equal(answer(hypotheses, 0.6), "long", "best(hypotheses, 0.6)", slips)
    slips = {"With alpha = 0 nothing should be divided: use alpha.": "long"}
    expect.equal(answer(hypotheses, 0.0), "short", "best(hypotheses, 0.0)", slips)
    many = [("ten", 10, -5.0), ("eleven", 11, -5.45)]
    what = "best(hypotheses, 1.0) for lengths 10 and 11"
    slips = {"Divide by length_norm, (5 + length) / 6, not by the length.": "eleven"}
    expect.equal(answer(many, 1.0), "ten", what, slips)


@exercise(
    "12.3", praise="Summed over all sentences and divided once, this is BLEU's part."
)
def clipped(answer: Any) -> None:
    """Check `clipped(candidate, reference, n)`: the n-grams that BLEU counts."""
    candidate = ["el", "el", "el", "gato", "el"]
    reference = ["el", "gato", "ve", "el", "perro"]
    what = "clipped('el el el gato el', 'el gato ve el perro', {})"
    slips: expect.Slips = {
        "Nothing was clipped: el counts at most twice, as in the reference.": 5,
        "Different words were counted: el may count twice, as it stands there.": 2,
        "That is the share: return the count.": 0.6,
        "The candidate has el four times; the reference allows two.": 4,
    }
    expect.equal(answer(candidate, reference, 1), 3, what.format(1), slips)
    slips = {
        "That is the count for single words: use runs of n words.": 3,
        "The pair el gato stands in both.": 0,
    }
    expect.equal(answer(candidate, reference, 2), 1, what.format(2), slips)
    expect.equal(answer(["el"], reference, 2), 0, "clipped(['el'], reference, 2)")
    _check_ends(answer)


def _check_ends(answer: Any) -> None:
    """Check where the last n-gram counts, and the reference has one more often."""
    candidate, reference = ["ve", "el", "gato"], ["el", "gato", "y", "el", "perro"]
    what = "clipped('ve el gato', 'el gato y el perro', {})"
    last = "The last n-gram is missing: a list has len(words) - n + 1 of them."
    slips: expect.Slips = {
        "These are the reference's counts: el stands once in the candidate, so it "
        "counts once.": 3,
        last: 1,
    }
    expect.equal(answer(candidate, reference, 1), 2, what.format(1), slips)
    expect.equal(answer(candidate, reference, 2), 1, what.format(2), {last: 0})


@exercise("12.4", praise="For long texts this outgrows the weights of the model.")
def cache_size(answer: Any) -> None:
    """Check `cache_size(n_layers, d_model, batch, length)`: the numbers it keeps."""
    right = 2 * 3 * 192 * 64 * 20
    slips: expect.Slips = {
        "Keys and values: that is two for each token.": right // 2,
        "Each layer has keys and values of its own.": right // 3,
        "Each sentence of the batch has a cache of its own.": right // 64,
        "Every token that was written stays in the cache.": right // 20,
        "Each token is kept once, however many steps there are.": (
            right // 20 * sum(range(1, 21))
        ),
    }
    expect.equal(answer(3, 192, 64, 20), right, "cache_size(3, 192, 64, 20)", slips)


_LATE_END = "Only an end among the first `size` children counts."
_TOO_FEW = (
    "Too few go on: look at the best 2 * size children, half of which may have ended."
)


@exercise("12.5", praise="The parents are what the cache is put in order by.")
def beam_step(answer: Any) -> None:
    """Check `beam_step(scores, log_probs, size, eos_id)`, with 0 for <eos>."""
    scores = torch.tensor([-1.0, -1.5])
    shares = torch.tensor([[0.05, 0.45, 0.3, 0.2], [0.6, 0.1, 0.25, 0.05]])
    what = "beam_step(scores, log_probs, 2, eos_id=0)"
    got = answer(scores, shares.log(), 2, 0)
    expect.that(
        _is_pair(got) and all(isinstance(part, list | tuple) for part in got),
        f"{what} should be two lists, those that go on and those that have ended, but "
        f"is {brief(got)}.",
    )
    for part in got:
        expect.that(
            all(isinstance(one, list | tuple) and len(one) == 3 for one in part),
            f"{what} should hold triples (parent, word, score), but has {brief(part)}.",
        )
    going, ended = map(_triples, got)
    _check_going(going, what)
    # Children in order: -1.799 (0, 1), -2.011 <eos> of 1, -2.204 (0, 2), -2.609 (0, 3).
    slips: expect.Slips = {
        "An end among the first `size` children is put aside, not dropped.": [],
        _LATE_END: lambda ended: len(ended) > 1,
    }
    expect.equal(ended, [(1, 0, -2.011)], f"what ended in {what}", slips)
    what = "beam_step where the third of the children is an end"
    scores = torch.tensor([-1.0, -1.3])
    shares = torch.tensor([[0.3, 0.5, 0.1, 0.1], [0.34, 0.25, 0.21, 0.2]])
    right = [(0, 1, -1.693), (1, 1, -2.686)], [(0, 0, -2.204)]
    slips = {_LATE_END: lambda found: len(found[1]) > 1}
    got = tuple(map(_triples, answer(scores, shares.log(), 2, 0)))
    expect.equal(got, right, what, slips)
    what = "beam_step where both best children are ends"
    scores = torch.tensor([-1.0, -1.1])
    shares = torch.tensor([[0.5, 0.4, 0.1], [0.6, 0.3, 0.1]])
    right = [(0, 1, -1.916), (1, 1, -2.304)], [(1, 0, -1.611), (0, 0, -1.693)]
    slips = {_TOO_FEW: lambda found: len(found[0]) < 2}
    got = tuple(map(_triples, answer(scores, shares.log(), 2, 0)))
    expect.equal(got, right, what, slips)


def _triples(found: Any) -> list[tuple[int, int, float]]:
    """Parents, words and scores as plain numbers, the scores rounded."""
    return [(int(p), int(w), round(float(s), 3)) for p, w, s in found]


def _check_going(going: Any, what: str) -> None:
    """Check those that go on after the first step."""
    slips: expect.Slips = {
        "Parent and word are exchanged: in the flat table a row has V places, so the "
        "place is parent * V + word.": (
            lambda found: [one[:2] for one in found] == [(1, 0), (2, 0)]
        ),
        "What ends in <eos> does not go on: put it aside.": (
            lambda found: any(word == 0 for _, word, _ in found)
        ),
        "The scores of the beginnings are missing: add them to each row.": (
            lambda found: found[0][2] in (-0.511, -0.799)
        ),
        "The worst were kept: the highest score is the best.": (
            lambda found: max(one[2] for one in found) < -2.5
        ),
        "Too many go on: stop when `size` of them do.": lambda found: len(found) > 2,
        _TOO_FEW: lambda found: len(found) < 2,
        "Each beginning gave one child: the best are chosen among the children of all "
        "of them together.": lambda found: [one[0] for one in found] == [0, 1],
    }
    right = [(0, 1, -1.799), (0, 2, -2.204)]
    expect.equal(going, right, f"those that go on in {what}", slips)
