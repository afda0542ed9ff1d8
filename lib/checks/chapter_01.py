"""The checks of chapter 1: a framed target, a lookup, the cosine, and padding."""

import math
from typing import Any

import torch
import torch.nn.functional as F

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.calls import without
from lib.exercises.guard import CheckFailed
from lib.text import EOS, PAD, SOS, UNK, Vocabulary

__all__ = ["cosine", "frame", "lookup", "pad_batch", "padding_share"]


@exercise("1.1", praise="The decoder reads all but the last and answers the rest.")
def frame(answer: Any) -> None:
    """Check `frame(vocabulary, sentence)`: the ids between start and end."""
    words = ["Me", "gusta", "el", "coche"]
    vocabulary = Vocabulary(words)  # the words have the ids from 4 on
    what = "The frame of 'Me gusta el coche'"
    got = answer(vocabulary, " ".join(words))
    slips: expect.Slips = {
        "The frame is missing: <sos> in front, <eos> behind.": [4, 5, 6, 7],
        "The end is missing: put <eos> behind.": [1, 4, 5, 6, 7],
        "The start is missing: put <sos> in front.": [4, 5, 6, 7, 2],
        "Start and end are exchanged: <sos> is in front.": [2, 4, 5, 6, 7, 1],
        "These are tokens: give back their ids, from encode.": [SOS, *words, EOS],
        "The ids are a list inside the list: unpack them with *, or join with +.": (
            [1, [4, 5, 6, 7], 2]
        ),
        "The names of the special tokens went through the tokenizer: add their ids "
        "instead.": lambda got: 3 in got,
    }
    expect.equal(got, [1, 4, 5, 6, 7, 2], what, slips)
    renumbered = Vocabulary(words, specials=(UNK, EOS, PAD, SOS))
    what = "The frame of 'coche' with <sos> = 3 and <eos> = 1"
    slips = {"The ids 1 and 2 are fixed: ask for sos_id and eos_id.": [1, 7, 2]}
    expect.equal(answer(renumbered, "coche"), [3, 7, 1], what, slips)


@exercise("1.2", praise="An index does the same without a single multiplication.")
def lookup(answer: Any) -> None:
    """Check `lookup(token_ids, table)`: rows by one-hot vectors and a product."""
    table = torch.randn(5, 4)
    token_ids = torch.tensor([[4, 0, 2], [1, 1, 3]])
    one_hot = F.one_hot(token_ids, num_classes=5).float()
    what = "The result for ids of shape (2, 3) and a table of shape (5, 4)"
    got = answer(token_ids, table)
    slips: expect.Slips = {
        "These are the one-hot vectors: multiply them by the table.": (2, 3, 5),
        "The tokens of a sentence are added up: keep one row for each.": (2, 4),
        "The sentences have run together: keep the shape (B, T, D).": (6, 4),
    }
    expect.shape(got, (2, 3, 4), what, slips)
    slips = {
        "It is scaled by √D: this exercise wants the bare rows.": 2 * one_hot @ table
    }
    expect.close(got, one_hot @ table, "The result", slips)
    few = torch.tensor([[0, 1]])
    try:
        got = answer(few, table)
    except CheckFailed:
        raise CheckFailed(
            "It fails when the last token of the vocabulary does not occur: tell "
            "F.one_hot num_classes=table.size(0)."
        ) from None
    expect.close(got, table[few], "The result for the ids 0 and 1")


@exercise("1.3", praise="Twice as long a vector has the same cosine.")
def cosine(answer: Any) -> None:
    """Check `cosine(a, b)`: the dot product divided by both lengths."""
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([8.0, 6.0])  # lengths 5 and 10
    slips: expect.Slips = {
        "This is the dot product: divide it by both lengths.": 48.0,
        "Only one of the lengths is divided out: divide by both.": (
            expect.AnyOf(48 / 5, 48 / 10)
        ),
        "The lengths are squared: the length is the root of a · a.": 48 / 2500,
        "The lengths are added: divide by their product.": 48 / 15,
        "This divides by √D: divide by both lengths.": 48 / math.sqrt(2),
        "This is the angle: its cosine is asked for.": math.acos(0.96),
        "This is one minus the cosine, a distance: leave the 1 − away.": 0.04,
        "This is the distance between the two points.": math.dist([3, 4], [8, 6]),
        "The products are not added up: use a @ b.": lambda got: got.numel() == 2,
    }
    expect.close(answer(a, b), 0.96, "cosine([3, 4], [8, 6])", slips)
    expect.close(answer(a, -a), -1.0, "The cosine of a vector and its opposite")


@exercise("1.4", praise="The same as pad_sequence with batch_first=True.")
def pad_batch(answer: Any) -> None:
    """Check `pad_batch(sequences, pad_id)`: a rectangle, filled up at the ends."""
    sequences = [[5, 6, 7, 8], [9], [10, 11]]
    right = torch.tensor([[5, 6, 7, 8], [9, 3, 3, 3], [10, 11, 3, 3]])
    left = torch.tensor([[5, 6, 7, 8], [3, 3, 3, 9], [3, 3, 10, 11]])
    forbidden = "This calls pad_sequence: fill up the rows yourself."
    with without(forbidden, named={"pad_sequence"}):
        got = answer(sequences, 3)
    what = "The batch of lengths 4, 1 and 2 with pad_id = 3"
    expect.tensor(got, what)
    expect.that(
        not got.is_floating_point(),
        f"{what} should hold whole numbers, but its dtype is {got.dtype}.",
    )
    slips: expect.Slips = {
        "Rows and columns are exchanged: one row for each sentence.": (4, 3),
        "All are cut to the shortest: fill up to the longest.": (3, 1),
        "There is more padding than needed: the longest sentence sets the width.": (
            lambda t: t.dim() == 2 and len(t) == 3 and t.size(1) > 4
        ),
    }
    expect.shape(got, (3, 4), what, slips)
    slips = {
        "It is filled up with 0: use pad_id, which is not 0 everywhere.": (
            right.where(right != 3, 0)
        ),
        "The padding stands in front: sentences begin in column 0.": left,
    }
    expect.equal(got, right, what, slips)
    alike = [[4, 5], [6, 7]]
    expect.equal(answer(alike, 0), alike, "A batch of two sentences of two tokens")


@exercise("1.5", praise="Keep an eye on it: it is the share of the work thrown away.")
def padding_share(answer: Any) -> None:
    """Check `padding_share(token_ids, pad_id)`: from 0 to 1, whatever the id."""
    token_ids = torch.tensor([[5, 6, 0, 1, 1], [7, 1, 1, 1, 1]])
    slips: expect.Slips = {
        "This is the share of the words: the share of padding is asked for.": 0.4,
        "This is the count: divide it by the number of tokens.": 6.0,
        "These are percent: a share is a number from 0 to 1.": 60.0,
        "This is the padding of a sentence: divide by all tokens, B · S.": 3.0,
        "It is divided by the length of one sentence: divide by B · S.": 1.2,
        "This is padding for each word: divide by all tokens, padding too.": 1.5,
        "This counts the id 0: the padding here has the id 1.": 0.1,
        "This is one share for each sentence: give one in all.": [0.4, 0.8],
    }
    what = "The share with 6 of 10 tokens padding"
    expect.close(answer(token_ids, 1), 0.6, what, slips)
    expect.close(answer(torch.tensor([[4, 5]]), 0), 0.0, "The share without padding")
