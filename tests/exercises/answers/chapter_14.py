"""Right and wrong answers to the exercises of chapter 14."""

import random

from lib.checks import chapter_14 as check
from lib.corpora import references
from lib.text import tokenize

# --- 14.1 -----------------------------------------------------------------------------


def collect(pairs):
    found = {}
    for source, target in pairs:
        targets = found.setdefault(source, [])
        if target not in targets:
            targets.append(target)
    return found


def collect_side_by_side(pairs):
    found, before = {}, None
    for source, target in pairs:
        if source == before or source not in found:
            collected = found.setdefault(source, [])
            if target not in collected and len(collected) < 2:
                collected.append(target)
        elif len(found[source]) < 2:
            found[source].append(target)
        before = source
    return found


def collect_as_sets(pairs):
    return {source: sorted(targets) for source, targets in collect(pairs).items()}


def collect_twice(pairs):
    found = {}
    for source, target in pairs:
        found.setdefault(source, []).append(target)
    return found


COLLECTORS = [
    (lambda pairs: dict(pairs), "not to one of them"),
    (lambda pairs: [*pairs], "should be a dictionary"),
    (collect_twice, "stands twice is counted twice"),
    (collect_as_sets, "a set forgets the order"),
    (collect_side_by_side, "need not stand side by side"),
    (lambda pairs: {s: t[-1:] for s, t in collect(pairs).items()}, "Only the last"),
    (lambda pairs: {s: t[:1] for s, t in collect(pairs).items()}, "Only the first"),
    (
        lambda pairs: dict(sorted(collect(pairs).items())),
        "The order of the sources",
    ),
]


# --- 14.2 -----------------------------------------------------------------------------


def fields(signature, without=("version",)):
    parts = dict(field.split(":") for field in signature.split("|"))
    return {name: value for name, value in parts.items() if name not in without}


def comparable(one, other):
    return fields(one) == fields(other)


COMPARERS = [
    (lambda one, other: one == other, "version alone"),
    (lambda one, other: fields(one, ()) == fields(other, ()), "version alone"),
    (lambda one, other: True, "number of references differs"),
    (
        lambda one, other: (
            fields(one, ("version", "nrefs")) == fields(other, ("version", "nrefs"))
        ),
        "number of references differs",
    ),
    (
        lambda one, other: (
            fields(one, ("version", "case")) == fields(other, ("version", "case"))
        ),
        "lower case",
    ),
    (
        lambda one, other: one.split("|")[:-1] == other.split("|")[:-1],
        "any order",
    ),
    (
        lambda one, other: all(
            fields(other).get(name, value) == value
            for name, value in fields(one).items()
        ),
        "lacks a field",
    ),
    (lambda one, other: False, "agrees with itself"),
]


# --- 14.3 -----------------------------------------------------------------------------


def words(sentence, lower=True, marks=False):
    tokens = [t for t in tokenize(sentence) if marks or t[0].isalnum()]
    return [t.lower() for t in tokens] if lower else tokens


def rarest(sentence, counts):
    return min(counts.get(word, 0) for word in words(sentence))


RAREST = [
    (lambda s, c: max(c.get(w, 0) for w in words(s)), "most frequent word"),
    (lambda s, c: min(words(s), key=lambda w: c.get(w, 0)), "return how often"),
    (lambda s, c: min(c.get(w, 0) for w in words(s, marks=True)), "no word"),
    (lambda s, c: min(c.get(w, 0) for w in words(s, lower=False)), "lower case"),
    (lambda s, c: min(c[w] for w in words(s) if w in c), "do not leave it out"),
    (
        lambda s, c: min(c[w] for w in words(s, lower=False) if w in c),
        "Capitals hide a word",
    ),
    (lambda s, c: sum(c.get(w, 0) for w in words(s)) / len(words(s)), "mean"),
]


# --- 14.4 -----------------------------------------------------------------------------


def bootstrap(
    low=25, high=974, draw_all=None, size=None, mean=True, reverse=False, own=False
):
    def answer(values, draw):
        if own:
            draw = random.Random()
        k = size or len(values)
        take = draw_all or (lambda values, k, draw: draw.choices(values, k=k))
        sums = sorted(sum(take(values, k, draw)) for _ in range(1000))
        means = [total / k if mean else total for total in sums]
        ends = (means[low], means[high])
        return ends[::-1] if reverse else ends

    return answer


INTERVALS = [
    (bootstrap(draw_all=lambda v, k, draw: draw.sample(v, k)), "without replacement"),
    (bootstrap(low=160, high=839), "too narrow"),
    (bootstrap(low=0, high=999), "too wide"),
    (bootstrap(size=10), "too wide"),
    (bootstrap(mean=False), "should be means"),
    (bootstrap(reverse=True), "lower end comes first"),
    (bootstrap(own=True), "draw with `draw`"),
    (bootstrap(size=100), "as large as the list"),
    (lambda values, draw: sum(values) / len(values), "two numbers"),
    (
        lambda values, draw: tuple(end / 2 for end in bootstrap()(values, draw)),
        "around the mean",
    ),
]


# --- 14.5 -----------------------------------------------------------------------------


def pairing(low=25, high=974, apart=False, size=None, swap=False, own=False, mean=True):
    def answer(ours, theirs, draw):
        if own:
            draw = random.Random()
        k = size or len(ours)
        found = []
        for _ in range(1000):
            one = draw.choices(range(len(ours)), k=k)
            other = draw.choices(range(len(ours)), k=k) if apart else one
            total = sum(ours[i] for i in one) - sum(theirs[i] for i in other)
            found.append((-total if swap else total) / (k if mean else 1))
        found.sort()
        return found[low], found[high]

    return answer


PAIRS = [
    (pairing(apart=True), "drawn apart"),
    (pairing(swap=True), "sign is the wrong way"),
    (pairing(mean=False), "drawn apart"),
    (pairing(low=160, high=839), "too narrow"),
    (pairing(low=0, high=999), "too wide"),
    (pairing(size=60), "too wide"),
    (pairing(own=True), "draw with `draw`"),
    (pairing(low=974, high=25), "lower end comes first"),
    (lambda ours, theirs, draw: 2.0, "two numbers"),
    (
        lambda ours, theirs, draw: (lambda ends: (ends[0] / 2, ends[1] / 2))(
            pairing()(ours, theirs, draw)
        ),
        "around the difference",
    ),
]


RIGHT = [
    (check.collect, collect),
    (check.collect, references),
    (check.comparable, comparable),
    (check.rarest, rarest),
    (check.interval, bootstrap()),
    (check.paired, pairing()),
]

WRONG = [
    *[(check.collect, *case) for case in COLLECTORS],
    *[(check.comparable, *case) for case in COMPARERS],
    *[(check.rarest, *case) for case in RAREST],
    *[(check.interval, *case) for case in INTERVALS],
    *[(check.paired, *case) for case in PAIRS],
]
