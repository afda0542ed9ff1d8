"""Sentence pairs as token ids, and several of them side by side."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from lib.text.sentences import Pair
from lib.text.words import Vocabulary


class Batch(NamedTuple):
    r"""Some sentence pairs; the decoder reads ``tgt_in`` and must say ``tgt_out``.

    The two are the same target shifted by one: ``<sos> vamos`` and ``vamos <eos>``.

    Args:
        src: source ids with ``<eos>``, padded.
        tgt_in: target ids with ``<sos>`` in front.
        tgt_out: target ids with ``<eos>`` behind.

    Shape:
        src: :math:`(B, S)`; tgt_in and tgt_out: :math:`(B, T)`.

    Example:
        >>> pair = (torch.tensor([4, 2]), torch.tensor([1, 5, 2]))
        >>> collate([pair], pad_id=0)
        Batch(src=tensor([[4, 2]]), tgt_in=tensor([[1, 5]]), tgt_out=tensor([[5, 2]]))
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor


class ParallelDataset(Dataset[tuple[Tensor, Tensor]]):
    """Sentence pairs as token ids: ``words <eos>`` and ``<sos> words <eos>``.

    Args:
        pairs: source and target sentences.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.

    Raises:
        TypeError: if a pair is not two sentences.
        ValueError: if a sentence is empty, or the vocabularies pad with different ids.

    Example:
        >>> pairs = [("lets go", "vamos")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> ParallelDataset(pairs, english, spanish)[0]
        (tensor([5, 4, 2]), tensor([1, 4, 2]))
    """

    def __init__(
        self, pairs: Sequence[Pair], src_vocab: Vocabulary, tgt_vocab: Vocabulary
    ) -> None:
        if src_vocab.pad_id != tgt_vocab.pad_id:
            raise ValueError(
                "Both vocabularies must pad with the same id, because model and loss "
                f"know only one, but the source pads with {src_vocab.pad_id} and the "
                f"target with {tgt_vocab.pad_id}."
            )
        self.pairs = list(pairs)  # read once: they may come from a generator
        for number, pair in enumerate(self.pairs):
            _check_pair(number, pair)
        self.pad_id = src_vocab.pad_id
        self.vocabularies = (src_vocab, tgt_vocab)
        self.sources = [
            torch.tensor([*src_vocab.encode(src), src_vocab.eos_id])
            for src, _ in self.pairs
        ]
        self.targets = [
            torch.tensor([tgt_vocab.sos_id, *tgt_vocab.encode(tgt), tgt_vocab.eos_id])
            for _, tgt in self.pairs
        ]

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.sources[index], self.targets[index]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return zip(self.sources, self.targets, strict=True)

    def lengths(self) -> list[int]:
        """Return the tokens of each pair: those of its longer side."""
        return [max(len(src), len(tgt)) for src, tgt in self]

    def fitting(self, max_len: int) -> ParallelDataset:
        """Return the pairs that a model of ``max_len`` positions can learn from."""
        kept = [
            index
            for index, (src, tgt) in enumerate(self)
            if positions_needed(src, tgt) <= max_len
        ]
        return self.replaced(
            [self.pairs[index] for index in kept], [self[index] for index in kept]
        )

    def collate(self, rows: Sequence[tuple[Tensor, Tensor]]) -> Batch:
        """Put some of its pairs side by side."""
        return collate(rows, self.pad_id)

    def replaced(
        self, pairs: Sequence[Pair], ids: Sequence[tuple[Tensor, Tensor]]
    ) -> ParallelDataset:
        """Return a dataset of the same vocabularies with other pairs, or other ids."""
        again = copy.copy(self)
        again.pairs = list(pairs)
        again.sources = [src for src, _ in ids]
        again.targets = [tgt for _, tgt in ids]
        return again


def positions_needed(src: Tensor, tgt: Tensor) -> int:
    """Return how many positions a model needs for a pair of token ids.

    Args:
        src: source ids with ``<eos>``.
        tgt: target ids with ``<sos>`` and ``<eos>``, which the decoder never reads.

    Shape:
        src: :math:`(S)`; tgt: :math:`(T)`.
    """
    return max(len(src), len(tgt) - 1)


def _check_pair(number: int, pair: Pair) -> None:
    two = isinstance(pair, tuple | list) and len(pair) == 2
    if not two or not all(isinstance(side, str) for side in pair):
        raise TypeError(f"Pair {number} must be two sentences, but it is {pair!r}.")
    if not all(side.strip() for side in pair):
        raise ValueError(f"Pair {number} has an empty side: {pair!r}.")


def collate(pairs: Sequence[tuple[Tensor, Tensor]], pad_id: int) -> Batch:
    """Put sentence pairs side by side, and pad the shorter ones at their end.

    Args:
        pairs: source ids and target ids, as :class:`ParallelDataset` gives them.
        pad_id: the token id of padding.

    Returns:
        The batch, with its target as decoder input and as labels.

    Raises:
        ValueError: if there is no pair.

    Example:
        >>> short, long = torch.tensor([4, 2]), torch.tensor([4, 5, 2])
        >>> collate([(short, short), (long, long)], pad_id=0).src
        tensor([[4, 2, 0],
                [4, 5, 2]])
    """
    if not pairs:
        raise ValueError("A batch needs at least one sentence pair, but it has none.")
    src, tgt = (
        pad_sequence(list(side), batch_first=True, padding_value=pad_id)
        for side in zip(*pairs, strict=True)
    )
    return Batch(src, tgt[:, :-1], tgt[:, 1:])  # the shift: in and out differ by one
