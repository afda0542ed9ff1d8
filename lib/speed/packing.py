"""Packing: the sentences of a batch end to end, so that none of it is padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import MultiHeadAttention
from lib.layers import DecoderLayer, EncoderLayer
from lib.model import Transformer
from lib.speed.pieces import are_unchanged

__all__ = ["can_be_packed", "packed_logits"]


class _Block(NamedTuple):
    """Sentences of the same length side by side: they attend without a padding mask."""

    sentences: int
    queries: int  # tokens of each that ask
    keys: int  # tokens of each that are asked


class _Side:
    """The tokens of one side of a batch that are no padding, sentence after sentence.

    Args:
        ids: token ids :math:`(B, T)`.
        real: where no padding stands :math:`(B, T)`.
        order: the sentences in the order in which they shall lie :math:`(B)`.
    """

    def __init__(self, ids: Tensor, real: Tensor, order: Tensor) -> None:
        row, self.columns = real[order].nonzero(as_tuple=True)  # (N) each
        self.places = order[row] * ids.size(1) + self.columns  # in the batch, flat
        self.ids = ids.flatten()[self.places]  # (N)


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

    Built in chapter 15.
    """
    if type(model) is not Transformer or not are_unchanged(model):
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
    one row. For attention, sentences of the same length stand side by side; between
    them nothing has to be masked.

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

    Example:
        >>> from lib.config import TransformerConfig
        >>> model = Transformer(TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=16))
        >>> src, tgt = torch.tensor([[4, 5], [6, 0]]), torch.tensor([[1, 4], [1, 0]])
        >>> logits, places = packed_logits(model, src, tgt)
        >>> logits.shape, places.tolist()
        (torch.Size([3, 9]), [2, 0, 1])

    Built in chapter 15.
    """
    source, target, blocks = _lay_out(src, tgt, model.config.pad_id)
    x = _embed(model, model.src_embedding, source)  # (1, M, D)
    in_source = [_Block(block.sentences, block.keys, block.keys) for block in blocks]
    for layer in model.encoder.layers:
        if isinstance(layer, EncoderLayer):  # all are; the type checker asks
            x = _encode(layer, x, in_source)
    memory = model.encoder.norm(x)

    x = _embed(model, model.tgt_embedding, target)  # (1, N, D)
    for layer in model.decoder.layers:
        if isinstance(layer, DecoderLayer):
            x = _decode(layer, x, memory, blocks)
    # Without the 1 in front before it is large.
    return model.output_proj(model.decoder.norm(x).squeeze(0)), target.places


def _lay_out(
    src: Tensor, tgt: Tensor, pad_id: int
) -> tuple[_Side, _Side, list[_Block]]:
    """Sort the sentences by their lengths, so that equal ones lie side by side."""
    src_real, tgt_real = src != pad_id, tgt != pad_id  # (B, S), (B, T)
    asked, askers = src_real.sum(1), tgt_real.sum(1)  # (B) each
    order = (asked * (1 + tgt.size(1)) + askers).argsort(stable=True)
    lengths = torch.stack([askers, asked], dim=1)[order]  # (B, 2)
    kinds, counts = torch.unique_consecutive(lengths, dim=0, return_counts=True)
    blocks = [
        _Block(count, queries, keys)
        for count, (queries, keys) in zip(counts.tolist(), kinds.tolist(), strict=True)
    ]
    return _Side(src, src_real, order), _Side(tgt, tgt_real, order), blocks


def _embed(model: Transformer, embedding: nn.Module, side: _Side) -> Tensor:
    x = embedding(side.ids[None]) + model.positions.table[side.columns]
    return model.dropout(x)  # (1, N, D)


def _encode(layer: EncoderLayer, x: Tensor, blocks: Sequence[_Block]) -> Tensor:
    x = layer.self_attention_residual(
        x, lambda y: _attend(layer.self_attention, y, y, blocks)
    )
    return layer.feed_forward_residual(x, layer.feed_forward)


def _decode(
    layer: DecoderLayer, x: Tensor, memory: Tensor, blocks: Sequence[_Block]
) -> Tensor:
    own = [_Block(block.sentences, block.queries, block.queries) for block in blocks]
    x = layer.self_attention_residual(
        x, lambda y: _attend(layer.self_attention, y, y, own, causal=True)
    )
    x = layer.cross_attention_residual(
        x, lambda y: _attend(layer.cross_attention, y, memory, blocks)
    )
    return layer.feed_forward_residual(x, layer.feed_forward)


def _attend(
    attention: MultiHeadAttention,
    x: Tensor,
    memory: Tensor,
    blocks: Sequence[_Block],
    causal: bool = False,
) -> Tensor:
    """Let the sentences of each block attend: (1, N, D) and (1, M, D) to (1, N, D)."""
    maps = (attention.query_proj, attention.key_proj, attention.value_proj)
    askers = [block.sentences * block.queries for block in blocks]
    asked = [block.sentences * block.keys for block in blocks]
    if x is memory:  # self-attention: one product for all three
        qkv = _project(x, *maps).split(askers)
        parts = [
            _heads(attention, block, one)
            for block, one in zip(blocks, qkv, strict=True)
        ]
    else:
        q = _project(x, maps[0]).split(askers)
        kv = _project(memory, *maps[1:]).split(asked)
        parts = [
            _heads(attention, block, one) + _heads(attention, block, two)
            for block, one, two in zip(blocks, q, kv, strict=True)
        ]
    mixed = [
        F.scaled_dot_product_attention(q, k, v, is_causal=causal) for q, k, v in parts
    ]
    heads = [attention.merge_heads(part).flatten(0, 1) for part in mixed]  # (n·T, D)
    return attention.output_proj(torch.cat(heads)[None])


def _project(x: Tensor, *maps: nn.Linear) -> Tensor:
    weight = torch.cat([part.weight for part in maps])
    bias = torch.cat([part.bias for part in maps])
    return F.linear(x.squeeze(0), weight, bias)  # (1, N, D) -> (N, maps·D)


def _heads(
    attention: MultiHeadAttention, block: _Block, x: Tensor
) -> tuple[Tensor, ...]:
    """Cut rows into sentences, maps and heads: (n·T, maps·D) to (n, H, T, D/H) each."""
    heads, d_model = attention.n_heads, attention.output_proj.in_features
    cut = x.view(block.sentences, -1, x.size(1) // d_model, heads, d_model // heads)
    return cut.permute(2, 0, 3, 1, 4).unbind(0)
