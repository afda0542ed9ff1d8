"""The exercises of chapter 1: a framed target, a lookup, the cosine, and padding."""

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lib.exercises.forms import TENSOR
from lib.exercises.guard import leaves_alone
from lib.exercises.record import Cases, Draw, Without, case, exercise
from lib.text import EOS, PAD, SOS, UNK, Vocabulary

_WORDS = ["casa", "perro", "gato", "ve", "come", "grande", "rojo", "la"]


def _sentences(draw: Draw) -> Cases:
    words = ["Me", "gusta", "el", "coche"]  # their ids are those from 4 on
    sentence = " ".join(words)
    yield case(Vocabulary(words), sentence, what=f"The frame of {sentence!r}")
    renumbered = Vocabulary(words, specials=(UNK, EOS, PAD, SOS))
    what = "The frame of 'coche' with <sos> = 3 and <eos> = 1"
    yield case(renumbered, "coche", what=what)
    specials = tuple(draw.sample([PAD, SOS, EOS, UNK], 4))
    sentence = " ".join(draw.choices(_WORDS, k=5))
    yield case(Vocabulary(draw.sample(_WORDS, 6), specials=specials), sentence)


@exercise(_sentences)
def frame(vocabulary: Vocabulary, sentence: str) -> list[int]:
    """The ids between start and end."""
    return [vocabulary.sos_id, *vocabulary.encode(sentence), vocabulary.eos_id]


def _ids_and_tables(draw: Draw) -> Cases:
    # Where all sizes are 4, a product stops only at the types of its numbers.
    yield case(torch.arange(4).repeat(4, 1), torch.eye(4))
    yield case(torch.tensor([[4, 0, 2], [1, 1, 3]]), draw.normal(5, 4))
    few = torch.tensor([[0, 1]])
    yield case(few, draw.normal(5, 4), what="The result for the ids 0 and 1")
    yield case(draw.ids(0, 7, 3, 5), draw.normal(8, 6))
    # An index passes over the row of no token; a product does not, and 0 · ∞ is NaN.
    yield case(torch.tensor([[0]]), torch.tensor([[1.0], [torch.inf]]))


@exercise(_ids_and_tables)
def lookup(token_ids: Tensor, table: Tensor) -> Tensor:
    """Rows by way of one-hot vectors (B, T, V) and a product."""
    one_hot = F.one_hot(token_ids, num_classes=table.size(0)).float()
    return one_hot @ table  # (B, T, V) @ (V, D) = (B, T, D)


def _vectors(draw: Draw) -> Cases:
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([8.0, 6.0])  # lengths 5 and 10
    yield case(a, b, what="cosine([3, 4], [8, 6])")
    yield case(a, -a, what="The cosine of a vector and its opposite")
    yield case(draw.normal(5), 4 * draw.normal(5))


@exercise(_vectors)
def cosine(a: Tensor, b: Tensor) -> Tensor:
    """The dot product divided by both lengths."""
    return a @ b / (a.norm() * b.norm())


def _sequences(draw: Draw) -> Cases:
    yield case([[5, 6, 7, 8], [9], [10, 11]], 3)
    yield case([[4, 5], [6, 7]], 0)
    what = "That the lists stay as they were"
    yield case([[5, 6], [7]], 3, what=what, use=leaves_alone)
    yield case([draw.ids(20, 60, n).tolist() for n in (3, 1, 5)], draw.randint(0, 15))


@exercise(
    _sequences,
    form=TENSOR,
    without=Without(
        "This calls pad_sequence: fill up the rows yourself.",
        like=lambda rows, pad: pad_sequence([*map(torch.tensor, rows)], True, pad),
        named={"pad_sequence"},
    ),
)
def pad_batch(sequences: list[list[int]], pad_id: int) -> Tensor:
    """A rectangle, filled up at the ends."""
    longest = max(len(row) for row in sequences)
    return torch.tensor([row + [pad_id] * (longest - len(row)) for row in sequences])


def _batches(draw: Draw) -> Cases:
    token_ids = torch.tensor([[5, 6, 0, 1, 1], [7, 1, 1, 1, 1]])
    yield case(token_ids, 1, what="The share with 6 of 10 tokens padding")
    yield case(torch.tensor([[4, 5]]), 0, what="The share without padding")
    yield case(draw.ids(0, 5, 3, 7), 2)


@exercise(_batches)
def padding_share(token_ids: Tensor, pad_id: int) -> Tensor:
    """From 0 to 1, whatever the id."""
    return (token_ids == pad_id).float().mean()
