"""Data: sentence pairs as token ids, in batches of sentences of similar length."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import lightning
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

from lib.vocabulary import Vocabulary
from lib.vocabulary.subwords import SubwordVocabulary

__all__ = [
    "Batch",
    "ParallelDataset",
    "TokenBatchSampler",
    "TranslationData",
    "collate",
]

Pair = tuple[str, str]


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

    Built in chapter 9.
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

    Built in chapter 9.
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

    def cut_again(self, dropout: float, seed: int) -> ParallelDataset:
        """Return the same pairs with their sub-words merged at random (§5.4's idea).

        Args:
            dropout: the probability with which each merge is left out.
            seed: decides the cuts.

        Raises:
            TypeError: if a vocabulary has no sub-words.
        """
        src_vocab, tgt_vocab = self.vocabularies
        if not isinstance(src_vocab, SubwordVocabulary) or not isinstance(
            tgt_vocab, SubwordVocabulary
        ):
            raise TypeError("Only sub-words can be cut again; these are whole words.")
        numbers = random.Random(seed)
        longest = max(self.lengths())
        again = copy.copy(self)
        again.sources, again.targets = [], []
        for number, (src, tgt) in enumerate(self.pairs):
            source = src_vocab.encode_with_dropout(src, dropout, numbers)
            target = tgt_vocab.encode_with_dropout(tgt, dropout, numbers)
            ids = torch.tensor([*source, src_vocab.eos_id])
            labels = torch.tensor([tgt_vocab.sos_id, *target, tgt_vocab.eos_id])
            # More pieces than any sentence had: the model may have no positions for it.
            if max(len(ids), len(labels)) > longest:
                ids, labels = self[number]
            again.sources.append(ids)
            again.targets.append(labels)
        return again

    def lengths(self) -> list[int]:
        """Return the tokens of each pair: those of its longer side."""
        both = zip(self.sources, self.targets, strict=True)
        return [max(len(src), len(tgt)) for src, tgt in both]


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

    Built in chapter 9.
    """
    if not pairs:
        raise ValueError("A batch needs at least one sentence pair, but it has none.")
    src, tgt = (
        pad_sequence(list(side), batch_first=True, padding_value=pad_id)
        for side in zip(*pairs, strict=True)
    )
    return Batch(src, tgt[:, :-1], tgt[:, 1:])  # the shift: in and out differ by one


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


class TranslationData(lightning.LightningDataModule):
    """The training and the validation part of a corpus, for Lightning.

    Args:
        splits: sentence pairs under "train" and "validation".
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        max_tokens: most tokens in a batch, padding included.
        seed: with the number of the epoch, decides the order of training.
        subword_dropout: probability with which each merge of sub-words is left out in
            training.

    Raises:
        ValueError: if a part is missing or empty, or one sentence of it has more than
            ``max_tokens``.

    Example:
        >>> pairs = [("lets go", "vamos"), ("to go", "ir")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> splits = {"train": pairs, "validation": pairs}
        >>> data = TranslationData(splits, english, spanish, max_tokens=100, seed=0)
        >>> len(data.val_dataloader())
        1

    Built in chapter 10.
    """

    def __init__(
        self,
        splits: Mapping[str, Sequence[Pair]],
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        max_tokens: int,
        seed: int,
        subword_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.subword_dropout = subword_dropout
        self.train_set, self.validation_set = (
            ParallelDataset(splits.get(name, ()), src_vocab, tgt_vocab)
            for name in ("train", "validation")
        )
        for name, part in (
            ("train", self.train_set),
            ("validation", self.validation_set),
        ):
            if not len(part):
                raise ValueError(f"The corpus has no sentences in its part {name!r}.")
            TokenBatchSampler(part.lengths(), max_tokens)  # refuses a longer sentence
        self.max_tokens = max_tokens
        self.seed = seed

    def check_lengths(self, max_len: int) -> None:
        """Refuse sentences for which a model of ``max_len`` positions is too short.

        Raises:
            ValueError: if there is one; the message shows it.
        """
        for part in (self.train_set, self.validation_set):
            for pair, src, tgt in zip(
                part.pairs, part.sources, part.targets, strict=True
            ):
                longest = max(len(src), len(tgt) - 1)  # the decoder reads no <eos>
                if longest > max_len:
                    raise ValueError(
                        f"The pair {pair!r} needs {longest} positions, but max_len is "
                        f"{max_len}; leave it out, or choose a larger max_len."
                    )

    def _loader(self, dataset: ParallelDataset, seed: int | None) -> DataLoader[Batch]:
        sampler = TokenBatchSampler(dataset.lengths(), self.max_tokens, seed)
        return DataLoader(
            dataset,  # type: ignore[arg-type]  # the loader yields what collate makes
            batch_sampler=sampler,
            collate_fn=lambda pairs: collate(pairs, dataset.pad_id),
        )

    def train_dataloader(self) -> DataLoader[Batch]:
        """Return the batches of this epoch, in the order of its seed and number."""
        epoch = self.trainer.current_epoch if self.trainer else 0
        # Far apart, so that no epoch of one seed is an epoch of the next.
        seed = self.seed * 100_003 + epoch
        train_set = self.train_set
        if self.subword_dropout:
            train_set = train_set.cut_again(self.subword_dropout, seed)
        return self._loader(train_set, seed)

    def val_dataloader(self) -> DataLoader[Batch]:
        """Return the validation batches, always in the same order."""
        return self._loader(self.validation_set, seed=None)
