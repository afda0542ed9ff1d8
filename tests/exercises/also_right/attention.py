"""Right answers to the exercises of chapter 3, written in another way."""

import math

import torch


def softmax_by_rows(x):
    """Right, though a helper of the learner's own is called softmax too."""

    def softmax(row):
        powers = (row - row.max()).exp()
        return powers / powers.sum()

    rows = x.reshape(-1, x.size(-1))
    return torch.stack([softmax(row) for row in rows]).view(x.shape)


def attend(query, keys, values):
    return values.T @ (keys @ query * keys.size(1) ** -0.5).softmax(0)


def look_back(length):
    keys = torch.eye(length)
    return 100 * length * keys[[0, *range(length - 1)]], keys


ANSWERS = {
    "softmax": [
        softmax_by_rows,
        lambda x: (x - x.logsumexp(-1, keepdim=True)).exp(),
        lambda x: softmax_by_rows(x).tolist(),
    ],
    "attend": [
        attend,
        lambda q, k, v: attend(q, k, v).tolist(),
        lambda q, k, v: list(attend(q, k, v)),
        lambda q, k, v: attend(q, k, v).numpy(),
    ],
    "spread": [
        lambda d_k, sigma: math.sqrt(d_k * sigma**4),
        lambda d_k, sigma: torch.tensor(d_k * sigma**4).sqrt(),
    ],
    "look_back": [
        look_back,
        lambda n: tuple(rows.numpy() for rows in look_back(n)),
        lambda n: [rows.tolist() for rows in look_back(n)],
    ],
}
