"""Pitfalls 2 to 7: who may see whom."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from unittest import mock

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lib.attention import scaled_dot_product_attention
from lib.decoding import greedy_decode
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer
from lib.training import translation_loss
from tests.strategies import EVERY_DTYPE, assert_close, pad, tiny_config

Attention = Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
Loss = Callable[[Tensor, Tensor, int], Tensor]


@contextlib.contextmanager
def errors_count_as_failures() -> Iterator[None]:
    """Turn an error inside the block into a failed property."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        raise AssertionError(f"it ended in an error: {error}") from error


def seeded(kind: type[Transformer]) -> Transformer:
    torch.manual_seed(0)
    return kind(tiny_config()).double()


def scores_of(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))


# --- 2 --------------------------------------------------------------------------------


class UpperTriangleWhenWriting(Transformer):
    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        past = causal_mask(tgt.size(1))
        x = self.positions(self.tgt_embedding(tgt))
        if not self.training:
            past = past.T  # keeps the upper triangle instead of cutting it
        return self.output_proj(self.decoder(x, memory, past, src_mask))


def property_the_future_does_not_leak(kind: type[Transformer], training: bool) -> None:
    model = seeded(kind).train(training)
    src = torch.tensor([[5, 6, 7]])
    one, other = torch.tensor([[1, 4, 5, 6]]), torch.tensor([[1, 4, 9, 8]])
    same = torch.isclose(model(src, one)[0, :2], model(src, other)[0, :2])
    assert same.all(), "a later word moved an earlier output"


def property_writing_and_reading_agree(kind: type[Transformer]) -> None:
    """Demand the same scores from writing word by word and from reading it whole."""
    model = seeded(kind).eval()
    src = torch.randint(1, 11, (4, 5))
    steps = []

    def listen(*arguments: Tensor) -> Tensor:
        logits = kind.decode(model, *arguments)
        steps.append(logits[:, -1])
        return logits

    with mock.patch.object(model, "decode", listen):
        written = greedy_decode(model, src, sos_id=1, eos_id=99, max_len=6)
    read = F.pad(written[:, :-1], (1, 0), value=1)
    same = torch.isclose(model(src, read), torch.stack(steps, dim=1))
    assert same.all(), "it reads otherwise than it writes"


def test_pitfall_02_causal_mask_inverted_at_inference() -> None:
    """Training looks fine; only what the model writes is fluent nonsense."""
    wrong = UpperTriangleWhenWriting
    property_the_future_does_not_leak(wrong, training=True)  # looks fine
    with pytest.raises(AssertionError, match="a later word moved"):
        property_the_future_does_not_leak(wrong, training=False)
    with pytest.raises(AssertionError, match="reads otherwise"):
        property_writing_and_reading_agree(wrong)

    for training in (True, False):
        property_the_future_does_not_leak(Transformer, training)
    property_writing_and_reading_agree(Transformer)


# --- 3 --------------------------------------------------------------------------------


def true_means_block(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    weights = scores_of(query, key).masked_fill(mask, -math.inf).softmax(dim=-1)
    return weights @ value, weights


def property_agrees_with_both_conventions(attention: Attention) -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 1, 4, 6, dtype=torch.float64)
    mask = torch.tensor([[1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 0, 1], [0, 0, 1, 0]]).bool()
    output, weights = attention(query, key, value, mask)
    # The function reads True as "keep".
    keep = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, keep), "True does not mean keep"
    # The module reads True as "block"; its maps are set to change nothing.
    theirs = nn.MultiheadAttention(6, 1, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.eye(6).repeat(3, 1))
        theirs.out_proj.weight.copy_(torch.eye(6))
    block, block_weights = theirs(query, key, value, attn_mask=~mask)
    assert_close(output, block)
    assert_close(weights, block_weights)


def test_pitfall_03_mask_polarity_confused() -> None:
    """Training goes on, and the scores are poor."""
    with pytest.raises(AssertionError, match="True does not mean keep"):
        property_agrees_with_both_conventions(true_means_block)
    property_agrees_with_both_conventions(scaled_dot_product_attention)


# --- 4 --------------------------------------------------------------------------------


class NoMaskInEncoder(Transformer):
    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return super().encode(src, torch.ones_like(src_mask))


class NoMaskInCrossAttention(Transformer):
    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt, memory, torch.ones_like(src_mask))


def loss_over_padding(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def property_a_sentence_does_not_feel_its_batch(
    kind: type[Transformer], loss: Loss
) -> None:
    model = seeded(kind)
    sources, targets = [[5, 6, 7, 8], [9, 10]], [[1, 4, 2], [1, 5, 6, 7, 2]]
    tgt = pad(targets)
    logits = model(pad(sources), tgt[:, :-1])
    total, tokens = torch.zeros(()), 0
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        words = torch.tensor([target])
        alone = model(torch.tensor([source]), words[:, :-1])
        same = torch.isclose(logits[row : row + 1, : alone.size(1)], alone)
        assert same.all(), "its logits change with the batch"
        total = total + loss(alone, words[:, 1:], 0) * alone.size(1)
        tokens += alone.size(1)
    together = loss(logits, tgt[:, 1:], 0)
    assert torch.isclose(together, total / tokens), "its loss changes with the batch"


def test_pitfall_04_padding_mask_missing() -> None:
    """It trains, but the answer depends on the batch that a sentence stands in."""
    for wrong in (NoMaskInEncoder, NoMaskInCrossAttention):
        with pytest.raises(AssertionError, match="its logits change"):
            property_a_sentence_does_not_feel_its_batch(wrong, translation_loss)
    with pytest.raises(AssertionError, match="its loss changes"):
        property_a_sentence_does_not_feel_its_batch(Transformer, loss_over_padding)
    property_a_sentence_does_not_feel_its_batch(Transformer, translation_loss)


# --- 5 --------------------------------------------------------------------------------


class TransposedCrossMask(Transformer):
    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        rows = src_mask.transpose(-2, -1)  # (B, 1, S, 1): rows from the source
        columns = padding_mask(tgt, self.config.pad_id)  # (B, 1, 1, T)
        return super().decode(tgt, memory, rows & columns)


def property_different_lengths_and_padding_work(kind: type[Transformer]) -> None:
    model = seeded(kind)
    sources, targets = [[5, 6, 7, 8, 9], [9, 10]], [[1, 4, 3], [1, 5, 6]]
    with errors_count_as_failures():
        together = model(pad(sources), pad(targets))
        alone = model(pad(sources[1:]), pad(targets[1:]))
    assert torch.allclose(together[1:], alone), "padding in the source was seen"


def test_pitfall_05_cross_attention_mask_transposed() -> None:
    """An error when the lengths differ; when they are equal, silence."""
    with pytest.raises(AssertionError, match="ended in an error"):
        property_different_lengths_and_padding_work(TransposedCrossMask)
    property_different_lengths_and_padding_work(Transformer)

    # Equal lengths: no error, other numbers.
    src, tgt = pad([[5, 6, 7], [9, 10]]), pad([[1, 4, 3], [1, 5, 6]])
    silent, right = seeded(TransposedCrossMask)(src, tgt), seeded(Transformer)(src, tgt)
    assert silent.isfinite().all()
    assert torch.allclose(silent[0], right[0])
    assert not torch.allclose(silent[1], right[1])


# --- 6 and 7 --------------------------------------------------------------------------


def masked_with(number: float) -> Attention:
    def attention(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = scores_of(query, key).masked_fill(~mask, number).softmax(dim=-1)
        return weights @ value, weights

    return attention


def property_a_row_that_sees_nothing_stays_finite(attention: Attention) -> None:
    torch.manual_seed(0)
    words = torch.randn(3, 4, requires_grad=True)
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 0]]).bool()  # a row of padding
    output, _ = attention(words, words, words, mask)
    assert output.isfinite().all(), "the row is not finite"
    output.sum().backward()
    assert words.grad is not None
    assert words.grad.isfinite().all(), "the gradient is not finite"


def test_pitfall_06_query_rows_of_padding_fully_masked() -> None:
    """The loss turns into NaN, often only at a later batch, and stays so."""
    wrong = masked_with(-math.inf)
    with pytest.raises(AssertionError, match="the row is not finite"):
        property_a_row_that_sees_nothing_stays_finite(wrong)
    property_a_row_that_sees_nothing_stays_finite(scaled_dot_product_attention)

    # How it spreads: one layer later no row is a number any more.
    words = torch.randn(3, 4)
    blind_row = torch.tensor([[1, 1, 1], [1, 1, 1], [0, 0, 0]]).bool()
    first, _ = wrong(words, words, words, blind_row)
    second, _ = wrong(first, first, first, torch.ones(3, 3, dtype=torch.bool))
    assert first.isnan().any(dim=-1).tolist() == [False, False, True]
    assert second.isnan().all()


def property_masked_weights_are_zero(attention: Attention, dtype: torch.dtype) -> None:
    query = torch.tensor([[200.0], [1.0], [1.0]], dtype=dtype)
    key = torch.tensor([[-100.0], [100.0], [1.0]], dtype=dtype)
    # The first row may see only a very unlikely word (score -20000), the last nothing.
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 0]]).bool()
    with errors_count_as_failures():
        output, weights = attention(query, key, key, mask)
    assert output.isfinite().all(), "the output overflows"
    assert (weights[~mask] == 0).all(), "the mask leaks"


def test_pitfall_07_a_large_number_instead_of_a_mask() -> None:
    """Overflow in half precision; or a mask that leaks where it matters most."""
    for dtype in EVERY_DTYPE:
        a_billion = "ended in an error" if dtype == torch.float16 else "the mask leaks"
        with pytest.raises(AssertionError, match=a_billion):
            property_masked_weights_are_zero(masked_with(-1e9), dtype)
        with pytest.raises(AssertionError, match="the mask leaks"):
            property_masked_weights_are_zero(masked_with(-1e4), dtype)
        property_masked_weights_are_zero(scaled_dot_product_attention, dtype)
