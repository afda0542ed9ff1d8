"""Batches of sentences of similar length."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from torch.utils.data import Sampler


class TokenBatchSampler(Sampler[list[int]]):
    """Batches of similar length that hold about the same number of tokens (§5.1).

    Args:
        lengths: tokens of each sentence pair.
        max_tokens: most tokens in a batch, padding included.
        seed: decides the order; None keeps it from short to long.

    Raises:
        ValueError: if a sentence alone has more than ``max_tokens``.

    Example:
        >>> list(TokenBatchSampler([2, 5, 2, 5], max_tokens=10))
        [[0, 2], [1, 3]]

    Built in chapter 10.
    """

    def __init__(
        self, lengths: Sequence[int], max_tokens: int, seed: int | None = None
    ) -> None:
        if lengths and max(lengths) > max_tokens:
            raise ValueError(
                f"A sentence of {max(lengths)} tokens does not fit into a batch of "
                f"max_tokens = {max_tokens}."
            )
        self.batches = self._group(lengths, max_tokens, seed)

    @staticmethod
    def _group(
        lengths: Sequence[int], max_tokens: int, seed: int | None
    ) -> list[list[int]]:
        order = list(range(len(lengths)))
        shuffler = random.Random(seed)
        if seed is not None:
            shuffler.shuffle(order)
        order.sort(key=lengths.__getitem__)  # stable: equal lengths stay shuffled
        batches: list[list[int]] = []
        for index in order:
            # Sorted, so the newest sentence is the longest and sets the width.
            if not batches or (len(batches[-1]) + 1) * lengths[index] > max_tokens:
                batches.append([])
            batches[-1].append(index)
        if seed is not None:
            shuffler.shuffle(batches)
        return batches

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)
