"""Fused pieces: the same numbers as the plain ones, under the same names."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, record_attention
from lib.layers import LayerNorm
from lib.masks import causal_mask
from lib.model import Transformer
from lib.speed import (
    FusedAttention,
    FusedDropout,
    FusedLayerNorm,
    fuse,
    is_plain,
)
from tests.pytorch_twins import assert_learn_alike, one_by_one
from tests.strategies import (
    EVERY_DTYPE,
    SIZES,
    Sizes,
    assert_close,
    pad,
    randomize,
    tiny_config,
    tiny_model,
)


def both(
    sizes: Sizes, kind: type[nn.Module], *arguments: float
) -> tuple[nn.Module, nn.Module]:
    """Return a plain piece, and a copy of its numbers that is fused."""
    plain = kind(sizes.d_model, *arguments).to(sizes.dtype)
    randomize(plain, sizes.seed)
    return plain, fuse(copy.deepcopy(plain))


def vectors(sizes: Sizes, kind: str) -> list[Tensor]:
    """Return query, key and value for one of the three ways to call an attention."""
    lengths = (sizes.target, sizes.source, sizes.source)
    query, key, value = (x.requires_grad_() for x in sizes.vectors(*lengths))
    calls = {"self": [query] * 3, "cross": [query, key, key]}
    return calls.get(kind, [query, key, value])


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
    plain, fused = both(sizes, MultiHeadAttention, sizes.heads)
    theirs, ours = vectors(sizes, kind), vectors(sizes, kind)
    expected, _ = plain(*theirs, mask)
    got, weights = fused(*ours, mask)
    assert weights.numel() == 0
    learning = ([*ours, *fused.parameters()], [*theirs, *plain.parameters()])
    assert_learn_alike(got, expected, one_by_one(*learning))


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
    learning = [x, *module.parameters()]
    gradients = torch.autograd.grad(output.float().square().sum(), learning)
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert (gradients[0][:, 2] != 0).any()  # it still asks, though unseen


# --- layer norm -----------------------------------------------------------------------


@given(sizes=SIZES, eps=st.sampled_from([1e-5, 1e-3, 1.0]))
def test_the_norm_equals_the_plain_one(sizes: Sizes, eps: float) -> None:
    plain, fused = both(sizes, LayerNorm, eps)
    theirs, ours = (sizes.vectors(sizes.target)[0].requires_grad_() for _ in "12")
    learning = ([ours, *fused.parameters()], [theirs, *plain.parameters()])
    assert_learn_alike(fused(ours), plain(theirs), one_by_one(*learning))


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


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_dropout_takes_any_shape_and_dtype(dtype: torch.dtype) -> None:
    for shape in ((), (3,), (0, 4), (5, 7)):
        x = torch.ones(2, *shape, dtype=dtype).transpose(0, -1)
        output = FusedDropout(0.5)(x)
        assert (output.shape, output.dtype) == (x.shape, dtype)


def test_dropout_passes_the_gradient_where_it_passed_the_number() -> None:
    x = torch.ones(50, 50, dtype=torch.float64, requires_grad=True)
    output = FusedDropout(0.3)(x)
    (gradient,) = torch.autograd.grad(output.sum(), x)
    assert torch.equal(gradient, output)


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
    learning = (fused.parameters(), plain.parameters())
    assert_learn_alike(fused(src, tgt), plain(src, tgt), one_by_one(*learning))


def test_attention_norm_and_dropout_are_exchanged_and_all_else_stays() -> None:
    model = Transformer(tiny_config(dropout=0.1, norm_first=True))
    model.decoder.layers[0].eval()
    weights = dict(model.named_parameters())
    kinds = {name: type(part) for name, part in model.named_modules()}
    modes = {name: part.training for name, part in model.named_modules()}
    leaves = {
        MultiHeadAttention: FusedAttention,
        LayerNorm: FusedLayerNorm,
        nn.Dropout: FusedDropout,
    }
    for fused in [fuse(model), fuse(fuse(model))]:
        for name, part in fused.named_modules():
            assert part.training == modes[name], name
            assert type(part) is leaves.get(kinds[name], kinds[name]), name
        # The very tensors, so an optimizer keeps them.
        after = dict(fused.named_parameters())
        assert after.keys() == weights.keys()
        assert all(after[name] is weights[name] for name in weights)
    assert {name: type(part) for name, part in model.named_modules()} == kinds


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
