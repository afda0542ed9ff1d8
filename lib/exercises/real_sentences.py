"""The exercises of chapter 16: references, signatures, rare words, intervals, pairs."""

import itertools
import random
import statistics
from collections.abc import Callable
from typing import Any

from lib.exercises.record import Cases, Draw, Parts, case, exercise, that
from lib.text import tokenize

Pair = tuple[str, str]
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


def _collect(pairs: list[Pair]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for source, target in dict.fromkeys(pairs):
        found.setdefault(source, []).append(target)
    return found


def _with_repeats(pairs: list[Pair]) -> dict[str, list[str]]:
    return {s: [t for one, t in pairs if one == s] for s in _collect(pairs)}


def _side_by_side(pairs: list[Pair]) -> dict[str, list[str]]:
    groups = itertools.groupby(pairs, key=lambda pair: pair[0])
    return {source: [target for _, target in group] for source, group in groups}


def _as_facts(got: dict[str, Any]) -> Parts:
    that(
        not any(isinstance(targets, str) for targets in got.values()),
        "A source should lead to a list of its targets, not to one of them; a later "
        "pair would then replace an earlier one.",
    )
    facts = {source: list(targets) for source, targets in got.items()}
    return Parts({"collect(pairs)": facts, "The order of the sources": list(facts)})


@exercise(
    "Each source is translated once, and may be right in many ways.",
    right=_collect,
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
    "A pair that stands twice is counted twice: keep each target once.": _with_repeats,
    "Only the last target of each source is left: add to the list, do not begin a new "
    "one.": lambda pairs: {s: t[-1:] for s, t in _collect(pairs).items()},
    "Only the first target of each source is kept.": (
        lambda pairs: {s: t[:1] for s, t in _collect(pairs).items()}
    ),
    "The targets are right, but not in the order of their pairs; a set forgets the "
    "order.": lambda pairs: {s: sorted(t) for s, t in _collect(pairs).items()},
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
    read=bool,
)
def comparable(draw: Draw) -> Cases:
    """`comparable(one, other)`: two signatures of sacreBLEU."""
    changes = {
        ("nrefs:1", "nrefs:var"): "not ",
        ("case:mixed", "case:lc"): "not ",
        ("tok:13a", "tok:none"): "not ",
        ("smooth:exp", "smooth:floor[0.10]"): "not ",
        ("eff:no|", ""): "not ",
        ("2.4.0", "2.6.0"): "",
    }
    yield case(_SIGNATURE, _SIGNATURE)
    for (old, new), said in changes.items():
        other = _SIGNATURE.replace(old, new)
        for one, two in ((_SIGNATURE, other), (other, _SIGNATURE)):
            yield case(one, two, what=f"{one} and {two} are {said}comparable")
    other = "version:2.5.1|tok:13a|nrefs:1|eff:no|smooth:exp|case:mixed"
    yield case(_SIGNATURE, other, what=f"{_SIGNATURE} and {other} are comparable")


comparable.slips = {
    "A signature agrees with itself, but your answer says that it does not.": (
        lambda one, other: False
    ),
    "The number of references differs (nrefs); more of them give a higher score. So "
    "{what}.": [lambda one, other: True, _comparable("version", "nrefs")],
    "One of them was computed in lower case (case:lc), which scores higher. So "
    "{what}.": _comparable("version", "case"),
    "The sentences were cut into words in different ways (tok). So {what}.": (
        _comparable("version", "tok")
    ),
    "They treat runs that are never right in different ways (smooth). So {what}.": (
        _comparable("version", "smooth")
    ),
    "One of them lacks a field that the other has. So {what}.": [
        lambda one, other: _fields(one, "version").items() <= _fields(other).items(),
        lambda one, other: _fields(other, "version").items() <= _fields(one).items(),
    ],
    "The version alone does not make scores incomparable here. So {what}.": (
        _comparable()
    ),
    "The fields may stand in any order: compare names with values, not the text. So "
    "{what}.": lambda one, other: one.split("|")[:-1] == other.split("|")[:-1],
}


def _words(sentence: str, marks: bool = False) -> list[str]:
    return [t for t in tokenize(sentence) if marks or t[0].isalnum()]


def _rarest(sentence: str, counts: dict[str, int], choose: Any = min) -> Any:
    return choose([counts.get(word.lower(), 0) for word in _words(sentence)])


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
        lambda s, counts: min(_words(s), key=lambda w: counts.get(w.lower(), 0))
    ),
    "This is the most frequent word; take the least frequent one.": (
        lambda s, counts: _rarest(s, counts, max)
    ),
    "This looks like a mean; take the least.": (
        lambda s, counts: _rarest(s, counts, lambda found: sum(found) / len(found))
    ),
    "The period is no word, but it was looked up as one.": (
        lambda s, counts: min(counts.get(w.lower(), 0) for w in _words(s, marks=True))
    ),
    "Capitals hide a word: counts has them in lower case.": [
        lambda s, counts: min(counts.get(w, 0) for w in _words(s)),
        lambda s, counts: min(counts[w] for w in _words(s) if w in counts),
    ],
    "A word that is not in counts was seen 0 times; do not leave it out.": (
        lambda s, counts: min(
            counts[w.lower()] for w in _words(s) if w.lower() in counts
        )
    ),
}

# Of many different values no two draws of one's own have the same mean.
_SQUARES = [place**2 / 7 for place in range(100)]
_DRAWN = "It differs from call to call: draw with `draw`."


def _size(number: float, low: float, high: float) -> str:
    return "too small" if number < low else "too large" if number > high else "right"


def _is_pair(got: Any) -> bool:
    return isinstance(got, list | tuple) and len(got) == 2


def _ends(got: Any, middle: tuple[float, float], wide: tuple[float, float]) -> Any:
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
    low: int = 25,
    high: int = 974,
    size: int | None = None,
    replaces: bool = True,
    means: bool = True,
    own: bool = False,
) -> Callable[[list[float], random.Random], Any]:
    """An answer to 14.4; the options are what goes wrong."""

    def answer(values: list[float], draw: random.Random) -> Any:
        draw = random.Random() if own else draw
        k = size or len(values)
        take = draw.choices if replaces else draw.sample
        sums = sorted(sum(take(values, k=k)) for _ in range(1000))
        return tuple(sums[end] / (k if means else 1) for end in (low, high))

    return answer


@exercise(
    "Ten times the sentences make it about a third as wide.",
    right=_bootstrap(),
    form=("two numbers, the lower and the upper", _is_pair),
)
def interval(draw: Draw) -> Cases:
    """`interval(values, draw)`: the bootstrap of a mean."""

    def facts(answer: Any, values: list[float]) -> Any:
        # The bounds lie two standard errors, 0.096 for 60 of 100, on either side.
        mean, error = statistics.fmean(values), statistics.pstdev(values) / 10
        middle = mean - 1.2 * error, mean + 1.2 * error
        got = answer(values, random.Random(5))
        return _ends(got, middle, wide=(3.43 * error, 4.59 * error))

    def narrows(answer: Any) -> bool:
        few = answer([1, 0] * 10, random.Random(1))
        many = answer([1, 0] * 500, random.Random(1))
        return bool(few[1] - few[0] > 3 * (many[1] - many[0]))

    what = "interval(values, draw)"
    yield case([1] * 60 + [0] * 40, use=facts, what=what)
    yield case(_SQUARES, use=_repeats, what="The same draw, the same interval:")
    yield case(use=narrows, what="That the interval narrows")
    right = draw.randint(30, 70)
    yield case([1] * right + [0] * (100 - right), use=facts, what=what)


interval.slips = {
    "Both ends are the same: drawn without replacement, every sample is the whole list "
    "again. Use draw.choices(values, k=len(values)).": _bootstrap(replaces=False),
    "The lower end comes first.": _bootstrap(low=974, high=25),
    "The ends should be means, between 0 and 1 here; divide the sum by the size.": (
        _bootstrap(means=False)
    ),
    "The interval should lie around the mean, 0.6.": (
        lambda values, draw: tuple(end / 2 for end in _bootstrap()(values, draw))
    ),
    "The interval is too narrow: between 5% and 95%, or 16% and 84%, lie fewer means; "
    "leave 2.5% on each side.": [
        _bootstrap(low=50, high=949),
        _bootstrap(low=160, high=839),
    ],
    "The interval is too wide: take the means with 2.5% of all below and above, not "
    "the smallest and the largest; and draw as many values as the list has.": [
        _bootstrap(low=0, high=999),
        _bootstrap(size=10),
    ],
    _DRAWN: _bootstrap(own=True),
    "The interval should narrow when there are more values: each sample must be as "
    "large as the list.": _bootstrap(size=100),
}

# Hard and easy sentences, and in each of them one system a little better, or not.
_THEIRS: list[float] = [10 * (place % 10) for place in range(100)]
_OURS = [value + 1 + place % 3 for place, value in enumerate(_THEIRS)]


def _paired(
    low: int = 25,
    high: int = 974,
    size: int | None = None,
    apart: bool = False,
    sign: int = 1,
    means: bool = True,
    own: bool = False,
) -> Callable[[list[float], list[float], random.Random], tuple[float, float]]:
    """An answer to 14.5; the options are what goes wrong."""

    def answer(
        ours: list[float], theirs: list[float], draw: random.Random
    ) -> tuple[float, float]:
        draw = random.Random() if own else draw
        k, found = size or len(ours), []
        for _ in range(1000):
            one = draw.choices(range(len(ours)), k=k)
            other = draw.choices(range(len(ours)), k=k) if apart else one
            total = sum(ours[i] for i in one) - sum(theirs[i] for i in other)
            found.append(sign * total / (k if means else 1))
        found.sort()
        return found[low], found[high]

    return answer


@exercise(
    "Both meet the same luck, and what is left is the difference.",
    right=_paired(),
    form=("two numbers: the lower, the upper", _is_pair),
)
def paired(draw: Draw) -> Cases:
    """`paired(ours, theirs, draw)`: the paired bootstrap of two means."""

    def facts(answer: Any, ours: list[float], theirs: list[float]) -> Any:
        # The mean difference is 1.99 and scatters by 0.08; apart, the means do by 4.1.
        got = answer(ours, theirs, random.Random(5))
        that(
            got[1] - got[0] < 4,
            "The interval is very wide: the two lists were drawn apart. Draw places, "
            "and take the same ones from both.",
        )
        that(
            not (got[0] > -3 and got[1] < -1),
            "The sign is the wrong way round: ours less theirs.",
        )
        return _ends(got, middle=(1.8, 2.2), wide=(0.27, 0.38))

    yield case(_OURS, _THEIRS, use=facts, what="paired(ours, theirs, draw)")
    what = "The same draw, the same interval:"
    yield case(_SQUARES, _THEIRS, use=_repeats, what=what)


paired.slips = {
    "The lower end comes first.": _paired(low=974, high=25),
    "The interval is very wide: the two lists were drawn apart. Draw places, and take "
    "the same ones from both.": _paired(apart=True),
    "The sign is the wrong way round: ours less theirs.": _paired(sign=-1),
    "The interval should lie around the difference of the two means, 1.99, and be "
    "narrow; divide the sum by the size.": lambda ours, theirs, draw: tuple(
        end / 2 for end in _paired()(ours, theirs, draw)
    ),
    "The interval is too narrow: leave 2.5% of the draws on each side, and draw with "
    "replacement.": _paired(low=160, high=839),
    "The interval is too wide: leave 2.5% of the draws out on each side, and draw as "
    "many sentences as there are.": [_paired(low=0, high=999), _paired(size=60)],
    _DRAWN: _paired(own=True),
}
