"""Right answers to the exercises of chapter 21, written in another way."""

import math

import torch
from torch import nn

from lib.training.adapting import LowRank


def low_rank_numbers(width, attentions, rank):
    """Makes the maps of one attention, and counts what learns."""
    pair = [LowRank(nn.Linear(width, width), rank) for _ in range(2)]
    learning = [p for one in pair for p in one.parameters() if p.requires_grad]
    return attentions * sum(p.numel() for p in learning)


def one_matrix(weight, down, up, alpha):
    """Adds one rank after the other, as outer products."""
    for row, column in zip(down, up.T, strict=True):
        weight = weight + alpha / len(down) * torch.outer(column, row)
    return weight


def eight_bits(weight):
    """Goes row by row, and keeps whole numbers as such."""
    scales = torch.stack([row.abs().max() for row in weight])[:, None] / 127
    return torch.round(weight / scales).to(torch.int8), scales


def preference_loss(good, bad, old_good, old_bad, beta):
    """Goes pair by pair, with the exponential written out."""
    losses = [
        math.log(1 + math.exp(-beta * ((g - og) - (b - ob))))
        for g, b, og, ob in zip(good, bad, old_good, old_bad, strict=True)
    ]
    return torch.tensor(sum(losses) / len(losses))


ANSWERS = {
    "low_rank_numbers": [low_rank_numbers],
    "one_matrix": [one_matrix],
    "eight_bits": [eight_bits],
    "preference_loss": [preference_loss],
}
