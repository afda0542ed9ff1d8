"""What training makes small, and how fast it moves."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.model import Transformer
from lib.speed import can_be_packed, fuse, overwritten, packed_logits
from lib.text import Batch


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

    Built in chapter 11.
    """
    _check_labels(logits, labels, pad_id)
    return F.cross_entropy(
        logits.flatten(0, 1),  # (B·T, V)
        labels.flatten(),  # (B·T)
        ignore_index=pad_id,
        label_smoothing=label_smoothing,
    )


def packed_translation_loss(
    model: nn.Module, batch: Batch, pad_id: int, label_smoothing: float = 0.0
) -> Tensor:
    r"""Return the loss of a batch, with nothing computed for its padding.

    The same number as :func:`translation_loss` of the model's logits. A model that
    cannot be packed is called as it is.

    Args:
        model: a Transformer, or anything that is called like one.
        batch: the sentences and the right next words.
        pad_id: the id of padding.
        label_smoothing: share of the probability that is spread over all words.

    Shape:
        Output: one number, in nats per token.

    Raises:
        ValueError: if the shapes do not fit, or all labels are padding.

    Example:
        >>> import torch
        >>> from lib.config import TransformerConfig
        >>> from lib.model import Transformer
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> words = torch.tensor([[4, 5], [6, 0]])
        >>> packed_translation_loss(model, Batch(words, words, words), pad_id=0).shape
        torch.Size([])
    """
    logits, wanted, _ = _scored_words(model, batch, pad_id)
    return F.cross_entropy(
        logits, wanted, ignore_index=pad_id, label_smoothing=label_smoothing
    )


def sentence_log_probs(model: nn.Module, batch: Batch, pad_id: int) -> Tensor:
    r"""Return how likely the model finds each target, given its source.

    Args:
        model: a Transformer, or anything that is called like one.
        batch: the sentences and their targets.
        pad_id: the id of padding.

    Shape:
        Output: :math:`(B)` log-probabilities, each the sum over the words of a target.

    Raises:
        ValueError: if the shapes do not fit, or all labels are padding.
    """
    logits, wanted, places = _scored_words(model, batch, pad_id)
    losses = F.cross_entropy(logits, wanted, ignore_index=pad_id, reduction="none")
    sentences = places // batch.tgt_out.size(1)
    return losses.new_zeros(len(batch.src)).index_add(0, sentences, -losses)


def _scored_words(
    model: nn.Module, batch: Batch, pad_id: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return logits, right next words, and the places of these in the flat labels.

    Nothing is computed for padding if the model can be packed; else all is there.
    """
    src, tgt_in, labels = batch
    if not can_be_packed(model, src, tgt_in) or not _scored_where_read(
        tgt_in != model.config.pad_id, labels, pad_id
    ):
        logits = _in_full(quickest(model)(src, tgt_in))  # (B, T, V)
        _check_labels(logits, labels, pad_id)
        places = torch.arange(labels.numel(), device=labels.device)
        return logits.flatten(0, 1), labels.flatten(), places  # (B·T, V), (B·T) twice
    _check_some(labels, pad_id)
    logits, places = packed_logits(model, src, tgt_in)  # (N, V), (N)
    return _in_full(logits), labels.flatten()[places], places


def _in_full(logits: Tensor) -> Tensor:
    """Return logits in 32 bits at least: the logarithms need them."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def quickest(model: nn.Module) -> nn.Module:
    """Return the fused twin of a Transformer, or the model where there can be none.

    Args:
        model: any module.
    """
    plain = type(model) is Transformer and not model._compiled_call_impl
    return fuse(model) if plain and not overwritten() else model


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
    _check_some(labels, pad_id)


def _check_some(labels: Tensor, pad_id: int) -> None:
    if (labels == pad_id).all():
        raise ValueError("There is nothing to score: all labels are padding.")


def _scored_where_read(read: Tensor, labels: Tensor, pad_id: int) -> bool:
    """Tell whether no label stands where the decoder reads padding."""
    return read.shape == labels.shape and not bool((~read & (labels != pad_id)).any())


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

    Built in chapter 11.
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
