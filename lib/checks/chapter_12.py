"""The checks of chapter 12: steps of a beam, its winner, clipped counts, a cache."""

import math
from typing import Any

from lib.checks.beam_step import beam_step
from lib.checks.core import brief, exercise, expect, expect_close, expect_equal

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
    expect_close(
        score,
        math.log(first * second),
        f"the score of {begin} in {what}",
        diagnoses=[
            (
                math.log(first) * math.log(second),
                "Logarithms are added, not multiplied.",
            ),
            (math.log(second), "The score of the beginning is missing: add it."),
            (math.log(first), "The score of the new word is missing: add it."),
            (first * second, "That is the probability: keep its logarithm."),
            (math.log(first) + second, "Add the logarithm of the probability."),
        ],
    )


@exercise("12.1", praise="One beginning may fill the whole beam with its children.")
def grow(answer: Any) -> None:
    """Check `grow(beam, next_probabilities, size)`."""
    what = "grow(beam, next_probabilities, 2)"
    got = answer(list(_BEAM), _NEXT.__getitem__, 2)
    expect(
        isinstance(got, list | tuple) and all(map(_is_pair, got)),
        f"{what} should be a list of pairs (beginning, log-probability), but it is "
        f"{brief(got)}.",
    )
    expect(
        len(got) == 2,
        f"{what} should keep 2 beginnings in all, but it keeps {len(got)}: cut the "
        "list after sorting, not before growing.",
    )
    for begin, score in got:
        _check_score(begin, score, what)
    begins = [begin for begin, _ in got]
    expect_equal(
        begins,
        ["BB", "AB"] if "AB" in begins[1:] else ["BB", "AA"],  # they are worth the same
        f"the beginnings of {what}",
        diagnoses=[
            (["A", "B"], "Each beginning grows by a word: add the word to it."),
            (
                lambda found: found in (["BA", "AA"], ["BA", "AB"]),
                "The worst were kept: log-probabilities are negative, and the highest "
                "is the best.",
            ),
            (
                lambda found: found in (["AA", "BB"], ["AB", "BB"]),
                "The best should come first, and B B is the best: add the logarithms "
                "of both words, then sort.",
            ),
            (
                lambda found: found in (["AA", "AB"], ["AB", "AA"]),
                "Only the best beginning was grown: the choice is made among the "
                "children of all of them.",
            ),
        ],
    )
    one = answer([("B", -1.0)], _NEXT.__getitem__, 1)
    expect_equal([b for b, _ in one], ["BB"], "a beam of 1, grown")


@exercise("12.2", praise="Dividing a negative number by more brings it closer to zero.")
def best(answer: Any) -> None:
    """Check `best(hypotheses, alpha)`."""
    hypotheses = [("short", 3, -2.0), ("long", 6, -2.4), ("bad", 6, -9.0)]
    expect_equal(
        answer(list(hypotheses), 0.6),
        "long",
        "best(hypotheses, 0.6)",
        diagnoses=[
            ("short", "The norm has no effect: divide by length_norm(length, alpha)."),
            ("bad", "The lowest score was taken: the highest is the best."),
            (
                lambda found: isinstance(found, tuple),
                "Return the text alone, not the whole hypothesis.",
            ),
        ],
    )
    expect_equal(
        answer(list(hypotheses), 0.0),
        "short",
        "best(hypotheses, 0.0)",
        diagnoses=[("long", "With alpha = 0 nothing should be divided: use alpha.")],
    )
    many = [("ten", 10, -5.0), ("eleven", 11, -5.45)]
    expect_equal(
        answer(many, 1.0),
        "ten",
        "best(hypotheses, 1.0) for lengths 10 and 11",
        diagnoses=[
            ("eleven", "Divide by length_norm, (5 + length) / 6, not by the length.")
        ],
    )


@exercise(
    "12.3", praise="Summed over all sentences and divided once, this is BLEU's part."
)
def clipped(answer: Any) -> None:
    """Check `clipped(candidate, reference, n)`."""
    candidate = ["el", "el", "el", "gato", "el"]
    reference = ["el", "gato", "ve", "el", "perro"]
    expect_equal(
        answer(candidate, reference, 1),
        3,
        "clipped('el el el gato el', 'el gato ve el perro', 1)",
        diagnoses=[
            (5, "Nothing was clipped: el counts at most twice, as in the reference."),
            (
                2,
                "Different words were counted: el may count twice, as it stands there.",
            ),
            (0.6, "That is the share: return the count."),
            (4, "The candidate has el four times; the reference allows two."),
        ],
    )
    expect_equal(
        answer(candidate, reference, 2),
        1,
        "clipped('el el el gato el', 'el gato ve el perro', 2)",
        diagnoses=[
            (3, "That is the count for single words: use runs of n words."),
            (0, "The pair el gato stands in both."),
        ],
    )
    expect_equal(answer(["el"], reference, 2), 0, "clipped(['el'], reference, 2)")
    _check_ends(answer)


def _check_ends(answer: Any) -> None:
    """Check where the last n-gram counts, and the reference has one more often."""
    candidate, reference = ["ve", "el", "gato"], ["el", "gato", "y", "el", "perro"]
    last = "The last n-gram is missing: a list has len(words) - n + 1 of them."
    expect_equal(
        answer(candidate, reference, 1),
        2,
        "clipped('ve el gato', 'el gato y el perro', 1)",
        diagnoses=[
            (
                3,
                "These are the reference's counts: el stands once in the candidate, so "
                "it counts once.",
            ),
            (1, last),
        ],
    )
    expect_equal(
        answer(candidate, reference, 2),
        1,
        "clipped('ve el gato', 'el gato y el perro', 2)",
        diagnoses=[(0, last)],
    )


@exercise("12.4", praise="For long texts this outgrows the weights of the model.")
def cache_size(answer: Any) -> None:
    """Check `cache_size(n_layers, d_model, batch, length)`."""
    expect_equal(
        answer(3, 192, 64, 20),
        2 * 3 * 192 * 64 * 20,
        "cache_size(3, 192, 64, 20)",
        diagnoses=[
            (3 * 192 * 64 * 20, "Keys and values: that is two for each token."),
            (2 * 192 * 64 * 20, "Each layer has keys and values of its own."),
            (2 * 3 * 192 * 20, "Each sentence of the batch has a cache of its own."),
            (2 * 3 * 192 * 64, "Every token that was written stays in the cache."),
            (
                lambda got: got == 2 * 3 * 192 * 64 * sum(range(1, 21)),
                "Each token is kept once, however many steps there are.",
            ),
        ],
    )
