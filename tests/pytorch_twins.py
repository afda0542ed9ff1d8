"""Our modules beside PyTorch's: which weight of ours is which of theirs.

`nn.MultiheadAttention` keeps the three input projections in one matrix, so one weight
of theirs may be several of ours, put one below the other. The same pairs copy the
weights over and, after a backward pass, compare the gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention
from lib.config import TransformerConfig
from tests.strategies import assert_close

Pairs = Iterator[tuple[list[Tensor], Tensor]]


OURS = {
    "self_attn": "self_attention",
    "multihead_attn": "cross_attention",
    "out_proj": "output_proj",
    "linear1": "feed_forward.inner",
    "linear2": "feed_forward.outer",
    "norm1": "self_attention_residual.norm",
    "norm2": "cross_attention_residual.norm",  # of a decoder's layer
    "norm3": "feed_forward_residual.norm",
}


def pairs_of(ours: nn.Module, theirs: nn.Module) -> Pairs:
    """Yield the weights of ours that make each weight of theirs, by their names."""
    own = dict(ours.named_parameters())
    for name, weight in theirs.named_parameters():
        for their, our in OURS.items():
            name = name.replace(their, our)
        if "in_proj_" in name:
            parts = ("query_proj.", "key_proj.", "value_proj.")
            yield [own[name.replace("in_proj_", part)] for part in parts], weight
        elif name in own:
            yield [own[name]], weight
        else:  # an encoder's layer has two norms
            yield [own[name.replace("cross_attention", "feed_forward")]], weight


def copy_weights(ours: nn.Module, theirs: nn.Module) -> None:
    """Write our weights into theirs."""
    with torch.no_grad():
        for parts, weight in pairs_of(ours, theirs):
            weight.copy_(torch.cat(parts))


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
    copy_weights(ours, theirs)
    return theirs


def transformer_twin(
    stacks: nn.Module, config: TransformerConfig, dtype: torch.dtype
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
    copy_weights(stacks, theirs)
    return theirs
