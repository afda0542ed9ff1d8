"""Every check of chapter 6: against the stub, right answers and typical mistakes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from lib.checks import CheckFailed
from lib.checks import chapter_06 as check

Answer = Callable[..., Any]

V = torch.tensor([0.0, 0.0, 3.0, 9.0])
CENTERED = V - V.mean()


def stub(*_: Any) -> Any: ...


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


CHECKS = {
    "6.1": check.normed_by_hand,
    "6.2": check.rms_norm,
    "6.3": check.fold,
    "6.4": check.drop,
    "6.5": check.is_pre_norm,
}

STUBS = [
    ("6.1", [..., ..., ..., ...]),
    ("6.1", [-0.816, ..., 0.0, 1.633]),
    ("6.1", ...),
    ("6.2", stub),
    ("6.3", stub),
    ("6.4", stub),
    ("6.5", stub),
]

RIGHT = [
    ("6.1", [-0.816, -0.816, 0.0, 1.633]),
    ("6.1", (-0.8165, -0.8165, 0, 1.633)),
    ("6.1", nn.functional.layer_norm(V, (4,))),
    ("6.2", rms),
    ("6.2", lambda x, eps=1e-5: nn.functional.rms_norm(x, x.shape[-1:], eps=eps)),
    ("6.3", folded()),
    ("6.4", drop),
    ("6.4", lambda x, keep, p: torch.where(keep, x / (1 - p), 0.0)),
    ("6.5", hands_through),
    (
        "6.5",
        lambda block: bool((block(torch.ones(1, 1, 8), torch.zeros_like) == 1).all()),
    ),
]

WRONG = [
    ("6.1", CENTERED / V.std(), "unbiased variance"),
    ("6.1", [-3, -3, 0, 6], "now divide by the standard deviation"),
    ("6.1", CENTERED / 13.5, "take its root first"),
    ("6.1", V / 13.5**0.5, "was not subtracted"),
    ("6.1", CENTERED / 54**0.5, "root of the sum of the squares"),
    ("6.1", [-1.0, -1.0, 0.0, 2.0], "mean distance from the mean"),
    ("6.1", [1.0, 2.0, 3.0, 4.0], "should be [-0.8165"),
    ("6.1", [1.0, 2.0], "number of numbers should be 4"),
    ("6.1", 0.5, "a list of four numbers"),
    (
        "6.2",
        lambda x, eps=1e-5: x / ((x**2).mean(dim=-1, keepdim=True).sqrt() + eps),
        "outside the root",
    ),
    ("6.2", lambda x, eps=1e-5: rms(x, 0.0), "ε has no effect"),
    ("6.2", lambda x, eps=1e-5: rms(x), "ε has no effect"),
    (
        "6.2",
        lambda x, eps=1e-5: nn.functional.layer_norm(x, x.shape[-1:], eps=eps),
        "This is layer norm",
    ),
    (
        "6.2",
        lambda x, eps=1e-5: x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt(),
        "divides by the standard deviation",
    ),
    (
        "6.2",
        lambda x, eps=1e-5: x / ((x**2).sum(-1, keepdim=True) + eps).sqrt(),
        "sums the squares",
    ),
    (
        "6.2",
        lambda x, eps=1e-5: x / ((x**2).mean((-2, -1), keepdim=True) + eps).sqrt(),
        "over the tokens too",
    ),
    (
        "6.2",
        lambda x, eps=1e-5: x / ((x**2).mean(-1, keepdim=True) + eps),
        "The root is missing",
    ),
    ("6.2", lambda x, eps=1e-5: x.mean(dim=-1), "should have the shape (2, 3, 4)"),
    ("6.2", lambda x, eps=1e-5: torch.zeros_like(x), "is off in"),
    ("6.3", folded(weight=lambda i, o: (o.weight @ i.weight).T), "is transposed"),
    ("6.3", folded(weight=lambda i, o: torch.eye(3)), "The weight is off in"),
    ("6.3", folded(bias=lambda i, o: o.bias), "The inner bias is missing"),
    ("6.3", folded(bias=lambda i, o: o.weight @ i.bias), "The outer bias is missing"),
    ("6.3", folded(bias=lambda i, o: i.bias + o.bias), "multiply it by outer"),
    ("6.3", folded(bias=lambda i, o: torch.zeros(3)), "The bias should be"),
    ("6.3", lambda i, o: nn.Linear(3, 3, bias=False), "The weight"),
    ("6.3", lambda i, o: without_bias(i, o), "has no bias"),
    ("6.3", lambda i, o: nn.Linear(4, 3), "The weight should have the shape"),
    ("6.3", lambda i, o: o.weight @ i.weight, "should return an nn.Linear"),
    ("6.3", lambda i, o: nn.Sequential(i, o), "should return an nn.Linear"),
    ("6.4", lambda x, keep, p: x * keep, "is not scaled up"),
    ("6.4", lambda x, keep, p: x * keep / p, "divides by p"),
    ("6.4", lambda x, keep, p: x * keep * (1 - p), "multiplies by 1 − p"),
    ("6.4", lambda x, keep, p: x * ~keep / (1 - p), "drops what should be kept"),
    ("6.4", lambda x, keep, p: x[keep] / (1 - p), "stay in their place"),
    ("6.4", lambda x, keep, p: x / (1 - p), "Nothing is dropped"),
    (
        "6.4",
        lambda x, keep, p: x * keep * x.sum() / (x * keep).sum(),
        "sum of this draw",
    ),
    ("6.4", lambda x, keep, p: x, "drop(x, keep, 0.2) should be"),
    ("6.5", with_normed_input, "not normed already"),
    ("6.5", lambda block: True, "A post-norm block passed for pre-norm"),
    ("6.5", lambda block: False, "A pre-norm block passed for post-norm"),
    ("6.5", lambda block: not hands_through(block), "A pre-norm block passed"),
    ("6.5", lambda block: getattr(block, "norm_first", True), "norm_first lies"),
    ("6.5", by_statistics, "learned a scale and a shift"),
]


@pytest.mark.parametrize(("number", "answer"), STUBS)
def test_a_stub_is_not_answered(
    number: str, answer: Any, capsys: pytest.CaptureFixture[str]
):
    CHECKS[number](answer)
    assert f"Exercise {number}: not answered yet" in capsys.readouterr().out


@pytest.mark.parametrize(("number", "answer"), RIGHT)
def test_a_right_answer_is_praised(
    number: str, answer: Answer, capsys: pytest.CaptureFixture[str]
):
    CHECKS[number](answer)
    assert f"Exercise {number}: right. " in capsys.readouterr().out


@pytest.mark.parametrize(("number", "answer", "sentence"), WRONG)
def test_a_mistake_is_named(number: str, answer: Answer, sentence: str):
    with pytest.raises(CheckFailed) as failure:
        CHECKS[number](answer)
    message = str(failure.value)
    assert message.startswith(f"Exercise {number}: ")
    assert sentence in message
    assert message.endswith(".")
