"""Right and wrong answers to the exercises of chapter 8."""

import functools
import math

import torch
import torch.nn.functional as F

from lib.checks import chapter_08 as check
from lib.masks import causal_mask, padding_mask


def count(c, biases=1, norms=(2, 3), vectors=2, cross=1, last_norms=2, output_bias=1):
    """Count parameters; the options leave out what people forget."""
    d = c.d_model
    attention = 4 * (d * d + biases * d)
    feed_forward = 2 * d * c.d_ff + biases * (c.d_ff + d)
    layers = c.n_layers * (
        (2 + cross) * attention + 2 * feed_forward + sum(norms) * vectors * d
    )
    last = last_norms * 2 * d if c.norm_first else 0
    tables = c.tgt_vocab_size * d
    if not c.tie_embeddings:
        tables += (c.src_vocab_size + c.tgt_vocab_size) * d
    return layers + last + tables + biases * output_bias * c.tgt_vocab_size


def without_ff_biases(c):
    return count(c) - 2 * c.n_layers * (c.d_ff + c.d_model)


def without_attention_biases(c):
    return count(c) - 12 * c.n_layers * c.d_model


def without_output(c):
    return count(c) - c.tgt_vocab_size * (c.d_model + 1)


def with_positions(c):
    return count(c) + c.max_len * c.d_model


def with_matrices_for_each_head(c):
    attention = 4 * (c.d_model**2 + c.d_model)
    return count(c) + 3 * c.n_layers * attention * (c.n_heads - 1)


def with_one_vocabulary(c):
    return count(c) + (c.tgt_vocab_size - c.src_vocab_size) * c.d_model


def tied_twice(c):
    return count(c) + c.tie_embeddings * c.tgt_vocab_size * c.d_model


def never_tied(c):
    return count(c) + 2 * c.tie_embeddings * c.tgt_vocab_size * c.d_model


def tied_without_bias(c):
    return count(c) - c.tie_embeddings * c.tgt_vocab_size


def loss(p, targets):
    return -p.gather(-1, targets[..., None]).log().mean()


def floor(size, average=lambda size, right, wrong: (right + (size - 1) * wrong) / size):
    wrong = math.log(math.e + size - 1)
    right = wrong - 1
    return 0.9 * right + 0.1 * average(size, right, wrong)


def rows(src, tgt, pad_id):
    """Each pair without its padding."""
    for row in range(len(src)):
        yield src[row][src[row] != pad_id], tgt[row][tgt[row] != pad_id]


def same_alone(model, src, tgt, pad_id):
    together = model(src, tgt)
    return all(
        torch.allclose(model(s[None], t[None])[0], logits[: len(t)], atol=1e-4)
        for (s, t), logits in zip(rows(src, tgt, pad_id), together, strict=True)
    )


def tensor_verdict(model, src, tgt, pad_id):
    return torch.tensor(same_alone(model, src, tgt, pad_id))


def compares_padding(model, src, tgt, pad_id):
    """Cuts the source only, and compares the outputs at the target's padding too."""
    together = model(src, tgt)
    return all(
        torch.equal(model(s[None], t[None])[0], logits[: len(t)])
        and len(t) == len(logits)
        for (s, t), logits in zip(rows(src, tgt, pad_id), together, strict=True)
    )


def keeps_the_source_padded(model, src, tgt, pad_id):
    together = model(src, tgt)
    return all(
        torch.allclose(model(src[i : i + 1], tgt[i : i + 1])[0], together[i], atol=1e-4)
        for i in range(len(src))
    )


def first_pair_only(model, src, tgt, pad_id):
    return same_alone(model, src, tgt, pad_id) or len(src) > 1


def shape_only(model, src, tgt, pad_id):
    return model(src, tgt)


def decode(
    model,
    tgt,
    memory,
    src_mask,
    mask=lambda padding, future: padding & future,
    embed=lambda model, tgt: model.dropout(model.positions(model.tgt_embedding(tgt))),
    end=lambda model, states: model.output_proj(states),
):
    """Decode; the options leave out what people forget."""
    tgt_mask = mask(padding_mask(tgt, model.config.pad_id), causal_mask(tgt.size(1)))
    return end(model, model.decoder(embed(model, tgt), memory, tgt_mask, src_mask))


def misdecoded(**options):
    return functools.partial(decode, **options)


def without_source_mask(model, tgt, memory, src_mask):
    return decode(model, tgt, memory, None)


RIGHT = [
    (check.decode, decode),
    (check.decode, lambda model, *rest: model.decode(*rest)),
    (check.count, count),
    (check.loss_from_probabilities, loss),
    (
        check.loss_from_probabilities,
        lambda p, t: F.cross_entropy(p.log().flatten(0, 1), t.flatten()),
    ),
    (
        check.loss_from_probabilities,
        lambda p, t: F.nll_loss(p.log().flatten(0, 1), t.flatten()).item(),
    ),
    (check.floor_with_smoothing, floor),
    (
        check.floor_with_smoothing,
        lambda v: F.cross_entropy(
            F.one_hot(torch.tensor([3]), v).float(),
            torch.tensor([3]),
            label_smoothing=0.1,
        ),
    ),
    (check.same_alone, same_alone),
    (check.same_alone, tensor_verdict),
]

WRONG = [
    (check.count, lambda c: count(c, cross=0), "two attentions each"),
    (check.count, without_attention_biases, "biases of the attentions"),
    (check.count, without_ff_biases, "biases of the feed-forward"),
    (check.count, lambda c: count(c, biases=0), "All biases are missing"),
    (check.count, lambda c: count(c, norms=()), "norms are missing"),
    (check.count, lambda c: count(c, vectors=1), "two vectors"),
    (check.count, lambda c: count(c, norms=(2, 2)), "three norms"),
    (check.count, lambda c: count(c, output_bias=0), "bias of the output"),
    (check.count, without_output, "output map is missing"),
    (check.count, with_positions, "positions are no parameters"),
    (check.count, with_matrices_for_each_head, "heads share"),
    (check.count, with_one_vocabulary, "source embedding"),
    (check.count, lambda c: count(c, last_norms=0), "last norms are missing"),
    (check.count, lambda c: count(c, last_norms=1), "two last norms"),
    (check.count, never_tied, "share one matrix"),
    (check.count, tied_twice, "Three places share"),
    (check.count, tied_without_bias, "bias is not shared"),
    (check.count, lambda c: 0, "should be"),
    (
        check.loss_from_probabilities,
        lambda p, t: F.cross_entropy(p.flatten(0, 1), t.flatten()),
        "expects logits",
    ),
    (check.loss_from_probabilities, lambda p, t: -loss(p, t), "sign"),
    (check.loss_from_probabilities, lambda p, t: 6 * loss(p, t), "That is the sum"),
    (check.loss_from_probabilities, lambda p, t: 3 * loss(p, t), "not by the sent"),
    (check.loss_from_probabilities, lambda p, t: loss(p, t) / math.log(2), "base 2"),
    (check.loss_from_probabilities, lambda p, t: loss(p, t) / math.log(10), "base 10"),
    (
        check.loss_from_probabilities,
        lambda p, t: -p.gather(-1, t[..., None]).mean().log(),
        "then the mean",
    ),
    (
        check.loss_from_probabilities,
        lambda p, t: F.nll_loss(p.flatten(0, 1), t.flatten()),
        "logarithm is missing",
    ),
    (check.loss_from_probabilities, lambda p, t: -p.log().mean(), "over all words"),
    (check.loss_from_probabilities, lambda p, t: 0.0, "should be"),
    (
        check.floor_with_smoothing,
        lambda v: math.log(math.e + v - 1) - 1,
        "without label smoothing",
    ),
    (
        check.floor_with_smoothing,
        lambda v: floor(v, lambda size, right, wrong: wrong),
        "is one of them",
    ),
    (
        check.floor_with_smoothing,
        lambda v: floor(v, lambda *_: 0.0),
        "other words are missing",
    ),
    (check.floor_with_smoothing, math.log, "knows nothing"),
    (
        check.floor_with_smoothing,
        lambda v: floor(v, lambda size, right, wrong: right + (size - 1) * wrong),
        "not the sum",
    ),
    (check.floor_with_smoothing, lambda v: 0.0, "cannot be 0"),
    (check.floor_with_smoothing, lambda v: 5.0, "should be"),
    (check.same_alone, compares_padding, "without a fault was accused"),
    (check.same_alone, keeps_the_source_padded, "reads padding went unnoticed"),
    (check.same_alone, lambda *_: True, "reads padding went unnoticed"),
    (check.same_alone, lambda *_: False, "without a fault was accused"),
    (check.same_alone, first_pair_only, "every pair"),
    (check.same_alone, shape_only, "True or False"),
    (check.decode, misdecoded(mask=lambda p, f: f), "padding of the target"),
    (check.decode, misdecoded(mask=lambda p, f: p), "future is not hidden"),
    (check.decode, misdecoded(mask=lambda p, f: None), "target has no mask"),
    (check.decode, misdecoded(mask=lambda p, f: p & f.T), "turned round"),
    (check.decode, misdecoded(mask=lambda p, f: p | f), "joined by or"),
    (check.decode, without_source_mask, "source's mask is not handed"),
    (
        check.decode,
        misdecoded(embed=lambda m, tgt: m.dropout(m.tgt_embedding(tgt))),
        "positions are missing",
    ),
    (
        check.decode,
        misdecoded(embed=lambda m, tgt: m.positions(m.src_embedding(tgt))),
        "source's embedding",
    ),
    (
        check.decode,
        misdecoded(embed=lambda m, tgt: m.positions(m.tgt_embedding(tgt))),
        "Nothing is dropped",
    ),
    (check.decode, misdecoded(end=lambda m, x: x), "the last step"),
    (
        check.decode,
        misdecoded(end=lambda m, x: m.output_proj(x).softmax(dim=-1)),
        "leave the softmax out",
    ),
    (
        check.decode,
        misdecoded(end=lambda m, x: m.output_proj(x).log_softmax(dim=-1)),
        "leave the softmax out",
    ),
    (check.decode, misdecoded(end=lambda m, x: m.output_proj(-x)), "is off in"),
]
