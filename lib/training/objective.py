"""What training makes small, and how fast it moves."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F


def translation_loss(
    logits: Tensor, labels: Tensor, pad_id: int, label_smoothing: float = 0.0
) -> Tensor:
    r"""Return the mean negative log-likelihood of the right next words (§5.4).

    Padding is left out.

    Args:
        logits: the scores that the model gives each word of the vocabulary.
        labels: the right next words.
        pad_id: the id of padding in the *target* vocabulary.
        label_smoothing: share of the probability that is spread over all words.

    Shape:
        - logits: :math:`(B, T, V)`; labels: :math:`(B, T)`.
        - Output: one number, in nats per token.

    Raises:
        ValueError: if the shapes do not fit, or all labels are padding.

    Example:
        >>> import torch
        >>> translation_loss(torch.zeros(1, 2, 4), torch.tensor([[3, 2]]), pad_id=0)
        tensor(1.3863)

    Built in chapter 12.
    """
    _check_labels(logits, labels, pad_id)
    return F.cross_entropy(
        logits.flatten(0, 1),  # (B·T, V)
        labels.flatten(),  # (B·T)
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
    )


def token_accuracy(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    r"""Return the share of next words that the model ranks first, padding left out.

    Args:
        logits: the scores that the model gives each word of the vocabulary.
        labels: the right next words.
        pad_id: the id of padding in the *target* vocabulary.

    Shape:
        - logits: :math:`(B, T, V)`; labels: :math:`(B, T)`.
        - Output: one number from 0 to 1.

    Raises:
        ValueError: if the shapes do not fit, or all labels are padding.

    Example:
        >>> import torch
        >>> logits = torch.tensor([[[0.0, 9.0, 0.0], [0.0, 9.0, 0.0], [9.0, 0.0, 0.0]]])
        >>> token_accuracy(logits, torch.tensor([[1, 2, 0]]), pad_id=0)
        tensor(0.5000)
    """
    _check_labels(logits, labels, pad_id)
    real = labels != pad_id  # (B, T)
    return (logits.argmax(dim=-1) == labels)[real].float().mean()


def _check_labels(logits: Tensor, labels: Tensor, pad_id: int) -> None:
    if logits.dim() != 3 or logits.shape[:2] != labels.shape:
        raise ValueError(
            "logits must have shape (B, T, V) and labels (B, T), but theirs are "
            f"{tuple(logits.shape)} and {tuple(labels.shape)}."
        )
    if (labels == pad_id).all():
        raise ValueError("There is nothing to score: all labels are padding.")


def warmup_decay(step: int, warmup_steps: int, total_steps: int) -> float:
    """Return the share of the peak learning rate: up in a line, then down to zero.

    The paper (§5.3) comes down with one over the square root of the step, for a run of
    open length. A run whose length is known ends better at zero.

    Args:
        step: optimizer steps made so far.
        warmup_steps: steps until the peak.
        total_steps: steps of the whole run.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: if the warm-up is not shorter than the run.

    Example:
        >>> [warmup_decay(step, warmup_steps=2, total_steps=6) for step in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]

    Built in chapter 12.
    """
    if not 0 <= warmup_steps < total_steps:
        raise ValueError(
            "The warm-up must be shorter than the run, but warmup_steps is "
            f"{warmup_steps} and the run has {total_steps} steps."
        )
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    way_down = total_steps - warmup_steps
    return max(0.0, (total_steps - step) / way_down)
