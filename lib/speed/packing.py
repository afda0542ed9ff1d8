"""Packing: the sentences of a batch end to end, so that none of it is padding."""

from __future__ import annotations

from typing import TypeGuard

import torch
from torch import Tensor, nn

from lib.model import Transformer
from lib.speed.fused import Blocks, fuse
from lib.speed.guard import changed_part, overwritten


def can_be_packed(model: nn.Module, src: Tensor, tgt: Tensor) -> TypeGuard[Transformer]:
    """Tell whether :func:`packed_logits` gives what the model itself would give.

    It does for a Transformer made of the book's own pieces, unchanged, and sentences
    with at least one token. It pays on a processor; a GPU is faster with fewer and
    larger steps, so there the answer is no.

    Args:
        model: any module.
        src: token ids of the source sentences, padded.
        tgt: token ids of the target sentences, padded.

    Shape:
        src: :math:`(B, S)`; tgt: :math:`(B, T)`.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> can_be_packed(model, torch.tensor([[4, 0]]), torch.tensor([[1, 5]]))
        True
    """
    if type(model) is not Transformer or overwritten() or changed_part(model):
        return False
    return (
        src.device.type == "cpu"
        and {src.dtype, tgt.dtype} <= {torch.int64, torch.int32}
        and src.dim() == tgt.dim() == 2
        and len(src) == len(tgt) > 0
        and max(src.size(1), tgt.size(1)) <= len(model.positions.table)
        and all(bool((ids != model.config.pad_id).any(1).all()) for ids in (src, tgt))
    )


def packed_logits(
    model: Transformer, src: Tensor, tgt: Tensor
) -> tuple[Tensor, Tensor]:
    r"""Score each next word as the model does, the padding left out of everything.

    All but attention treats each token on its own, so the tokens may as well lie in
    one row. For attention, sentences of the same lengths stand side by side as blocks;
    inside a block nothing has to be masked but the future.

    Args:
        model: the Transformer.
        src: token ids of the source sentences, padded.
        tgt: token ids of the target sentences, padded.

    Returns:
        The logits of the N target tokens that are no padding, and the places of these
        in the flattened ``tgt``; shorter sentences come first.

    Shape:
        - src: :math:`(B, S)`; tgt: :math:`(B, T)`.
        - Output: logits :math:`(N, V)` and places :math:`(N)`.

    Raises:
        ValueError: if a function of the book or of PyTorch was written over.

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> src, tgt = torch.tensor([[4, 5], [6, 0]]), torch.tensor([[1, 4], [1, 0]])
        >>> logits, places = packed_logits(model, src, tgt)
        >>> logits.shape, places.tolist()
        (torch.Size([3, 9]), [2, 0, 1])
    """
    model = fuse(model)
    src_real, tgt_real = src != model.config.pad_id, tgt != model.config.pad_id
    # Sorted by their lengths, so that sentences of the same lengths lie side by side.
    order = (src_real.sum(1) * (1 + tgt.size(1)) + tgt_real.sum(1)).argsort(stable=True)
    lengths = torch.stack([src_real.sum(1), tgt_real.sum(1)], dim=1)[order]  # (B, 2)
    kinds, counts = torch.unique_consecutive(lengths, dim=0, return_counts=True)
    sentences, (sources, targets) = counts.tolist(), kinds.t().tolist()

    x, _ = _embed(model, model.src_embedding, src, src_real, order)  # (1, M, D)
    memory = model.encoder(x, Blocks(sentences, sources, sources))
    y, places = _embed(model, model.tgt_embedding, tgt, tgt_real, order)  # (1, N, D)
    own = Blocks(sentences, targets, targets, causal=True)
    y = model.decoder(y, memory, own, Blocks(sentences, targets, sources))
    # Without the 1 in front before it is large.
    return model.output_proj(y.squeeze(0)), places


def _embed(
    model: Transformer, embedding: nn.Module, ids: Tensor, real: Tensor, order: Tensor
) -> tuple[Tensor, Tensor]:
    """Lay the real tokens of a batch end to end, each with its own position."""
    row, column = real[order].nonzero(as_tuple=True)  # (N) each
    places = order[row] * ids.size(1) + column  # in the batch, flat
    x = embedding(ids.flatten()[places][None]) + model.positions.table[column]
    return model.dropout(x), places
