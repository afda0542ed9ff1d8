"""Packing: the same scores, losses and gradients, and nothing computed for padding."""

from __future__ import annotations

import copy
from typing import Any
from unittest import mock

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

import lib.attention
import lib.layers
import lib.model
from lib.attention import MultiHeadAttention, record_attention
from lib.config import TransformerConfig
from lib.layers import DecoderLayer, EncoderLayer, LayerNorm
from lib.model import Transformer
from lib.positions import PositionalEncoding
from lib.speed import can_be_packed, changed_part, fuse, packed_logits
from lib.text import Batch
from lib.training import (
    TranslationTask,
    packed_translation_loss,
    translation_loss,
)
from tests.strategies import FEW, pad, tiny_config, tiny_model

KINDS = st.fixed_dictionaries(
    {"norm_first": st.booleans(), "tie_embeddings": st.booleans()}
)


def lively(seed: int = 0, **changes: Any) -> Transformer:
    """Return a model whose vocabularies are alike, so that it may tie its tables."""
    return tiny_model(seed=seed, **{"tgt_vocab_size": 11, **changes})


@st.composite
def sentences(draw: st.DrawFn, count: int) -> Tensor:
    """Draw a padded batch; padding may stand inside a sentence too."""
    rows = [
        [draw(st.integers(1, 10)), *draw(st.lists(st.integers(0, 10), max_size=6))]
        for _ in range(count)
    ]
    return pad(rows)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    count = draw(st.integers(1, 5))
    return draw(sentences(count)), draw(sentences(count))


SRC = pad([[3, 4, 5], [6], [7, 8, 9], [3, 3]])
TGT_IN = pad([[1, 3, 4], [1, 5, 5], [1, 4], [1, 9, 9]])
TGT_OUT = pad([[3, 4, 2], [5, 5, 2], [4, 2], [9, 9, 2]])
BATCH = Batch(SRC, TGT_IN, TGT_OUT)


@FEW
@given(pair=pairs(), kind=KINDS, fused=st.booleans(), seed=st.integers(0, 99))
def test_the_scores_are_those_of_the_model(
    pair: tuple[Tensor, Tensor], kind: dict[str, bool], fused: bool, seed: int
) -> None:
    src, tgt = pair
    model = lively(seed, **kind)
    model = fuse(model) if fused else model
    assert fused or can_be_packed(model, src, tgt)
    logits, places = packed_logits(model, src, tgt)
    assert sorted(places.tolist()) == tgt.flatten().nonzero()[:, 0].tolist()
    expected = model(src, tgt).flatten(0, 1)[places]
    torch.testing.assert_close(logits, expected)


@FEW
@given(
    pair=pairs(),
    kind=KINDS,
    smoothing=st.sampled_from([0.0, 0.1]),
    seed=st.integers(0, 99),
)
def test_loss_and_gradients_are_those_of_the_model(
    pair: tuple[Tensor, Tensor], kind: dict[str, bool], smoothing: float, seed: int
) -> None:
    src, tgt = pair
    batch = Batch(src, tgt, torch.where(tgt == 0, 0, (tgt + seed) % 10 + 1))
    plain = lively(seed, **kind)
    packed = copy.deepcopy(plain)
    expected = translation_loss(plain(src, tgt), batch.tgt_out, 0, smoothing)
    got = packed_translation_loss(packed, batch, 0, smoothing)
    torch.testing.assert_close(got, expected)
    expected.backward()
    got.backward()
    for (name, theirs), ours in zip(
        plain.named_parameters(), packed.parameters(), strict=True
    ):
        torch.testing.assert_close(ours.grad, theirs.grad, msg=name)


def test_sentences_do_not_see_one_another() -> None:
    model = lively()
    logits, places = packed_logits(model, SRC, TGT_IN)
    other_src, other_tgt = SRC.clone(), TGT_IN.clone()
    other_src[0], other_tgt[0, 1:] = torch.tensor([9, 8, 7]), torch.tensor([6, 6])
    changed, same_places = packed_logits(model, other_src, other_tgt)
    assert torch.equal(places, same_places)
    first = places < TGT_IN.size(1)
    torch.testing.assert_close(logits[~first], changed[~first])
    assert not torch.isclose(logits[first], changed[first]).all(dim=1).any()


def test_no_word_sees_a_later_one() -> None:
    model = lively()
    logits, places = packed_logits(model, SRC, TGT_IN)
    later = TGT_IN.clone()
    later[:, 2] = torch.where(later[:, 2] == 0, 0, 10)
    changed, _ = packed_logits(model, SRC, later)
    early = places % TGT_IN.size(1) < 2
    assert torch.equal(logits[early], changed[early])
    assert not torch.isclose(logits[~early], changed[~early]).all()


def test_nothing_is_computed_for_padding() -> None:
    def count(tgt: Tensor) -> int:
        model = lively()
        with FlopCounterMode(display=False) as counter:
            packed_logits(model, SRC, tgt)
        return int(counter.get_total_flops())

    wide = nn.functional.pad(TGT_IN, (0, 5))
    assert count(wide) == count(TGT_IN)


def test_dropout_falls_anew_and_by_the_seed() -> None:
    model = fuse(lively(dropout=0.5)).train()
    seen = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        seen.append(packed_logits(model, SRC, TGT_IN)[0])
    assert torch.equal(seen[0], seen[1])
    assert not torch.allclose(seen[0], seen[2])


def test_half_precision_comes_close() -> None:
    model = fuse(lively()).float()
    full = packed_translation_loss(model, BATCH, 0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = packed_translation_loss(model, BATCH, 0)
    half.backward()
    assert half.item() == pytest.approx(full.item(), rel=0.05)


class Variant(Transformer):
    pass


class Loud(LayerNorm):
    def forward(self, x: Tensor) -> Tensor:
        return 2 * super().forward(x)


def hooked() -> Transformer:
    model = lively()
    model.encoder.layers[0].register_forward_pre_hook(lambda *args: None)
    return model


def watched() -> Transformer:
    model = lively()
    model.register_forward_hook(lambda *args: None)
    return model


def with_another_norm() -> Transformer:
    model = lively()
    layer = model.decoder.layers[1]
    assert isinstance(layer, DecoderLayer)
    layer.feed_forward_residual.norm = Loud(8).double()
    return model


def with_another_decode() -> Transformer:
    model = lively()
    original = model.decode
    model.decode = lambda *args: 2 * original(*args)  # type: ignore[method-assign]
    return model


def without_positions() -> Transformer:
    model = lively()
    model.positions = nn.Identity()  # type: ignore[assignment]
    return model


def with_a_stack_in_the_stack() -> Transformer:
    model = lively()
    model.encoder.layers.append(lively(seed=1).encoder)
    return model


def with_another_map(another: nn.Module) -> Transformer:
    model = lively()
    layer = model.decoder.layers[0]
    assert isinstance(layer, DecoderLayer)
    layer.cross_attention.query_proj = another  # type: ignore[assignment]
    return model.double()


def without_a_map() -> Transformer:
    return with_another_map(nn.Identity())


def without_a_bias() -> Transformer:
    return with_another_map(nn.Linear(8, 8, bias=False))


def with_a_doubled_layer() -> Transformer:
    model = lively()
    layer = model.encoder.layers[1]
    original = layer.forward
    layer.forward = lambda *args: 2 * original(*args)
    return model


def watched_backward() -> Transformer:
    model = lively()
    model.decoder.register_full_backward_pre_hook(lambda *args: None)
    return model


def a_subclass() -> Transformer:
    return Variant(tiny_config(tgt_vocab_size=11)).double().eval()


CHANGED = [
    hooked,
    watched,
    watched_backward,
    with_a_doubled_layer,
    with_a_stack_in_the_stack,
    with_another_decode,
    with_another_norm,
    without_a_bias,
    without_a_map,
    without_positions,
    a_subclass,
]


@pytest.mark.parametrize("make", CHANGED)
def test_a_changed_model_is_asked_itself(make: Any) -> None:
    model = make()
    assert not can_be_packed(model, SRC, TGT_IN)
    with mock.patch("lib.training.objective.packed_logits") as packed:
        got = packed_translation_loss(model, BATCH, 0)
    packed.assert_not_called()
    expected = translation_loss(model(SRC, TGT_IN), TGT_OUT, 0)
    torch.testing.assert_close(got, expected)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (MultiHeadAttention, "split_heads"),
        (PositionalEncoding, "forward"),
        (EncoderLayer, "forward"),
        (Transformer, "decode"),
        (lib.attention, "scaled_dot_product_attention"),
        (lib.model, "causal_mask"),
    ],
)
def test_a_method_written_over_is_heeded(owner: Any, name: str) -> None:
    model, original = lively(), getattr(owner, name)
    with mock.patch.object(owner, name, lambda *args: original(*args)):
        assert not can_be_packed(model, SRC, TGT_IN)
    assert can_be_packed(model, SRC, TGT_IN)


def test_what_compiling_leaves_in_the_modules_is_no_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lib.layers, "__compiled_fn_1", lambda: None, raising=False)
    assert can_be_packed(lively(), SRC, TGT_IN)


def test_a_compiled_model_is_asked_itself() -> None:
    model = lively()
    model.compile(backend="eager")
    assert not can_be_packed(model, SRC, TGT_IN)
    assert changed_part(model)


def test_recording_sees_the_weights_in_training_too() -> None:
    model = fuse(lively())
    with record_attention(model) as weights:
        packed_translation_loss(model, BATCH, 0)
    assert len(weights) == 6
    assert all(weight.numel() for weight in weights.values())


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        (torch.zeros(4, 3).long(), TGT_IN),  # nothing to read
        (SRC, torch.zeros(4, 3).long()),  # nothing to score
        (SRC[:2], TGT_IN),
        (SRC[0], TGT_IN),
        (SRC.repeat(1, 9), TGT_IN),  # longer than the model's positions
        (SRC[:0], TGT_IN[:0]),
        (SRC.to("meta"), TGT_IN.to("meta")),  # stands for any other device
    ],
)
def test_sentences_that_cannot_be_packed(src: Tensor, tgt: Tensor) -> None:
    assert not can_be_packed(lively(), src, tgt)


def test_what_the_model_refuses_is_refused_in_its_words() -> None:
    long = Batch(SRC.repeat(1, 9), TGT_IN, TGT_OUT)
    with pytest.raises(ValueError, match="longer than max_len = 12"):
        packed_translation_loss(lively(), long, 0)
    model = lively()
    model.positions = PositionalEncoding(8, max_len=2)
    with pytest.raises(ValueError, match="longer than max_len = 2"):
        packed_translation_loss(model, BATCH, 0)
    with pytest.raises(TypeError, match="whole numbers"):
        packed_translation_loss(lively(), Batch(SRC.double(), TGT_IN, TGT_OUT), 0)
    with pytest.raises(ValueError, match="between 0 and 10"):
        packed_translation_loss(lively(), Batch(SRC + 90, TGT_IN, TGT_OUT), 0)
    with pytest.raises(ValueError, match="as many sources as targets"):
        packed_translation_loss(lively(), Batch(SRC[:2], TGT_IN, TGT_OUT), 0)
    with pytest.raises(ValueError, match=r"theirs are \(4, 3, 11\) and \(4, 2\)"):
        packed_translation_loss(lively(), Batch(SRC, TGT_IN, TGT_OUT[:, :2]), 0)
    for each in (lively(), hooked()):  # packed, and the long way
        with pytest.raises(ValueError, match="all labels are padding"):
            packed_translation_loss(each, Batch(SRC, TGT_IN, 0 * TGT_OUT), 0)


@pytest.mark.parametrize("pad_id", [0, 10])  # of the labels; the model's is 0
def test_a_label_beside_padding_counts_all_the_same(pad_id: int) -> None:
    model, labels = lively(), TGT_OUT.clone()
    labels[2, 2] = 7  # the decoder reads padding there
    expected = translation_loss(model(SRC, TGT_IN), labels, pad_id)
    got = packed_translation_loss(model, Batch(SRC, TGT_IN, labels), pad_id)
    torch.testing.assert_close(got, expected)


def test_the_training_of_the_book_packs() -> None:
    sizes = TransformerConfig(11, 11, d_model=8, n_heads=2, d_ff=16, dropout=0.0)
    task = TranslationTask(sizes, sos_id=1, eos_id=2, label_smoothing=0.1)
    with torch.no_grad():
        expected = translation_loss(task.model(SRC, TGT_IN), TGT_OUT, 0, 0.1)
    with mock.patch("lib.training.objective.packed_logits", wraps=packed_logits) as it:
        loss = task.training_step(BATCH)
    it.assert_called_once()
    torch.testing.assert_close(loss, expected)
