"""The exercises of chapter 9: a count, two losses, a test of masks, and writing."""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.config import TransformerConfig
from lib.exercises.forms import TRUTH
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer, count_parameters


def _small(src: int, tgt: int, **options: bool) -> TransformerConfig:
    """A small config, without dropout so that equal inputs give equal outputs."""
    sizes = {"src_vocab_size": src, "tgt_vocab_size": tgt, "d_model": 8, "n_heads": 2}
    depths = {"n_layers": 3, "d_ff": 20, "dropout": 0.0}
    return TransformerConfig.from_dict(sizes | depths | options)


def _count(config: TransformerConfig) -> int:
    """Count the numbers of the model itself."""
    return count_parameters(Transformer(config))


@exercise(
    "At the base sizes, with tied embeddings, your formula gives 63,119,496.",
    right=_count,
)
def count(draw: Draw) -> Cases:
    """`count(config)`: the number of parameters of a model."""
    what = "count of a small post-norm model with vocabularies of 31 and 40"
    yield case(_small(31, 40), what=what)
    what = "count of the same model with norm_first"
    yield case(_small(31, 40, norm_first=True), what=what)
    what = "count of a model with tied embeddings"
    yield case(_small(40, 40, tie_embeddings=True), what=what)
    yield case(_small(draw.randint(20, 90), draw.randint(20, 90)))


count.slips = {
    "A layer of the encoder has one attention, a layer of the decoder two: "
    "self-attention and cross-attention.": lambda c: (
        _count(c) - 4 * c.n_layers * c.d_model * (c.d_model + 1)
    ),
    "The biases of the attentions are missing: each of the four linear maps has one, "
    "of D numbers.": lambda c: _count(c) - 12 * c.n_layers * c.d_model,
    "The norms are missing: 2 in an encoder layer, 3 in a decoder layer, with 2 D "
    "numbers each.": lambda c: _count(c) - 10 * c.n_layers * c.d_model,
    "The source embedding has one row for each token of the source's vocabulary, not "
    "of the target's.": lambda c: (
        _count(c) + (c.tgt_vocab_size - c.src_vocab_size) * c.d_model
    ),
    "The last norms are missing: with norm_first, each of the two stacks ends in "
    "one.": lambda c: _count(c) - c.norm_first * 4 * c.d_model,
    "Tied embeddings share one matrix: count it once, not three times.": (
        lambda c: _count(c) + c.tie_embeddings * 2 * c.tgt_vocab_size * c.d_model
    ),
}


def _chosen(probabilities: Tensor, targets: Tensor) -> Tensor:
    return probabilities.gather(-1, targets[..., None])


def _loss(probabilities: Tensor, targets: Tensor) -> Tensor:
    return -_chosen(probabilities, targets).log().mean()


@exercise(
    "Logarithms of probabilities are logits; a softmax gives them back.", right=_loss
)
def loss_from_probabilities(draw: Draw) -> Cases:
    """`loss_from_probabilities(probabilities, targets)`: a loss, no logits."""
    p = (2 * torch.randn(2, 3, 7)).softmax(dim=-1)
    yield case(p, torch.randint(0, 7, (2, 3)))
    shape = draw.randint(1, 4), draw.randint(2, 6)
    yield case(draw.normal(*shape, 9).softmax(dim=-1), draw.ids(0, 8, *shape))


loss_from_probabilities.slips = {
    "That applies a softmax to probabilities: F.cross_entropy expects logits.": (
        lambda p, targets: F.cross_entropy(p.flatten(0, 1), targets.flatten())
    ),
    "That is the sum: take the mean over all places.": (
        lambda p, targets: targets.numel() * _loss(p, targets)
    ),
    "Take the logarithm of each probability first, then the mean.": (
        lambda p, targets: -_chosen(p, targets).mean().log()
    ),
    "The logarithm is missing: F.nll_loss expects logarithms of probabilities.": (
        lambda p, targets: -_chosen(p, targets).mean()
    ),
}


def _floor(vocab_size: int, rights: float = 1, wrongs: int | None = None) -> float:
    """The floor; so many losses of the right and of a wrong word are averaged."""
    wrong = math.log(math.e + vocab_size - 1)
    right = wrong - 1
    wrongs = vocab_size - 1 if wrongs is None else wrongs
    average = (rights * right + wrongs * wrong) / (rights + wrongs)
    return 0.9 * right + 0.1 * average


@exercise(
    "Smoothing moves the floor closer still to ln V: nothing is left to learn.",
    right=_floor,
    atol=1e-5,
)
def floor_with_smoothing(draw: Draw) -> Cases:
    """`floor_with_smoothing(vocab_size)`: the floor with a softmax too many."""
    for size in (20, 1000, draw.randint(3, 30_000)):
        yield case(size)


floor_with_smoothing.slips = {
    "That is the floor without label smoothing.": lambda size: _floor(size, wrongs=0),
    "The 0.1 is spread over all V words, and the right word is one of them.": (
        lambda size: _floor(size, rights=0)
    ),
    "That is the loss of a model that knows nothing; this one gives the right word the "
    "probability 1.": math.log,
    "A second softmax never gives the probability 1, so the loss cannot be 0.": (
        lambda size: 0.0
    ),
}


class _ReadsPadding(Transformer):
    """The encoder sees padding, but the decoder does not."""

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return super().encode(src, torch.ones_like(src_mask))


class _CrossesPadding(Transformer):
    """The decoder sees padding in the memory."""

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        return super().decode(tgt, memory, torch.ones_like(src_mask))


Test = Callable[[Transformer, Tensor, Tensor, int], bool]


def _alone(cut: bool = True) -> Test:
    """A test of each pair alone, with or without its padding."""

    def same_alone(model: Transformer, src: Tensor, tgt: Tensor, pad_id: int) -> bool:
        together = model(src, tgt)
        for s, t, logits in zip(src, tgt, together, strict=True):
            if cut:
                s, t = s[s != pad_id], t[t != pad_id]
            apart = (model(s[None], t[None])[0] - logits[: len(t)]).abs()
            if bool(apart.max() > 1e-4):
                return False
        return True

    return same_alone


def _tries(answer: Any, model: Transformer, src: Tensor, tgt: Tensor) -> Parts:
    """What a test says of a model, about the last pair alone and the whole batch."""
    return Parts(
        {
            "What is said of the last pair": bool(answer(model, src[2:], tgt[2:], 0)),
            "What is said of the batch": bool(answer(model, src, tgt, 0)),
        }
    )


@exercise(
    "This test finds a missing padding mask wherever it is missing.",
    right=_alone(),
    form=TRUTH,
)
def same_alone(draw: Draw) -> Cases:
    """`same_alone(model, src, tgt, pad_id)`: a test that finds read padding."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 6, 8], [6, 9, 0, 0, 0]])
    tgt = torch.tensor([[1, 4, 6, 5], [1, 5, 0, 0], [1, 8, 0, 0]])
    for norm_first in (False, True):
        for kind in (Transformer, _ReadsPadding, _CrossesPadding):
            model = kind(_small(10, 10, norm_first=norm_first))
            yield case(model, src, tgt, use=_tries)


same_alone.slips = {
    "The model without a fault should give True: compare the real target tokens only, "
    "with a tolerance such as 1e-4, and cut the padding off on both sides.": (
        lambda *_: False
    ),
    "A model that reads padding went unnoticed: run the pair alone with its source cut "
    "to the real tokens, and compare all logits.": [
        _alone(cut=False),
        lambda *_: True,
    ],
    "A fault in the last pair went unnoticed: look at every pair of the batch.": (
        lambda model, src, *rest: _alone()(model, src, *rest) or len(src) > 1
    ),
}


def _decode(
    mask: Callable[[Tensor, Tensor], Tensor] = lambda padding, future: padding & future,
    places: bool = True,
    drops: bool = True,
    hides_source: bool = True,
) -> Callable[..., Tensor]:
    """An answer that joins its masks so; it may lack what people forget."""

    def decode(model: Any, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        tgt_mask = mask(
            padding_mask(tgt, model.config.pad_id), causal_mask(tgt.size(1))
        )
        x = model.tgt_embedding(tgt)
        x = model.positions(x) if places else x
        x = model.dropout(x) if drops else x
        cross = src_mask if hides_source else None
        logits: Tensor = model.output_proj(model.decoder(x, memory, tgt_mask, cross))
        return logits

    return decode


def _in_training(answer: Any, model: Transformer, tgt: Tensor) -> Parts:
    """Whether the embedded target is dropped: the model's own, its layers drop none."""
    model.dropout.p = 0.5
    memory, mask = torch.zeros(2, 5, 8), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    first, second = (answer(model, tgt, memory, mask) for _ in range(2))
    return Parts({"That something is dropped": not torch.equal(first, second)})


@exercise(
    "Masks, embedding, positions, dropout, decoder, output: the writing half.",
    right=lambda model, tgt, memory, src_mask: model.decode(tgt, memory, src_mask),
)
def decode(draw: Draw) -> Cases:
    """`decode(model, tgt, memory, src_mask)`: from target ids to logits."""
    src = torch.tensor([[5, 6, 7, 8, 9], [7, 5, 4, 0, 0]])
    # Padding in front too, where the causal mask alone does not hide it.
    tgt = torch.tensor([[1, 4, 6, 0], [0, 1, 8, 4]])
    src_mask = padding_mask(src, 0)
    for norm_first in (False, True):
        model = Transformer(_small(10, 10, norm_first=norm_first))
        with torch.no_grad():
            memory = model.encode(src, src_mask)
        what = f"decode for a model with norm_first={norm_first}"
        yield case(model, tgt, memory, src_mask, what=what)
    yield case(Transformer(_small(10, 10)), tgt, use=_in_training)


decode.slips = {
    "The padding of the target is not hidden.": _decode(mask=lambda p, future: future),
    "The future is not hidden: add the causal mask, with &.": [
        _decode(mask=lambda padding, future: padding),
        _decode(mask=lambda padding, future: padding | future),
        _decode(mask=lambda padding, future: padding | ~padding),
    ],
    "The source's mask is not handed to the decoder.": _decode(hides_source=False),
    "The positions are missing.": _decode(places=False),
    "The model returns logits: leave the softmax out.": [
        lambda *given: _decode()(*given).softmax(-1),
        lambda *given: _decode()(*given).log_softmax(-1),
    ],
    "Nothing is dropped in training: send the embedded target with its positions "
    "through model.dropout.": _decode(drops=False),
}
