"""The checks of chapter 1: a framed target, a lookup, the cosine, and padding."""

import math
from typing import Any

import torch
import torch.nn.functional as F

from lib.checks.core import (
    CheckFailed,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
    expect_tensor,
    without,
)
from lib.vocabulary import EOS, PAD, SOS, UNK, Vocabulary

__all__ = ["cosine", "frame", "lookup", "pad_batch", "padding_share"]


@exercise("1.1", praise="The decoder reads all but the last and answers the rest.")
def frame(answer: Any) -> None:
    """Check `frame(vocabulary, sentence)`: the ids between start and end."""
    words = ["Me", "gusta", "el", "coche"]
    vocabulary = Vocabulary(words)  # the words have the ids from 4 on
    what = "The frame of 'Me gusta el coche'"
    got = answer(vocabulary, " ".join(words))
    nested = "The ids are a list inside the list: unpack them with *, or join with +."
    expect_equal(
        got,
        [1, 4, 5, 6, 7, 2],
        what,
        [
            ([4, 5, 6, 7], "The frame is missing: <sos> in front, <eos> behind."),
            ([1, 4, 5, 6, 7], "The end is missing: put <eos> behind."),
            ([4, 5, 6, 7, 2], "The start is missing: put <sos> in front."),
            ([2, 4, 5, 6, 7, 1], "Start and end are exchanged: <sos> is in front."),
            ([SOS, *words, EOS], "These are tokens: give back their ids, from encode."),
            ([1, [4, 5, 6, 7], 2], nested),
            (lambda got: 3 in got, "The names of the special tokens went through the "
             "tokenizer: add their ids instead."),
        ],
    )  # fmt: skip
    renumbered = Vocabulary(words, specials=(UNK, EOS, PAD, SOS))
    expect_equal(
        answer(renumbered, "coche"),
        [3, 7, 1],
        "The frame of 'coche' with <sos> = 3 and <eos> = 1",
        [([1, 7, 2], "The ids 1 and 2 are fixed: ask for sos_id and eos_id.")],
    )  # fmt: skip


@exercise("1.2", praise="An index does the same without a single multiplication.")
def lookup(answer: Any) -> None:
    """Check `lookup(token_ids, table)`: rows by one-hot vectors and a product."""
    table = torch.randn(5, 4)
    token_ids = torch.tensor([[4, 0, 2], [1, 1, 3]])
    one_hot = F.one_hot(token_ids, num_classes=5).float()
    got = answer(token_ids, table)
    expect_shape(
        got,
        (2, 3, 4),
        "The result for ids of shape (2, 3) and a table of shape (5, 4)",
        [
            ((2, 3, 5), "These are the one-hot vectors: multiply them by the table."),
            ((2, 4), "The tokens of a sentence are added up: keep one row for each."),
            ((6, 4), "The sentences have run together: keep the shape (B, T, D)."),
        ],
    )
    expect_close(
        got,
        one_hot @ table,
        "The result",
        [
            (
                2 * one_hot @ table,
                "It is scaled by √D: this exercise wants the bare rows.",
            )
        ],
    )
    few = torch.tensor([[0, 1]])
    try:
        got = answer(few, table)
    except CheckFailed:
        raise CheckFailed(
            "It fails when the last token of the vocabulary does not occur: tell "
            "F.one_hot num_classes=table.size(0)."
        ) from None
    expect_close(got, table[few], "The result for the ids 0 and 1")


@exercise("1.3", praise="Twice as long a vector has the same cosine.")
def cosine(answer: Any) -> None:
    """Check `cosine(a, b)`: the dot product divided by both lengths."""
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([8.0, 6.0])  # lengths 5 and 10
    one = "Only one of the lengths is divided out: divide by both."
    expect_close(
        answer(a, b),
        0.96,
        "cosine([3, 4], [8, 6])",
        [
            (48.0, "This is the dot product: divide it by both lengths."),
            (48 / 5, one),
            (48 / 10, one),
            (48 / 2500, "The lengths are squared: the length is the root of a · a."),
            (48 / 15, "The lengths are added: divide by their product."),
            (48 / math.sqrt(2), "This divides by √D: divide by both lengths."),
            (math.acos(0.96), "This is the angle: its cosine is asked for."),
            (0.04, "This is one minus the cosine, a distance: leave the 1 − away."),
            (math.dist([3, 4], [8, 6]), "This is the distance between the two points."),
            (lambda got: got.numel() == 2, "The products are not added up: use a @ b."),
        ],
    )  # fmt: skip
    expect_close(answer(a, -a), -1.0, "The cosine of a vector and its opposite")


@exercise("1.4", praise="The same as pad_sequence with batch_first=True.")
def pad_batch(answer: Any) -> None:
    """Check `pad_batch(sequences, pad_id)`: a rectangle, filled up at the ends."""
    sequences = [[5, 6, 7, 8], [9], [10, 11]]
    right = torch.tensor([[5, 6, 7, 8], [9, 3, 3, 3], [10, 11, 3, 3]])
    left = torch.tensor([[5, 6, 7, 8], [3, 3, 3, 9], [3, 3, 10, 11]])
    ready_made = "This calls pad_sequence: fill up the rows yourself."
    with without(ready_made, named={"pad_sequence"}):
        got = answer(sequences, 3)
    what = "The batch of lengths 4, 1 and 2 with pad_id = 3"
    expect_tensor(got, what)
    expect(
        not got.is_floating_point(),
        f"{what} should hold whole numbers, but its dtype is {got.dtype}.",
    )
    expect_shape(
        got,
        (3, 4),
        what,
        [
            ((4, 3), "Rows and columns are exchanged: one row for each sentence."),
            ((3, 1), "All are cut to the shortest: fill up to the longest."),
            (lambda t: t.dim() == 2 and len(t) == 3 and t.size(1) > 4,
             "There is more padding than needed: the longest sentence sets the width."),
        ],
    )  # fmt: skip
    zeros = "It is filled up with 0: use pad_id, which is not 0 everywhere."
    in_front = "The padding stands in front: sentences begin in column 0."
    diagnoses = [(right.where(right != 3, 0), zeros), (left, in_front)]
    expect_equal(got, right, what, diagnoses)
    alike = [[4, 5], [6, 7]]
    expect_equal(answer(alike, 0), alike, "A batch of two sentences of two tokens")


@exercise("1.5", praise="Keep an eye on it: it is the share of the work thrown away.")
def padding_share(answer: Any) -> None:
    """Check `padding_share(token_ids, pad_id)`: from 0 to 1, whatever the id."""
    token_ids = torch.tensor([[5, 6, 0, 1, 1], [7, 1, 1, 1, 1]])
    expect_close(
        answer(token_ids, 1),
        0.6,
        "The share with 6 of 10 tokens padding",
        [
            (0.4, "This is the share of the words: the share of padding is asked for."),
            (6.0, "This is the count: divide it by the number of tokens."),
            (60.0, "These are percent: a share is a number from 0 to 1."),
            (3.0, "This is the padding of a sentence: divide by all tokens, B · S."),
            (1.2, "It is divided by the length of one sentence: divide by B · S."),
            (1.5, "This is padding for each word: divide by all tokens, padding too."),
            (0.1, "This counts the id 0: the padding here has the id 1."),
            ([0.4, 0.8], "This is one share for each sentence: give one in all."),
        ],
    )  # fmt: skip
    expect_close(answer(torch.tensor([[4, 5]]), 0), 0.0, "The share without padding")
