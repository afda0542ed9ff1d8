"""The checks of chapter 14: references, signatures, rare words, intervals, pairs."""

import random
from collections.abc import Iterable
from typing import Any

from lib.checks.core import exercise, expect, expect_close, expect_equal

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
    got = answer(list(_PAIRS))
    expect(isinstance(got, dict), "The answer should be a dictionary.")
    expect(
        not any(isinstance(targets, str) for targets in got.values()),
        "A source should lead to a list of its targets, not to one of them; a later "
        "pair would then replace an earlier one.",
    )
    got = {source: list(targets) for source, targets in got.items()}
    expect_equal(
        got,
        right,
        "collect(pairs)",
        [
            (
                {**right, "Go on.": ["Sigue.", "Sigue."]},
                "A pair that stands twice is counted twice: keep each target once.",
            ),
            (
                {source: targets[-1:] for source, targets in right.items()},
                "Only the last target of each source is left: add to the list, do not "
                "begin a new one.",
            ),
            (
                {source: targets[:1] for source, targets in right.items()},
                "Only the first target of each source is kept.",
            ),
            (
                lambda found: (
                    {s: sorted(t) for s, t in found.items()}
                    == {s: sorted(t) for s, t in right.items()}
                ),
                "The targets are right, but not in the order of their pairs; a set "
                "forgets the order.",
            ),
            (
                lambda found: len(found.get("Hi.", ())) < 3,
                "The pairs of one source need not stand side by side.",
            ),
        ],
    )
    expect_equal(list(got), list(right), "The order of the sources")


_SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0"
_OTHERS = [
    (
        _SIGNATURE.replace("nrefs:1", "nrefs:var"),
        False,
        "The number of references differs (nrefs); more of them give a higher score.",
    ),
    (
        _SIGNATURE.replace("case:mixed", "case:lc"),
        False,
        "One of them was computed in lower case (case:lc), which scores higher.",
    ),
    (
        _SIGNATURE.replace("tok:13a", "tok:none"),
        False,
        "The sentences were cut into words in different ways (tok).",
    ),
    (
        _SIGNATURE.replace("smooth:exp", "smooth:floor[0.10]"),
        False,
        "They treat runs that are never right in different ways (smooth).",
    ),
    (
        _SIGNATURE.replace("2.4.0", "2.6.0"),
        True,
        "The version alone does not make scores incomparable here.",
    ),
    (
        "version:2.5.1|tok:13a|nrefs:1|eff:no|smooth:exp|case:mixed",
        True,
        "The fields may stand in any order: compare names with values, not the text.",
    ),
    (
        _SIGNATURE.replace("eff:no|", ""),
        False,
        "One of them lacks a field that the other has.",
    ),
]


@exercise("14.2", praise="Whoever gives no signature gives a number to believe in.")
def comparable(answer: Any) -> None:
    """Check `comparable(one, other)`: two signatures of sacreBLEU."""
    expect(
        bool(answer(_SIGNATURE, _SIGNATURE)) is True,
        "A signature agrees with itself, but your answer says that it does not.",
    )
    for other, right, why in _OTHERS:
        for pair in ((_SIGNATURE, other), (other, _SIGNATURE)):
            said = "comparable" if right else "not comparable"
            expect(
                bool(answer(*pair)) is right,
                f"{why} So {pair[0]} and {pair[1]} are {said}.",
            )


_COUNTS = {"the": 900, "dog": 40, "bites": 7, "man": 55, "a": 800, "ezequiel": 2}


@exercise("14.3", praise="A sentence is as hard as its hardest word.")
def rarest(answer: Any) -> None:
    """Check `rarest(sentence, counts)`: how often the rarest word was seen."""

    def ask(sentence: str, right: int, diagnoses: Iterable[tuple[Any, str]]) -> None:
        got = answer(sentence, dict(_COUNTS))
        expect_equal(got, right, f"rarest({sentence!r}, counts)", tuple(diagnoses))

    no_mark = "The period is no word, but it was looked up as one."
    capital = "Capitals hide a word: counts has them in lower case."
    ask(
        "the dog bites the man",
        7,
        [
            ("bites", "That is the word; return how often it was seen."),
            (900, "This is the most frequent word; take the least frequent one."),
            (lambda n: isinstance(n, float), "This looks like a mean; take the least."),
        ],
    )
    ask("the dog bites a man.", 7, [(0, no_mark)])
    ask("The man bites Ezequiel", 2, [(0, capital), (7, capital)])
    ask(
        "a dog bites the turnip",
        0,
        [(7, "A word that is not in counts was seen 0 times; do not leave it out.")],
    )


@exercise("14.4", praise="Ten times the sentences make it about a third as wide.")
def interval(answer: Any) -> None:
    """Check `interval(values, draw)`: the bootstrap of a mean."""
    values = [1] * 60 + [0] * 40
    got = answer(list(values), random.Random(5))
    expect(
        isinstance(got, list | tuple) and len(got) == 2,
        "interval(values, draw) should return two numbers, the lower and the upper.",
    )
    low, high = (float(end) for end in got)
    expect(
        low != high,
        "Both ends are the same: drawn without replacement, every sample is the whole "
        "list again. Use draw.choices(values, k=len(values)).",
    )
    expect(low < high, "The lower end comes first.")
    expect(
        0 <= low <= 1 and 0 <= high <= 1,
        "The ends should be means, between 0 and 1 here; divide the sum by the size.",
    )
    # 60 of 100: two standard errors are 0.096 on either side.
    wide = high - low
    expect(
        abs((low + high) / 2 - 0.6) < 0.06,
        f"The interval from {low:.3f} to {high:.3f} should lie around the mean, 0.6.",
    )
    expect(
        wide > 0.168,
        f"The interval is {wide:.3f} wide, too narrow: between 5% and 95%, or 16% and "
        "84%, lie fewer means; leave 2.5% on each side.",
    )
    expect(
        wide < 0.225,
        f"The interval is {wide:.3f} wide, too wide: take the means with 2.5% of all "
        "below and above, not the smallest and the largest; and draw as many values as "
        "the list has.",
    )
    # Of many different values no two draws of one's own have the same mean.
    squares = [place**2 / 7 for place in range(100)]
    once, again = (answer(list(squares), random.Random(5)) for _ in range(2))
    for name, first, second in zip(("lower", "upper"), once, again, strict=True):
        expect_close(
            second,
            float(first),
            f"The {name} end, asked again with the same draw",
            [(lambda _: True, "It differs from call to call: draw with `draw`.")],
        )
    few, many = (
        answer([1, 0] * 10, random.Random(1)),
        answer([1, 0] * 500, random.Random(1)),
    )
    expect(
        (few[1] - few[0]) > 3 * (many[1] - many[0]),
        "The interval should narrow when there are more values: each sample must be as "
        "large as the list.",
    )


# Hard and easy sentences, and in each of them one system a little better, or not.
_THEIRS = [10 * (place % 10) for place in range(100)]
_OURS = [value + 1 + place % 3 for place, value in enumerate(_THEIRS)]


@exercise("14.5", praise="Both meet the same luck, and what is left is the difference.")
def paired(answer: Any) -> None:
    """Check `paired(ours, theirs, draw)`: the paired bootstrap of two means."""
    got = answer(list(_OURS), list(_THEIRS), random.Random(5))
    expect(
        isinstance(got, list | tuple) and len(got) == 2,
        "paired(ours, theirs, draw) should return two numbers: the lower, the upper.",
    )
    low, high = (float(end) for end in got)
    expect(low <= high, "The lower end comes first.")
    # The mean difference is 1.99 and scatters by 0.08; apart, the means do by 4.1.
    expect(
        high - low < 4,
        f"The interval is {high - low:.1f} wide: the two lists were drawn apart. Draw "
        "places, and take the same ones from both.",
    )
    expect(
        not (low > -3 and high < -1),
        "The sign is the wrong way round: ours less theirs.",
    )
    expect(
        low > 1.6 and high < 2.4,
        f"The interval from {low:.2f} to {high:.2f} should lie around the difference "
        "of the two means, 1.99, and be narrow; divide the sum by the size.",
    )
    wide = high - low
    expect(
        wide > 0.27,
        f"The interval is {wide:.2f} wide, too narrow: leave 2.5% of the draws on each "
        "side, and draw with replacement.",
    )
    expect(
        wide < 0.38,
        f"The interval is {wide:.2f} wide, too wide: leave 2.5% of the draws out on "
        "each side, and draw as many sentences as there are.",
    )
    squares = [place**2 / 7 for place in range(100)]
    once, again = (answer(squares, _THEIRS, random.Random(5)) for _ in range(2))
    for name, first, second in zip(("lower", "upper"), once, again, strict=True):
        expect_close(
            second,
            float(first),
            f"The {name} end, asked again with the same draw",
            [(lambda _: True, "It differs from call to call: draw with `draw`.")],
        )
