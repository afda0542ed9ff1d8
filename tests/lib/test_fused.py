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
from lib.decoding import greedy_decode
from lib.layers import LayerNorm
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer, count_parameters
from lib.speed import FusedAttention, FusedDropout, FusedLayerNorm, fuse
from tests.strategies import (
    EVERY_DTYPE,
    FEW,
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


@FEW
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


def test_mixed_precision_trains() -> None:
    module = FusedAttention(8, 2)
    x = torch.randn(2, 3, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, _ = module(x, x, x, causal_mask(3))
    assert output.dtype == torch.bfloat16
    output.float().sum().backward()
    for parameter in module.parameters():
        assert parameter.grad is not None
        assert parameter.grad.dtype == torch.float32


def test_what_is_masked_changes_nothing() -> None:
    module = FusedAttention(8, 2)
    x = torch.randn(2, 4, 8)
    before, _ = module(x, x, x, causal_mask(4))
    x = x.clone()
    x[:, -1] += 100
    after, _ = module(x, x, x, causal_mask(4))
    assert torch.equal(before[:, :-1], after[:, :-1])
    assert not torch.equal(before[:, -1], after[:, -1])


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


@FEW
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


def test_an_impossible_share_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.5"):
        FusedDropout(1.5)


# --- fuse -----------------------------------------------------------------------------

SOURCE = pad([[4, 5, 6, 2], [7, 2]])
TARGET = pad([[1, 8, 9], [1, 4, 5]])


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_fused_transformer_equals_the_plain_one(
    norm_first: bool, tied: bool, dtype: torch.dtype
) -> None:
    sizes: dict[str, Any] = {"norm_first": norm_first, "tie_embeddings": tied}
    if tied:
        sizes["src_vocab_size"] = 13
    plain = tiny_model(dtype, **sizes)
    fused = fuse(copy.deepcopy(plain))
    expected, got = plain(SOURCE, TARGET), fused(SOURCE, TARGET)
    assert_close(got, expected)
    expected.square().mean().backward()
    got.square().mean().backward()
    assert_same_gradients(fused, plain)
    assert count_parameters(fused) == count_parameters(plain)


@FEW
@given(seed=st.integers(0, 1000), norm_first=st.booleans(), data=st.data())
def test_any_sentences_get_the_same_scores(
    seed: int, norm_first: bool, data: st.DataObject
) -> None:
    sentence = st.lists(st.integers(1, 10), min_size=1, max_size=6)
    two = st.lists(sentence, min_size=2, max_size=2)
    src, tgt = pad(data.draw(two)), pad(data.draw(two))
    plain = tiny_model(seed=seed, norm_first=norm_first)
    expected = plain(src, tgt)
    assert_close(fuse(plain)(src, tgt), expected)


def test_every_attention_norm_and_dropout_is_exchanged_and_nothing_else() -> None:
    model = Transformer(tiny_config(dropout=0.1, norm_first=True))
    names = {name: type(part) for name, part in model.named_modules()}
    twin = fuse(model)
    twins = {
        MultiHeadAttention: FusedAttention,
        LayerNorm: FusedLayerNorm,
        nn.Dropout: FusedDropout,
    }
    for name, part in twin.named_modules():
        assert type(part) is twins.get(names[name], names[name]), name
    assert {name: type(part) for name, part in model.named_modules()} == names


def test_weights_go_from_plain_to_fused_and_back_by_name() -> None:
    plain = tiny_model(torch.float32)
    fused = fuse(tiny_model(torch.float32, seed=1))
    assert list(fused.state_dict()) == list(plain.state_dict())
    fused.load_state_dict(plain.state_dict())
    assert_close(fused(SOURCE, TARGET), plain(SOURCE, TARGET))
    again = tiny_model(torch.float32, seed=2)
    again.load_state_dict(fused.state_dict())
    assert torch.equal(again(SOURCE, TARGET), plain(SOURCE, TARGET))


def test_the_weights_stay_the_same_tensors_so_an_optimizer_keeps_them() -> None:
    model = tiny_model()
    before = dict(model.named_parameters())
    after = dict(fuse(model).named_parameters())
    assert list(after) == list(before)
    for name, parameter in after.items():
        assert parameter is before[name]
        assert not parameter.is_meta


def test_tied_embeddings_stay_tied() -> None:
    model = fuse(tiny_model(tie_embeddings=True, src_vocab_size=13))
    assert model.src_embedding.table.weight is model.tgt_embedding.table.weight
    assert model.output_proj.weight is model.tgt_embedding.table.weight


def test_a_model_is_left_as_it_is_and_a_twin_may_be_fused_again() -> None:
    model = tiny_model()
    before = dict(model.named_modules())
    twin = fuse(fuse(model))
    assert dict(model.named_modules()) == before
    assert type(model.encoder.layers[0].self_attention) is MultiHeadAttention
    assert type(twin.encoder.layers[0].self_attention) is FusedAttention


def test_what_one_of_two_twins_learns_the_other_knows() -> None:
    model = tiny_model()
    twin = fuse(model)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(0.1)
    assert_close(model(SOURCE, TARGET), twin(SOURCE, TARGET))


@pytest.mark.parametrize("training", [True, False])
def test_each_part_keeps_its_mode(training: bool) -> None:
    model = Transformer(tiny_config(dropout=0.5)).train(training)
    model.decoder.layers[0].train(not training)
    modes = {name: part.training for name, part in model.named_modules()}
    twin = fuse(model)
    assert {name: part.training for name, part in twin.named_modules()} == modes


class MyAttention(MultiHeadAttention):
    """A variant of somebody's own."""


class MyNorm(LayerNorm):
    """Another."""


def test_variants_of_ones_own_are_kept() -> None:
    model = nn.ModuleDict(
        {"attention": MyAttention(8, 2), "norm": MyNorm(8), "plain": LayerNorm(8)}
    )
    kinds = [type(part) for part in fuse(model).values()]
    assert kinds == [MyAttention, MyNorm, FusedLayerNorm]


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


def test_a_fused_model_writes_the_same_sentences() -> None:
    plain = tiny_model()
    fused = fuse(copy.deepcopy(plain))
    expected = greedy_decode(plain, SOURCE, 1, 2, max_len=8)
    assert torch.equal(greedy_decode(fused, SOURCE, 1, 2, max_len=8), expected)


def test_padding_beside_a_sentence_does_not_change_it() -> None:
    model = fuse(tiny_model())
    alone = model(SOURCE[1:, :2], TARGET[1:])
    assert_close(model(SOURCE, TARGET)[1:], alone)
    assert padding_mask(SOURCE, 0)[1, 0, 0].tolist() == [True, True, False, False]


def test_training_makes_the_loss_fall() -> None:
    torch.manual_seed(0)
    model = fuse(Transformer(tiny_config(dropout=0.1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for _ in range(40):
        logits = model(SOURCE, TARGET[:, :-1])
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), TARGET[:, 1:].flatten(), ignore_index=0
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
