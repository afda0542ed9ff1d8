"""Right and wrong answers to the exercises of chapter 3."""

import math

import torch
import torch.nn.functional as F

from lib.attention import scaled_dot_product_attention
from lib.checks import chapter_03 as check


def row_softmax(x):
    powers = (x - x.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def attend(query, keys, values):
    return (keys @ query / math.sqrt(query.size(-1))).softmax(dim=-1) @ values


def look_back(length):
    keys = torch.eye(length)
    wanted = (torch.arange(length) - 1).clamp(min=0)
    return 20 * math.sqrt(length) * keys[wanted], keys


def looking(choose, sharpness=20.0):
    """An answer to 3.4 whose queries are the keys of the chosen positions."""

    def answer(length):
        keys = torch.eye(length)
        return sharpness * math.sqrt(length) * keys[choose(torch.arange(length))], keys

    return answer


def sigmoid_shares(query, keys):
    shares = (keys @ query / 2).sigmoid()
    return shares / shares.sum()


def zero_first(length):
    """The natural slip in 3.4: the first query is left at zero."""
    queries = torch.zeros(length, length)
    queries[1:] = 100 * torch.eye(length)[:-1]
    return queries, torch.eye(length)


def short_first(length):
    queries, keys = look_back(length)
    return torch.cat([queries[:1] / 20, queries[1:]]), keys


def softmax_by_rows(x):
    """Right, though a helper of the learner's own is called softmax too."""

    def softmax(row):
        powers = (row - row.max()).exp()
        return powers / powers.sum()

    rows = x.reshape(-1, x.size(-1))
    return torch.stack([softmax(row) for row in rows]).view(x.shape)


def along(x, axis):
    return row_softmax(x.transpose(axis, -1)).transpose(axis, -1)


RIGHT = [
    (check.softmax, softmax_by_rows),
    (check.softmax, lambda x: (x - x.logsumexp(-1, keepdim=True)).exp()),
    (check.softmax, lambda x: row_softmax(x).tolist()),
    (check.attend, lambda q, k, v: attend(q, k, v).tolist()),
    (check.attend, lambda q, k, v: list(attend(q, k, v))),
    (check.attend, lambda q, k, v: attend(q, k, v).numpy()),
    (check.look_back, lambda n: tuple(rows.numpy() for rows in look_back(n))),
    (check.look_back, lambda n: [rows.tolist() for rows in look_back(n)]),
    (check.softmax, row_softmax),
    (check.attend, attend),
    (check.attend, lambda q, k, v: v.T @ (k @ q * k.size(1) ** -0.5).softmax(0)),
    (check.spread, lambda d_k, sigma: math.sqrt(d_k) * sigma**2),
    (check.spread, lambda d_k, sigma: torch.tensor(d_k * sigma**4).sqrt()),
    (check.look_back, look_back),
    (check.look_back, lambda n: (100 * n * look_back(n)[1][
        [0, *range(n - 1)]], torch.eye(n))),
]  # fmt: skip

WRONG = [
    (check.softmax, lambda x: x.softmax(dim=-1), "PyTorch's own softmax"),
    (check.softmax, lambda x: F.softmax(x, dim=-1), "PyTorch's own softmax"),
    (check.softmax, lambda x: torch.softmax(x, -1), "PyTorch's own softmax"),
    (check.softmax, torch.nn.Softmax(dim=-1), "PyTorch's own softmax"),
    (check.softmax, lambda x: x.log_softmax(-1).exp(), "PyTorch's own softmax"),
    (check.softmax, lambda x: 2**x / (2**x).sum(-1, keepdim=True), "powers of 2"),
    (
        check.attend,
        lambda q, k, v: F.scaled_dot_product_attention(q[None], k, v)[0],
        "ready-made attention",
    ),
    (
        check.attend,
        lambda q, k, v: scaled_dot_product_attention(q[None], k, v)[0][0],
        "ready-made attention",
    ),
    (check.attend, lambda q, k, v: (k @ q / 2).softmax(0) @ k, "keys were mixed"),
    (check.attend, lambda q, k, v: (k @ q * 2).softmax(0) @ v, "were multiplied"),
    (check.attend, lambda q, k, v: (k @ q / 2).sigmoid() @ v, "A sigmoid looks"),
    (check.attend, lambda q, k, v: sigmoid_shares(q, k) @ v, "A sigmoid looks"),
    (check.attend, lambda q, k, v: k @ q / (k @ q).sum() @ v, "without an exponential"),
    (
        check.attend,
        lambda q, k, v: torch.cosine_similarity(k, q[None]).softmax(0) @ v,
        "scores are cosines",
    ),
    (
        check.attend,
        lambda q, k, v: (torch.cosine_similarity(k, q[None]) / 2).softmax(0) @ v,
        "scores are cosines",
    ),
    (check.look_back, zero_first, "The first position looks at all alike"),
    (check.look_back, lambda n: look_back(n)[::-1], "queries and keys are exchanged"),
    (check.look_back, lambda n: (torch.zeros(n, n), torch.eye(n)), "Every position"),
    (check.look_back, short_first, "with a weight of"),
    (check.softmax, lambda x: x.exp() / x.exp().sum(), "whole table"),
    (check.softmax, lambda x: row_softmax(x.mT).mT, "down the columns"),
    (
        check.softmax,
        lambda x: row_softmax(x) / row_softmax(x).amax(dim=-1, keepdim=True),
        "largest share is 1",
    ),
    (check.softmax, lambda x: x / x.sum(dim=-1, keepdim=True), "exponential of each"),
    (check.softmax, lambda x: x.exp(), "not yet divided"),
    (
        check.softmax,
        lambda x: x.exp() / x.exp().sum(dim=-1, keepdim=True),
        "e to the 1000 is infinite",
    ),
    (
        check.softmax,
        lambda x: (x - x.max()).exp() / (x - x.max()).exp().sum(dim=-1, keepdim=True),
        "each row's own largest",
    ),
    (check.softmax, lambda x: x * 0, "should be"),
    (check.softmax, lambda x: along(x, min(1, x.dim() - 1)), "is off in"),
    (check.attend, lambda q, k, v: (k @ q / 2).softmax(0), "these are the weights"),
    (
        check.attend,
        lambda q, k, v: (k @ q / 2).softmax(0)[:, None] * v,
        "add them up",
    ),
    (
        check.attend,
        lambda q, k, v: (q[None] @ k.T / 2).softmax(-1) @ v,
        "leave out the axis",
    ),
    (check.attend, lambda q, k, v: (k @ q).softmax(0) @ v, "not scaled"),
    (check.attend, lambda q, k, v: (k @ q / 4).softmax(0) @ v, "divides by d_k"),
    (
        check.attend,
        lambda q, k, v: (k @ q / len(k) ** 0.5).softmax(0) @ v,
        "number of keys",
    ),
    (
        check.attend,
        lambda q, k, v: (k @ q / v.size(1) ** 0.5).softmax(0) @ v,
        "width of the values",
    ),
    (check.attend, lambda q, k, v: (k @ q / 2) @ v, "straight into the mix"),
    (check.attend, lambda q, k, v: (k @ q).softmax(0) / 2 @ v, "no longer sum to 1"),
    (check.attend, lambda q, k, v: v.mean(0), "should be"),
    (check.attend, lambda q, k, v: q @ v, "stopped with RuntimeError"),
    (check.spread, lambda d_k, sigma: d_k * sigma**4, "64 is the variance"),
    (check.spread, lambda d_k, sigma: sigma**2, "after scaling"),
    (check.spread, lambda d_k, sigma: sigma**2 / math.sqrt(d_k), "do not divide"),
    (check.spread, lambda d_k, sigma: math.sqrt(d_k) * sigma, "sigma counts twice"),
    (check.spread, lambda d_k, sigma: math.sqrt(d_k) * sigma**4, "sigma squared"),
    (check.spread, lambda d_k, sigma: math.sqrt(d_k), "sigma must come in"),
    (check.spread, lambda d_k, sigma: 5.0, "should be 8, but is 5"),
    (check.look_back, looking(lambda t: (t + 1).clamp(max=len(t) - 1)), "one after it"),
    (check.look_back, looking(lambda t: t), "looks at itself: shift"),
    (check.look_back, looking(lambda t: (t - 1) % len(t)), "looks at the last one"),
    (
        check.look_back,
        looking(lambda t: torch.where(t > 0, t - 1, 1)),
        "largest weight is on position 1",
    ),
    (
        check.look_back,
        looking(lambda t: (t - 2).clamp(min=0)),
        "Position 2 of 5 should look at position 1",
    ),
    (
        check.look_back,
        looking(lambda t: (t - 1).clamp(min=0), sharpness=2.0),
        "not clearly enough",
    ),
    (
        check.look_back,
        looking(lambda t: (t - 1).clamp(min=0), sharpness=1e38),
        "the scores are infinite",
    ),
    (check.look_back, torch.eye, "should return the pair"),
    (check.look_back, lambda n: (torch.eye(n + 1), torch.eye(n)), "one row for each"),
    (check.look_back, lambda n: (torch.ones(n, 2), torch.ones(n, 3)), "width"),
]
