"""The checks behind the exercises of chapter 8, The Transformer."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.checks.core import brief, exercise, expect, expect_close, expect_equal
from lib.config import TransformerConfig
from lib.model import Transformer, count_parameters

__all__ = ["count", "floor_with_smoothing", "loss_from_probabilities", "same_alone"]


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
    """Check the number of parameters of a config."""
    plain = _small(30, 40)
    expect_equal(
        answer(plain),
        _model_count(plain),
        "count of a small post-norm model with vocabularies of 30 and 40",
        _miscounts(plain),
    )
    pre_norm = _small(30, 40, norm_first=True)
    expect_equal(
        answer(pre_norm),
        _model_count(pre_norm),
        "count of the same model with norm_first",
        [
            (
                _model_count(plain),
                "The last norms are missing: with norm_first, each of the two stacks "
                "ends in one.",
            ),
            (
                _model_count(plain) + 2 * plain.d_model,
                "With norm_first there are two last norms, one for the encoder and one "
                "for the decoder.",
            ),
        ],
    )
    tied = _small(40, 40, tie_embeddings=True)
    untied = _small(40, 40)
    expect_equal(
        answer(tied),
        _model_count(tied),
        "count of a model with tied embeddings",
        [
            (
                _model_count(untied),
                "Tied embeddings share one matrix: count it once, not three times.",
            ),
            (
                _model_count(untied) - 40 * tied.d_model,
                "Three places share one matrix: the source embedding, the target "
                "embedding and the output.",
            ),
            (
                _model_count(tied) - 40,
                "The output's bias is not shared: it stays, with V numbers.",
            ),
        ],
    )


def _model_count(config: TransformerConfig) -> int:
    return count_parameters(Transformer(config))


def _miscounts(config: TransformerConfig) -> list[tuple[int, str]]:
    """What typical mistakes give, for a post-norm model that is not tied."""
    right = _model_count(config)
    d, d_ff, n = config.d_model, config.d_ff, config.n_layers
    v = config.tgt_vocab_size
    attention = 4 * (d * d + d)
    return [
        (
            right - n * attention,
            "The decoder's layers have two attentions each: self-attention and "
            "cross-attention.",
        ),
        (
            right - 12 * n * d,
            "The biases of the attentions are missing: each of the four linear maps "
            "has one, of D numbers.",
        ),
        (
            right - 2 * n * (d_ff + d),
            "The biases of the feed-forward blocks are missing: d_ff numbers and D "
            "numbers.",
        ),
        (
            right - 12 * n * d - 2 * n * (d_ff + d) - v,
            "All biases are missing: each linear map has one.",
        ),
        (
            right - 10 * n * d,
            "The norms are missing: 2 in an encoder layer, 3 in a decoder layer, with "
            "2 D numbers each.",
        ),
        (
            right - 5 * n * d,
            "A norm has two vectors, a scale and a shift: 2 D numbers.",
        ),
        (
            right - 2 * n * d,
            "A decoder layer has three sublayers, so three norms.",
        ),
        (right - v, "The bias of the output is missing: V numbers."),
        (
            right - v * d - v,
            "The output map is missing: D × V numbers and a bias of V.",
        ),
        (
            right + config.max_len * d,
            "The positions are no parameters: they are computed, not learned.",
        ),
        (
            right + 3 * n * attention * (config.n_heads - 1),
            "The heads share the four matrices, so their number does not count.",
        ),
        (
            right + 2 * (v - config.src_vocab_size) * d,
            "The source embedding has one row for each token of the source's "
            "vocabulary, not of the target's.",
        ),
        (
            right + (v - config.src_vocab_size) * d,
            "The source embedding has one row for each token of the source's "
            "vocabulary, not of the target's.",
        ),
    ]


@exercise(
    "8.2",
    praise="Logarithms of probabilities are logits; a softmax gives them back.",
)
def loss_from_probabilities(answer: Any) -> None:
    """Check the cross-entropy of a model that returns probabilities."""
    logits = 2 * torch.randn(2, 3, 7)
    targets = torch.randint(0, 7, (2, 3))
    p = logits.softmax(dim=-1)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    chosen = p.gather(-1, targets[..., None])
    expect_close(
        answer(p, targets),
        losses.mean(),
        "loss_from_probabilities for 2 sentences of 3 tokens",
        [
            (
                F.cross_entropy(p.flatten(0, 1), targets.flatten()),
                "That applies a softmax to probabilities: F.cross_entropy expects "
                "logits.",
            ),
            (-losses.mean(), "The sign is turned: a loss is minus the logarithm."),
            (losses.sum(), "That is the sum: take the mean over all places."),
            (losses.sum() / 2, "Divide by all B · T places, not by the sentences."),
            (
                losses.mean() / math.log(2),
                "That is the logarithm to base 2: take the natural one.",
            ),
            (
                losses.mean() / math.log(10),
                "That is the logarithm to base 10: take the natural one.",
            ),
            (
                -chosen.mean().log(),
                "Take the logarithm of each probability first, then the mean.",
            ),
            (
                -chosen.mean(),
                "The logarithm is missing: F.nll_loss expects logarithms of "
                "probabilities.",
            ),
            (
                -p.log().mean(),
                "That is the mean over all words: pick the probability of the right "
                "one.",
            ),
        ],
    )


@exercise(
    "8.3",
    praise="Smoothing moves the floor closer still to ln V: nothing is left to learn.",
)
def floor_with_smoothing(answer: Any) -> None:
    """Check the lowest loss with a softmax too many and label smoothing."""
    for size in (20, 1000):
        sure = torch.zeros(1, size, dtype=torch.float64)
        sure[0, 0] = 1.0
        target = torch.tensor([0])
        normalizer = math.log(math.e + size - 1)
        right, wrong = normalizer - 1, normalizer
        expect_close(
            answer(size),
            F.cross_entropy(sure, target, label_smoothing=0.1),
            f"floor_with_smoothing({size})",
            [
                (right, "That is the floor without label smoothing."),
                (
                    0.9 * right + 0.1 * wrong,
                    "The 0.1 is spread over all V words, and the right word is one of "
                    "them.",
                ),
                (
                    0.9 * right,
                    "The other words are missing: 0.1 times the average loss of all.",
                ),
                (
                    math.log(size),
                    "That is the loss of a model that knows nothing; this one gives "
                    "the right word the probability 1.",
                ),
                (
                    0.9 * right + 0.1 * (right + (size - 1) * wrong),
                    "Take the average over all words, not the sum.",
                ),
                (
                    0.0,
                    "A second softmax never gives the probability 1, so the loss "
                    "cannot be 0.",
                ),
            ],
            atol=1e-5,
        )


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
)
def same_alone(answer: Any) -> None:
    """Check the test that a pair gives the same alone and in a batch."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 6, 8], [6, 9, 0, 0, 0]])
    tgt = torch.tensor([[1, 4, 6, 5], [1, 5, 0, 0], [1, 8, 0, 0]])
    for norm_first in (False, True):
        config = _small(10, 10, norm_first=norm_first)
        _expect_verdict(
            answer(Transformer(config), src, tgt, 0),
            True,
            "The model without a fault was accused: compare the real target tokens "
            "only, with a tolerance such as 1e-4, and cut the padding off on both "
            "sides.",
        )
        for faulty in (_ReadsPadding, _CrossesPadding):
            model = faulty(config)
            _expect_verdict(
                answer(model, src[2:], tgt[2:], 0),
                False,
                "A model that reads padding went unnoticed: run the pair alone with "
                "its source cut to the real tokens, not padded as in the batch.",
            )
            _expect_verdict(
                answer(model, src, tgt, 0),
                False,
                "A fault in the last pair went unnoticed: look at every pair of the "
                "batch.",
            )


def _expect_verdict(got: Any, expected: bool, sentence: str) -> None:
    verdict = got.item() if isinstance(got, Tensor) and got.numel() == 1 else got
    told = f"same_alone should return True or False, but returned {brief(got)}."
    expect(isinstance(verdict, bool), told)
    expect(verdict == expected, sentence)
