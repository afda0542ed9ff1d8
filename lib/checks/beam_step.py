"""The check of exercise 12.5: one step of beam search."""

from typing import Any

import torch

from lib.checks.core import brief, exercise, expect, expect_equal

__all__ = ["beam_step"]

_SCORES = torch.tensor([-1.0, -1.5])
_SHARES = torch.tensor([[0.05, 0.45, 0.3, 0.2], [0.6, 0.1, 0.25, 0.05]])  # <eos> is 0


def _triples(found: Any) -> Any:
    """Parents, words and scores as plain numbers, the scores rounded."""
    return [(int(p), int(w), round(float(s), 3)) for p, w, s in found]


@exercise("12.5", praise="The parents are what the cache is put in order by.")
def beam_step(answer: Any) -> None:
    """Check `beam_step(scores, log_probs, size, eos_id)`."""
    got = answer(_SCORES, _SHARES.log(), 2, 0)
    what = "beam_step(scores, log_probs, 2, eos_id=0)"
    expect(
        isinstance(got, list | tuple)
        and len(got) == 2
        and all(isinstance(part, list | tuple) for part in got),
        f"{what} should be two lists, those that go on and those that have ended, but "
        f"is {brief(got)}.",
    )
    for part in got:
        expect(
            all(isinstance(one, list | tuple) and len(one) == 3 for one in part),
            f"{what} should hold triples (parent, word, score), but has {brief(part)}.",
        )
    _check_going(_triples(got[0]), what)
    # Children in order: -1.799 (0, 1), -2.011 <eos> of 1, -2.204 (0, 2), -2.609 (0, 3).
    expect_equal(
        _triples(got[1]),
        [(1, 0, -2.011)],
        f"what ended in {what}",
        diagnoses=[
            ([], "An end among the first `size` children is put aside, not dropped."),
            (
                lambda ended: len(ended) > 1,
                "Only an end among the first `size` children counts.",
            ),
        ],
    )
    late = torch.tensor([[0.3, 0.5, 0.1, 0.1], [0.34, 0.25, 0.21, 0.2]]).log()
    going, ended = answer(torch.tensor([-1.0, -1.3]), late, 2, 0)
    expect_equal(
        (_triples(going), _triples(ended)),
        ([(0, 1, -1.693), (1, 1, -2.686)], [(0, 0, -2.204)]),
        "beam_step where the third of the children is an end",
        diagnoses=[
            (
                lambda found: len(found[1]) > 1,
                "Only an end among the first `size` children counts.",
            )
        ],
    )
    ends = torch.tensor([[0.5, 0.4, 0.1], [0.6, 0.3, 0.1]]).log()
    going, ended = answer(torch.tensor([-1.0, -1.1]), ends, 2, 0)
    expect_equal(
        (_triples(going), _triples(ended)),
        ([(0, 1, -1.916), (1, 1, -2.304)], [(1, 0, -1.611), (0, 0, -1.693)]),
        "beam_step where both best children are ends",
        diagnoses=[
            (
                lambda found: len(found[0]) < 2,
                "Too few go on: look at the best 2 * size children, half of which may "
                "have ended.",
            )
        ],
    )


def _check_going(going: Any, what: str) -> None:
    """Check those that go on after the first step."""
    expect_equal(
        going,
        [(0, 1, -1.799), (0, 2, -2.204)],
        f"those that go on in {what}",
        diagnoses=[
            (
                lambda found: [one[:2] for one in found] == [(1, 0), (2, 0)],
                "Parent and word are exchanged: in the flat table a row has V places, "
                "so the place is parent * V + word.",
            ),
            (
                lambda found: any(word == 0 for _, word, _ in found),
                "What ends in <eos> does not go on: put it aside.",
            ),
            (
                lambda found: found[0][2] == -0.511 or found[0][2] == -0.799,
                "The scores of the beginnings are missing: add them to each row.",
            ),
            (
                lambda found: max(one[2] for one in found) < -2.5,
                "The worst were kept: the highest score is the best.",
            ),
            (
                lambda found: len(found) > 2,
                "Too many go on: stop when `size` of them do.",
            ),
            (
                lambda found: len(found) < 2,
                "Too few go on: look at the best 2 * size children, half of which may "
                "have ended.",
            ),
            (
                lambda found: [one[0] for one in found] == [0, 1],
                "Each beginning gave one child: the best are chosen among the children "
                "of all of them together.",
            ),
        ],
    )
