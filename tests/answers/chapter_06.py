"""Right and wrong answers to the exercises of chapter 6."""

import torch
from torch import nn

from lib.checks import chapter_06 as check

V = torch.tensor([0.0, 0.0, 3.0, 9.0])
CENTERED = V - V.mean()


def rms(x, eps=1e-5):
    return x / ((x**2).mean(dim=-1, keepdim=True) + eps).sqrt()


def center(x):
    return x - x.mean(dim=-1, keepdim=True)


def folded(
    weight=lambda inner, outer: outer.weight @ inner.weight,
    bias=lambda inner, outer: outer.weight @ inner.bias + outer.bias,
):
    """An answer to 6.3 with these ways of making weight and bias."""

    def answer(inner, outer):
        matrix = weight(inner, outer)
        layer = nn.Linear(matrix.size(1), matrix.size(0))
        with torch.no_grad():
            layer.weight.copy_(matrix)
            layer.bias.copy_(bias(inner, outer))
        return layer

    return answer


def without_bias(inner, outer):
    layer = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        layer.weight.copy_(outer.weight @ inner.weight)
    return layer


def drop(x, keep, p):
    return x * keep / (1 - p)


def hands_through(block):
    x = 3 + 5 * torch.randn(2, 4, 8)
    return torch.allclose(block(x, torch.zeros_like), x)


def with_normed_input(block):
    x = center(torch.randn(2, 4, 8))
    x = x / x.std(dim=-1, correction=0, keepdim=True)
    return torch.allclose(block(x, torch.zeros_like), x, atol=1e-3)


def by_statistics(block):
    output = block(3 + 5 * torch.randn(2, 4, 8), torch.zeros_like)
    return not torch.allclose(output.mean(dim=-1), torch.zeros(2, 4), atol=1e-3)


STUBS = [
    (check.normed_by_hand, [..., ..., ..., ...]),
    (check.normed_by_hand, [-0.816, ..., 0.0, 1.633]),
]

RIGHT = [
    (check.normed_by_hand, [-0.816, -0.816, 0.0, 1.633]),
    (check.normed_by_hand, (-0.8165, -0.8165, 0, 1.633)),
    (check.normed_by_hand, nn.functional.layer_norm(V, (4,))),
    (check.rms_norm, rms),
    (
        check.rms_norm,
        lambda x, eps=1e-5: nn.functional.rms_norm(x, x.shape[-1:], eps=eps),
    ),
    (check.fold, folded()),
    (check.drop, drop),
    (check.drop, lambda x, keep, p: torch.where(keep, x / (1 - p), 0.0)),
    (check.is_pre_norm, hands_through),
    (
        check.is_pre_norm,
        lambda block: bool((block(torch.ones(1, 1, 8), torch.zeros_like) == 1).all()),
    ),
]

WRONG = [
    (check.normed_by_hand, CENTERED / V.std(), "unbiased variance"),
    (check.normed_by_hand, [-3, -3, 0, 6], "now divide by the standard deviation"),
    (check.normed_by_hand, CENTERED / 13.5, "take its root first"),
    (check.normed_by_hand, V / 13.5**0.5, "was not subtracted"),
    (check.normed_by_hand, CENTERED / 54**0.5, "root of the sum of the squares"),
    (check.normed_by_hand, [-1.0, -1.0, 0.0, 2.0], "mean distance from the mean"),
    (check.normed_by_hand, [1.0, 2.0, 3.0, 4.0], "should be [-0.8165"),
    (check.normed_by_hand, [1.0, 2.0], "number of numbers should be 4"),
    (check.normed_by_hand, 0.5, "a list of four numbers"),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x / ((x**2).mean(dim=-1, keepdim=True).sqrt() + eps),
        "outside the root",
    ),
    (check.rms_norm, lambda x, eps=1e-5: rms(x, 0.0), "ε has no effect"),
    (check.rms_norm, lambda x, eps=1e-5: rms(x), "ε has no effect"),
    (
        check.rms_norm,
        lambda x, eps=1e-5: nn.functional.layer_norm(x, x.shape[-1:], eps=eps),
        "This is layer norm",
    ),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt(),
        "divides by the standard deviation",
    ),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x / ((x**2).sum(-1, keepdim=True) + eps).sqrt(),
        "sums the squares",
    ),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x / ((x**2).mean((-2, -1), keepdim=True) + eps).sqrt(),
        "over the tokens too",
    ),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x / ((x**2).mean(-1, keepdim=True) + eps),
        "The root is missing",
    ),
    (
        check.rms_norm,
        lambda x, eps=1e-5: x.mean(dim=-1),
        "should have the shape (2, 3, 4)",
    ),
    (check.rms_norm, lambda x, eps=1e-5: torch.zeros_like(x), "is off in"),
    (check.fold, folded(weight=lambda i, o: (o.weight @ i.weight).T), "is transposed"),
    (check.fold, folded(weight=lambda i, o: torch.eye(3)), "The weight is off in"),
    (check.fold, folded(bias=lambda i, o: o.bias), "The inner bias is missing"),
    (
        check.fold,
        folded(bias=lambda i, o: o.weight @ i.bias),
        "The outer bias is missing",
    ),
    (check.fold, folded(bias=lambda i, o: i.bias + o.bias), "multiply it by outer"),
    (check.fold, folded(bias=lambda i, o: torch.zeros(3)), "The bias should be"),
    (check.fold, lambda i, o: nn.Linear(3, 3, bias=False), "The weight"),
    (check.fold, lambda i, o: without_bias(i, o), "has no bias"),
    (check.fold, lambda i, o: nn.Linear(4, 3), "The weight should have the shape"),
    (check.fold, lambda i, o: o.weight @ i.weight, "should return an nn.Linear"),
    (check.fold, lambda i, o: nn.Sequential(i, o), "should return an nn.Linear"),
    (check.drop, lambda x, keep, p: x * keep, "is not scaled up"),
    (check.drop, lambda x, keep, p: x * keep / p, "divides by p"),
    (check.drop, lambda x, keep, p: x * keep * (1 - p), "multiplies by 1 − p"),
    (check.drop, lambda x, keep, p: x * ~keep / (1 - p), "drops what should be kept"),
    (check.drop, lambda x, keep, p: x[keep] / (1 - p), "stay in their place"),
    (check.drop, lambda x, keep, p: x / (1 - p), "Nothing is dropped"),
    (
        check.drop,
        lambda x, keep, p: x * keep * x.sum() / (x * keep).sum(),
        "sum of this draw",
    ),
    (check.drop, lambda x, keep, p: x, "drop(x, keep, 0.2) should be"),
    (check.is_pre_norm, with_normed_input, "not normed already"),
    (check.is_pre_norm, lambda block: True, "A post-norm block passed for pre-norm"),
    (check.is_pre_norm, lambda block: False, "A pre-norm block passed for post-norm"),
    (
        check.is_pre_norm,
        lambda block: not hands_through(block),
        "A pre-norm block passed",
    ),
    (
        check.is_pre_norm,
        lambda block: getattr(block, "norm_first", True),
        "norm_first lies",
    ),
    (check.is_pre_norm, by_statistics, "learned a scale and a shift"),
]
