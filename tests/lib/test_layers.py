"""The layers: equal to PyTorch's, each token on its own where it should be."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from lib.layers import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    PositionwiseFeedForward,
    Residual,
    TokenEmbedding,
)
from lib.masks import causal_mask
from lib.speed import FusedLayerNorm
from tests.pytorch_twins import (
    assert_learn_alike,
    copy_weights,
    one_by_one,
    pairs_of,
)
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import SIZES, Sizes, assert_close, randomize

# --- TokenEmbedding -----------------------------------------------------------------


@given(
    vocab_size=st.integers(2, 30),
    d_model=st.integers(1, 20),
    seed=st.integers(0, 10_000),
)
def test_embedding_looks_up_and_scales(
    vocab_size: int, d_model: int, seed: int
) -> None:
    module = TokenEmbedding(vocab_size, d_model, pad_id=seed % vocab_size)
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(vocab_size, (2, 5), generator=random)
    expected = F.embedding(ids, module.table.weight) * math.sqrt(d_model)
    assert_close(module(ids), expected)


def test_padding_has_the_zero_vector_and_keeps_it() -> None:
    module = TokenEmbedding(7, 4, pad_id=3)
    ids = torch.arange(7)[None]
    optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (module(ids) - 1).square().sum().backward()
        optimizer.step()
    norms = module.table.weight.norm(dim=1)
    assert norms[3] == 0
    assert (norms[ids[0] != 3] > 0.1).all()


# --- LayerNorm ------------------------------------------------------------------------


@given(
    sizes=SIZES,
    d_model=st.integers(3, 24),
    eps=st.sampled_from([1e-5, 1e-3, 0.1]),
    leading=st.sampled_from([(), (3,), (2, 3), (2, 3, 2)]),
    spread=st.sampled_from([0.0, 1.0]),  # also where all numbers are the same
)
def test_norm_and_gradients_equal_pytorchs(
    sizes: Sizes, d_model: int, eps: float, leading: tuple[int, ...], spread: float
) -> None:
    ours = LayerNorm(d_model, eps).to(sizes.dtype)
    theirs = nn.LayerNorm(d_model, eps, dtype=sizes.dtype)
    randomize(ours, sizes.seed)
    copy_weights(ours, theirs)
    (x,) = sizes.tensors((*leading, d_model))
    x = (spread * x + 3).requires_grad_()
    y = x.detach().clone().requires_grad_()
    pairs = one_by_one([x, *ours.parameters()], [y, *theirs.parameters()])
    assert_learn_alike(ours(x), theirs(y), pairs)


# --- Residual -------------------------------------------------------------------------


@pytest.mark.parametrize("norm_first", [False, True])
def test_dropout_falls_on_the_sublayer_and_only_in_training(norm_first: bool) -> None:
    torch.manual_seed(0)
    x = torch.zeros(1, 1, 10_000)
    module = Residual(10_000, dropout=0.25, norm_first=norm_first)
    module.norm = nn.Identity()  # type: ignore[assignment]

    trained = module(x, torch.ones_like)
    dropped = (trained == 0).float().mean().item()
    assert abs(dropped - 0.25) < 0.02
    # What is left is enlarged, so that the mean stays.
    assert_close(trained[trained != 0].mean(), torch.tensor(4 / 3))
    # The input itself is never dropped.
    assert torch.equal(module(x + 1, torch.zeros_like), x + 1)

    module.eval()
    assert torch.equal(module(x, torch.ones_like), x + 1)


# --- EncoderLayer and DecoderLayer ----------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "twin"),
    [
        (EncoderLayer, nn.TransformerEncoderLayer),
        (DecoderLayer, nn.TransformerDecoderLayer),
    ],
)
@given(sizes=SIZES, d_ff=st.integers(1, 12), norm_first=st.booleans())
def test_layer_and_gradients_equal_pytorchs(
    kind: Any, twin: Any, sizes: Sizes, d_ff: int, norm_first: bool
) -> None:
    config = sizes.config(d_ff=d_ff, norm_first=norm_first)
    ours = kind(config).to(sizes.dtype)
    randomize(ours, sizes.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape = sizes.d_model, sizes.heads, d_ff, 0.0
        theirs = twin(*shape, batch_first=True, norm_first=norm_first).to(sizes.dtype)
    copy_weights(ours, theirs)
    source, target = sizes.vectors(sizes.source, sizes.target)
    real, past = sizes.mask(sizes.batch, sizes.source), causal_mask(sizes.target)
    if kind is EncoderLayer:
        inputs = [source]
        output = ours(source, real[:, None, None])
        expected = theirs(source, src_key_padding_mask=~real)
    else:
        inputs = [target, source]
        output = ours(target, source, past, real[:, None, None])
        expected = theirs(target, source, tgt_mask=~past, memory_key_padding_mask=~real)
    assert_learn_alike(output, expected, pairs_of(ours, theirs))
    assert_close(ours(*inputs), theirs(*inputs))


@each_refusal(
    (
        lambda: TokenEmbedding(7, 4, 0)(torch.tensor([[7, 1]])),
        "between 0 and 6, but they go from 1 to 7",
    ),
    (
        lambda: TokenEmbedding(7, 4, 0)(torch.tensor([[-1, 6]])),
        "between 0 and 6, but they go from -1 to 6",
    ),
    (lambda: LayerNorm(4)(torch.ones(2, 5)), r"\(\.\.\., 4\), but got \(2, 5\)"),
    (lambda: FusedLayerNorm(4)(torch.ones(5)), r"\(\.\.\., 4\), but got \(5,\)"),
    (
        lambda: PositionwiseFeedForward(4, 16)(torch.ones(2, 3, 5)),
        r"\(\.\.\., 4\), but got \(2, 3, 5\)",
    ),
)
def test_what_does_not_fit_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
