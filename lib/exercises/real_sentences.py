"""The exercises of chapter 16: references, signatures, rare words, intervals, pairs."""

import itertools
import math
import random
import statistics
from collections.abc import Callable
from typing import Any

from lib.corpora import references
from lib.exercises.forms import TRUTH, pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.text import tokenize

Pair = tuple[str, str]
# So many thanks that a set does not keep their order by luck.
_THANKS = ["Gracias.", "Te lo agradezco.", "Muchas gracias.", "Os lo agradezco."]
_THANKS += ["Mil gracias.", "Se lo agradezco."]
_PAIRS = [("Hi.", "Hola."), ("Go on.", "Sigue."), ("Hi.", "Buenas."), ("Oh.", "Hola.")]
_PAIRS += [("Go on.", "Sigue."), ("Hi.", "¡Hola!")]
_PAIRS += [("Thank you.", one) for one in _THANKS]


def _side_by_side(pairs: list[Pair]) -> dict[str, list[str]]:
    groups = itertools.groupby(pairs, key=lambda pair: pair[0])
    return {source: [target for _, target in group] for source, group in groups}


def _as_facts(got: dict[str, Any]) -> Parts:
    facts = {source: list(targets) for source, targets in got.items()}
    return Parts({"collect(pairs)": facts, "The order of the sources": list(facts)})


@exercise(
    "Each source is translated once, and may be right in many ways.",
    right=references,
    form=("a dictionary", lambda got: isinstance(got, dict)),
    read=_as_facts,
)
def collect(draw: Draw) -> Cases:
    """`collect(pairs)`: all different targets of each source."""
    yield case(_PAIRS)
    yield case(draw.choices(_PAIRS, k=20))


collect.slips = {
    "A source should lead to a list of its targets, not to one of them; a later pair "
    "would then replace an earlier one.": dict,
    "A pair that stands twice is counted twice: keep each target once.": (
        lambda pairs: {one: [t for s, t in pairs if s == one] for one, _ in pairs}
    ),
    "The targets are right, but not in the order of their pairs; a set forgets the "
    "order.": lambda pairs: {s: sorted(t) for s, t in references(pairs).items()},
    "The pairs of one source need not stand side by side.": _side_by_side,
}


_SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0"


def _fields(signature: str, *without: str) -> dict[str, str]:
    parts = dict(field.split(":") for field in signature.split("|"))
    return {name: value for name, value in parts.items() if name not in without}


def _comparable(*without: str) -> Callable[[str, str], bool]:
    """An answer that looks at all fields but these."""
    return lambda one, other: _fields(one, *without) == _fields(other, *without)


@exercise(
    "Whoever gives no signature gives a number to believe in.",
    right=_comparable("version"),
    form=TRUTH,
)
def comparable(draw: Draw) -> Cases:
    """`comparable(one, other)`: two signatures of sacreBLEU."""
    changes = {"nrefs:1": "nrefs:var", "case:mixed": "case:lc", "tok:13a": "tok:none"}
    changes |= {"smooth:exp": "smooth:floor[0.10]", "eff:no|": "", "2.4.0": "2.6.0"}
    others = [_SIGNATURE, *(_SIGNATURE.replace(*change) for change in changes.items())]
    for other in [*others, "|".join(reversed(_SIGNATURE.split("|")))]:
        for one, two in ((_SIGNATURE, other), (other, _SIGNATURE)):
            yield case(one, two, what=f"comparable({one!r}, {two!r})")


comparable.slips = {
    "These signatures differ in more than the version, so {what} should be False.": [
        lambda one, other: True,
        *(_comparable("version", name) for name in ("nrefs", "case", "tok", "smooth")),
    ],
    "One of them lacks a field that the other has, so {what} should be False.": [
        lambda one, other: _fields(one, "version").items() <= _fields(other).items(),
        lambda one, other: _fields(other, "version").items() <= _fields(one).items(),
    ],
    "The version alone does not make scores incomparable, so {what} should be True.": (
        _comparable()
    ),
    "The fields may stand in any order: compare names with values, not the text.": (
        lambda one, other: one.split("|")[:-1] == other.split("|")[:-1]
    ),
}


def _rarest(
    sentence: str, counts: dict[str, int], marks: bool = False, capitals: bool = False
) -> int:
    """The least count; the options make what people get wrong."""
    words = [t for t in tokenize(sentence) if marks or t[0].isalnum()]
    return min(counts.get(w if capitals else w.lower(), 0) for w in words)


@exercise("A sentence is as hard as its hardest word.", right=_rarest)
def rarest(draw: Draw) -> Cases:
    """`rarest(sentence, counts)`: how often the rarest word was seen."""
    counts = {"the": 900, "dog": 40, "bites": 7, "man": 55, "a": 800, "ezequiel": 2}
    for sentence in (
        "the dog bites the man",
        "the dog bites a man.",
        "The man bites Ezequiel",
        "a dog bites the turnip",
        " ".join(draw.choices([*counts], k=draw.randint(1, 9))),
    ):
        yield case(sentence, counts, what=f"rarest({sentence!r}, counts)")


rarest.slips = {
    "That is the word; return how often it was seen.": (
        lambda s, counts: min(tokenize(s), key=lambda w: counts.get(w.lower(), 0))
    ),
    "The period is no word, but it was looked up as one.": (
        lambda s, counts: _rarest(s, counts, marks=True)
    ),
    "Capitals hide a word: counts has them in lower case.": (
        lambda s, counts: _rarest(s, counts, capitals=True)
    ),
    "A word that is not in counts was seen 0 times; do not leave it out.": (
        lambda s, counts: min(
            counts[w.lower()] for w in tokenize(s) if w.lower() in counts
        )
    ),
}

# Of many different values no two draws of one's own have the same mean.
_SQUARES = [place**2 / 7 for place in range(100)]
_DRAWN = "It differs from call to call: draw with `draw`."
Ends = tuple[float, float]


def _size(number: float, low: float, high: float) -> str:
    if number < 0 < low:
        return "below zero"
    if number > 3 * high:
        return "several times too large"
    return "too small" if number < low else "too large" if number > high else "right"


def _ends(got: Any, middle: Ends, wide: Ends) -> Any:
    """What can be said of an interval, however its numbers were drawn."""
    low, high = (float(end) for end in got)
    order = "the same" if low == high else "in order" if low < high else "exchanged"
    return Parts(
        {
            "The two ends": order,
            "The interval's middle": _size((low + high) / 2, *middle),
            "The interval's width": _size(high - low, *wide),
        }
    )


def _repeats(answer: Any, *values: list[float]) -> Any:
    once, again = (answer(*values, random.Random(5)) for _ in range(2))
    return list(once) == list(again)


def _bootstrap(
    values: list[float],
    draw: random.Random,
    low: int = 25,
    high: int = 974,
    size: int | None = None,
    replaces: bool = True,
) -> Ends:
    """The two bounds; the options make what people get wrong."""
    k = size or len(values)
    take = draw.choices if replaces else draw.sample
    means = sorted(sum(take(values, k=k)) / k for _ in range(1000))
    return means[low], means[high]


@exercise(
    "Ten times the sentences make it about a third as wide.",
    right=_bootstrap,
    form=pair("two numbers, the lower and the upper"),
)
def interval(draw: Draw) -> Cases:
    """`interval(values, draw)`: the bootstrap of a mean."""

    def facts(answer: Any, values: list[float]) -> Any:
        # The bounds lie two standard errors, 0.096 for 60 of 100, on either side.
        mean = statistics.fmean(values)
        error = statistics.pstdev(values) / math.sqrt(len(values))
        middle = mean - 1.2 * error, mean + 1.2 * error
        got = answer(values, random.Random(5))
        return _ends(got, middle, wide=(3.43 * error, 4.59 * error))

    what = "interval(values, draw)"
    yield case([1] * 60 + [0] * 40, use=facts, what=what)
    yield case(_SQUARES, use=_repeats, what="The same draw, the same interval:")
    right, wrong = draw.randint(200, 300), draw.randint(100, 200)
    yield case([1] * right + [0] * wrong, use=facts, what=what)


interval.slips = {
    "Both ends are the same: drawn without replacement, every sample is the whole list "
    "again. Use draw.choices(values, k=len(values)).": (
        lambda values, draw: _bootstrap(values, draw, replaces=False)
    ),
    "The ends should be means, between 0 and 1 here; divide the sum by the size.": (
        lambda values, draw: [end * len(values) for end in _bootstrap(values, draw)]
    ),
    "The interval is too narrow: leave 2.5% of the means on each side, and draw as "
    "many values as the list has.": (
        lambda values, draw: _bootstrap(values, draw, low=50, high=949)
    ),
    "The interval is too wide: take the means with 2.5% of all below and above, not "
    "the smallest and the largest; and draw as many values as the list has.": [
        lambda values, draw: _bootstrap(values, draw, low=0, high=999),
        lambda values, draw: _bootstrap(values, draw, size=100),
    ],
    _DRAWN: lambda values, draw: _bootstrap(values, random.Random()),
}

# Hard and easy sentences, and in each of them one system a little better, or not.
_THEIRS: list[float] = [10 * (place % 10) for place in range(100)]
_OURS = [value + 1 + place % 3 for place, value in enumerate(_THEIRS)]


def _paired(
    ours: list[float], theirs: list[float], draw: random.Random, **options: Any
) -> Ends:
    """Drawing places and taking the same ones from both draws the differences."""
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    return _bootstrap(differences, draw, **options)


def _apart(ours: list[float], theirs: list[float], draw: random.Random) -> Ends:
    found = sorted(
        statistics.fmean(draw.choices(ours, k=len(ours)))
        - statistics.fmean(draw.choices(theirs, k=len(theirs)))
        for _ in range(1000)
    )
    return found[25], found[974]


@exercise(
    "Both meet the same luck, and what is left is the difference.",
    right=_paired,
    form=pair("two numbers: the lower, the upper"),
)
def paired(draw: Draw) -> Cases:
    """`paired(ours, theirs, draw)`: the paired bootstrap of two means."""

    def facts(answer: Any, ours: list[float], theirs: list[float]) -> Any:
        # The mean difference is 1.99 and scatters by 0.08; apart, the means do by 4.1.
        got = answer(ours, theirs, random.Random(5))
        return _ends(got, middle=(1.8, 2.2), wide=(0.27, 0.38))

    yield case(_OURS, _THEIRS, use=facts, what="paired(ours, theirs, draw)")
    what = "The same draw, the same interval:"
    yield case(_SQUARES, _THEIRS, use=_repeats, what=what)


paired.slips = {
    "The interval is very wide: the two lists were drawn apart. Draw places, and take "
    "the same ones from both.": _apart,
    "The sign is the wrong way round: ours less theirs.": (
        lambda ours, theirs, draw: _paired(theirs, ours, draw)
    ),
    "The interval is too narrow: leave 2.5% of the sorted draws on each side, and draw "
    "with replacement.": lambda *given: _paired(*given, low=160, high=839),
    "The interval is too wide: leave 2.5% of the draws out on each side, and draw as "
    "many sentences as there are.": lambda *given: _paired(*given, low=0, high=999),
    _DRAWN: lambda ours, theirs, draw: _paired(ours, theirs, random.Random()),
}
