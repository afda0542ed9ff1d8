"""The check of exercise 4.3: a softmax that gives nothing to what is masked."""

from typing import Any

import torch
from torch import Tensor

from lib.checks.core import (
    CheckFailed,
    exercise,
    expect,
    expect_close,
    expect_shape,
    expect_tensor,
)

__all__ = ["masked_softmax"]


@exercise(
    "4.3", praise="Finite on the way, and exactly zero at the end, in every type."
)
def masked_softmax(answer: Any) -> None:
    """Check `masked_softmax(scores, mask)`."""
    scores = torch.tensor([[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]])
    mask = torch.tensor([[True, False, True], [True, True, True]])
    low = scores.masked_fill(~mask, -1e9)
    upside_down = scores.masked_fill(mask, -1e9).softmax(dim=-1)[0]
    expect_close(
        answer(scores, mask),
        low.softmax(dim=-1),
        "masked_softmax(scores, mask)",
        diagnoses=[
            (
                scores.softmax(dim=-1) * mask,
                "The weights were zeroed after the softmax only, so the row does not "
                "sum to 1: write over the scores before it.",
            ),
            (
                lambda got: torch.allclose(got[0], upside_down, atol=1e-4),
                "The mask is read backward: True means may be attended to.",
            ),
            (
                scores.softmax(dim=-1),
                "The mask had no effect: masked_fill returns a new tensor, so keep it.",
            ),
            (
                (scores * mask).softmax(dim=-1),
                "A score of 0 still gets a share: write a very low number over it.",
            ),
            (low.softmax(dim=0), "This softmax runs down the columns: use dim=-1."),
        ],
    )
    empty = torch.tensor([[False, False, False], [True, True, False]])
    _expect_zeros(answer(scores, empty), empty, "float32")
    half = _in_half_precision(answer, scores.half(), empty)
    expect_tensor(half, "masked_softmax of float16 scores", dtype=torch.float16)
    _expect_zeros(half, empty, "float16")
    _expect_room_below(answer)
    _expect_last_axis(answer)
    _expect_gradient(answer, scores, empty)


def _expect_room_below(answer: Any) -> None:
    """Scores may be as low as their type allows: what is filled in lies below them."""
    mask = torch.tensor([[True, False, True]])
    for low, dtype in ((-1e30, torch.float32), (-6e4, torch.float16)):
        scores = torch.tensor([[low, 0.0, low]], dtype=dtype)
        expect_close(
            answer(scores, mask),
            [[0.5, 0.0, 0.5]],
            f"masked_softmax of the scores {low:g}, 0 and {low:g} in {dtype}, the "
            "middle one blocked,",
            diagnoses=[
                (
                    lambda got: got[0, 0] != 0.5,
                    f"With scores of {low:g} in {dtype} the open keys lose their "
                    "shares: what you write over a blocked score must lie below every "
                    "score, so ask the type for it, torch.finfo(scores.dtype).min.",
                )
            ],
            atol=1e-3,
        )


def _expect_last_axis(answer: Any) -> None:
    """Scores have the shape (B, H, T, S); one mask serves all heads and queries."""
    scores = torch.randn(2, 3, 4, 5)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]).bool()[:, None, None]
    filled = scores.masked_fill(~mask, -1e9)
    what = "masked_softmax of scores of shape (2, 3, 4, 5)"
    wrong_axis = (
        "The shares do not sum to 1 along the last axis, which counts the keys: use "
        "softmax(dim=-1), however many axes stand before it."
    )
    got = answer(scores, mask)
    expect_shape(got, (2, 3, 4, 5), what)
    expect_close(
        got,
        filled.softmax(dim=-1),
        what,
        diagnoses=[
            (filled.softmax(axis).masked_fill(~mask, 0.0), wrong_axis)
            for axis in range(3)
        ],
    )


def _expect_zeros(weights: Any, mask: Tensor, dtype: str) -> None:
    expect(
        not weights.isnan().any(),
        f"A row in which everything is blocked gives NaN in {dtype}: fill with the "
        "lowest finite number, torch.finfo(scores.dtype).min, not with −∞.",
    )
    expect(
        (weights[~mask] == 0).all(),
        f"A row in which everything is blocked still hands out shares in {dtype}: fill "
        "the weights with zero where the mask is False, after the softmax.",
    )
    total = weights[1].sum().item()
    expect_close(total, 1.0, f"the sum of an open row in {dtype}", atol=2e-3)


def _in_half_precision(answer: Any, scores: Tensor, mask: Tensor) -> Any:
    try:
        return answer(scores, mask)
    except CheckFailed as failure:
        expect(
            "without overflow" not in str(failure),
            "Scores of float16 cannot hold the number that you fill with: ask the type "
            "for its lowest, torch.finfo(scores.dtype).min.",
        )
        raise


def _expect_gradient(answer: Any, scores: Tensor, mask: Tensor) -> None:
    asked = scores.clone().requires_grad_()
    answer(asked, mask)[1].square().sum().backward()
    expect(
        asked.grad is not None and asked.grad.isfinite().all(),
        "The weights are right, but the gradient is not finite: a NaN was made on the "
        "way and replaced afterwards, so fill with a finite number from the start.",
    )
