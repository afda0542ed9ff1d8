"""Our modules beside PyTorch's: which weight of ours is which of theirs.

`nn.MultiheadAttention` keeps the three input projections in one matrix, so one weight
of theirs may be several of ours, put one below the other. The same list of pairs copies
the weights over and, after a backward pass, compares the gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from lib.layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    PositionwiseFeedForward,
)
from lib.model import Decoder, Encoder
from tests.strategies import assert_close

Pairs = Iterator[tuple[list[Tensor], Tensor]]


def attention_pairs(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> Pairs:
    projections = (ours.query_proj, ours.key_proj, ours.value_proj)
    yield [p.weight for p in projections], theirs.in_proj_weight
    yield [p.bias for p in projections], theirs.in_proj_bias
    yield from linear_pairs(ours.output_proj, theirs.out_proj)


def linear_pairs(
    ours: nn.Linear | LayerNorm, theirs: nn.Linear | nn.LayerNorm
) -> Pairs:
    return one_by_one(ours.parameters(), theirs.parameters())


def feed_forward_pairs(
    ours: PositionwiseFeedForward,
    theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer,
) -> Pairs:
    yield from linear_pairs(ours.inner, theirs.linear1)
    yield from linear_pairs(ours.outer, theirs.linear2)


def encoder_layer_pairs(
    ours: EncoderLayer, theirs: nn.TransformerEncoderLayer
) -> Pairs:
    yield from attention_pairs(ours.self_attention, theirs.self_attn)
    yield from linear_pairs(ours.self_attention_residual.norm, theirs.norm1)
    yield from feed_forward_pairs(ours.feed_forward, theirs)
    yield from linear_pairs(ours.feed_forward_residual.norm, theirs.norm2)


def decoder_layer_pairs(
    ours: DecoderLayer, theirs: nn.TransformerDecoderLayer
) -> Pairs:
    yield from attention_pairs(ours.self_attention, theirs.self_attn)
    yield from linear_pairs(ours.self_attention_residual.norm, theirs.norm1)
    yield from attention_pairs(ours.cross_attention, theirs.multihead_attn)
    yield from linear_pairs(ours.cross_attention_residual.norm, theirs.norm2)
    yield from feed_forward_pairs(ours.feed_forward, theirs)
    yield from linear_pairs(ours.feed_forward_residual.norm, theirs.norm3)


def transformer_pairs(
    encoder: Encoder, decoder: Decoder, theirs: nn.Transformer
) -> Pairs:
    for ours, other in zip(encoder.layers, theirs.encoder.layers, strict=True):
        yield from encoder_layer_pairs(ours, other)  # type: ignore[arg-type]
    for ours, other in zip(decoder.layers, theirs.decoder.layers, strict=True):
        yield from decoder_layer_pairs(ours, other)  # type: ignore[arg-type]
    for stack, twin in ((encoder, theirs.encoder), (decoder, theirs.decoder)):
        if isinstance(stack.norm, LayerNorm):
            yield from linear_pairs(stack.norm, twin.norm)


def copy_weights(pairs: Pairs) -> None:
    """Write our weights into theirs."""
    with torch.no_grad():
        for ours, theirs in pairs:
            theirs.copy_(torch.cat(ours))


def one_by_one(ours: Iterable[Tensor], theirs: Iterable[Tensor]) -> Pairs:
    """Yield pairs of which each of ours is one of theirs."""
    for our, their in zip(ours, theirs, strict=True):
        yield [our], their


def assert_learn_alike(output: Tensor, expected: Tensor, pairs: Pairs) -> None:
    """Demand the same output and, after a backward pass, the same gradients."""
    assert_close(output, expected)
    output.square().mean().backward()
    expected.square().mean().backward()
    for ours, theirs in pairs:
        assert theirs.grad is not None
        assert_close(torch.cat([x.grad for x in ours]), theirs.grad)  # type: ignore[misc]


def attention_twin(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """Return PyTorch's attention with the weights of ours."""
    weight = ours.query_proj.weight
    theirs = nn.MultiheadAttention(
        weight.size(0), ours.n_heads, batch_first=True, dtype=weight.dtype
    )
    copy_weights(attention_pairs(ours, theirs))
    return theirs


def transformer_twin(
    encoder: Encoder, decoder: Decoder, config: TransformerConfig, dtype: torch.dtype
) -> nn.Transformer:
    """Return PyTorch's Transformer with the weights of our encoder and decoder."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")
        theirs = nn.Transformer(
            d_model=config.d_model,
            nhead=config.n_heads,
            num_encoder_layers=config.n_layers,
            num_decoder_layers=config.n_layers,
            dim_feedforward=config.d_ff,
            dropout=config.dropout,
            batch_first=True,
            norm_first=config.norm_first,
            dtype=dtype,
        )
    if not config.norm_first:
        # PyTorch ends both stacks in one more norm, which post-norm does not need and
        # the paper does not have.
        theirs.encoder.norm = None
        theirs.decoder.norm = None
    copy_weights(transformer_pairs(encoder, decoder, theirs))
    return theirs
