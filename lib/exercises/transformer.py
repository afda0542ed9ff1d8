"""The exercises of chapter 9: a count, two losses, a test of masks, and writing."""

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lib.config import TransformerConfig
from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise
from lib.masks import padding_mask
from lib.model import Transformer, count_parameters

# Without dropout, so that equal inputs give equal outputs.
_small = partial(
    TransformerConfig, d_model=8, n_heads=2, n_layers=3, d_ff=20, dropout=0.0
)


def _configs(draw: Draw) -> Cases:
    what = "count of a small post-norm model with vocabularies of 31 and 40"
    yield case(_small(31, 40), what=what)
    what = "count of the same model with norm_first"
    yield case(_small(31, 40, norm_first=True), what=what)
    what = "count of a model with tied embeddings"
    yield case(_small(40, 40, tie_embeddings=True), what=what)
    yield case(_small(draw.randint(20, 90), draw.randint(20, 90)))


@exercise(
    _configs,
    without=Without(
        "This builds a model: count its numbers from the config, by arithmetic alone.",
        like=lambda config: count_parameters(Transformer(config)),
        named={"reset_parameters"},  # which PyTorch's layers call when they are built
    ),
)
def count(config: TransformerConfig) -> int:
    """The number of parameters of a model, part by part."""
    d, d_ff = config.d_model, config.d_ff
    attention = 4 * (d * d + d)
    feed_forward = 2 * d * d_ff + d_ff + d
    norm = 2 * d
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    total = config.n_layers * (encoder_layer + decoder_layer)
    if config.norm_first:
        total += 2 * norm
    if not config.tie_embeddings:
        total += (config.src_vocab_size + config.tgt_vocab_size) * d
    return total + config.tgt_vocab_size * (d + 1)


def _probabilities(draw: Draw) -> Cases:
    p = (2 * torch.randn(2, 3, 7)).softmax(dim=-1)
    yield case(p, torch.randint(0, 7, (2, 3)))
    yield case(draw.normal(2, 4, 9).softmax(dim=-1), draw.ids(0, 8, 2, 4))


@exercise(_probabilities)
def loss_from_probabilities(probabilities: Tensor, targets: Tensor) -> Tensor:
    """The loss of probabilities (B, T, V), without a softmax."""
    chosen = probabilities.gather(-1, targets[..., None])  # (B, T, 1)
    return -chosen.log().mean()


@exercise(lambda draw: [(20,), (1000,), (draw.randint(3, 30_000),)], atol=1e-5)
def floor_with_smoothing(vocab_size: int) -> float:
    """The floor with a softmax too many."""
    normalizer = math.log(math.e + vocab_size - 1)
    right, wrong = normalizer - 1, normalizer
    average = (right + (vocab_size - 1) * wrong) / vocab_size
    return 0.9 * right + 0.1 * average


class _ReadsPadding(Transformer):
    """The encoder sees padding, but the decoder does not."""

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return super().encode(src, torch.ones_like(src_mask))


class _CrossesPadding(Transformer):
    """The decoder sees padding in the memory."""

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt, memory, torch.ones_like(src_mask))


def _tries(answer: Any, model: Transformer, src: Tensor, tgt: Tensor) -> Parts:
    """What a test says of a model, about the last pair alone and the whole batch."""
    return Parts(
        {
            "What is said of the last pair": bool(answer(model, src[2:], tgt[2:], 0)),
            "What is said of the batch": bool(answer(model, src, tgt, 0)),
        }
    )


def _models(draw: Draw) -> Cases:
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 6, 8], [6, 9, 0, 0, 0]])
    tgt = torch.tensor([[1, 4, 6, 5], [1, 5, 0, 0], [1, 8, 0, 0]])
    for norm_first in (False, True):
        for kind in (Transformer, _ReadsPadding, _CrossesPadding):
            model = kind(_small(10, 10, norm_first=norm_first))
            yield case(model, src, tgt, use=_tries)


@exercise(_models, form=TRUTH)
def same_alone(model: Transformer, src: Tensor, tgt: Tensor, pad_id: int) -> bool:
    """Whether each pair gets the same logits alone, without its padding."""
    for s, t, together in zip(src, tgt, model(src, tgt), strict=True):
        s, t = s[s != pad_id], t[t != pad_id]
        alone = model(s[None], t[None])[0]  # (T, V)
        if not torch.allclose(alone, together[: len(t)], atol=1e-4):
            return False
    return True


def _in_training(answer: Any, model: Transformer, tgt: Tensor) -> Parts:
    """Whether the embedded target is dropped: the model's own, its layers drop none."""
    model.dropout.p = 0.5
    memory, mask = torch.zeros(2, 5, 8), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    first, second = (answer(model, tgt, memory, mask) for _ in range(2))
    return Parts({"That something is dropped": not torch.equal(first, second)})


def _model(norm_first: bool) -> Transformer:
    model = Transformer(_small(10, 10, norm_first=norm_first))

    def whole_decode(*given: Any, **named: Any) -> Tensor:  # a name to watch for
        return Transformer.decode(model, *given, **named)

    model.decode = whole_decode  # type: ignore[method-assign]
    return model


def _targets(draw: Draw) -> Cases:
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 0, 0]])
    # Padding in front too, where the causal mask alone does not hide it.
    tgt = torch.tensor([[1, 4, 6, 0], [0, 1, 8, 4]])
    src_mask = padding_mask(src, 0)
    for norm_first in (False, True):
        model = _model(norm_first)
        with torch.no_grad():
            memory = model.encode(src, src_mask)
        what = f"decode for a model with norm_first={norm_first}"
        yield case(model, tgt, memory, src_mask, what=what)
    yield case(_model(norm_first=False), tgt, use=_in_training)


decode = exercise(
    _targets,
    name="decode",
    without=Without(
        "This calls model.decode: the task is to build it yourself, from the model's "
        "parts.",
        like=lambda model, *given: model.decode(*given),
        named={"whole_decode"},
    ),
)(Transformer.decode)
