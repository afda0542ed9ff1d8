"""The checks of chapter 14: references, signatures, rare words, intervals, pairs."""

import random
from collections.abc import Callable
from typing import Any

from lib.checks import expect
from lib.checks.core import exercise

__all__ = ["collect", "comparable", "interval", "paired", "rarest"]

_PAIRS = [
    ("Hi.", "Hola."),
    ("Go on.", "Sigue."),
    ("Hi.", "Buenas."),
    ("No.", "No."),
    ("Go on.", "Sigue."),
    ("Hi.", "¡Hola!"),
    # So many that a set does not keep their order by luck.
    ("Thank you.", "Gracias."),
    ("Thank you.", "Te lo agradezco."),
    ("Thank you.", "Muchas gracias."),
    ("Thank you.", "Se lo agradezco."),
    ("Thank you.", "Mil gracias."),
    ("Thank you.", "Os lo agradezco."),
]


@exercise(
    "14.1", praise="Each source is translated once, and may be right in many ways."
)
def collect(answer: Any) -> None:
    """Check `collect(pairs)`: all different targets of each source."""
    right = {
        "Hi.": ["Hola.", "Buenas.", "¡Hola!"],
        "Go on.": ["Sigue."],
        "No.": ["No."],
        "Thank you.": [target for source, target in _PAIRS if source == "Thank you."],
    }
    got = answer(_PAIRS)
    expect.that(isinstance(got, dict), "The answer should be a dictionary.")
    expect.that(
        not any(isinstance(targets, str) for targets in got.values()),
        "A source should lead to a list of its targets, not to one of them; a later "
        "pair would then replace an earlier one.",
    )
    got = {source: list(targets) for source, targets in got.items()}
    slips: expect.Slips = {
        "A pair that stands twice is counted twice: keep each target once.": (
            {**right, "Go on.": ["Sigue.", "Sigue."]}
        ),
        "Only the last target of each source is left: add to the list, do not begin a "
        "new one.": {source: targets[-1:] for source, targets in right.items()},
        "Only the first target of each source is kept.": (
            {source: targets[:1] for source, targets in right.items()}
        ),
        "The targets are right, but not in the order of their pairs; a set forgets the "
        "order.": lambda found: (
            {s: sorted(t) for s, t in found.items()}
            == {s: sorted(t) for s, t in right.items()}
        ),
        "The pairs of one source need not stand side by side.": (
            lambda found: len(found.get("Hi.", ())) < 3
        ),
    }
    expect.equal(got, right, "collect(pairs)", slips)
    expect.equal(list(got), list(right), "The order of the sources")


_SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0"
_COMPARABLE = {
    "The version alone does not make scores incomparable here.": (
        _SIGNATURE.replace("2.4.0", "2.6.0")
    ),
    "The fields may stand in any order: compare names with values, not the text.": (
        "version:2.5.1|tok:13a|nrefs:1|eff:no|smooth:exp|case:mixed"
    ),
}
_NOT_COMPARABLE = {
    "The number of references differs (nrefs); more of them give a higher score.": (
        _SIGNATURE.replace("nrefs:1", "nrefs:var")
    ),
    "One of them was computed in lower case (case:lc), which scores higher.": (
        _SIGNATURE.replace("case:mixed", "case:lc")
    ),
    "The sentences were cut into words in different ways (tok).": (
        _SIGNATURE.replace("tok:13a", "tok:none")
    ),
    "They treat runs that are never right in different ways (smooth).": (
        _SIGNATURE.replace("smooth:exp", "smooth:floor[0.10]")
    ),
    "One of them lacks a field that the other has.": (
        _SIGNATURE.replace("eff:no|", "")
    ),
}


@exercise("14.2", praise="Whoever gives no signature gives a number to believe in.")
def comparable(answer: Any) -> None:
    """Check `comparable(one, other)`: two signatures of sacreBLEU."""
    expect.that(
        bool(answer(_SIGNATURE, _SIGNATURE)) is True,
        "A signature agrees with itself, but your answer says that it does not.",
    )
    for why, other in (_NOT_COMPARABLE | _COMPARABLE).items():
        for one, two in ((_SIGNATURE, other), (other, _SIGNATURE)):
            right = why in _COMPARABLE
            said = "comparable" if right else "not comparable"
            told = f"{why} So {one} and {two} are {said}."
            expect.that(bool(answer(one, two)) is right, told)


@exercise("14.3", praise="A sentence is as hard as its hardest word.")
def rarest(answer: Any) -> None:
    """Check `rarest(sentence, counts)`: how often the rarest word was seen."""
    counts = {"the": 900, "dog": 40, "bites": 7, "man": 55, "a": 800, "ezequiel": 2}

    def ask(sentence: str, right: int, slips: expect.Slips) -> None:
        got, what = answer(sentence, counts), f"rarest({sentence!r}, counts)"
        expect.equal(got, right, what, slips)

    slips: expect.Slips = {
        "That is the word; return how often it was seen.": "bites",
        "This is the most frequent word; take the least frequent one.": 900,
        "This looks like a mean; take the least.": lambda n: isinstance(n, float),
    }
    ask("the dog bites the man", 7, slips)
    slips = {"The period is no word, but it was looked up as one.": 0}
    ask("the dog bites a man.", 7, slips)
    slips = {"Capitals hide a word: counts has them in lower case.": expect.AnyOf(0, 7)}
    ask("The man bites Ezequiel", 2, slips)
    slips = {"A word that is not in counts was seen 0 times; do not leave it out.": 7}
    ask("a dog bites the turnip", 0, slips)


@exercise("14.4", praise="Ten times the sentences make it about a third as wide.")
def interval(answer: Any) -> None:
    """Check `interval(values, draw)`: the bootstrap of a mean."""
    got = answer([1] * 60 + [0] * 40, random.Random(5))
    expect.pair(
        got,
        "interval(values, draw) should return two numbers, the lower and the upper.",
    )
    low, high = (float(end) for end in got)
    wide, middle = high - low, (low + high) / 2
    # 60 of 100: two standard errors are 0.096 on either side.
    slips = {
        "Both ends are the same: drawn without replacement, every sample is the whole "
        "list again. Use draw.choices(values, k=len(values)).": low == high,
        "The lower end comes first.": not low < high,
        "The ends should be means, between 0 and 1 here; divide the sum by the size.": (
            not (low >= 0 and high <= 1)
        ),
        f"The interval from {low:.3f} to {high:.3f} should lie around the mean, 0.6.": (
            not abs(middle - 0.6) < 0.06
        ),
        f"The interval is {wide:.3f} wide, too narrow: between 5% and 95%, or 16% and "
        "84%, lie fewer means; leave 2.5% on each side.": wide <= 0.168,
        f"The interval is {wide:.3f} wide, too wide: take the means with 2.5% of all "
        "below and above, not the smallest and the largest; and draw as many values as "
        "the list has.": wide >= 0.225,
    }
    expect.none_of(slips)
    _expect_drawn(lambda draw: answer(_SQUARES, draw))
    few = answer([1, 0] * 10, random.Random(1))
    many = answer([1, 0] * 500, random.Random(1))
    expect.that(
        (few[1] - few[0]) > 3 * (many[1] - many[0]),
        "The interval should narrow when there are more values: each sample must be as "
        "large as the list.",
    )


# Of many different values no two draws of one's own have the same mean.
_SQUARES = [place**2 / 7 for place in range(100)]


def _expect_drawn(ends: Callable[[random.Random], Any]) -> None:
    """Demand that all random numbers come from the generator that is handed in."""
    once, again = ends(random.Random(5)), ends(random.Random(5))
    for name, first, second in zip(("lower", "upper"), once, again, strict=True):
        what = f"The {name} end, asked again with the same draw"
        slips = {"It differs from call to call: draw with `draw`.": lambda _: True}
        expect.close(second, float(first), what, slips)


# Hard and easy sentences, and in each of them one system a little better, or not.
_THEIRS = [10 * (place % 10) for place in range(100)]
_OURS = [value + 1 + place % 3 for place, value in enumerate(_THEIRS)]


@exercise("14.5", praise="Both meet the same luck, and what is left is the difference.")
def paired(answer: Any) -> None:
    """Check `paired(ours, theirs, draw)`: the paired bootstrap of two means."""
    got = answer(_OURS, _THEIRS, random.Random(5))
    expect.pair(
        got,
        "paired(ours, theirs, draw) should return two numbers: the lower, the upper.",
    )
    low, high = (float(end) for end in got)
    wide = high - low
    # The mean difference is 1.99 and scatters by 0.08; apart, the means do by 4.1.
    slips = {
        "The lower end comes first.": not low <= high,
        f"The interval is {wide:.1f} wide: the two lists were drawn apart. Draw "
        "places, and take the same ones from both.": wide >= 4,
        "The sign is the wrong way round: ours less theirs.": low > -3 and high < -1,
        f"The interval from {low:.2f} to {high:.2f} should lie around the difference "
        "of the two means, 1.99, and be narrow; divide the sum by the size.": (
            not (low > 1.6 and high < 2.4)
        ),
        f"The interval is {wide:.2f} wide, too narrow: leave 2.5% of the draws on each "
        "side, and draw with replacement.": wide <= 0.27,
        f"The interval is {wide:.2f} wide, too wide: leave 2.5% of the draws out on "
        "each side, and draw as many sentences as there are.": wide >= 0.38,
    }
    expect.none_of(slips)
    _expect_drawn(lambda draw: answer(_SQUARES, _THEIRS, draw))
