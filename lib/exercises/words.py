"""The exercises of chapter 1: a framed target, a lookup, the cosine, and padding."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.exercises.forms import TENSOR
from lib.exercises.record import Cases, Draw, Without, case, exercise
from lib.text import EOS, PAD, SOS, UNK, Vocabulary, tokenize

_WORDS = ["casa", "perro", "gato", "ve", "come", "grande", "rojo", "la"]


def _frame(vocabulary: Vocabulary, sentence: str) -> list[int]:
    return [vocabulary.sos_id, *vocabulary.encode(sentence), vocabulary.eos_id]


@exercise("The decoder reads all but the last and answers the rest.", right=_frame)
def frame(draw: Draw) -> Cases:
    """`frame(vocabulary, sentence)`: the ids between start and end."""
    words = ["Me", "gusta", "el", "coche"]  # their ids are those from 4 on
    sentence = " ".join(words)
    yield case(Vocabulary(words), sentence, what=f"The frame of {sentence!r}")
    renumbered = Vocabulary(words, specials=(UNK, EOS, PAD, SOS))
    what = "The frame of 'coche' with <sos> = 3 and <eos> = 1"
    yield case(renumbered, "coche", what=what)
    specials = tuple(draw.sample([PAD, SOS, EOS, UNK], 4))
    sentence = " ".join(draw.choices(_WORDS, k=draw.randint(2, 7)))
    yield case(Vocabulary(draw.sample(_WORDS, 6), specials=specials), sentence)


frame.slips = {
    "The frame is missing: <sos> in front, <eos> behind.": lambda v, s: v.encode(s),
    "The end is missing: put <eos> behind.": lambda v, s: _frame(v, s)[:-1],
    "These are tokens: give back their ids, from encode.": (
        lambda v, s: [SOS, *tokenize(s), EOS]
    ),
    "The names of the special tokens went through the tokenizer: add their ids "
    "instead.": lambda v, s: v.encode(f"{SOS} {s} {EOS}"),
    "The ids 1 and 2 are fixed: ask for sos_id and eos_id.": (
        lambda v, s: [1, *v.encode(s), 2]
    ),
}


def _one_hot(token_ids: Tensor, table: Tensor) -> Tensor:
    return F.one_hot(token_ids, num_classes=table.size(0)).float()


@exercise(
    "An index does the same without a single multiplication.",
    right=lambda token_ids, table: table[token_ids],
)
def lookup(draw: Draw) -> Cases:
    """`lookup(token_ids, table)`: rows by one-hot vectors and a product."""
    yield case(torch.tensor([[4, 0, 2], [1, 1, 3]]), draw.normal(5, 4))
    few = torch.tensor([[0, 1]])
    yield case(few, draw.normal(5, 4), what="The result for the ids 0 and 1")
    rows = draw.randint(6, 12)
    ids = draw.ids(0, rows - 1, draw.randint(1, 3), draw.randint(2, 6))
    yield case(ids, draw.normal(rows, draw.randint(2, 7)))


lookup.slips = {
    "These are the one-hot vectors: multiply them by the table.": _one_hot,
    "The rows of a sentence became one row: keep one for each token.": (
        lambda ids, table: table[ids].sum(dim=1)
    ),
    "It is scaled by √D: this exercise wants the bare rows.": (
        lambda ids, table: table[ids] * math.sqrt(table.size(1))
    ),
    "It fails when the last token of the vocabulary does not occur: tell F.one_hot "
    "num_classes=table.size(0).": lambda ids, table: F.one_hot(ids).float() @ table,
}


@exercise(
    "Twice as long a vector has the same cosine.",
    right=lambda a, b: F.cosine_similarity(a, b, dim=0),
)
def cosine(draw: Draw) -> Cases:
    """`cosine(a, b)`: the dot product divided by both lengths."""
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([8.0, 6.0])  # lengths 5 and 10
    yield case(a, b, what="cosine([3, 4], [8, 6])")
    yield case(a, -a, what="The cosine of a vector and its opposite")
    width = draw.randint(3, 9)
    yield case(draw.normal(width), 4 * draw.normal(width))


cosine.slips = {
    "This is the dot product: divide it by both lengths.": lambda a, b: a @ b,
    "Only one of the lengths is divided out: divide by both.": [
        lambda a, b: a @ b / a.norm(),
        lambda a, b: a @ b / b.norm(),
    ],
    "The lengths are squared: the length is the root of a · a.": (
        lambda a, b: a @ b / (a @ a) / (b @ b)
    ),
    "The products are not added up: use a @ b.": (
        lambda a, b: a * b / (a.norm() * b.norm())
    ),
}


def _pad_batch(sequences: list[list[int]], pad_id: int, **side: Any) -> Tensor:
    return pad_sequence([torch.tensor(one) for one in sequences], True, pad_id, **side)


@exercise(
    "The same as pad_sequence with batch_first=True.",
    right=_pad_batch,
    form=TENSOR,
    without=Without(
        "This calls pad_sequence: fill up the rows yourself.",
        like=_pad_batch,
        named={"pad_sequence"},
    ),
)
def pad_batch(draw: Draw) -> Cases:
    """`pad_batch(sequences, pad_id)`: a rectangle, filled up at the ends."""
    yield case([[5, 6, 7, 8], [9], [10, 11]], 3)
    yield case([[4, 5], [6, 7]], 0)
    lengths = [draw.randint(1, 8) for _ in range(draw.randint(2, 5))]
    yield case([draw.ids(20, 60, n).tolist() for n in lengths], draw.randint(0, 15))


pad_batch.slips = {
    "All are cut to the shortest: fill up to the longest.": (
        lambda s, pad_id: torch.tensor([row[: min(map(len, s))] for row in s])
    ),
    "There is more padding than needed: the longest sentence sets the width.": (
        lambda s, pad_id: F.pad(_pad_batch(s, pad_id), (0, 1), value=pad_id)
    ),
    "It is filled up with 0: use pad_id, which is not 0 everywhere.": (
        lambda s, pad_id: _pad_batch(s, 0)
    ),
    "The padding stands in front: sentences begin in column 0.": (
        lambda s, pad_id: _pad_batch(s, pad_id, padding_side="left")
    ),
}


def _share(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids == pad_id).float().mean()


def _count(token_ids: Tensor, pad_id: int) -> Tensor:
    return (token_ids == pad_id).sum()


@exercise("Keep an eye on it: it is the share of the work thrown away.", right=_share)
def padding_share(draw: Draw) -> Cases:
    """`padding_share(token_ids, pad_id)`: from 0 to 1, whatever the id."""
    token_ids = torch.tensor([[5, 6, 0, 1, 1], [7, 1, 1, 1, 1]])
    yield case(token_ids, 1, what="The share with 6 of 10 tokens padding")
    yield case(torch.tensor([[4, 5]]), 0, what="The share without padding")
    yield case(draw.ids(0, 5, draw.randint(1, 4), draw.randint(3, 9)), 2)


padding_share.slips = {
    "This is the share of the words: the share of padding is asked for.": (
        lambda x, pad: 1 - _share(x, pad)
    ),
    "This is the count: divide it by the number of tokens.": _count,
    "This is the padding of a sentence: divide by all tokens, B · S.": (
        lambda x, pad: _count(x, pad) / x.size(0)
    ),
    "This counts the id 0: the padding here has the id 1.": lambda x, pad: _share(x, 0),
    "This is one share for each sentence: give one in all.": (
        lambda x, pad: (x == pad).float().mean(dim=1)
    ),
}
