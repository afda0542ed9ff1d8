"""The layers: equal to PyTorch's, each token on its own where it should be."""

from __future__ import annotations

import copy
import math
import re
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
from tests.pytorch_twins import (
    copy_weights,
    decoder_layer_pairs,
    encoder_layer_pairs,
    gradients,
    linear_pairs,
)
from tests.strategies import (
    PRECISIONS,
    SIZES,
    Sizes,
    assert_close,
    randomize,
    tiny_config,
)

# --- TokenEmbedding -----------------------------------------------------------------


@given(
    vocab_size=st.integers(2, 30),
    d_model=st.integers(1, 20),
    seed=st.integers(0, 10_000),
    dtype=st.sampled_from(PRECISIONS),
)
def test_embedding_looks_up_and_scales(
    vocab_size: int, d_model: int, seed: int, dtype: torch.dtype
) -> None:
    module = TokenEmbedding(vocab_size, d_model, pad_id=seed % vocab_size).to(dtype)
    random = torch.Generator().manual_seed(seed)
    ids = torch.randint(vocab_size, (2, 5), generator=random)
    expected = F.embedding(ids, module.table.weight) * math.sqrt(d_model)
    assert module(ids).shape == (2, 5, d_model)
    assert_close(module(ids), expected)


@pytest.mark.parametrize("pad_id", [0, 3, 6])
def test_padding_has_the_zero_vector_and_keeps_it(pad_id: int) -> None:
    module = TokenEmbedding(7, 4, pad_id)
    ids = torch.arange(7)[None]
    optimizer = torch.optim.Adam(module.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (module(ids) - 1).square().sum().backward()
        optimizer.step()
    norms = module.table.weight.norm(dim=1)
    assert norms[pad_id] == 0
    assert (norms[torch.arange(7) != pad_id] > 0.1).all()


@pytest.mark.parametrize("ids", [[[7]], [[-1]], [[0, 1, 700]], [[-5, 9]]])
def test_ids_outside_the_vocabulary_are_refused(ids: list[list[int]]) -> None:
    low, high = min(ids[0]), max(ids[0])
    with pytest.raises(ValueError, match=f"0 and 6, but they go from {low} to {high}"):
        TokenEmbedding(7, 4, pad_id=0)(torch.tensor(ids))


def test_embedding_of_no_tokens_is_empty() -> None:
    module = TokenEmbedding(7, 4, pad_id=0)
    assert module(torch.ones(2, 0, dtype=torch.long)).shape == (2, 0, 4)
    assert module(torch.ones(0, 3, dtype=torch.long)).shape == (0, 3, 4)


# --- LayerNorm ------------------------------------------------------------------------


@given(
    sizes=SIZES,
    d_model=st.integers(3, 24),
    eps=st.sampled_from([1e-5, 1e-3, 0.1]),
    leading=st.sampled_from([(), (3,), (2, 3), (2, 3, 2)]),
)
def test_norm_and_gradients_equal_pytorchs(
    sizes: Sizes, d_model: int, eps: float, leading: tuple[int, ...]
) -> None:
    ours = LayerNorm(d_model, eps).to(sizes.dtype)
    theirs = nn.LayerNorm(d_model, eps, dtype=sizes.dtype)
    randomize(ours, sizes.seed)
    copy_weights(linear_pairs(ours, theirs))
    (x,) = sizes.tensors((*leading, d_model))
    y = x.clone().requires_grad_()
    x.requires_grad_()
    assert_close(ours(x), theirs(y))
    ours(x).square().mean().backward()
    theirs(y).square().mean().backward()
    assert x.grad is not None
    assert y.grad is not None
    assert_close(x.grad, y.grad)
    for our, their in gradients(linear_pairs(ours, theirs)):
        assert_close(our, their)


def test_a_token_of_equal_numbers_becomes_the_shift() -> None:
    module = LayerNorm(4)
    randomize(module)
    for value in (0.0, 3.0, -1e6):
        x = torch.full((1, 2, 4), value, requires_grad=True)
        y = module(x)
        assert_close(y, module.bias.expand(1, 2, 4))
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.isfinite().all()


@pytest.mark.parametrize("shape", [(5,), (2, 3, 5), (4, 1), (0,)])
def test_norm_of_another_width_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape("(..., 4)")) as error:
        LayerNorm(4)(torch.ones(shape))
    assert str(shape) in str(error.value)


# --- PositionwiseFeedForward ----------------------------------------------------------


@given(sizes=SIZES, d_ff=st.integers(1, 20))
def test_feed_forward_is_two_maps_with_a_relu_between(sizes: Sizes, d_ff: int) -> None:
    ours = PositionwiseFeedForward(sizes.d_model, d_ff).to(sizes.dtype)
    randomize(ours, sizes.seed)
    theirs = nn.Sequential(copy.deepcopy(ours.inner), nn.ReLU(), ours.outer)
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_model))
    assert_close(ours(x), theirs(x))
    for token in range(sizes.target):  # each token on its own
        assert_close(ours(x[:, token]), ours(x)[:, token])


def test_feed_forward_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match=re.escape("(..., 4)")) as error:
        PositionwiseFeedForward(4, 16)(torch.ones(2, 3, 5))
    assert "(2, 3, 5)" in str(error.value)


# --- Residual -------------------------------------------------------------------------


@given(sizes=SIZES)
def test_residual_stands_before_or_after_the_norm(sizes: Sizes) -> None:
    (x,) = sizes.tensors((sizes.batch, sizes.target, sizes.d_model))
    linear = nn.Linear(sizes.d_model, sizes.d_model).to(sizes.dtype)
    for norm_first in (False, True):
        module = Residual(sizes.d_model, dropout=0.0, norm_first=norm_first)
        module = module.to(sizes.dtype)
        randomize(module, sizes.seed)
        norm = module.norm
        expected = x + linear(norm(x)) if norm_first else norm(x + linear(x))
        assert_close(module(x, linear), expected)


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


def twin(kind: Any, sizes: Sizes, d_ff: int, norm_first: bool) -> Any:
    """Return one of PyTorch's layers, to copy weights into."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(
            sizes.d_model,
            sizes.heads,
            d_ff,
            dropout=0.0,
            batch_first=True,
            norm_first=norm_first,
            dtype=sizes.dtype,
        )


def config_for(sizes: Sizes, d_ff: int, norm_first: bool) -> Any:
    return tiny_config(
        d_model=sizes.d_model, n_heads=sizes.heads, d_ff=d_ff, norm_first=norm_first
    )


@given(sizes=SIZES, d_ff=st.integers(1, 12), norm_first=st.booleans())
def test_encoder_layer_and_gradients_equal_pytorchs(
    sizes: Sizes, d_ff: int, norm_first: bool
) -> None:
    ours = EncoderLayer(config_for(sizes, d_ff, norm_first)).to(sizes.dtype)
    randomize(ours, sizes.seed)
    theirs = twin(nn.TransformerEncoderLayer, sizes, d_ff, norm_first)
    copy_weights(encoder_layer_pairs(ours, theirs))
    (x,) = sizes.tensors((sizes.batch, sizes.source, sizes.d_model))
    real = sizes.mask(sizes.batch, sizes.source)
    output = ours(x, real[:, None, None])
    expected = theirs(x, src_key_padding_mask=~real)
    assert_close(output, expected)
    output.square().mean().backward()
    expected.square().mean().backward()
    for our, their in gradients(encoder_layer_pairs(ours, theirs)):
        assert_close(our, their)
    assert_close(ours(x), theirs(x))


@given(sizes=SIZES, d_ff=st.integers(1, 12), norm_first=st.booleans())
def test_decoder_layer_and_gradients_equal_pytorchs(
    sizes: Sizes, d_ff: int, norm_first: bool
) -> None:
    ours = DecoderLayer(config_for(sizes, d_ff, norm_first)).to(sizes.dtype)
    randomize(ours, sizes.seed)
    theirs = twin(nn.TransformerDecoderLayer, sizes, d_ff, norm_first)
    copy_weights(decoder_layer_pairs(ours, theirs))
    x, memory = sizes.tensors(
        (sizes.batch, sizes.target, sizes.d_model),
        (sizes.batch, sizes.source, sizes.d_model),
    )
    real = sizes.mask(sizes.batch, sizes.source)
    past = causal_mask(sizes.target)
    output = ours(x, memory, past, real[:, None, None])
    expected = theirs(x, memory, tgt_mask=~past, memory_key_padding_mask=~real)
    assert_close(output, expected)
    output.square().mean().backward()
    expected.square().mean().backward()
    for our, their in gradients(decoder_layer_pairs(ours, theirs)):
        assert_close(our, their)
    assert_close(ours(x, memory), theirs(x, memory))


@pytest.mark.parametrize("argument", ["x", "memory"])
def test_layers_refuse_vectors_of_another_width(argument: str) -> None:
    sizes = {"x": torch.ones(1, 3, 8), "memory": torch.ones(1, 3, 8)}
    sizes[argument] = torch.ones(1, 3, 6)
    with pytest.raises(ValueError, match=re.escape("(1, 3, 6)")):
        DecoderLayer(tiny_config())(**sizes)


def test_layers_refuse_masks_that_do_not_fit() -> None:
    x, memory = torch.ones(2, 3, 8), torch.ones(2, 5, 8)
    for mask in (torch.ones(2, 1, 1, 5), torch.ones(5, 3)):
        with pytest.raises(ValueError, match=re.escape(str(tuple(mask.shape)))):
            EncoderLayer(tiny_config())(x, mask.bool())
        with pytest.raises(ValueError, match=re.escape(str(tuple(mask.shape)))):
            DecoderLayer(tiny_config())(x, memory, tgt_mask=mask.bool())
    transposed = torch.ones(2, 1, 5, 3, dtype=torch.bool)
    with pytest.raises(ValueError, match=r"\(2, 2, 3, 5\).*\(2, 1, 5, 3\)"):
        DecoderLayer(tiny_config())(x, memory, src_mask=transposed)
