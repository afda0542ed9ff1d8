"""Texts as token ids, each with what a language model must say at every place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

from lib.text.sentences import Pair
from lib.text.words import Vocabulary

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

    def fitting(self, max_len: int) -> TextDataset:
        """Return the texts that a model of ``max_len`` positions can learn from."""
        kept = [(i, t) for i, t in self.examples if len(i) <= max_len]
        return TextDataset(kept, self.pad_id)  # type: ignore[arg-type]

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
