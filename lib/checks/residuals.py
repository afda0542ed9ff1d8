"""The check of exercise 6.6: a residual connection that the learner built."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.checks.core import expect, expect_close, unwrap

__all__ = ["expect_dropout", "expect_learned", "misplaced", "ordered"]


def _normed(x: Tensor) -> Tensor:
    return nn.functional.layer_norm(x, x.shape[-1:])


def ordered(x: Tensor, f: Callable[[Tensor], Tensor], first: bool) -> Tensor:
    """Pre-norm or post-norm around a sublayer, without dropout."""
    return (x + f(_normed(x)) if first else _normed(x + f(x))).detach()


def misplaced(
    x: Tensor, f: Callable[[Tensor], Tensor], first: bool
) -> list[tuple[Any, str]]:
    """What typical mistakes give, without dropout."""
    with torch.no_grad():
        forgotten = f(_normed(x)) if first else _normed(f(x))
        return [
            (
                ordered(x, f, not first),
                "The two orders are exchanged or not told apart: norm_first=True is "
                "x + sublayer(norm(x)), False is norm(x + sublayer(x)).",
            ),
            (forgotten, "The residual is missing: add x to what the sublayer gives."),
            (x + f(x), "The norm is missing."),
            (
                _normed(x) + f(_normed(x)),
                "The residual carries x itself, not the normed x: only the sublayer "
                "gets the norm.",
            ),
            (
                x + _normed(f(x)),
                "The norm stands behind the sublayer alone: it belongs around the sum "
                "(post-norm) or in front of the sublayer (pre-norm).",
            ),
        ]


def expect_learned(block: Any) -> None:
    """Demand that the block learns the scale and the shift of one norm."""
    numbers = sum(p.numel() for p in block.parameters() if p.requires_grad)
    expect(
        numbers == 16,
        f"The block should learn 16 numbers at width 8, the scale and shift of one "
        f"norm, but it learns {numbers}: make one LayerNorm(d_model) in __init__.",
    )


def expect_dropout(answer: Any, x: Tensor, first: bool) -> None:
    """Demand that the sublayer's output is dropped in training, and x never."""
    block = answer(8, 0.5, first)
    silent = x if first else _normed(x)
    expect_close(
        block(x, torch.zeros_like),
        silent,
        f"with a silent sublayer, the output in training with norm_first={first}",
        [
            (
                lambda got: bool((got == 0).any()) or not first,
                "The dropout reaches x: drop only the sublayer's output, before it is "
                "added.",
            )
        ],
    )
    expect(
        not torch.equal(block(x, torch.ones_like), block(x, torch.ones_like)),
        "Nothing is dropped in training: send the sublayer's output through "
        "nn.Dropout(dropout).",
    )
    unwrap(block).eval()
    expect_close(
        block(x, torch.tanh),
        ordered(x, torch.tanh, first),
        "the output after eval()",
        [
            (
                lambda got: not torch.equal(got, block(x, torch.tanh)),
                "Something is still dropped after eval(): make the nn.Dropout in "
                "__init__, so that eval() reaches it.",
            )
        ],
    )
