"""Right answers to the exercises of chapter 6, written in another way."""

import torch

ORDER = torch.tensor([1, 2, 3, 4, 5, 0])


def by_removal(attention, x, head):
    """What is missing once the head's columns are zero."""
    weight = attention.output_proj.weight.detach()
    width = weight.size(1) // attention.n_heads
    kept = weight.clone()
    whole = attention(x, x, x)[0]
    with torch.no_grad():
        weight[:, head * width : (head + 1) * width] = 0
        without = attention(x, x, x)[0]
        weight.copy_(kept)
    return whole - without


def pack(attention):
    maps = attention.query_proj, attention.key_proj, attention.value_proj
    return [torch.cat([m.weight for m in maps]), torch.cat([m.bias for m in maps])]


def moved_back(attention):
    x = torch.randn(1, 6, 8)
    moved = x[:, ORDER]
    first, second = attention(x, x, x)[0], attention(moved, moved, moved)[0]
    return (second[:, ORDER.argsort()] - first).abs().max() < 1e-4


ANSWERS = {
    "attention_parameters": [lambda d, h: torch.tensor(4 * d * (d + 1))],
    "gather_dealt_heads": [
        lambda x: x.permute(0, 2, 3, 1).reshape(len(x), x.size(2), -1)
    ],
    "contribution": [by_removal],
    "pack": [pack],
    "follows_the_tokens": [moved_back],
}
