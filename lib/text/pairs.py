"""Sentence pairs and texts as token ids, several of them side by side in batches."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset, Sampler

from lib.text.subwords import SubwordVocabulary
from lib.text.words import Pair, Vocabulary


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
        kept = [n for n, pair in enumerate(self) if positions_needed(*pair) <= max_len]
        return self.replaced([self.pairs[n] for n in kept], [self[n] for n in kept])

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


SEP, MASK = "<sep>", "<mask>"
"""Special tokens of some vocabularies: between two texts; in place of a token."""


class TextBatch(NamedTuple):
    r"""Some texts; what a language model reads, and what it must say at each place.

    Args:
        ids: token ids, padded.
        mask: True for a token, False for padding.
        labels: the right answer at each place; the id of padding where none counts.

    Shape:
        All: :math:`(B, T)`.
    """

    ids: Tensor
    mask: Tensor
    labels: Tensor


class TextDataset(Dataset[tuple[Tensor, Tensor]]):
    """Texts as token ids, with a label at each place.

    Args:
        examples: ids and labels of each text, equally long.
        pad_id: the token id of padding; a label of this id does not count.

    Raises:
        ValueError: if a text has not as many labels as tokens.

    Example:
        >>> words = Vocabulary(["lets", "go"])
        >>> TextDataset.of_texts(["lets go"], words)[0]
        (tensor([1, 4, 5]), tensor([4, 5, 2]))
    """

    def __init__(
        self, examples: Iterable[tuple[Sequence[int], Sequence[int]]], pad_id: int
    ) -> None:
        self.examples = [
            (torch.as_tensor(ids), torch.as_tensor(labels)) for ids, labels in examples
        ]
        self.pad_id = pad_id
        for number, (ids, labels) in enumerate(self.examples):
            if len(ids) != len(labels):
                raise ValueError(
                    f"Text {number} has {len(ids)} tokens, but {len(labels)} labels."
                )

    @classmethod
    def of_texts(cls, texts: Iterable[str], vocabulary: Vocabulary) -> TextDataset:
        """Return texts in which each token is to be followed by the next one.

        Args:
            texts: sentences.
            vocabulary: their words or sub-words.
        """
        eos_id = vocabulary.eos_id
        rows = ([vocabulary.sos_id, *vocabulary.encode(t), eos_id] for t in texts)
        return cls(((ids[:-1], ids[1:]) for ids in rows), vocabulary.pad_id)

    @classmethod
    def of_pairs(
        cls, pairs: Iterable[Pair], vocabulary: Vocabulary, loss_on_all: bool = False
    ) -> TextDataset:
        """Return pairs as texts, ``<sos> source <sep> target <eos>``.

        Args:
            pairs: source and target sentences.
            vocabulary: the words of both, and ``<sep>``.
            loss_on_all: True to learn all next tokens, False those behind ``<sep>``.

        Raises:
            ValueError: if the vocabulary has no ``<sep>``.
        """
        sep_id, pad_id = special_id(vocabulary, SEP), vocabulary.pad_id
        examples = []
        for source, target in pairs:
            begun = [vocabulary.sos_id, *vocabulary.encode(source), sep_id]
            ids = [*begun, *vocabulary.encode(target), vocabulary.eos_id]
            free = 0 if loss_on_all else len(begun) - 1
            examples.append((ids[:-1], [pad_id] * free + ids[1 + free :]))
        return cls(examples, pad_id)

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.examples[index]

    def lengths(self) -> list[int]:
        """Return the tokens of each text."""
        return [len(ids) for ids, _ in self.examples]

    def collate(self, rows: Sequence[tuple[Tensor, Tensor]]) -> TextBatch:
        """Put texts side by side, and pad the shorter ones at their end."""
        ids, labels = (
            pad_sequence(list(side), batch_first=True, padding_value=self.pad_id)
            for side in zip(*rows, strict=True)
        )
        lengths = torch.tensor([len(row) for row, _ in rows])
        return TextBatch(ids, torch.arange(ids.size(1)) < lengths[:, None], labels)


def special_id(vocabulary: Vocabulary, token: str) -> int:
    """Return the id of a special token that not every vocabulary has.

    Args:
        vocabulary: the vocabulary.
        token: such as ``<sep>``.

    Raises:
        ValueError: if the vocabulary lacks it.

    Example:
        >>> words = Vocabulary([], specials=("<pad>", "<sos>", "<eos>", "<unk>", SEP))
        >>> special_id(words, SEP)
        4
    """
    if token not in vocabulary:
        raise ValueError(
            f"The vocabulary has no {token}; make it with this special token behind "
            "the four that all have."
        )
    return vocabulary.ids[token]
