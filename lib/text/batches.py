"""Batches of sentences of similar length."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from torch.utils.data import Sampler


def group_by_length(
    lengths: Sequence[int],
    max_tokens: int,
    seed: int | None = None,
) -> list[list[int]]:
    """Divide sentences of similar length into batches of about the same size (§5.1).

    Args:
        lengths: tokens of each sentence pair.
        max_tokens: most tokens in a batch, padding included.
        seed: decides the order; None keeps it from short to long.

    Returns:
        The numbers of the sentences in each batch.

    Raises:
        ValueError: if a sentence alone has more than ``max_tokens``.

    Example:
        >>> group_by_length([2, 5, 2, 5], max_tokens=10)
        [[0, 2], [1, 3]]

    Built in chapter 11.
    """
    longest = max(lengths, default=0)
    if longest > max_tokens:
        raise ValueError(
            f"A sentence of {longest} tokens does not fit into a batch of "
            f"max_tokens = {max_tokens}."
        )
    order = list(range(len(lengths)))
    shuffler = random.Random(seed)
    if seed is not None:
        shuffler.shuffle(order)
    order.sort(key=lambda index: lengths[index])  # stable: equals stay shuffled
    batches: list[list[int]] = []
    for index in order:
        width = lengths[index]  # sorted, so no row before is wider
        rows = len(batches[-1]) + 1 if batches else 0
        if not batches or rows * width > max_tokens:
            batches.append([])
        batches[-1].append(index)
    if seed is not None:
        shuffler.shuffle(batches)
    return batches


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

    Built in chapter 11.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        max_tokens: int,
        seed: int | None = None,
    ) -> None:
        self.batches = group_by_length(lengths, max_tokens, seed)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)
