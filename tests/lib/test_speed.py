"""Fused pieces: the same numbers as the plain ones, under the same names."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, record_attention
from lib.layers import LayerNorm
from lib.masks import causal_mask
from lib.model import Transformer, count_parameters
from lib.speed import (
    FusedAttention,
    FusedDropout,
    FusedLayerNorm,
    fuse,
    is_plain,
)
from tests.strategies import (
    EVERY_DTYPE,
    SIZES,
    Sizes,
    assert_close,
    assert_same_gradients,
    pad,
    randomize,
    tiny_config,
    tiny_model,
)


def both(sizes: Sizes) -> tuple[MultiHeadAttention, FusedAttention]:
    """Return a plain attention and a fused one with the same weights."""
    plain = MultiHeadAttention(sizes.d_model, sizes.heads).to(sizes.dtype)
    randomize(plain, sizes.seed)
    fused = FusedAttention(sizes.d_model, sizes.heads).to(sizes.dtype)
    fused.load_state_dict(plain.state_dict())
    return plain, fused


def vectors(sizes: Sizes, kind: str) -> list[Tensor]:
    """Return query, key and value for one of the three ways to call an attention."""
    query, key, value = (
        x.requires_grad_()
        for x in sizes.tensors(
            (sizes.batch, sizes.target, sizes.d_model),
            (sizes.batch, sizes.source, sizes.d_model),
            (sizes.batch, sizes.source, sizes.d_model),
        )
    )
    if kind == "self":
        return [query, query, query]
    return [query, key, key] if kind == "cross" else [query, key, value]


# --- attention ------------------------------------------------------------------------


@given(
    sizes=SIZES,
    kind=st.sampled_from(["self", "cross", "three"]),
    shape=st.sampled_from(["none", "padding", "each query", "each head"]),
)
def test_output_and_gradients_equal_the_plain_ones(
    sizes: Sizes, kind: str, shape: str
) -> None:
    columns = sizes.target if kind == "self" else sizes.source
    shapes = {
        "padding": (sizes.batch, 1, 1, columns),
        "each query": (sizes.target, columns),
        "each head": (sizes.batch, sizes.heads, sizes.target, columns),
    }
    # Some rows may see nothing at all.
    mask = None if shape == "none" else sizes.mask(*shapes[shape], full_rows=True)
    plain, fused = both(sizes)
    theirs, ours = vectors(sizes, kind), vectors(sizes, kind)
    expected, _ = plain(*theirs, mask)
    got, weights = fused(*ours, mask)
    assert_close(got, expected)
    assert weights.numel() == 0

    expected.square().mean().backward()
    got.square().mean().backward()
    for our, their in zip(ours, theirs, strict=True):
        assert our.grad is not None
        assert their.grad is not None
        assert_close(our.grad, their.grad)
    assert_same_gradients(fused, plain)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_who_may_see_nothing_gathers_nothing_in_every_dtype(
    dtype: torch.dtype,
) -> None:
    torch.manual_seed(0)
    module = FusedAttention(8, 2).to(dtype)
    x = torch.randn(2, 3, 8, dtype=dtype, requires_grad=True)
    mask = torch.tensor([[True, False, False], [False] * 3, [True, True, False]])
    output, _ = module(x, x, x, mask)
    assert output.dtype == dtype
    assert output.isfinite().all()
    # Nothing was gathered, so only the bias of the last map is left.
    assert torch.equal(output[:, 1], module.output_proj.bias.expand(2, 8))
    output.float().square().sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    assert (x.grad[:, 2] == 0).logical_not().any()  # it still asks, though unseen
    for parameter in module.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_as_near_as_its_digits_allow(dtype: torch.dtype) -> None:
    sizes = Sizes(2, 2, 5, 5, 4, torch.float32, seed=2)
    plain, fused = both(sizes)
    (x,) = sizes.tensors((2, 5, 8))
    expected, _ = plain(x, x, x, causal_mask(5))
    half = x.to(dtype)
    got, _ = fused.to(dtype)(half, half, half, causal_mask(5))
    torch.testing.assert_close(got.float(), expected, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("argument", [0, 1, 2])
@pytest.mark.parametrize("shape", [(2, 8), (8,), (1, 2, 3, 8), (2, 3, 6)])
def test_vectors_of_another_shape_are_refused_as_by_the_plain_one(
    argument: int, shape: tuple[int, ...]
) -> None:
    arguments = [torch.ones(2, 3, 8)] * 3
    arguments[argument] = torch.ones(shape)
    for kind in (MultiHeadAttention, FusedAttention):
        with pytest.raises(ValueError, match=r"\(B, T, 8\)") as error:
            kind(8, 2)(*arguments)
        assert str(shape) in str(error.value)


def test_batches_and_masks_that_do_not_fit_are_refused() -> None:
    module, x = FusedAttention(8, 2), torch.ones(2, 3, 8)
    with pytest.raises(ValueError, match=r"\(2, 2, 3, 4\), \(1, 2, 5, 4\)"):
        module(x, torch.ones(1, 5, 8), torch.ones(1, 5, 8))
    with pytest.raises(ValueError, match=r"one value for each key.*5, 4\).*6, 4\)"):
        module(x, torch.ones(2, 5, 8), torch.ones(2, 6, 8))
    with pytest.raises(ValueError, match=re.escape("(2, 2, 3, 3)")):
        module(x, x, x, torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(TypeError, match=r"must be boolean.*float32"):
        module(x, x, x, torch.ones(3, 3))
    with pytest.raises(ValueError, match="n_heads must divide d_model"):
        FusedAttention(8, 3)


# --- layer norm -----------------------------------------------------------------------


@given(sizes=SIZES, eps=st.sampled_from([1e-5, 1e-3, 1.0]))
def test_the_norm_equals_the_plain_one(sizes: Sizes, eps: float) -> None:
    plain = LayerNorm(sizes.d_model, eps).to(sizes.dtype)
    randomize(plain, sizes.seed)
    fused = FusedLayerNorm(sizes.d_model, eps).to(sizes.dtype)
    fused.load_state_dict(plain.state_dict())
    theirs, ours = (
        sizes.tensors((sizes.batch, sizes.target, sizes.d_model))[0].requires_grad_()
        for _ in range(2)
    )
    assert_close(fused(ours), plain(theirs))
    fused(ours).square().mean().backward()
    plain(theirs).square().mean().backward()
    assert ours.grad is not None
    assert theirs.grad is not None
    assert_close(ours.grad, theirs.grad)
    assert_same_gradients(fused, plain)


@pytest.mark.parametrize("shape", [(2, 3, 6), (6,), (8, 1)])
def test_the_norm_refuses_another_width_as_the_plain_one(
    shape: tuple[int, ...],
) -> None:
    for kind in (LayerNorm, FusedLayerNorm):
        with pytest.raises(ValueError, match=re.escape("(..., 8)")) as error:
            kind(8)(torch.ones(shape))
        assert str(shape) in str(error.value)


# --- dropout --------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.05, 0.1, 0.5, 0.9])
def test_dropout_zeroes_its_share_and_keeps_the_mean(p: float) -> None:
    torch.manual_seed(0)
    x = torch.ones(400, 500)
    output = FusedDropout(p)(x)
    zeros = (output == 0).float().mean().item()
    assert abs(zeros - p) < 5 * (p * (1 - p) / x.numel()) ** 0.5
    kept = output[output != 0]
    assert kept.unique().numel() == 1
    assert abs(kept[0].item() * (1 - p) - 1) < 2e-4
    # No row or column is favored, and neighbors do not follow one another.
    for dim in (0, 1):
        spread = (output == 0).float().mean(dim=dim).std().item()
        expected = (p * (1 - p) / x.size(dim)) ** 0.5
        assert 0.8 * expected < spread < 1.2 * expected
    flat = (output == 0).float().flatten() - p
    for gap in (1, 2, 3, 4):
        together = (flat[gap:] * flat[:-gap]).mean().item() / (p * (1 - p))
        assert abs(together) < 0.015


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0, 4), (5, 7), (2, 3, 4)])
def test_dropout_takes_any_shape(shape: tuple[int, ...]) -> None:
    x = torch.ones(shape)
    assert FusedDropout(0.5)(x).shape == shape
    assert FusedDropout(0.5)(x.expand(2, *shape).transpose(0, -1)).numel() == (
        2 * x.numel()
    )


def test_dropout_passes_the_gradient_where_it_passed_the_number() -> None:
    x = torch.ones(50, 50, dtype=torch.float64, requires_grad=True)
    output = FusedDropout(0.3)(x)
    output.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, output.detach())


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_dropout_keeps_the_dtype(dtype: torch.dtype) -> None:
    assert FusedDropout(0.1)(torch.ones(9, dtype=dtype)).dtype == dtype


def test_one_seed_gives_one_dropout_and_the_next_call_another() -> None:
    dropout, x = FusedDropout(0.5), torch.ones(100)
    torch.manual_seed(3)
    first, second = dropout(x), dropout(x)
    torch.manual_seed(3)
    assert torch.equal(dropout(x), first)
    assert not torch.equal(first, second)


@pytest.mark.parametrize("p", [0.0, 1e-9, 1.0, 0.9999999])
def test_the_ends_of_dropout(p: float) -> None:
    x = torch.ones(200)
    output = FusedDropout(p)(x)
    assert output.isfinite().all()
    assert (output == (1.0 if p < 0.5 else 0.0)).float().mean() > 0.9
    assert torch.equal(FusedDropout(p).eval()(x), x)


# --- fuse -----------------------------------------------------------------------------

SOURCE = pad([[4, 5, 6, 2], [7, 2]])
TARGET = pad([[1, 8, 9], [1, 4, 5]])


@given(
    seed=st.integers(0, 1000), norm_first=st.booleans(), tied=st.booleans(),
    data=st.data(),
)  # fmt: skip
def test_any_sentences_get_the_same_scores_and_gradients(
    seed: int, norm_first: bool, tied: bool, data: st.DataObject
) -> None:
    sentence = st.lists(st.integers(1, 10), min_size=1, max_size=6)
    two = st.lists(sentence, min_size=2, max_size=2)
    src, tgt = pad(data.draw(two)), pad(data.draw(two))
    words = 13 if tied else 11
    sizes: dict[str, Any] = {"norm_first": norm_first, "src_vocab_size": words}
    plain = tiny_model(seed=seed, tie_embeddings=tied, **sizes)
    fused = fuse(copy.deepcopy(plain))
    expected, got = plain(src, tgt), fused(src, tgt)
    assert_close(got, expected)
    expected.square().mean().backward()
    got.square().mean().backward()
    assert_same_gradients(fused, plain)
    assert count_parameters(fused) == count_parameters(plain)


def test_every_attention_norm_and_dropout_is_exchanged_and_nothing_else() -> None:
    model = Transformer(tiny_config(dropout=0.1, norm_first=True))
    names = {name: type(part) for name, part in model.named_modules()}
    fused = fuse(model)
    leaves = {
        MultiHeadAttention: FusedAttention,
        LayerNorm: FusedLayerNorm,
        nn.Dropout: FusedDropout,
    }
    for name, part in fused.named_modules():
        assert type(part) is leaves.get(names[name], names[name]), name
    assert {name: type(part) for name, part in model.named_modules()} == names


def test_the_weights_stay_the_same_tensors_so_an_optimizer_keeps_them() -> None:
    model = tiny_model()
    before = dict(model.named_parameters())
    after = dict(fuse(model).named_parameters())
    assert list(after) == list(before)
    for name, parameter in after.items():
        assert parameter is before[name]
        assert not parameter.is_meta


def test_a_model_is_left_as_it_is_and_may_be_fused_again() -> None:
    model = tiny_model()
    before = dict(model.named_modules())
    fused = fuse(fuse(model))
    assert dict(model.named_modules()) == before
    assert type(model.encoder.layers[0].self_attention) is MultiHeadAttention
    assert type(fused.encoder.layers[0].self_attention) is FusedAttention


class MyNorm(LayerNorm):
    """A variant of somebody's own."""


def test_variants_hooks_and_methods_of_ones_own_are_kept() -> None:
    parts = {name: LayerNorm(8) for name in ("plain", "hooked", "watched", "method")}
    parts["hooked"].register_forward_pre_hook(lambda *args: None)
    parts["watched"].register_full_backward_hook(lambda *args: None)
    parts["method"].forward = lambda x: 2 * x  # type: ignore[method-assign]
    model = nn.ModuleDict({**parts, "mine": MyNorm(8)})
    fused = fuse(model)
    kinds = {name: type(part) for name, part in fused.items()}
    assert kinds.pop("plain") is FusedLayerNorm
    assert kinds.pop("mine") is MyNorm
    assert set(kinds.values()) == {LayerNorm}
    assert fused["method"] is model["method"]  # what it does knows this very object
    assert [is_plain(part) for part in model.values()] == [True, *[False] * 4]


def test_autocast_mixes_the_values_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a processor, the kernel for 16 bits is slow."""
    seen = []
    kernel = nn.functional.scaled_dot_product_attention

    def watched(*args: Tensor) -> Tensor:
        seen.append([x.dtype for x in args[:3]])
        return kernel(*args)

    monkeypatch.setattr(nn.functional, "scaled_dot_product_attention", watched)
    module, x = FusedAttention(8, 2), torch.randn(2, 3, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, _ = module(x, x, x, causal_mask(3))
    assert seen == [[torch.float32] * 3]
    assert output.dtype == torch.bfloat16
    output.float().sum().backward()
    for parameter in module.parameters():
        assert parameter.grad is not None
        assert parameter.grad.dtype == torch.float32


@pytest.mark.parametrize("training", [True, False])
def test_each_part_keeps_its_mode(training: bool) -> None:
    model = Transformer(tiny_config(dropout=0.5)).train(training)
    model.decoder.layers[0].train(not training)
    modes = {name: part.training for name, part in model.named_modules()}
    fused = fuse(model)
    assert {name: part.training for name, part in fused.named_modules()} == modes


def test_each_norm_keeps_its_epsilon_and_each_attention_its_heads() -> None:
    model = nn.ModuleList([LayerNorm(8, eps=0.5), MultiHeadAttention(8, 4)])
    norm, attention = fuse(model)
    assert isinstance(norm, FusedLayerNorm)
    assert isinstance(attention, FusedAttention)
    assert norm.eps == 0.5
    assert attention.n_heads == 4


def test_recording_sees_the_weights_of_a_fused_model_too() -> None:
    plain = tiny_model()
    fused = copy.deepcopy(fuse(plain))
    with record_attention(plain) as expected:
        plain(SOURCE, TARGET)
    with record_attention(fused) as weights:
        recorded = fused(SOURCE, TARGET)
    assert list(weights) == list(expected)
    for name, value in weights.items():
        assert_close(value, expected[name])
    assert_close(recorded, fused(SOURCE, TARGET))
