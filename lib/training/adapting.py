"""Adapting a trained model: a few new numbers beside those that it has."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn


class LowRank(nn.Module):
    r"""A linear map that is frozen, and a small one that learns (Hu et al., 2021).

    .. math:: W x + b + \tfrac{\alpha}{r} B A x

    A is ``down``, drawn at random; B is ``up``, zero at first. So nothing has changed
    before the first step.

    Args:
        linear: the map; its numbers are no longer trained.
        rank: numbers between A and B, **r**.
        alpha: the sum of both weighs the small map by ``alpha / rank``.

    Shape:
        - Input: :math:`(..., \mathit{in\_features})`.
        - Output: :math:`(..., \mathit{out\_features})`.

    Raises:
        ValueError: if the rank is less than 1.

    Example:
        >>> linear = nn.Linear(8, 6)
        >>> adapted, x = LowRank(linear, rank=2), torch.ones(3, 8)
        >>> torch.equal(adapted(x), linear(x))
        True
        >>> sum(each.numel() for each in adapted.parameters() if each.requires_grad)
        28

    Built in chapter 21.
    """

    def __init__(self, linear: nn.Linear, rank: int, alpha: float = 8.0) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank must be at least 1, but it is {rank}.")
        self.linear = linear.requires_grad_(False)
        self.down = nn.Linear(linear.in_features, rank, bias=False)
        self.up = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.up.weight)
        self.scale = alpha / rank

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + self.scale * self.up(self.down(x))

    def merged(self) -> nn.Linear:
        """Return one linear map that does the same."""
        linear = copy.deepcopy(self.linear)
        with torch.no_grad():
            linear.weight += self.scale * self.up.weight @ self.down.weight
        return linear
