"""Right and wrong answers to the exercises of chapter 13."""

import torch

from lib.checks import chapter_13 as check


def decided(weights, dim=-1):
    return weights.max(dim=dim).values.mean(dim=-1)


def align(weights, source, target, choose="argmax"):
    places = getattr(weights, choose)(dim=-1).tolist()
    return [(word, source[place]) for word, place in zip(target, places, strict=True)]


def silence(joined, head, n_heads):
    d_head = joined.size(-1) // n_heads
    silent = joined.clone()
    silent[..., head * d_head : (head + 1) * d_head] = 0.0
    return silent


def align_columns(weights, source, target):
    places = weights.argmax(dim=0).tolist()
    return [(word, source[place]) for word, place in zip(target, places, strict=False)]


def silence_in_place(joined, head, n_heads):
    d_head = joined.size(-1) // n_heads
    joined[..., head * d_head : (head + 1) * d_head] = 0.0
    return joined


def zeroed(joined, *place):
    silent = joined.clone()
    silent[place] = 0.0
    return silent


def without_part(joined, head, n_heads):
    heads = list(joined.chunk(n_heads, dim=-1))
    del heads[head]
    return torch.cat(heads, dim=-1)


RIGHT = [
    (check.decidedness, decided),
    (check.decidedness, lambda w: decided(w).tolist()),
    (check.decidedness, lambda w: decided(w).numpy()),
    (check.align, align),
    (check.share_on_previous, lambda w: w.diagonal(-1).mean()),
    (check.share_on_previous, lambda w: w.diagonal(-1).mean().item()),
    (check.silence, silence),
    (check.silence, lambda x, h, n: silence(x, h, n).numpy()),
]

WRONG = [
    (check.decidedness, lambda w: w.max(dim=-1).values.mean(), "not one for all"),
    (check.decidedness, lambda w: w.max(dim=-1).values, "take their mean"),
    (check.decidedness, lambda w: w.mean(dim=(1, 2)), "always 1/S"),
    (check.decidedness, lambda w: w.amax(dim=(1, 2)), "mean over the rows"),
    (check.decidedness, lambda w: decided(w, dim=1), "largest of each column"),
    (check.decidedness, lambda w: w.max(dim=-1).values.sum(dim=-1), "were added"),
    (check.decidedness, lambda w: w.min(dim=-1).values.mean(dim=-1), "the smallest"),
    (
        check.align,
        lambda w, s, t: list(zip(t, w.argmax(-1).tolist(), strict=False)),
        "are places",
    ),
    (check.align, lambda w, s, t: [(b, a) for a, b in align(w, s, t)], "target word"),
    (check.align, lambda w, s, t: list(zip(t, s, strict=False)), "by their places"),
    (check.align, lambda w, s, t: align(w, s, t, "argmin"), "smallest"),
    (check.align, lambda w, s, t: "la", "list of pairs"),
    (check.align, align_columns, "largest of each column"),
    (check.share_on_previous, lambda w: w.diagonal(1).mean(), "token after"),
    (check.share_on_previous, lambda w: w.diagonal().mean(), "token itself"),
    (check.share_on_previous, lambda w: w.diagonal(-1).sum() / 3, "must not count"),
    (check.share_on_previous, lambda w: w.diagonal(-1).sum(), "not their sum"),
    (check.share_on_previous, lambda w: w.diagonal(-2).mean(), "two tokens back"),
    (check.silence, without_part, "was cut out"),
    (check.silence, lambda x, h, n: x.chunk(n, dim=-1)[h], "Only the head"),
    (check.silence, lambda x, h, n: x.clone(), "Nothing is zero"),
    (check.silence, silence_in_place, "silence a copy"),
    (check.silence, lambda x, h, n: zeroed(x, ..., slice(h, None, n)), "every third"),
    (check.silence, lambda x, h, n: zeroed(x, 0, h), "A token was silenced"),
    (check.silence, lambda x, h, n: silence(x, h - 1, n), "counted from 0"),
    (check.silence, lambda x, h, n: zeroed(x, ..., h), "only one is zero"),
    (check.silence, lambda x, h, n: x - silence(x, h, n), "keep them"),
]
