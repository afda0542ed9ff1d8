"""Right and wrong answers to the exercises of chapter 6."""

import torch
from torch import nn

from lib.checks import chapter_06 as check
from lib.layers import Residual

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


def built(post, pre, norms=1):
    """An answer to 6.6 that computes `post` or `pre`, functions of the block, x and f.

    With `norms` of 0 the norm has nothing to learn.
    """

    class Answer(nn.Module):
        def __init__(self, d_model, dropout, norm_first):
            super().__init__()
            self.norm = nn.LayerNorm(d_model, elementwise_affine=bool(norms))
            self.more = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(norms - 1))
            self.drop = nn.Dropout(dropout)
            self.p = dropout
            self.norm_first = norm_first

        def forward(self, x, sublayer):
            return (pre if self.norm_first else post)(self, x, sublayer)

    return Answer


def post(block, x, f):
    return block.norm(x + block.drop(f(x)))


def pre(block, x, f):
    return x + block.drop(f(block.norm(x)))


def always_drops(block, x, f):
    dropped = nn.functional.dropout(f(block.norm(x)), block.p)
    return x + dropped


class StubResidual(nn.Module):
    def __init__(self, d_model, dropout, norm_first):
        super().__init__()

    def forward(self, x, sublayer): ...


STUBS = [
    (check.residual, StubResidual),
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
    (check.residual, built(post, pre)),
    (check.residual, Residual),
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
    (check.rms_norm, lambda x, eps=0.0: rms(x, eps), "ε is 0"),
    (check.rms_norm, lambda x, eps=1e-3: rms(x, eps), "small numbers"),
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
    (
        check.drop,
        lambda x, keep, p: x * keep / keep.float().mean(),
        "this draw happened to keep",
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
    (check.residual, built(pre, pre), "not told apart"),
    (check.residual, built(post, post), "not told apart"),
    (check.residual, built(pre, post), "exchanged"),
    (check.residual, built(lambda b, x, f: b.norm(f(x)), pre), "residual is missing"),
    (check.residual, built(post, lambda b, x, f: f(b.norm(x))), "residual is missing"),
    (check.residual, built(lambda b, x, f: x + f(x), pre), "norm is missing"),
    (
        check.residual,
        built(post, lambda b, x, f: b.norm(x) + b.drop(f(b.norm(x)))),
        "not the normed x",
    ),
    (
        check.residual,
        built(lambda b, x, f: x + b.norm(f(x)), pre),
        "behind the sublayer alone",
    ),
    (check.residual, built(post, lambda b, x, f: 2 * x), "is off in"),
    (check.residual, built(post, pre, norms=0), "it learns 0"),
    (check.residual, built(post, pre, norms=2), "it learns 32"),
    (
        check.residual,
        built(lambda b, x, f: b.norm(b.drop(x + f(x))), pre),
        "dropout reaches x",
    ),
    (
        check.residual,
        built(post, lambda b, x, f: b.drop(x + f(b.norm(x)))),
        "dropout reaches x",
    ),
    (
        check.residual,
        built(lambda b, x, f: b.norm(x + f(x)), pre),
        "Nothing is dropped",
    ),
    (check.residual, built(post, always_drops), "still dropped after eval()"),
    (check.residual, built(post, lambda b, x, f: x[0]), "should have the shape"),
]
