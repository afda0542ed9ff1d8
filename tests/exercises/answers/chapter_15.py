"""Right and wrong answers to the exercises of chapter 15."""

from statistics import mean, median

import torch

from lib.checks import chapter_15 as check


def bytes_of(b, h, n, s, t, *, number=4):
    return number * b * h * n * (s * s + t * t + s * t)


def hours(parameters, tokens, ceiling, used, *, cost=6):
    return cost * parameters * tokens / (ceiling * used) / 3600


def fair(ours, theirs):
    return median(b / a for a, b in zip(ours, theirs, strict=True))


def weighted(gradients, tokens):
    return sum(n * g for n, g in zip(tokens, gradients, strict=True)) / sum(tokens)


def online(scores, values, size, shrinking=True, dividing=True, top=torch.amax):
    highest, total, result = torch.tensor(-torch.inf), 0.0, 0.0
    for piece, part in zip(scores.split(size), values.split(size), strict=True):
        before, highest = highest, torch.maximum(highest, top(piece))
        shrink = (before - highest).exp() if shrinking else 1.0
        share = (piece - highest).exp()
        total = total * shrink + share.sum()
        result = result * shrink + (share * part).sum()
    return result / total if dividing else result


def naive(scores, values, size):
    share = scores.exp()
    return (share * values[: len(share)]).sum() / share.sum()


def piecewise(scores, values, size):
    pieces = zip(scores.split(size), values.split(size), strict=True)
    return torch.stack([p.softmax(dim=0) @ v for p, v in pieces]).mean()


RIGHT = [
    (check.weights_bytes, bytes_of),
    (check.training_hours, hours),
    (check.speedup, fair),
    (check.join_gradients, weighted),
    (check.attend_in_pieces, online),
    (check.attend_in_pieces, lambda s, v, n: online(s, v, n).item()),
    (check.attend_in_pieces, lambda s, v, n: s.softmax(0) @ v),
]

BYTES, HOURS = check.weights_bytes, check.training_hours
WRONG = [
    (BYTES, lambda *a: bytes_of(*a, number=1), "not bytes"),
    (BYTES, lambda b, h, n, s, t: bytes_of(b, 1, n, s, t), "times n_heads"),
    (BYTES, lambda b, h, n, s, t: bytes_of(b, h, 1, s, t), "times n_layers"),
    (BYTES, lambda b, h, n, s, t: bytes_of(1, h, n, s, t), "times batch"),
    (
        BYTES,
        lambda b, h, n, s, t: 4 * b * h * n * (s * s + t * t),
        "cross-attentions are missing",
    ),
    (
        BYTES,
        lambda b, h, n, s, t: 4 * b * h * n * (s * s + s * t),
        "decoder's self-attentions are missing",
    ),
    (
        BYTES,
        lambda b, h, n, s, t: 4 * b * h * n * (2 * s * s + t * t),
        "target times source",
    ),
    (
        BYTES,
        lambda b, h, n, s, t: 4 * b * h * n * (s * s + 2 * t * t),
        "target times source",
    ),
    (BYTES, lambda b, h, n, s, t: 4 * b * h * n * (s + t) ** 2, "of their own"),
    (BYTES, lambda *a: bytes_of(8, 6, 3, 50, 60), "weights_bytes(1, 1, 1, 2, 3)"),
    (BYTES, lambda *a: 7, "should be"),
    (HOURS, lambda *a: hours(*a, cost=2), "forward pass alone"),
    (HOURS, lambda *a: hours(*a, cost=4), "backward pass alone"),
    (HOURS, lambda *a: hours(*a, cost=1), "not one"),
    (HOURS, lambda *a: hours(*a) * 3600, "These are seconds"),
    (HOURS, lambda *a: hours(*a) * 60, "These are minutes"),
    (HOURS, lambda p, t, c, u: hours(p, t, c, 1), "the share used"),
    (HOURS, lambda p, t, c, u: hours(p, t, c, 1 / u), "do not multiply"),
    (HOURS, lambda *a: 1.0, "should be"),
    (check.speedup, lambda a, b: fair(b, a), "upside down"),
    (
        check.speedup,
        lambda a, b: mean(y / x for x, y in zip(a, b, strict=True)),
        "the mean",
    ),
    (check.speedup, lambda a, b: mean(b) / mean(a), "divides the means"),
    (check.speedup, lambda a, b: median(b) / median(a), "divides the medians"),
    (check.speedup, lambda a, b: min(b) / min(a), "best turns alone"),
    (check.speedup, lambda a, b: 7.0, "should be"),
    (check.join_gradients, lambda g, n: sum(g) / len(g), "plain mean"),
    (check.join_gradients, lambda g, n: sum(g), "This is the sum"),
    (check.join_gradients, lambda g, n: weighted(g, n) * sum(n), "not divided yet"),
    (
        check.join_gradients,
        lambda g, n: weighted(g, n) * sum(n) / 2,
        "by the processes",
    ),
    (check.join_gradients, lambda g, n: weighted(g, n[::-1]), "exchanged"),
    (check.join_gradients, lambda g, n: g[0], "should be"),
    (
        check.join_gradients,
        lambda g, n: weighted(g[:2], n[:2]),
        "with an idle process",
    ),
    (
        check.attend_in_pieces,
        lambda s, v, n: online(s, v, n, shrinking=False),
        "must shrink",
    ),
    (check.attend_in_pieces, piecewise, "by its own sum"),
    (
        check.attend_in_pieces,
        lambda s, v, n: online(s, v, n, dividing=False),
        "shares is missing",
    ),
    (check.attend_in_pieces, lambda s, v, n: s.exp() @ v, "shares is missing"),
    (check.attend_in_pieces, naive, "overflow"),
    (
        check.attend_in_pieces,
        lambda s, v, n: online(s, v, n, top=torch.amin),
        "not its min",
    ),
    (
        check.attend_in_pieces,
        lambda s, v, n: online(s, v, n, top=torch.mean),
        "or its mean",
    ),
    (check.attend_in_pieces, lambda s, v, n: v.mean(), "should be"),
    (
        check.attend_in_pieces,
        lambda s, v, n: naive(s[: 2 * n], v, n) if n == 3 else online(s, v, n),
        "three at a time",
    ),
]
