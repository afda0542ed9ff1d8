"""Pitfalls 1, 17, 19 and 20: what the decoder is fed, and what counts as right."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from lib import corpora
from lib.config import TransformerConfig
from lib.decoding import greedy_decode
from lib.model import Transformer
from lib.text import EOS, PAD, SOS, UNK, Batch, ParallelDataset, Vocabulary, collate
from lib.training import token_accuracy, translation_loss
from tests.strategies import tiny_model

Collate = Callable[[Sequence[tuple[Tensor, Tensor]], int], Batch]
Loss = Callable[[Tensor, Tensor, int], Tensor]

# --- 1 --------------------------------------------------------------------------------


def collate_without_shift(pairs: Sequence[tuple[Tensor, Tensor]], pad_id: int) -> Batch:
    batch = collate(pairs, pad_id)
    return batch._replace(tgt_in=batch.tgt_out)  # the input is also the target


def property_a_step_does_not_see_its_own_target(shift: Collate) -> None:
    model = tiny_model()
    source, target = torch.tensor([5, 6, 2]), torch.tensor([1, 7, 8, 9, 2])
    before = shift([(source, target)], 0)
    for step in range(4):
        other = target.clone()
        other[step + 1] = 10  # another right answer at this step
        after = shift([(source, other)], 0)
        assert after.tgt_out[0, step] == 10
        same = torch.isclose(
            model(after.src, after.tgt_in)[0, step],
            model(before.src, before.tgt_in)[0, step],
        )
        assert same.all(), "the answer was in the input"


@functools.cache
def scores_on_phrases(shift: Collate, seed: int) -> tuple[int, int]:
    """Train on eight phrases; count those right when fed the answer, and when not."""
    pairs = corpora.load("phrases").splits["train"][:8]
    english, spanish = (Vocabulary.build(side) for side in zip(*pairs, strict=True))
    data = ParallelDataset(pairs, english, spanish)
    batch = shift([data[i] for i in range(len(data))], data.pad_id)
    torch.manual_seed(seed)
    config = TransformerConfig(
        len(english), len(spanish), 32, n_heads=2, n_layers=1, d_ff=64, dropout=0.0
    )
    model = Transformer(config)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(50):
        optimizer.zero_grad()
        logits = model(batch.src, batch.tgt_in)
        translation_loss(logits, batch.tgt_out, data.pad_id).backward()
        optimizer.step()

    right = (logits.argmax(dim=-1) == batch.tgt_out) | (batch.tgt_out == data.pad_id)
    written = greedy_decode(model, batch.src, spanish.sos_id, spanish.eos_id, 20)
    free = [spanish.decode(row) for row in written.tolist()]
    return int(right.all(dim=1).sum()), sum(
        text == target for text, (_, target) in zip(free, pairs, strict=True)
    )


def property_it_writes_what_it_learned(shift: Collate, seed: int) -> None:
    fed, free = scores_on_phrases(shift, seed)
    assert free == fed, f"{fed} of 8 when fed the answer, {free} of 8 when it writes"


def test_pitfall_01_the_decoders_input_is_also_its_target() -> None:
    """Perfect scores when fed the answer: 8 of 8. When it has to write: 0 of 8."""
    with pytest.raises(AssertionError, match="the answer was in the input"):
        property_a_step_does_not_see_its_own_target(collate_without_shift)
    property_a_step_does_not_see_its_own_target(collate)
    for seed in (0, 1):
        with pytest.raises(AssertionError, match=r"8 of 8 when fed .* 0 of 8 when it"):
            property_it_writes_what_it_learned(collate_without_shift, seed)
        property_it_writes_what_it_learned(collate, seed)
        assert scores_on_phrases(collate, seed) == (8, 8)


# --- 17 -------------------------------------------------------------------------------


class SoftmaxInside(Transformer):
    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt, memory, src_mask).softmax(dim=-1)


def loss_of_probabilities(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    """Expect log-probabilities, but be given probabilities."""
    probabilities = logits.softmax(dim=-1).flatten(0, 1)
    return F.nll_loss(probabilities, labels.flatten(), ignore_index=pad_id)


def start(kind: type[Transformer]) -> tuple[Transformer, Tensor, Tensor]:
    torch.manual_seed(0)
    model = kind(TransformerConfig(50, 50, d_model=16, n_heads=2, n_layers=1, d_ff=32))
    return model.eval(), torch.randint(1, 50, (8, 6)), torch.randint(1, 50, (8, 6))


def property_the_loss_starts_at_ln_v(kind: type[Transformer], loss: Loss) -> None:
    model, src, tgt = start(kind)
    value = loss(model(src, tgt), tgt.roll(1), 0).item()
    assert abs(value - math.log(50)) < 0.7, f"the loss starts at {value:.2f}"


def property_a_sure_and_right_answer_costs_nothing(
    kind: type[Transformer], loss: Loss
) -> None:
    model, src, tgt = start(kind)
    with torch.no_grad():
        model.output_proj.bias[7] = 100.0  # sure that the next word is number 7
    value = loss(model(src, tgt), torch.full_like(tgt, 7), 0).item()
    assert abs(value) < 1e-3, f"the loss cannot fall below {value:.2f}"


def test_pitfall_17_softmax_twice() -> None:
    """Slow learning, and a loss that never gets near zero.

    The loss at the start finds a loss that takes the logarithm of nothing. It does not
    find a second softmax, which starts at ln V too, and stays near it.
    """
    with pytest.raises(AssertionError, match=r"the loss starts at -0\.02"):
        property_the_loss_starts_at_ln_v(Transformer, loss_of_probabilities)
    property_the_loss_starts_at_ln_v(SoftmaxInside, translation_loss)  # not found
    with pytest.raises(AssertionError, match=r"cannot fall below 2\.9"):
        property_a_sure_and_right_answer_costs_nothing(SoftmaxInside, translation_loss)
    property_the_loss_starts_at_ln_v(Transformer, translation_loss)
    property_a_sure_and_right_answer_costs_nothing(Transformer, translation_loss)


# --- 19 -------------------------------------------------------------------------------


def accuracy_over_padding(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return (logits.argmax(dim=-1) == labels).float().mean()


def loss_over_padding(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def property_answering_padding_is_worth_nothing(accuracy: Loss) -> None:
    labels = torch.tensor([[4, 2, 0, 0, 0, 0, 0, 0], [5, 6, 2, 0, 0, 0, 0, 0]])
    always_padding = F.one_hot(torch.zeros_like(labels), 9).float()
    score = accuracy(always_padding, labels, 0).item()
    assert score == 0, f"{score:.0%} right, and not one word"


def property_more_padding_changes_nothing(measure: Loss) -> None:
    torch.manual_seed(0)
    logits, labels = torch.randn(2, 3, 9), torch.tensor([[4, 5, 2], [6, 2, 0]])
    labels[0, 0] = logits[0, 0].argmax()  # one word is right
    value = measure(logits, labels, 0)
    longer = torch.cat([logits, F.one_hot(torch.zeros(2, 5).long(), 9)], dim=1)
    padded = measure(longer, F.pad(labels, (0, 5)), 0)
    assert torch.isclose(padded, value), "padding moved the measure"


def test_pitfall_19_padding_counted_as_right() -> None:
    """69% accuracy that mean nothing: the longest sentence decides the score."""
    with pytest.raises(AssertionError, match="69% right, and not one word"):
        property_answering_padding_is_worth_nothing(accuracy_over_padding)
    for wrong in (accuracy_over_padding, loss_over_padding):
        with pytest.raises(AssertionError, match="padding moved the measure"):
            property_more_padding_changes_nothing(wrong)
    property_answering_padding_is_worth_nothing(token_accuracy)
    for right in (token_accuracy, translation_loss):
        property_more_padding_changes_nothing(right)


# --- 20 -------------------------------------------------------------------------------

ENGLISH = Vocabulary(["go", "lets"])  # pads with 0
SPANISH = Vocabulary(["ir", "vamos"], specials=(SOS, EOS, UNK, PAD))  # pads with 3


def loss_with_the_source_padding(logits: Tensor, labels: Tensor, pad_id: int) -> Tensor:
    return translation_loss(logits, labels, ENGLISH.pad_id)


def property_every_word_is_learned_and_padding_is_not(loss: Loss) -> None:
    for number, token in enumerate(SPANISH.tokens):
        logits = torch.zeros(1, 2, len(SPANISH), requires_grad=True)
        # The second word keeps the mean defined when the first is left out.
        labels = torch.tensor([[number, SPANISH.eos_id]])
        loss(logits, labels, SPANISH.pad_id).backward()
        assert logits.grad is not None
        learned = bool((logits.grad[0, 0] != 0).any())
        expected = number != SPANISH.pad_id
        assert learned == expected, f"{token} learned: {learned}"


def test_pitfall_20_padding_id_of_the_other_language() -> None:
    """One word of the target, here <sos>, is never learned; padding is."""
    assert ENGLISH.pad_id != SPANISH.pad_id
    with pytest.raises(AssertionError, match="<sos> learned: False"):
        property_every_word_is_learned_and_padding_is_not(loss_with_the_source_padding)
    property_every_word_is_learned_and_padding_is_not(translation_loss)
    # The model and the loss know one id of padding, so the data refuse two.
    with pytest.raises(ValueError, match="source pads with 0 and the target with 3"):
        ParallelDataset([("lets go", "vamos")], ENGLISH, SPANISH)
