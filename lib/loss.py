"""What a prediction of next words is judged by; no library of training is needed."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F

__all__ = ["token_accuracy", "translation_loss"]


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
