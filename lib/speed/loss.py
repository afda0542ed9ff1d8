"""Fused cross-entropy: the logarithms turn into the gradient, in place."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

__all__ = ["fused_cross_entropy"]


class _CrossEntropy(torch.autograd.Function):
    """Cross-entropy that turns its own logarithms into the gradient, in place."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        labels: Tensor,
        pad_id: int,
        smoothing: float,
        overwrite: bool,
    ) -> Tensor:
        kind = torch.promote_types(logits.dtype, torch.float32)  # never half precision
        place = logits.detach() if overwrite and logits.dtype == kind else None
        log_probs = torch.log_softmax(logits.to(kind), dim=-1, out=place)  # (N, V)
        real = labels != pad_id  # (N)
        weights = real.to(kind) / real.sum()  # not rounded more than the rest
        nll = -log_probs.gather(1, labels[:, None])[:, 0]
        if smoothing:
            nll = nll.lerp(-log_probs.mean(dim=-1), smoothing)
        ctx.save_for_backward(labels, weights)
        ctx.log_probs, ctx.smoothing, ctx.dtype = log_probs, smoothing, logits.dtype
        return (nll * weights).masked_fill(~real, 0).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor | None, ...]:
        labels, weights = ctx.saved_tensors
        if ctx.log_probs is None:
            raise RuntimeError(
                "The fused loss has given its memory to the gradient; for a second "
                "backward pass use translation_loss."
            )
        gradient, ctx.log_probs = ctx.log_probs.exp_(), None  # softmax - wanted
        gradient.sub_(ctx.smoothing / gradient.size(1))
        least = gradient.new_full((len(labels), 1), ctx.smoothing - 1)
        gradient.scatter_add_(1, labels[:, None], least)
        gradient.mul_((weights * outer[0])[:, None])
        return gradient.to(ctx.dtype), None, None, None, None


def fused_cross_entropy(
    logits: Tensor,
    labels: Tensor,
    pad_id: int,
    label_smoothing: float = 0.0,
    overwrite: bool = False,
) -> Tensor:
    """Return the mean negative log-likelihood of the right words, with little memory.

    PyTorch's keeps the logarithms of the probabilities, and makes two more tables of
    that size for the gradient. Here the gradient takes the place of the logarithms, so
    there can be one backward pass and no more.

    Args:
        logits: the scores that the model gives each word of the vocabulary.
        labels: the right words.
        pad_id: the label that does not count.
        label_smoothing: share of the probability that is spread over all words.
        overwrite: True if nobody needs the logits any more; the logarithms then take
            their place, and a third of the memory is saved.

    Shape:
        - logits: :math:`(N, V)`; labels: :math:`(N)`.
        - Output: one number, in nats per token.

    Raises:
        RuntimeError: from a second backward pass.

    Example:
        >>> fused_cross_entropy(torch.zeros(2, 4), torch.tensor([3, 0]), pad_id=0)
        tensor(1.3863)
    """
    loss: Tensor = _CrossEntropy.apply(
        logits, labels, pad_id, label_smoothing, overwrite
    )
    return loss
