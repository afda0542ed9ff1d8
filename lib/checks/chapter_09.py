"""The checks of chapter 9: the shift, writing, the leak, counting sentences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lib.checks import expect
from lib.checks.core import exercise
from lib.checks.leaks import leaks

__all__ = ["leaks", "sentences_right", "shift", "write_greedily"]


@exercise(
    "9.1", praise="Each word is the answer of one step and the input of the next."
)
def shift(answer: Any) -> None:
    """Check `shift(ids, sos_id, eos_id)`: the two rows of teacher forcing."""
    ids, sos, eos = [7, 5, 9], 1, 2
    got, what = answer(ids, sos, eos), "shift([7, 5, 9], sos_id=1, eos_id=2)"
    expect.that(
        isinstance(got, list | tuple | Tensor | np.ndarray) and len(got) == 2,
        f"{what} should be two lists, the decoder's input and its target.",
    )
    rows = list(map(_as_list, got))
    fed, asked, both = [sos, *ids], [*ids, eos], [sos, *ids, eos]
    slips: expect.Slips = {
        "This is the leak: the decoder's input is also its target.": (
            lambda _: rows[0] == rows[1]
        ),
        "The two rows are exchanged: the decoder is fed the one with <sos>.": (
            [asked, fed]
        ),
        "A row has both <sos> and <eos>: nothing is answered after <eos>, and nobody "
        "has to say <sos>.": lambda _: both in rows,
        "The last step is missing: after the last word the model has to learn to say "
        "<eos>.": [fed[:-1], ids],
        "The first step is missing: the model has to learn which word follows <sos>.": (
            [ids, asked[1:]]
        ),
        "<sos> and <eos> are exchanged: a sentence starts with <sos>.": (
            [[eos, *ids], [*ids, sos]]
        ),
    }
    expect.equal(rows, [fed, asked], what, slips)
    rows = list(map(_as_list, answer([4], 8, 6)))
    expect.equal(rows, [[8, 4], [4, 6]], "shift([4], sos_id=8, eos_id=6)")


def _as_list(row: Any) -> list[Any]:
    return row.tolist() if hasattr(row, "tolist") else list(row)


_SENTENCE = [3, 4, 3, 5]
"""What the check's model writes; the word 3 twice, with another one after each."""


def _scores(sentence: list[int], calls: list[list[int]]) -> Callable[..., Tensor]:
    """Return a model that writes this sentence, and then <eos>, which is 2."""

    def next_scores(written: Any) -> Tensor:
        ids = [int(i) for i in written]
        calls.append(ids)
        step = len(ids) - 1
        told = ids == [1, *sentence[:step]]
        scores = torch.full((8,), -5.0)
        scores[7] = -9.0  # the worst word, for whoever takes the smallest
        scores[(*sentence, 2)[step] if told else 6] = -1.0  # 6: lost its thread
        return scores

    return next_scores


@exercise("9.2", praise="This is all that greedy_decode does, for one sentence.")
def write_greedily(answer: Any) -> None:
    """Check `write_greedily(next_scores, sos_id, eos_id, max_len)`."""
    calls: list[list[int]] = []
    got = answer(_scores(_SENTENCE, calls), 1, 2, 9)
    expect.that(
        isinstance(got, list | tuple | Tensor), "The answer should be a list of ids."
    )
    got = [int(i) for i in got]
    expect.that(
        not calls or calls[0] == [1],
        f"The first call of next_scores should get [sos_id], but it got "
        f"{calls[0] if calls else []}.",
    )
    expect.equal(got, _SENTENCE, "What it writes", _writing_mistakes(calls))
    calls.clear()
    got = [int(i) for i in answer(_scores(_SENTENCE, calls), 1, 2, 2)]
    slips: expect.Slips = {
        "It writes more than max_len words: <sos> does not count, but every word "
        "does.": lambda ids: len(ids) > 2,
        "It stops too early: <sos> is not a word.": lambda ids: len(ids) < 2,
    }
    expect.equal(got, _SENTENCE[:2], "What it writes with max_len=2", slips)


def _writing_mistakes(calls: list[list[int]]) -> expect.Slips:
    return {
        "It still begins with <sos>: return only the words.": [1, *_SENTENCE],
        "It still ends with <eos>: return only the words.": [*_SENTENCE, 2],
        "It still has <sos> and <eos> around it: return only the words.": (
            [1, *_SENTENCE, 2]
        ),
        "It takes the word with the smallest score: take the largest, argmax.": (
            lambda ids: 7 in ids
        ),
        "Only one id goes into next_scores: give it all that is written so far, <sos> "
        "included.": lambda _: len(calls) > 1 and all(len(ids) == 1 for ids in calls),
        "It goes on after <eos>: the sentence is over there.": (
            lambda ids: 2 in ids or ids[: len(_SENTENCE)] == _SENTENCE
        ),
        "<sos> is missing from the second call: give next_scores all that is written "
        "so far, <sos> included.": lambda ids: len(calls) > 1 and 1 not in calls[1],
    }


_LABELS = [[4, 2, 0, 0], [2, 0, 0, 0], [5, 3, 3, 2], [3, 2, 0, 0]]
_LABELS += [[5, 3, 2, 0], [6, 3, 5, 2], [3, 2, 0, 0], [4, 5, 2, 0]]
_SAID = [[4, 2, 0, 0], [2, 0, 4, 0], [8, 3, 3, 2], [3, 0, 3, 0]]
_SAID += [[5, 3, 2, 2], [6, 3, 0, 2], [3, 2, 0, 0], [4, 5, 2, 4]]
"""Padding is 0. Each mistake that is named below counts another number of these."""


@exercise("9.4", praise="One wrong word, and the whole sentence is wrong.")
def sentences_right(answer: Any) -> None:
    """Check `sentences_right(logits, labels, pad_id)`: a count of whole sentences."""
    labels, said = torch.tensor(_LABELS), torch.tensor(_SAID)
    logits = _ranks_first(said)
    got = _count(answer(logits, labels, 0), len(labels))
    alone = torch.tensor([[6, 7, 8, 2]])
    counts = [
        _count(answer(_ranks_first(words), alone, 0), 1)
        for words in (alone, torch.tensor([[6, 5, 8, 2]]))
    ]
    expect.that(
        counts != [0, 1], "It counts the wrong sentences: count the right ones."
    )
    expect.equal(got, 5, "The number of right sentences", _counting(said, labels))
    expect.equal(counts, [1, 0], "The counts in one right and in one wrong sentence")
    # The same sentences, with the words 0 and 3 exchanged: now 3 is padding.
    exchange = torch.tensor([3, 1, 2, 0, 4, 5, 6, 7, 8])
    other = _count(answer(_ranks_first(exchange[said]), exchange[labels], 3), 8)
    expect.that(
        other == 5,
        "It is right where padding is 0, but not where it is 3: ask for pad_id.",
    )


def _ranks_first(words: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(words, 9) * 4.0 - 6.0  # (B, T, V)


def _count(got: Any, sentences: int) -> Any:
    """Take the answer as a number; what is no single number is named."""
    found = expect.as_tensor(got)
    if not isinstance(found, Tensor):
        return got
    slips: expect.Slips = {
        "This is one answer for each sentence: count the right ones.": (sentences,),
        "This is one answer for each word: count the sentences.": (sentences, 4),
    }
    expect.shape(found, (), "sentences_right(logits, labels, pad_id)", slips)
    expect.that(
        found.dtype != torch.bool,
        "This is one answer for the whole batch: ask each sentence, with dim=1, and "
        "count.",
    )
    return found.item()


def _counting(said: Tensor, labels: Tensor) -> expect.Slips:
    """What a wrong count says about how it was made."""
    hits, padding = said == labels, labels == 0
    fine = hits | padding
    shares = (
        float(fine.all(dim=1).float().mean()),
        float(hits[~padding].float().mean()),
        float(hits.float().mean()),
    )

    def share(value: Any) -> bool:
        return any(abs(value - number) < 1e-6 for number in shares)

    return {
        "The model also has to say <pad> at the places of padding: what it says there "
        "must not matter.": int(hits.all(dim=1).sum()),
        "It takes a place for padding where the model says <pad>: padding is where the "
        "label is.": int((hits | (said == 0)).all(dim=1).sum()),
        "It forgives the model a <pad> in the middle of a sentence: only the label "
        "tells what is padding.": int((fine | (said == 0)).all(dim=1).sum()),
        "It is the other way round: words have to be right, and padding is fine.": (
            int((hits | ~padding).all(dim=1).sum())
        ),
        "These are words: count the sentences.": int((hits & ~padding).sum()),
        "These are words, and padding with them.": int(hits.sum()),
        "These are places, padding included: count the sentences.": int(fine.sum()),
        "Padding counts as wrong: inside a sentence it has to count as right, so join "
        "the two with |.": int((hits & ~padding).all(dim=1).sum()),
        "It counts columns: a sentence is a row, so ask all of dim=1.": (
            int(fine.all(dim=0).sum())
        ),
        "This is a share: return the number of right sentences.": share,
        "All sentences count as right: each needs all of its words right, not one of "
        "them.": len(labels),
    }
