"""A decoder without cross-attention: the same twins serve it in training and writing.

It is a stack of encoder layers in which no token attends to a later one. The book has
no such model; whoever builds one from its pieces has their speed too.
"""

from __future__ import annotations

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.decoding.cache import CachedAttention, _cache
from lib.layers import TokenEmbedding
from lib.masks import causal_mask, padding_mask
from lib.model import Encoder
from lib.positions import PositionalEncoding
from lib.speed import Blocks, FusedAttention, exchange, fuse
from tests.strategies import (
    FEW,
    assert_close,
    assert_same_gradients,
    pad,
    randomize,
    tiny_config,
)

SENTENCES = st.lists(
    st.lists(st.integers(1, 10), min_size=1, max_size=6), min_size=1, max_size=4
)


class DecoderOnly(nn.Module):
    """A language model of the book's pieces: it scores the next token of one text."""

    def __init__(self, norm_first: bool) -> None:
        super().__init__()
        config = tiny_config(norm_first=norm_first)
        self.embedding = TokenEmbedding(config.src_vocab_size, config.d_model, 0)
        self.positions = PositionalEncoding(config.d_model, config.max_len)
        self.layers = Encoder(config)
        self.output_proj = nn.Linear(config.d_model, config.src_vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, 0) & causal_mask(ids.size(1))  # (B, 1, T, T)
        x = self.positions(self.embedding(ids))  # (B, T, D)
        return self.output_proj(self.layers(x, mask))  # (B, T, V)


def model(norm_first: bool) -> DecoderOnly:
    made = DecoderOnly(norm_first).double().eval()
    randomize(made, seed=1)
    return made


@FEW
@given(sentences=SENTENCES, norm_first=st.booleans())
def test_fused_it_learns_the_same(sentences: list[list[int]], norm_first: bool) -> None:
    plain, ids = model(norm_first), pad(sentences)
    fused = fuse(copy.deepcopy(plain))  # with gradients of its own
    kinds = {type(layer.self_attention) for layer in fused.layers.layers}
    assert kinds == {FusedAttention}
    real = ids != 0
    expected, got = plain(ids)[real], fused(ids)[real]
    assert_close(got, expected)
    expected.square().mean().backward()
    got.square().mean().backward()
    assert_same_gradients(fused, plain)


@FEW
@given(sentences=SENTENCES, norm_first=st.booleans())
def test_packed_nothing_is_computed_for_padding(
    sentences: list[list[int]], norm_first: bool
) -> None:
    plain = model(norm_first)
    lengths = [len(sentence) for sentence in sentences]
    blocks = Blocks([1] * len(lengths), lengths, lengths, causal=True)
    rows = [plain.positions(plain.embedding(torch.tensor([s]))) for s in sentences]
    packed = fuse(plain).layers(torch.cat(rows, dim=1), blocks)  # (1, N, D)
    got = plain.output_proj(packed)[0]  # (N, V)
    ids = pad(sentences)
    assert_close(got, plain(ids)[ids != 0])


@pytest.mark.parametrize("norm_first", [True, False])
def test_cached_it_reads_each_token_once(norm_first: bool) -> None:
    plain = model(norm_first)
    ids = torch.tensor([[1, 4, 5, 6, 2], [1, 7, 3, 9, 8]])
    twin = exchange(plain.layers, _cache)
    kept = [part for part in twin.modules() if isinstance(part, CachedAttention)]
    assert len(kept) == 2
    for attention in kept:
        attention.make_room(batch_size=2, room=5)
    vectors = plain.positions(plain.embedding(ids))  # (B, T, D)
    with torch.no_grad():
        steps = [twin(token[:, None]) for token in vectors.unbind(1)]  # (B, 1, D)
        assert_close(plain.output_proj(torch.cat(steps, dim=1)), plain(ids))
    assert all(attention.length == 5 for attention in kept)
