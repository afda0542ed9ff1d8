"""The checks behind the exercises of chapter 8, The Transformer."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.checks.core import (
    brief,
    exercise,
    expect,
    expect_close,
    expect_equal,
    expect_shape,
)
from lib.checks.counting import miscounts, model_count
from lib.checks.decodes import expect_dropped, misdecoded
from lib.config import TransformerConfig
from lib.masks import padding_mask
from lib.model import Transformer

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
    """Check the number of parameters of a config."""
    plain = _small(30, 40)
    expect_equal(
        answer(plain),
        model_count(plain),
        "count of a small post-norm model with vocabularies of 30 and 40",
        miscounts(plain),
    )
    pre_norm = _small(30, 40, norm_first=True)
    expect_equal(
        answer(pre_norm),
        model_count(pre_norm),
        "count of the same model with norm_first",
        [
            (
                model_count(plain),
                "The last norms are missing: with norm_first, each of the two stacks "
                "ends in one.",
            ),
            (
                model_count(plain) + 2 * plain.d_model,
                "With norm_first there are two last norms, one for the encoder and one "
                "for the decoder.",
            ),
        ],
    )
    tied = _small(40, 40, tie_embeddings=True)
    untied = _small(40, 40)
    expect_equal(
        answer(tied),
        model_count(tied),
        "count of a model with tied embeddings",
        [
            (
                model_count(untied),
                "Tied embeddings share one matrix: count it once, not three times.",
            ),
            (
                model_count(untied) - 40 * tied.d_model,
                "Three places share one matrix: the source embedding, the target "
                "embedding and the output.",
            ),
            (
                model_count(tied) - 40,
                "The output's bias is not shared: it stays, with V numbers.",
            ),
        ],
    )


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
        config = TransformerConfig(
            10,
            10,
            8,
            n_heads=2,
            n_layers=3,
            d_ff=20,
            dropout=0.0,
            norm_first=norm_first,
        )
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


@exercise(
    "8.5",
    praise="Masks, embedding, positions, dropout, decoder, output: the writing half.",
)
def decode(answer: Any) -> None:
    """Check the way from target ids and memory to logits."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 0, 0]])
    # Padding in front too, where the causal mask alone does not hide it.
    tgt = torch.tensor([[1, 4, 6, 0], [0, 1, 8, 4]])
    for norm_first in (False, True):
        model = Transformer(_small(10, 10, norm_first=norm_first))
        src_mask = padding_mask(src, 0)
        with torch.no_grad():
            memory = model.encode(src, src_mask)
            got = answer(model, tgt, memory, src_mask)
            right = model.decode(tgt, memory, src_mask)
            what = f"decode for a model with norm_first={norm_first}"
            expect_shape(
                got,
                (2, 4, 10),
                what,
                [
                    (
                        (2, 4, 8),
                        "These are the decoder's vectors: the last step, "
                        "model.output_proj, makes logits of them.",
                    )
                ],
            )
            expect_close(got, right, what, misdecoded(model, tgt, memory, src_mask))
    expect_dropped(answer, tgt)
