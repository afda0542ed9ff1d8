"""Sub-word dropout: the same sentences, cut into other pieces in every epoch."""

from __future__ import annotations

import random

import torch

from lib.data.pairs import ParallelDataset
from lib.vocabulary.subwords import SubwordVocabulary

__all__ = ["cut_again"]


def cut_again(dataset: ParallelDataset, dropout: float, seed: int) -> ParallelDataset:
    """Return the same pairs with their sub-words merged at random.

    A pair whose random cut has more tokens than any pair of the dataset keeps its own
    cut: the model may have no positions for more.

    Args:
        dataset: the pairs, made with vocabularies of sub-words.
        dropout: the probability with which each merge is left out.
        seed: decides the cuts.

    Raises:
        TypeError: if a vocabulary has no sub-words.
        ValueError: if ``dropout`` is not at least 0 and below 1.

    Example:
        >>> words = SubwordVocabulary.build(["low lower lowest"] * 9, size=30)
        >>> dataset = ParallelDataset([("lower", "lowest")], words, words)
        >>> again = cut_again(dataset, dropout=0.5, seed=0)
        >>> words.decode(again.targets[0])
        'lowest'
    """
    src_vocab, tgt_vocab = dataset.vocabularies
    if not isinstance(src_vocab, SubwordVocabulary) or not isinstance(
        tgt_vocab, SubwordVocabulary
    ):
        raise TypeError("Only sub-words can be cut again; these are whole words.")
    numbers = random.Random(seed)
    longest = max(dataset.lengths(), default=0)
    ids = []
    for number, (src, tgt) in enumerate(dataset.pairs):
        source = src_vocab.encode_with_dropout(src, dropout, numbers)
        target = tgt_vocab.encode_with_dropout(tgt, dropout, numbers)
        cut = (
            torch.tensor([*source, src_vocab.eos_id]),
            torch.tensor([tgt_vocab.sos_id, *target, tgt_vocab.eos_id]),
        )
        ids.append(cut if max(map(len, cut)) <= longest else dataset[number])
    return dataset.replaced(dataset.pairs, ids)
