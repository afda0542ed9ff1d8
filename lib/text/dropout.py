"""Sub-word dropout: the same sources, cut into other sub-words in every epoch."""

from __future__ import annotations

import random

import torch

from lib.text.pairs import ParallelDataset, positions_needed
from lib.text.subwords import SubwordVocabulary


def cut_again(dataset: ParallelDataset, dropout: float, seed: int) -> ParallelDataset:
    """Return the same pairs with the sub-words of their sources merged at random.

    The targets stay as they are: the model is to write whole sub-words, and scraps in
    its labels would teach it to write scraps. A source whose random cut needs more
    positions than any pair of the dataset keeps its own: the model may not have them.

    Args:
        dataset: the pairs; the vocabulary of their sources has sub-words.
        dropout: the probability with which each merge is left out.
        seed: decides the cuts.

    Raises:
        TypeError: if the vocabulary of the sources has no sub-words.
        ValueError: if ``dropout`` is not at least 0 and below 1.

    Example:
        >>> words = SubwordVocabulary.build(["low lower lowest"] * 9, size=30)
        >>> dataset = ParallelDataset([("lower", "lowest")], words, words)
        >>> again = cut_again(dataset, dropout=0.5, seed=0)
        >>> words.decode(again.sources[0]), torch.equal(again.targets[0], dataset[0][1])
        ('lower', True)
    """
    src_vocab, _ = dataset.vocabularies
    if not isinstance(src_vocab, SubwordVocabulary):
        raise TypeError("Only sub-words can be cut again; these are whole words.")
    numbers = random.Random(seed)
    longest = max((positions_needed(*pair) for pair in dataset), default=0)
    ids = []
    for (sentence, _), (src, tgt) in zip(dataset.pairs, dataset, strict=True):
        cut = src_vocab.encode_with_dropout(sentence, dropout, numbers)
        again = torch.tensor([*cut, src_vocab.eos_id])
        ids.append((again if len(again) <= longest else src, tgt))
    return dataset.replaced(dataset.pairs, ids)
