"""The checks of chapter 9: the shift, writing, the leak, counting sentences."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lib.checks.core import exercise, expect, expect_equal, expect_shape

__all__ = ["leaks", "sentences_right", "shift", "write_greedily"]


@exercise(
    "9.1", praise="Each word is the answer of one step and the input of the next."
)
def shift(answer: Any) -> None:
    """Check `shift(ids, sos_id, eos_id)`: the two rows of teacher forcing."""
    ids, sos, eos = [7, 5, 9], 1, 2
    what = f"shift({ids}, sos_id={sos}, eos_id={eos})"
    got = answer(list(ids), sos, eos)
    expect(
        isinstance(got, list | tuple) and len(got) == 2,
        f"{what} should be two lists, the decoder's input and its target.",
    )
    rows = [row.tolist() if isinstance(row, Tensor) else row for row in got]
    fed, asked = [sos, *ids], [*ids, eos]
    both = [sos, *ids, eos]
    leak = "This is the leak: the decoder's input is also its target."
    expect_equal(
        rows,
        [fed, asked],
        what,
        [
            (lambda _: rows[0] == rows[1], leak),
            (
                [asked, fed],
                "The two rows are exchanged: the decoder is fed the one with <sos>.",
            ),
            (
                lambda _: both in rows,
                "A row has both <sos> and <eos>: nothing is answered after <eos>, and "
                "nobody has to say <sos>.",
            ),
            (
                [fed[:-1], ids],
                "The last step is missing: after the last word the model has to learn "
                "to say <eos>.",
            ),
            (
                [ids, asked[1:]],
                "The first step is missing: the model has to learn which word follows "
                "<sos>.",
            ),
            (
                [[eos, *ids], [*ids, sos]],
                "<sos> and <eos> are exchanged: a sentence starts with <sos>.",
            ),
        ],
    )
    got = answer([4], 8, 6)
    rows = [row.tolist() if isinstance(row, Tensor) else row for row in got]
    expect_equal(rows, [[8, 4], [4, 6]], "shift([4], sos_id=8, eos_id=6)")


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
    expect(
        isinstance(got, list | tuple | Tensor), "The answer should be a list of ids."
    )
    got = [int(i) for i in got]
    expect(
        not calls or calls[0] == [1],
        f"The first call of next_scores should get [sos_id], but it got "
        f"{calls[0] if calls else []}.",
    )
    expect_equal(got, _SENTENCE, "What it writes", _writing_mistakes(calls))
    calls.clear()
    got = [int(i) for i in answer(_scores(_SENTENCE, calls), 1, 2, 2)]
    expect_equal(
        got,
        _SENTENCE[:2],
        "What it writes with max_len=2",
        [
            (
                lambda ids: len(ids) > 2,
                "It writes more than max_len words: <sos> does not count, but every "
                "word does.",
            ),
            (lambda ids: len(ids) < 2, "It stops too early: <sos> is not a word."),
        ],
    )


def _writing_mistakes(calls: list[list[int]]) -> list[tuple[Any, str]]:
    return [
        ([1, *_SENTENCE], "It still begins with <sos>: return only the words."),
        ([*_SENTENCE, 2], "It still ends with <eos>: return only the words."),
        (
            [1, *_SENTENCE, 2],
            "It still has <sos> and <eos> around it: return only the words.",
        ),
        (
            lambda ids: 7 in ids,
            "It takes the word with the smallest score: take the largest, argmax.",
        ),
        (
            lambda _: len(calls) > 1 and all(len(ids) == 1 for ids in calls),
            "Only one id goes into next_scores: give it all that is written so far, "
            "<sos> included.",
        ),
        (
            lambda ids: 2 in ids or ids[: len(_SENTENCE)] == _SENTENCE,
            "It goes on after <eos>: the sentence is over there.",
        ),
        (
            lambda ids: len(calls) > 1 and 1 not in calls[1],
            "<sos> is missing from the second call: give next_scores all that is "
            "written so far, <sos> included.",
        ),
    ]


_VOCAB_SIZE = 11


def _black_box(sees: Callable[[int, int], bool]) -> Callable[[Tensor], Tensor]:
    """Return training code whose step t sees target word j when `sees(t, j)`."""
    table = torch.randn(_VOCAB_SIZE, 12, _VOCAB_SIZE)

    def run(target: Tensor) -> Tensor:
        rows = []
        for t in range(len(target)):
            seen = [table[target[j], j] for j in range(len(target)) if sees(t, j)]
            rows.append(torch.stack([table[0, t], *seen]).sum(dim=0))
        return torch.stack(rows)  # (T, V)

    return run


@exercise("9.3", praise="Run it on every data loader before you train with it.")
def leaks(answer: Any) -> None:
    """Check `leaks(run, target, vocab_size)`: does a step see its own target?"""
    target = torch.tensor([4, 9, 10, 0, 7, 2])
    boxes: list[tuple[str, Callable[[int, int], bool], bool]] = [
        ("with the shift", lambda t, j: j < t, False),
        ("whose input is its target", lambda t, j: j <= t, True),
        ("that leaks at the last step only", lambda t, j: j < t or j == t == 5, True),
        ("that leaks at the first step only", lambda t, j: j < t or j == t == 0, True),
        ("that sees the next target, but not its own", _next_but_not_own, True),
        ("that sees only the word before", lambda t, j: j == t - 1, False),
    ]
    verdicts = []
    for name, sees, expected in boxes:
        got = answer(_black_box(sees), target.clone(), _VOCAB_SIZE)
        expect(
            isinstance(got, bool) or (isinstance(got, Tensor) and got.numel() == 1),
            "The answer should be True or False.",
        )
        verdicts.append((name, bool(got), expected))
    _expect_verdicts(verdicts)


def _next_but_not_own(t: int, j: int) -> bool:
    return j < t or j == t + 1


def _expect_verdicts(verdicts: list[tuple[str, bool, bool]]) -> None:
    expect(
        any(got == expected for _, got, expected in verdicts),
        "True and False are exchanged: True means that there is a leak.",
    )
    said = [got for _, got, _ in verdicts]
    expect(
        not all(said),
        "It says True of all code: later rows may move when a word changes, so compare "
        "only the rows up to the changed word.",
    )
    expect(
        any(said),
        "It says False of all code: change the target of step t in a clone, run again, "
        "and compare the rows up to and including t.",
    )
    own = [got == expected for _, got, expected in verdicts]
    expect(
        own != [True, True, True, True, False, True],
        "It compares row t alone: when word t changes, the rows before t must not move "
        "either.",
    )
    expect(
        own != [True, False, False, False, True, True],
        "It leaves row t out: compare the rows up to and including the changed word.",
    )
    for name, got, expected in verdicts:
        expect(
            got == expected,
            f"For code {name} it should be {expected}, not {got}.",
        )


@exercise("9.4", praise="One wrong word, and the whole sentence is wrong.")
def sentences_right(answer: Any) -> None:
    """Check `sentences_right(logits, labels, pad_id)`: a count of whole sentences."""
    pad = 3
    labels = torch.tensor(
        [[5, 2, pad, pad], [6, 7, 8, 2], [4, 4, 2, pad], [7, 5, 2, pad], [6, 2, 3, 3]]
    )
    said = torch.tensor(
        [[5, 2, 8, 8], [6, 7, 8, 2], [4, 5, 2, pad], [7, 5, 2, pad], [8, 2, pad, pad]]
    )
    logits = torch.nn.functional.one_hot(said, 9) * 4.0 - 6.0
    got = answer(logits, labels, pad)
    if isinstance(got, Tensor):
        shapes = [
            ((5,), "This is one answer for each sentence: count the right ones."),
            ((5, 4), "This is one answer for each word: count the sentences."),
        ]
        expect_shape(got, (), "sentences_right(logits, labels, pad_id)", shapes)
        got = got.item()
    hits, padding = said == labels, labels == pad
    expect_equal(
        got,
        3,
        "The number of right sentences",
        [
            (
                int(hits.all(dim=1).sum()),
                "The model also has to say <pad> at the places of padding: what it "
                "says there must not matter.",
            ),
            (int((hits & ~padding).sum()), "These are words: count the sentences."),
            (int(hits.sum()), "These are words, and padding with them."),
            (
                int((hits & ~padding).all(dim=1).sum()),
                "Padding counts as wrong: inside a sentence it has to count as right, "
                "so join the two with |.",
            ),
            (
                lambda value: abs(value - 3 / 5) < 1e-6,
                "This is the share of right sentences: return their number.",
            ),
            (
                5,
                "All sentences count as right: each needs all of its words right, not "
                "one of them.",
            ),
        ],
    )
    expect_equal(
        int(answer(logits[2:3], labels[2:3], pad)), 0, "The count in a wrong sentence"
    )
