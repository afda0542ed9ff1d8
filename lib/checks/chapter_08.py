"""The checks of chapter 8: a count, two losses, a test of masks, the writing half."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.checks import expect
from lib.checks.core import exercise
from lib.config import TransformerConfig
from lib.exercises.guard import brief
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer, count_parameters

__all__ = [
    "count",
    "decode",
    "floor_with_smoothing",
    "loss_from_probabilities",
    "same_alone",
]


def _small(src: int, tgt: int, **options: bool) -> TransformerConfig:
    """A small config, without dropout so that equal inputs give equal outputs."""
    sizes = {"src_vocab_size": src, "tgt_vocab_size": tgt, "d_model": 8, "n_heads": 2}
    depths = {"n_layers": 3, "d_ff": 20, "dropout": 0.0}
    return TransformerConfig.from_dict(sizes | depths | options)


@exercise(
    "8.1",
    praise="At the base sizes, with tied embeddings, your formula gives 63,119,496.",
)
def count(answer: Any) -> None:
    """Check `count(config)`: the number of parameters of a model."""
    plain = _small(30, 40)
    what = "count of a small post-norm model with vocabularies of 30 and 40"
    right = _model_count(plain)
    expect.equal(answer(plain), right, what, _miscounts(plain))
    pre_norm = _small(30, 40, norm_first=True)
    what = "count of the same model with norm_first"
    slips: expect.Slips = {
        "The last norms are missing: with norm_first, each of the two stacks ends in "
        "one.": right,
        "With norm_first there are two last norms, one for the encoder and one for the "
        "decoder.": right + 2 * plain.d_model,
    }
    expect.equal(answer(pre_norm), _model_count(pre_norm), what, slips)
    tied = _small(40, 40, tie_embeddings=True)
    right, untied = _model_count(tied), _model_count(_small(40, 40))
    slips = {
        "Tied embeddings share one matrix: count it once, not three times.": untied,
        "Three places share one matrix: the source embedding, the target embedding and "
        "the output.": untied - 40 * tied.d_model,
        "The output's bias is not shared: it stays, with V numbers.": right - 40,
    }
    expect.equal(answer(tied), right, "count of a model with tied embeddings", slips)


def _model_count(config: TransformerConfig) -> int:
    """Count the numbers of the model itself."""
    return count_parameters(Transformer(config))


def _miscounts(config: TransformerConfig) -> expect.Slips:
    """What typical mistakes give, for a post-norm model that is not tied."""
    right = _model_count(config)
    d, d_ff, n = config.d_model, config.d_ff, config.n_layers
    v = config.tgt_vocab_size
    attention = 4 * (d * d + d)
    return {
        "The decoder's layers have two attentions each: self-attention and "
        "cross-attention.": right - n * attention,
        "The biases of the attentions are missing: each of the four linear maps has "
        "one, of D numbers.": right - 12 * n * d,
        "The biases of the feed-forward blocks are missing: d_ff numbers and D "
        "numbers.": right - 2 * n * (d_ff + d),
        "All biases are missing: each linear map has one.": (
            right - 12 * n * d - 2 * n * (d_ff + d) - v
        ),
        "The norms are missing: 2 in an encoder layer, 3 in a decoder layer, with 2 D "
        "numbers each.": right - 10 * n * d,
        "A norm has two vectors, a scale and a shift: 2 D numbers.": right - 5 * n * d,
        "A decoder layer has three sublayers, so three norms.": right - 2 * n * d,
        "The bias of the output is missing: V numbers.": right - v,
        "The output map is missing: D × V numbers and a bias of V.": right - v * d - v,
        "The positions are no parameters: they are computed, not learned.": (
            right + config.max_len * d
        ),
        "The heads share the four matrices, so their number does not count.": (
            right + 3 * n * attention * (config.n_heads - 1)
        ),
        "The source embedding has one row for each token of the source's vocabulary, "
        "not of the target's.": expect.AnyOf(
            right + 2 * (v - config.src_vocab_size) * d,
            right + (v - config.src_vocab_size) * d,
        ),
    }


@exercise(
    "8.2",
    praise="Logarithms of probabilities are logits; a softmax gives them back.",
)
def loss_from_probabilities(answer: Any) -> None:
    """Check `loss_from_probabilities(probabilities, targets)`: a loss, no logits."""
    logits = 2 * torch.randn(2, 3, 7)
    targets = torch.randint(0, 7, (2, 3))
    p = logits.softmax(dim=-1)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    right = losses.mean()
    chosen = p.gather(-1, targets[..., None])
    slips: expect.Slips = {
        "That applies a softmax to probabilities: F.cross_entropy expects logits.": (
            F.cross_entropy(p.flatten(0, 1), targets.flatten())
        ),
        "The sign is turned: a loss is minus the logarithm.": -right,
        "That is the sum: take the mean over all places.": losses.sum(),
        "Divide by all B · T places, not by the sentences.": losses.sum() / 2,
        "That is the logarithm to base 2: take the natural one.": right / math.log(2),
        "That is the logarithm to base 10: take the natural one.": right / math.log(10),
        "Take the logarithm of each probability first, then the mean.": (
            -chosen.mean().log()
        ),
        "The logarithm is missing: F.nll_loss expects logarithms of probabilities.": (
            -chosen.mean()
        ),
        "That is the mean over all words: pick the probability of the right one.": (
            -p.log().mean()
        ),
    }
    what = "loss_from_probabilities for 2 sentences of 3 tokens"
    expect.close(answer(p, targets), right, what, slips)


@exercise(
    "8.3",
    praise="Smoothing moves the floor closer still to ln V: nothing is left to learn.",
    cases=[(20,), (1000,)],
)
def floor_with_smoothing(answer: Any, size: int) -> None:
    """Check `floor_with_smoothing(vocab_size)`: the floor with a softmax too many."""
    sure = torch.zeros(1, size, dtype=torch.float64)
    sure[0, 0] = 1.0
    floor = F.cross_entropy(sure, torch.tensor([0]), label_smoothing=0.1)
    wrong = math.log(math.e + size - 1)
    right = wrong - 1  # the losses of a wrong word and of the right one
    slips: expect.Slips = {
        "That is the floor without label smoothing.": right,
        "The 0.1 is spread over all V words, and the right word is one of them.": (
            0.9 * right + 0.1 * wrong
        ),
        "The other words are missing: 0.1 times the average loss of all.": 0.9 * right,
        "That is the loss of a model that knows nothing; this one gives the right word "
        "the probability 1.": math.log(size),
        "Take the average over all words, not the sum.": (
            0.9 * right + 0.1 * (right + (size - 1) * wrong)
        ),
        "A second softmax never gives the probability 1, so the loss cannot be 0.": 0.0,
    }
    what = f"floor_with_smoothing({size})"
    expect.close(answer(size), floor, what, slips, atol=1e-5)


class _ReadsPadding(Transformer):
    """The encoder sees padding, but the decoder does not."""

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return super().encode(src, torch.ones_like(src_mask))


class _CrossesPadding(Transformer):
    """The decoder sees padding in the memory."""

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt, memory, torch.ones_like(src_mask))


@exercise(
    "8.4",
    praise="This test finds a missing padding mask wherever it is missing.",
    cases=[(False,), (True,)],
)
def same_alone(answer: Any, norm_first: bool) -> None:
    """Check `same_alone(model, src, tgt, pad_id)`: a test that finds read padding."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 6, 8], [6, 9, 0, 0, 0]])
    tgt = torch.tensor([[1, 4, 6, 5], [1, 5, 0, 0], [1, 8, 0, 0]])
    config = _small(10, 10, norm_first=norm_first)
    expect.that(
        _verdict(answer(Transformer(config), src, tgt, 0)),
        "The model without a fault was accused: compare the real target tokens only, "
        "with a tolerance such as 1e-4, and cut the padding off on both sides.",
    )
    for faulty in (_ReadsPadding, _CrossesPadding):
        model = faulty(config)
        expect.that(
            not _verdict(answer(model, src[2:], tgt[2:], 0)),
            "A model that reads padding went unnoticed: run the pair alone with its "
            "source cut to the real tokens, not padded as in the batch.",
        )
        expect.that(
            not _verdict(answer(model, src, tgt, 0)),
            "A fault in the last pair went unnoticed: look at every pair of the batch.",
        )


def _verdict(got: Any) -> bool:
    verdict = got.item() if isinstance(got, Tensor) and got.numel() == 1 else got
    told = f"same_alone should return True or False, but returned {brief(got)}."
    expect.that(isinstance(verdict, bool), told)
    return bool(verdict)


@exercise(
    "8.5",
    praise="Masks, embedding, positions, dropout, decoder, output: the writing half.",
    cases=[(False,), (True,)],
)
def decode(answer: Any, norm_first: bool) -> None:
    """Check `decode(model, tgt, memory, src_mask)`: from target ids to logits."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 0, 0]])
    # Padding in front too, where the causal mask alone does not hide it.
    tgt = torch.tensor([[1, 4, 6, 0], [0, 1, 8, 4]])
    what = f"decode for a model with norm_first={norm_first}"
    model = Transformer(_small(10, 10, norm_first=norm_first))
    src_mask = padding_mask(src, 0)
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        got = answer(model, tgt, memory, src_mask)
        slips: expect.Slips = {
            "These are the decoder's vectors: the last step, model.output_proj, makes "
            "logits of them.": (2, 4, 8)
        }
        expect.shape(got, (2, 4, 10), what, slips)
        right = model.decode(tgt, memory, src_mask)
        expect.close(got, right, what, _misdecoded(model, tgt, memory, src_mask))
    _expect_dropped(answer, tgt)


def _misdecoded(
    model: Transformer, tgt: Tensor, memory: Tensor, src_mask: Tensor
) -> expect.Slips:
    """What typical mistakes give."""
    padding, future = padding_mask(tgt, 0), causal_mask(tgt.size(1))
    both = padding & future
    embedded = model.tgt_embedding(tgt)
    x = model.positions(embedded)

    def logits(x: Tensor, mask: Tensor | None, cross: Tensor | None) -> Tensor:
        return model.output_proj(model.decoder(x, memory, mask, cross))

    right = logits(x, both, src_mask)
    other = model.positions(model.src_embedding(tgt))
    return {
        "The padding of the target is not hidden.": logits(x, future, src_mask),
        "The future is not hidden: add the causal mask.": logits(x, padding, src_mask),
        "The target has no mask: hide padding and future.": logits(x, None, src_mask),
        "The source's mask is not handed to the decoder.": logits(x, both, None),
        "The causal mask is turned round: it hides the past and shows the future.": (
            logits(x, padding & future.T, src_mask)
        ),
        "The two masks are joined by or: both must allow a place, so use &.": (
            logits(x, padding | future, src_mask)
        ),
        "The positions are missing.": logits(embedded, both, src_mask),
        "That looks the target up in the source's embedding.": (
            logits(other, both, src_mask)
        ),
        "The model returns logits: leave the softmax out.": expect.AnyOf(
            right.softmax(dim=-1), right.log_softmax(dim=-1)
        ),
    }


def _expect_dropped(answer: Any, tgt: Tensor) -> None:
    """Demand that the embedded target is dropped in training."""
    model = Transformer(_small(10, 10))
    model.dropout.p = 0.5  # the model's own; its layers drop nothing
    memory = torch.zeros(2, 5, 8)
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    first, second = answer(model, tgt, memory, mask), answer(model, tgt, memory, mask)
    expect.that(
        not torch.equal(first, second),
        "Nothing is dropped in training: send the embedded target with its positions "
        "through model.dropout.",
    )
