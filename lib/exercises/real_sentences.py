"""The exercises of chapter 16: references, signatures, rare words, intervals, pairs."""

import math
import random
import statistics
from typing import Any

from lib.corpora import references
from lib.exercises.forms import TRUTH, pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.text import tokenize

# So many thanks that a set does not keep their order by luck.
_THANKS = ["Gracias.", "Te lo agradezco.", "Muchas gracias.", "Os lo agradezco."]
_THANKS += ["Mil gracias.", "Se lo agradezco."]
_PAIRS = [("Hi.", "Hola."), ("Go on.", "Sigue."), ("Hi.", "Buenas."), ("Oh.", "Hola.")]
_PAIRS += [("Go on.", "Sigue."), ("Hi.", "¡Hola!")]
_PAIRS += [("Thank you.", one) for one in _THANKS]


def _as_facts(got: dict[str, Any]) -> Parts:
    facts = {
        source: sorted(targets) if isinstance(targets, set) else list(targets)
        for source, targets in got.items()
    }
    return Parts({"collect(pairs)": facts, "The order of the sources": list(facts)})


collect = exercise(
    lambda draw: [(_PAIRS,), (draw.choices(_PAIRS, k=20),)],
    name="collect",
    form=("a dictionary", lambda got: isinstance(got, dict)),
    read=_as_facts,
)(references)


_SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0"


def _signatures(draw: Draw) -> Cases:
    changes = {"nrefs:1": "nrefs:var", "case:mixed": "case:lc", "tok:13a": "tok:none"}
    changes |= {"smooth:exp": "smooth:floor[0.10]", "eff:no|": "", "2.4.0": "2.6.0"}
    others = [_SIGNATURE, *(_SIGNATURE.replace(*change) for change in changes.items())]
    for other in [*others, "|".join(reversed(_SIGNATURE.split("|")))]:
        for one, two in ((_SIGNATURE, other), (other, _SIGNATURE)):
            yield case(one, two, what=f"comparable({one!r}, {two!r})")


@exercise(_signatures, form=TRUTH)
def comparable(one: str, other: str) -> bool:
    """Whether two signatures of sacreBLEU agree, but for the version."""
    first, second = (
        {field for field in signature.split("|") if not field.startswith("version:")}
        for signature in (one, other)
    )
    return first == second


def _sentences(draw: Draw) -> Cases:
    counts = {"the": 900, "dog": 40, "bites": 7, "man": 55, "a": 800, "ezequiel": 2}
    for sentence in (
        "the dog bites the man",
        "the dog bites a man.",
        "The man bites Ezequiel",
        "a dog bites the turnip",
        " ".join(draw.choices([*counts], k=7)),
    ):
        yield case(sentence, counts, what=f"rarest({sentence!r}, counts)")


@exercise(_sentences)
def rarest(sentence: str, counts: dict[str, int]) -> int:
    """How often the rarest word was seen."""
    words = [token.lower() for token in tokenize(sentence) if token[0].isalnum()]
    return min(counts.get(word, 0) for word in words)


# Of many different values no two draws of one's own have the same mean.
_SQUARES = [place**2 / 7 for place in range(100)]
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
            "The interval's width": _size(high - low, *wide),
            "The interval's middle": _size((low + high) / 2, *middle),
        }
    )


def _draws(answer: Any, *values: list[float]) -> Any:
    one, same, other = (list(answer(*values, random.Random(n))) for n in (5, 5, 6))
    return Parts(
        {
            "The same draw, the same interval:": one == same,
            "Another draw, another interval:": one != other,
        }
    )


def _values(draw: Draw) -> Cases:
    def facts(answer: Any, values: list[float]) -> Any:
        # The bounds lie two standard errors, 0.096 for 60 of 100, on either side.
        mean = statistics.fmean(values)
        error = statistics.pstdev(values) / math.sqrt(len(values))
        middle = mean - 1.2 * error, mean + 1.2 * error
        got = answer(values, random.Random(5))
        return _ends(got, middle, wide=(3.43 * error, 4.59 * error))

    what = "interval(values, draw)"
    yield case([1] * 60 + [0] * 40, use=facts, what=what)
    yield case(_SQUARES, use=_draws)
    right, wrong = draw.randint(200, 300), draw.randint(100, 200)
    yield case([1] * right + [0] * wrong, use=facts, what=what)


@exercise(_values, form=pair("two numbers, the lower and the upper"))
def interval(values: list[float], draw: random.Random) -> Ends:
    """Between these bounds lie 95% of the means, by the bootstrap."""
    size = len(values)
    means = sorted(sum(draw.choices(values, k=size)) / size for _ in range(1000))
    return means[25], means[974]


# Hard and easy sentences, and in each of them one system a little better, or not.
_THEIRS: list[float] = [10 * (place % 10) for place in range(100)]
_OURS = [value + 1 + place % 3 for place, value in enumerate(_THEIRS)]


def _systems(draw: Draw) -> Cases:
    def facts(answer: Any, ours: list[float], theirs: list[float]) -> Any:
        # The mean difference is 1.99 and scatters by 0.08; apart, the means do by 4.1.
        got = answer(ours, theirs, random.Random(5))
        return _ends(got, middle=(1.8, 2.2), wide=(0.27, 0.38))

    yield case(_OURS, _THEIRS, use=facts, what="paired(ours, theirs, draw)")
    yield case(_SQUARES, _THEIRS, use=_draws)


@exercise(_systems, form=pair("two numbers: the lower, the upper"))
def paired(ours: list[float], theirs: list[float], draw: random.Random) -> Ends:
    """The same for the difference of two means, of the same sentences."""
    size = len(ours)
    drawn = (draw.choices(range(size), k=size) for _ in range(1000))
    found = sorted(sum(ours[p] - theirs[p] for p in places) / size for places in drawn)
    return found[25], found[974]
