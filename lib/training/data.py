"""The parts of a corpus that a training sees, for Lightning."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import lightning
from torch.utils.data import DataLoader

from lib.corpora.exchange import Exchange
from lib.text import Vocabulary
from lib.text.pairs import (
    ParallelDataset,
    TokenBatchSampler,
    cut_again,
    positions_needed,
)
from lib.text.words import Pair
from lib.training.settings import TrainingSettings


class TranslationData(lightning.LightningDataModule):
    """The training and the validation part of a corpus, for Lightning.

    Args:
        splits: sentence pairs under "train" and "validation", or what
            :class:`ParallelDataset` has made of them, which is not encoded again.
        src_vocab: the words of the source language.
        tgt_vocab: the words of the target language.
        settings: hyperparameters; the seed, with the number of the epoch, decides the
            order of training.

    Raises:
        ValueError: if a part is missing or empty, or one sentence of it has more than
            ``max_tokens``, or no place among ``max_len`` positions.

    Example:
        >>> pairs = [("lets go", "vamos"), ("to go", "ir")]
        >>> english, spanish = (Vocabulary.build(side) for side in zip(*pairs))
        >>> splits = {"train": pairs, "validation": pairs}
        >>> data = TranslationData(splits, english, spanish, TrainingSettings())
        >>> len(data.val_dataloader())
        1
    """

    def __init__(
        self,
        splits: Mapping[str, Sequence[Pair] | ParallelDataset],
        src_vocab: Vocabulary,
        tgt_vocab: Vocabulary,
        settings: TrainingSettings,
    ) -> None:
        super().__init__()
        self.settings = settings
        parts = {
            name: _encoded(splits.get(name, ()), src_vocab, tgt_vocab)
            for name in ("train", "validation")
        }
        self.train_set, self.validation_set = parts.values()
        for name, part in parts.items():
            if not len(part):
                raise ValueError(f"The corpus has no sentences in its part {name!r}.")
            # What fits no batch is refused.
            TokenBatchSampler([max(part.lengths())], settings.max_tokens)
            for pair, (src, tgt) in zip(part.pairs, part, strict=True):
                needed = positions_needed(src, tgt)
                if needed > settings.max_len:
                    raise ValueError(
                        f"The pair {pair!r} needs {needed} positions, but max_len is "
                        f"{settings.max_len}; leave it out, or choose a larger max_len."
                    )

    def _loader(self, dataset: ParallelDataset, seed: int | None) -> DataLoader[Any]:
        sampler = TokenBatchSampler(dataset.lengths(), self.settings.max_tokens, seed)
        return DataLoader(dataset, batch_sampler=sampler, collate_fn=dataset.collate)

    def train_dataloader(self) -> DataLoader[Any]:
        """Return the batches of this epoch, in the order of its seed and number."""
        epoch = self.trainer.current_epoch if self.trainer else 0
        # Far apart, so that no epoch of one seed is an epoch of the next.
        seed = self.settings.seed * 100_003 + epoch
        return self._loader(self._of_epoch(seed), seed)

    def val_dataloader(self) -> DataLoader[Any]:
        """Return the validation batches, always in the same order."""
        return self._loader(self.validation_set, seed=None)

    def _of_epoch(self, seed: int) -> ParallelDataset:
        exchange, dropout = self.settings.exchange, self.settings.subword_dropout
        train_set = self._drawn_anew(seed) if exchange else self.train_set
        return cut_again(train_set, dropout, seed) if dropout else train_set

    def _drawn_anew(self, seed: int) -> ParallelDataset:
        pairs = self._exchange.drawn(self.settings.exchange, seed)
        drawn = ParallelDataset(pairs, *self.train_set.vocabularies)
        # A name that is spelled out may be long: too long for the model's positions, or
        # for a batch, which counts <sos> as well.
        limit = min(self.settings.max_len, self.settings.max_tokens - 1)
        return drawn.fitting(limit)

    @functools.cached_property
    def _exchange(self) -> Exchange:
        return Exchange(self.train_set.pairs)


def _encoded(
    part: Sequence[Pair] | ParallelDataset, src_vocab: Vocabulary, tgt_vocab: Vocabulary
) -> ParallelDataset:
    if isinstance(part, ParallelDataset):
        return part
    return ParallelDataset(part, src_vocab, tgt_vocab)
