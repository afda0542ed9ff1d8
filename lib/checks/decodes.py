"""What goes wrong on the way from target ids to logits, for exercise 8.5."""

from typing import Any

import torch
from torch import Tensor

from lib.checks.core import expect
from lib.config import TransformerConfig
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer

__all__ = ["expect_dropped", "misdecoded"]


def misdecoded(
    model: Transformer, tgt: Tensor, memory: Tensor, src_mask: Tensor
) -> list[tuple[Any, str]]:
    """What typical mistakes give."""
    padding, future = padding_mask(tgt, 0), causal_mask(tgt.size(1))
    embedded = model.tgt_embedding(tgt)
    x = model.positions(embedded)

    def logits(x: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        return model.output_proj(model.decoder(x, memory, mask, cross))

    right = logits(x, padding & future, src_mask)
    other = model.positions(model.src_embedding(tgt))
    return [
        (logits(x, future, src_mask), "The padding of the target is not hidden."),
        (
            logits(x, padding, src_mask),
            "The future is not hidden: add the causal mask.",
        ),
        (logits(x, None, src_mask), "The target has no mask: hide padding and future."),
        (
            logits(x, padding & future, None),
            "The source's mask is not handed to the decoder.",
        ),
        (
            logits(x, padding & future.T, src_mask),
            "The causal mask is turned round: it hides the past and shows the future.",
        ),
        (
            logits(x, padding | future, src_mask),
            "The two masks are joined by or: both must allow a place, so use &.",
        ),
        (logits(embedded, padding & future, src_mask), "The positions are missing."),
        (
            logits(other, padding & future, src_mask),
            "That looks the target up in the source's embedding.",
        ),
        (right.softmax(dim=-1), "The model returns logits: leave the softmax out."),
        (right.log_softmax(dim=-1), "The model returns logits: leave the softmax out."),
    ]


def expect_dropped(answer: Any, tgt: Tensor) -> None:
    """Demand that the embedded target is dropped in training."""
    model = Transformer(
        TransformerConfig(10, 10, 8, n_heads=2, n_layers=3, d_ff=20, dropout=0.0)
    )
    model.dropout.p = 0.5  # the model's own; its layers drop nothing
    memory = torch.zeros(2, 5, 8)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    first, second = answer(model, tgt, memory, mask), answer(model, tgt, memory, mask)
    expect(
        not torch.equal(first, second),
        "Nothing is dropped in training: send the embedded target with its positions "
        "through model.dropout.",
    )
