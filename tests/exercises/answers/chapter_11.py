"""Right and wrong answers to the exercises of chapter 11."""

import math
import re

import torch

from lib.checks import chapter_11 as check


def smoother(right=lambda e, n: 1 - e + e / n, rest=lambda e, n: e / n):
    def answer(label, vocab_size, smoothing):
        wanted = torch.full((vocab_size,), float(rest(smoothing, vocab_size)))
        wanted[label] = right(smoothing, vocab_size)
        return wanted

    return answer


def rate(power=-0.5, choose=min, up=-1.5):
    def answer(step, d_model, warmup_steps):
        return d_model**power * choose(step**-0.5, step * warmup_steps**up)

    return answer


def clipper(factor):
    def answer(gradients, longest):
        length = math.sqrt(sum(float((g**2).sum()) for g in gradients))
        return [g * factor(g, gradients, length, longest) for g in gradients]

    return answer


def limit(longest, length):
    return min(1.0, longest / length) if length else 1.0


RIGHT_CLIP = clipper(lambda g, all_, length, longest: limit(longest, length))


def last_file(names, form=r"epoch-(\d+)\.safetensors", read=int, match=re.fullmatch):
    found = {}
    for name in names:
        if hit := match(form, name):
            found[read(hit[1])] = name
    return found[max(found)]


def global_loss(mean_losses, words):
    total = sum(loss * n for loss, n in zip(mean_losses, words, strict=True) if n > 0)
    return total / sum(words)


def early_stop(losses, patience, low=lambda a, b: a < b, late=0):
    best = 1
    for epoch in range(1, len(losses) + 1):
        if low(losses[epoch - 1], losses[best - 1]):
            best = epoch
        if epoch - best == patience + late:
            return epoch, best
    return len(losses), best


def falls(losses, patience):
    """Count every rise, also after a new low, and every step instead of the low."""
    bad = 0
    for epoch in range(2, len(losses) + 1):
        bad += losses[epoch - 1] >= losses[epoch - 2]
        if bad == patience:
            return epoch, losses.index(min(losses[:epoch])) + 1
    return len(losses), losses.index(min(losses)) + 1


RIGHT = [
    (check.smoothed, smoother()),
    (check.paper_rate, rate()),
    (check.paper_rate, lambda *a: torch.tensor(rate()(*a), dtype=torch.float64)),
    (check.clip, RIGHT_CLIP),
    (check.clip, lambda *a: tuple(RIGHT_CLIP(*a))),
    (check.last_file, last_file),
    (check.global_loss, global_loss),
    (check.global_loss, lambda *a: torch.tensor(global_loss(*a))),
    (check.early_stop, early_stop),
    (check.early_stop, lambda *a: list(early_stop(*a))),
]

WRONG = [
    (check.smoothed, smoother(right=lambda e, n: 1 - e), "do not add up to 1"),
    (
        check.smoothed,
        smoother(lambda e, n: 1 - e, lambda e, n: e / (n - 1)),
        "the right one included",
    ),
    (check.smoothed, smoother(lambda e, n: 1.0, lambda e, n: 0.0), "certainty"),
    (
        check.smoothed,
        smoother(lambda e, n: e + (1 - e) / n, lambda e, n: (1 - e) / n),
        "are exchanged",
    ),
    (check.smoothed, smoother(lambda e, n: 5.0), "add up to 1"),
    (check.smoothed, smoother(lambda e, n: 0.5, lambda e, n: 0.5 / (n - 1)), "0.5"),
    (check.smoothed, lambda label, n, e: torch.ones(n + 1), "shape"),
    (check.smoothed, lambda label, n, e: [1.0] * n, "tensor"),
    (check.paper_rate, rate(choose=max), "larger of the two"),
    (check.paper_rate, rate(power=0), "is missing"),
    (check.paper_rate, rate(power=0.5), "exponent -0.5"),
    (check.paper_rate, rate(choose=lambda down, up: down), "no warm-up"),
    (check.paper_rate, rate(choose=lambda down, up: up), "never comes down"),
    (check.paper_rate, rate(up=1.5), "no warm-up"),
    (check.paper_rate, lambda *_: 17.0, "divided by the right rates"),
    (check.paper_rate, lambda *_: "fast", "three numbers"),
    (
        check.clip,
        clipper(lambda g, all_, length, longest: longest / length),
        "stretched",
    ),
    (
        check.clip,
        clipper(
            lambda g, all_, length, longest: (
                limit(longest, length) if length else math.nan
            )
        ),
        "became nan",
    ),
    (
        check.clip,
        clipper(lambda g, all_, length, longest: limit(longest, float(g.norm()))),
        "on its own",
    ),
    (
        check.clip,
        lambda gradients, longest: [g.clamp(-longest, longest) for g in gradients],
        "Each number was cut off",
    ),
    (
        check.clip,
        clipper(
            lambda g, all_, length, longest: limit(
                longest, sum(float(one.abs().sum()) for one in all_)
            )
        ),
        "not the sum of absolute",
    ),
    (
        check.clip,
        clipper(lambda g, all_, length, longest: limit(longest, length**2)),
        "The root is missing",
    ),
    (check.clip, lambda gradients, longest: gradients, "Nothing was shortened"),
    (check.clip, lambda gradients, longest: gradients[0], "a list of 3 tensors"),
    (
        check.clip,
        lambda gradients, longest: [g.flatten() for g in gradients],
        "shape",
    ),
    (check.last_file, lambda names: last_file(names, read=str), "mistake 24"),
    (check.last_file, lambda names: names[-1], "any order"),
    (
        check.last_file,
        lambda names: last_file(names, match=re.match),
        "another form was taken",
    ),
    (check.last_file, lambda names: 12, "the name of the file"),
    (check.last_file, lambda names: "epoch-77.safetensors", "epoch-1.safetensors"),
    (check.global_loss, lambda m, n: sum(m) / len(m), "mean of the means"),
    (
        check.global_loss,
        lambda m, n: sum(a * b for a, b in zip(m, n, strict=True)) / sum(n),
        "nan times 0",
    ),
    (check.global_loss, lambda m, n: global_loss(m, n) * sum(n), "sum of all losses"),
    (
        check.global_loss,
        lambda m, n: global_loss(m, n) * sum(n) / len(n),
        "not by the number of shares",
    ),
    (check.global_loss, lambda m, n: 99.0, "global_loss"),
    (check.global_loss, lambda m, n: m, "should be a number"),
    (check.early_stop, lambda n, p: early_stop(n, p)[::-1], "are exchanged"),
    (
        check.early_stop,
        lambda n, p: tuple(e - 1 for e in early_stop(n, p)),
        "counted from 1",
    ),
    (
        check.early_stop,
        lambda n, p: (early_stop(n, p)[0], early_stop(n, p)[1] - 1),
        "counted from 0",
    ),
    (check.early_stop, lambda n, p: (len(n), n.index(min(n)) + 1), "looks ahead"),
    (check.early_stop, lambda n, p: (early_stop(n, p)[0],) * 2, "not of the last"),
    (check.early_stop, lambda n, p: early_stop(n, p, late=1), "looks ahead"),
    (check.early_stop, lambda n, p: early_stop(n, p, late=-1), "too early"),
    (check.early_stop, lambda n, p: early_stop(n, p, lambda a, b: a <= b), "too long"),
    (check.early_stop, falls, "too early"),
    (check.early_stop, lambda n, p: early_stop(n, p)[1], "two numbers"),
]
