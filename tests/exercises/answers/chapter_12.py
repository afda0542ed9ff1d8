"""Right and wrong answers to the exercises of chapter 12."""

import math
from collections import Counter

import torch

from lib.checks import chapter_12 as check
from lib.decoding import length_norm


def grow(beam, following, size, key=lambda item: -item[1], join=lambda s, p: s + p):
    grown = [
        (beginning + word, join(score, math.log(p)))
        for beginning, score in beam
        for word, p in following(beginning).items()
    ]
    return sorted(grown, key=key)[:size]


def best(hypotheses, alpha, norm=length_norm, choose=max):
    return choose(hypotheses, key=lambda h: h[2] / norm(h[1], alpha))[0]


def ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def clipped(candidate, reference, n):
    return sum((ngrams(candidate, n) & ngrams(reference, n)).values())


def unclipped(candidate, reference, n):
    right = ngrams(reference, n)
    return sum(count for gram, count in ngrams(candidate, n).items() if gram in right)


def size(n_layers, d_model, batch, length):
    return 2 * n_layers * d_model * batch * length


def short_ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))


def without_the_last(candidate, reference, n, written=short_ngrams):
    return sum((written(candidate, n) & ngrams(reference, n)).values())


def reference_counts(candidate, reference, n):
    right = ngrams(reference, n)
    return sum(right[gram] for gram in ngrams(candidate, n))


def beam_step(scores, log_probs, size, eos_id, *, looked=2, late=False, most=None):
    totals = scores[:, None] + log_probs
    best, places = totals.flatten().topk(looked * size)
    going, ended = [], []
    for rank, (score, place) in enumerate(
        zip(best.tolist(), places.tolist(), strict=True)
    ):
        parent, word = divmod(place, log_probs.size(1))
        if word != eos_id:
            going.append((parent, word, score))
        elif rank < size or late:
            ended.append((parent, word, score))
        if len(going) == (most or size):
            break
    return going, ended


def exchanged(found):
    return [(word, parent, score) for parent, word, score in found[0]], found[1]


def one_each(scores, log_probs, size, eos_id):
    open_words = log_probs.clone()
    open_words[:, eos_id] = -torch.inf
    best, words = (scores[:, None] + open_words).max(dim=1)
    going = list(zip(range(len(scores)), words.tolist(), best.tolist(), strict=True))
    return going, beam_step(scores, log_probs, size, eos_id)[1]


RIGHT = [
    (check.grow, grow),
    (check.best, best),
    (check.clipped, clipped),
    (check.cache_size, size),
    (check.beam_step, beam_step),
]

WRONG = [
    (check.grow, lambda b, f, n: grow(b, f, n, key=lambda i: i[1]), "worst were kept"),
    (check.grow, lambda b, f, n: grow(b, f, 99), "keeps 4"),
    (check.grow, lambda b, f, n: grow(b[:1], f, n), "Only the best beginning"),
    (check.grow, lambda b, f, n: grow(b, f, n)[::-1], "should come first"),
    (check.grow, lambda b, f, n: list(b), "add the word"),
    (check.grow, lambda b, f, n: [g for g, _ in grow(b, f, n)], "pairs"),
    (
        check.grow,
        lambda b, f, n: [(g, math.exp(s)) for g, s in grow(b, f, n)],
        "keep its logarithm",
    ),
    (
        check.grow,
        lambda b, f, n: [(g, math.log(f(g[:-1])[g[-1]])) for g, _ in grow(b, f, n)],
        "beginning is missing",
    ),
    (check.grow, lambda b, f, n: 3, "should be a list"),
    (check.best, lambda h, a: best(h, 0.0), "no effect"),
    (check.best, lambda h, a: best(h, a, choose=min), "lowest score"),
    (check.best, lambda h, a: best(h, 0.6), "With alpha = 0"),
    (check.best, lambda h, a: (best(h, a), 6), "text alone"),
    (check.best, lambda h, a: best(h, a, norm=lambda n, p: n**p), "not by the length"),
    (check.clipped, unclipped, "Nothing was clipped"),
    (check.clipped, lambda c, r, n: len(set(c) & set(r)), "Different words"),
    (check.clipped, lambda c, r, n: clipped(c, r, n) / len(c), "share"),
    (check.clipped, lambda c, r, n: clipped(c, r, 1), "runs of n words"),
    (check.cache_size, lambda n, d, b, t: n * d * b * t, "two for each token"),
    (check.cache_size, lambda n, d, b, t: 2 * d * b * t, "Each layer"),
    (check.cache_size, lambda n, d, b, t: 2 * n * d * t, "Each sentence"),
    (check.cache_size, lambda n, d, b, t: 2 * n * d * b, "Every token"),
    (check.cache_size, lambda n, d, b, t: size(n, d, b, 210), "kept once"),
    (check.clipped, without_the_last, "last n-gram is missing"),
    (
        check.clipped,
        lambda c, r, n: clipped(c, r, 1) if n == 1 else without_the_last(c, r, n),
        "last n-gram is missing",
    ),
    (check.clipped, reference_counts, "the reference's counts"),
    (check.beam_step, lambda *a: 3, "two lists"),
    (check.beam_step, lambda *a: ([1, 2], []), "triples"),
    (
        check.beam_step,
        lambda s, p, n, e: (beam_step(s, p, n, -1)[0], []),
        "does not go on",
    ),
    (check.beam_step, lambda s, p, n, e: beam_step(0 * s, p, n, e), "are missing"),
    (check.beam_step, lambda *a: exchanged(beam_step(*a)), "exchanged"),
    (
        check.beam_step,
        lambda s, p, n, e: ([(1, 3, -4.496), (1, 1, -3.803)], []),
        "worst were kept",
    ),
    (check.beam_step, lambda *a: beam_step(*a, most=3), "Too many go on"),
    (check.beam_step, lambda *a: beam_step(*a, looked=1), "Too few go on"),
    (check.beam_step, one_each, "Each beginning gave one child"),
    (check.beam_step, lambda *a: (beam_step(*a)[0], []), "put aside"),
    (check.beam_step, lambda *a: beam_step(*a, late=True, most=2), "counts"),
]
