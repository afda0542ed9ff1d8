"""Right and wrong answers to the exercises of chapter 5."""

import torch

from lib.attention import scaled_dot_product_attention
from lib.checks import chapter_05 as check

ORDER = torch.tensor([2, 0, 5, 1, 4, 3])


def parameters(d_model, n_heads):
    return 4 * (d_model**2 + d_model)


def gather(heads):
    return heads.permute(0, 2, 3, 1).flatten(-2)


def answers_of(attention, x):
    q, k, v = (
        attention.split_heads(projection(x))
        for projection in (
            attention.query_proj,
            attention.key_proj,
            attention.value_proj,
        )
    )
    return scaled_dot_product_attention(q, k, v)[0]


def columns(attention, head, width=2):
    return attention.output_proj.weight[:, head * width : (head + 1) * width]


def contribution(attention, x, head):
    return answers_of(attention, x)[:, head] @ columns(attention, head).T


def with_scale(scale):
    """An answer to 5.3 that multiplies its scores by this."""

    def answer(attention, x, head):
        split = attention.split_heads
        q, k = split(attention.query_proj(x)), split(attention.key_proj(x))
        weights = (scale * q @ k.transpose(-2, -1)).softmax(-1)
        heads = weights @ split(attention.value_proj(x))
        return heads[:, head] @ columns(attention, head).T

    return answer


def by_removal(attention, x, head):
    """What the output loses when the head's answer is set to zero."""
    answers = answers_of(attention, x)
    without = answers.clone()
    without[:, head] = 0
    project, merge = attention.output_proj, attention.merge_heads
    return project(merge(answers)) - project(merge(without))


def packed(names=("query", "key", "value"), weight=torch.cat, bias=torch.cat):
    """An answer to 5.4 that joins these parts in these ways."""

    def answer(attention):
        parts = [getattr(attention, f"{name}_proj") for name in names]
        return weight([p.weight for p in parts]), bias([p.bias for p in parts])

    return answer


def follows(compare):
    """An answer to 5.5 that reorders one sentence and compares in this way."""

    def answer(attention):
        x = torch.randn(1, 6, 8)
        moved = x[:, ORDER]
        first, weights = attention(x, x, x)
        second, weights_moved = attention(moved, moved, moved)
        return compare(first, second, weights, weights_moved)

    return answer


def outputs_follow(first, second, *_):
    return torch.allclose(second, first[:, ORDER], atol=1e-5)


def equal_tokens(attention):
    one = torch.randn(1, 1, 8).expand(1, 6, 8)
    output, _ = attention(one, one, one)
    return torch.allclose(output, output[:, :1].expand_as(output), atol=1e-5)


def swaps_the_last_two(attention):
    x, order = torch.randn(1, 6, 8), torch.tensor([0, 1, 2, 3, 5, 4])
    first, second = attention(x, x, x)[0], attention(*[x[:, order]] * 3)[0]
    return bool((second[:, 0] - first[:, 0]).abs().max() < 1e-5)


def sometimes(attention):
    return outputs_follow_at_random(attention) or bool(torch.rand(()) < 0.5)


outputs_follow_at_random = follows(outputs_follow)

RIGHT = [
    (check.attention_parameters, parameters),
    (check.attention_parameters, lambda d, h: torch.tensor(4 * d * (d + 1))),
    (check.gather_dealt_heads, gather),
    (
        check.gather_dealt_heads,
        lambda heads: heads.permute(0, 2, 3, 1).reshape(2, 3, 8),
    ),
    (check.contribution, contribution),
    (check.contribution, by_removal),
    (check.contribution, with_scale(2**-0.5)),
    (check.pack, packed()),
    (check.pack, lambda attention: list(packed()(attention))),
    (check.follows_the_tokens, follows(outputs_follow)),
    (
        check.follows_the_tokens,
        follows(lambda a, b, *_: (b[:, ORDER.argsort()] - a).abs().max() < 1e-4),
    ),
]

WRONG = [
    (check.attention_parameters, lambda d, h: 4 * d * d, "biases are missing"),
    (
        check.attention_parameters,
        lambda d, h: 3 * (d * d + d),
        "output projection is missing",
    ),
    (
        check.attention_parameters,
        lambda d, h: 4 * h * (d * d + d),
        "once for each head",
    ),
    (
        check.attention_parameters,
        lambda d, h: (3 * h + 1) * (d * d + d),
        "D × D/H and not",
    ),
    (
        check.attention_parameters,
        lambda d, h: 4 * (d // h) * (d + 1),
        "the maps of one head",
    ),
    (
        check.attention_parameters,
        lambda d, h: d,
        "attention_parameters(8, 4) should be 288",
    ),
    (
        check.gather_dealt_heads,
        lambda heads: heads.permute(0, 2, 3, 1),
        "join the last two",
    ),
    (
        check.gather_dealt_heads,
        lambda heads: heads.permute(0, 3, 1, 2).flatten(-2),
        "once more",
    ),
    (
        check.gather_dealt_heads,
        lambda heads: heads.transpose(1, 2).flatten(-2),
        "head by head",
    ),
    (check.gather_dealt_heads, lambda heads: heads.reshape(2, 3, 8), "reshape alone"),
    (check.gather_dealt_heads, lambda heads: torch.zeros(2, 3, 8), "is off in"),
    (
        check.gather_dealt_heads,
        lambda heads: heads.flatten(),
        "should have the shape (2, 3, 8)",
    ),
    (
        check.contribution,
        lambda a, x, h: answers_of(a, x)[:, h],
        "This is the head's answer",
    ),
    (
        check.contribution,
        lambda a, x, h: contribution(a, x, h) + a.output_proj.bias,
        "bias belongs to no head",
    ),
    (
        check.contribution,
        lambda a, x, h: (
            answers_of(a, x)[:, h] @ a.output_proj.weight[2 * h : 2 * h + 2]
        ),
        "rows of the output projection",
    ),
    (
        check.contribution,
        lambda a, x, h: a(x, x, x)[0] - a.output_proj.bias,
        "the sum over all heads",
    ),
    (
        check.contribution,
        lambda a, x, h: contribution(a, x, (h - 1) % 3),
        "counted from 0",
    ),
    (check.contribution, with_scale(6**-0.5), "divided by √D"),
    (check.contribution, with_scale(1.0), "not scaled"),
    (check.contribution, lambda a, x, h: x, "is off in"),
    (check.pack, lambda a: packed()(a)[0], "return two tensors"),
    (check.pack, packed(("key", "query", "value")), "queries, keys, values"),
    (check.pack, packed(weight=lambda w: torch.cat(w, dim=1)), "side by side"),
    (check.pack, packed(weight=torch.stack), "use torch.cat"),
    (check.pack, packed(("query", "key", "value", "output")), "pack three matrices"),
    (
        check.pack,
        packed(weight=lambda w: torch.cat([part.T for part in w])),
        "is transposed",
    ),
    (check.pack, packed(weight=lambda w: torch.zeros(12, 4)), "The weight is off in"),
    (check.pack, packed(bias=lambda b: torch.zeros(12)), "left at zero"),
    (check.pack, packed(bias=lambda b: torch.cat(b[::-1])), "queries, keys, values"),
    (
        check.pack,
        packed(bias=lambda b: torch.cat([*b, b[0]])),
        "The output projection's",
    ),
    (check.follows_the_tokens, lambda attention: True, "put back by reshape alone"),
    (check.follows_the_tokens, lambda attention: False, "returns its input unchanged"),
    (
        check.follows_the_tokens,
        follows(lambda a, b, *_: torch.allclose(a, b, atol=1e-5)),
        "in the same new order",
    ),
    (
        check.follows_the_tokens,
        follows(lambda a, b, *_: torch.equal(b, a[:, ORDER])),
        "torch.allclose",
    ),
    (
        check.follows_the_tokens,
        follows(lambda a, b, *_: a.shape == b.shape),
        "put back by reshape",
    ),
    (
        check.follows_the_tokens,
        follows(lambda a, b, v, w: torch.allclose(w, v[..., ORDER, :][..., ORDER])),
        "Your test",
    ),
    (
        check.follows_the_tokens,
        equal_tokens,
        "knows positions: feed tokens that differ",
    ),
    (check.follows_the_tokens, swaps_the_last_two, "Your test accepts"),
    (check.follows_the_tokens, sometimes, "sometimes accepts"),
]
