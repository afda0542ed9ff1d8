"""The exercises of chapter 6: parameters, splitting, one head's share, packing."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.exercises.forms import pair
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.positions import sinusoidal_encoding


@exercise(
    "The number of heads does not appear: heads share the D numbers out.",
    right=lambda d_model, n_heads: 4 * (d_model**2 + d_model),
)
def attention_parameters(draw: Draw) -> Cases:
    """`attention_parameters(d_model, n_heads)`: how many numbers it learns."""
    for d_model, n_heads in ((8, 4), (8, 1), (512, 8)):
        yield case(d_model, n_heads)
    n_heads = draw.randint(1, 16)
    yield case(n_heads * draw.randint(2, 64), n_heads)


attention_parameters.slips = {
    "The biases are missing: each linear map has D of them.": lambda d, h: 4 * d * d,
    "The output projection is missing: there are four linear maps.": (
        lambda d, h: 3 * (d * d + d)
    ),
    "Each head is only D/H wide, so do not count all matrices once for each head.": (
        lambda d, h: 4 * h * (d * d + d)
    ),
}


@exercise(
    "Any split is good if the way back undoes it, and all weights are its own.",
    right=lambda heads: heads.permute(0, 2, 3, 1).flatten(-2),
)
def gather_dealt_heads(draw: Draw) -> Cases:
    """`gather_dealt_heads(heads)`: the way back from heads dealt in turns."""
    x = torch.arange(48.0).reshape(2, 3, 8)
    for n_heads in (2, 4):
        heads = x.unflatten(-1, (8 // n_heads, n_heads)).permute(0, 3, 1, 2)
        yield case(heads, what=f"gather_dealt_heads of {n_heads} heads")
    yield case(draw.normal(*(draw.randint(2, 6) for _ in range(4))))


gather_dealt_heads.slips = {
    "The dimensions stand in the right order: join the last two, for example with "
    "flatten(-2).": lambda heads: heads.permute(0, 2, 3, 1),
    "The tokens are not in dimension 1: find the order that undoes "
    "permute(0, 3, 1, 2).": lambda heads: heads.permute(0, 3, 1, 2).flatten(-2),
    "This joins the pieces head by head, as MultiHeadAttention does: here neighbors in "
    "a vector went to different heads.": (
        lambda heads: heads.transpose(1, 2).flatten(-2)
    ),
    "This is reshape alone: it mixes tokens and heads, so permute first.": (
        lambda heads: heads.reshape(len(heads), heads.size(2), -1)
    ),
}


def _answers(attention: MultiHeadAttention, x: Tensor) -> Tensor:
    """What all heads answer, (B, H, T, D/H)."""
    maps = (attention.query_proj, attention.key_proj, attention.value_proj)
    return scaled_dot_product_attention(
        *(attention.split_heads(linear(x)) for linear in maps)
    )[0]


def _contribution(attention: MultiHeadAttention, x: Tensor, head: int) -> Tensor:
    columns = attention.output_proj.weight.chunk(attention.n_heads, dim=1)
    return _answers(attention, x)[:, head] @ columns[head].T


def _attention(width: int, n_heads: int, seed: int = 0) -> MultiHeadAttention:
    torch.manual_seed(seed)
    attention = MultiHeadAttention(width, n_heads)
    nn.init.normal_(attention.output_proj.bias)
    return attention


@exercise(
    "The contributions of all heads and one bias add up to the output.",
    right=_contribution,
)
def contribution(draw: Draw) -> Cases:
    """`contribution(attention, x, head)`: what one head adds to the output."""
    x = torch.randn(2, 4, 6)
    for head in (1, 0, 2):
        yield case(_attention(6, 3), x, head)
    n_heads = draw.randint(2, 5)
    width = n_heads * draw.randint(2, 4)
    x, seed = draw.normal(2, draw.randint(2, 6), width), draw.getrandbits(32)
    yield case(_attention(width, n_heads, seed), x, draw.randrange(n_heads))


contribution.slips = {
    "This is only as wide as one head: take the head's answer through its columns of "
    "the output projection.": lambda a, x, head: _answers(a, x)[:, head],
    "The bias belongs to no head: it is added once, to the sum.": (
        lambda a, x, head: _contribution(a, x, head) + a.output_proj.bias
    ),
    "These are rows of the output projection: nn.Linear stores (outputs, inputs), and "
    "a head's answer is an input, so take columns.": (
        lambda a, x, head: (
            _answers(a, x)[:, head] @ a.output_proj.weight.chunk(a.n_heads)[head]
        )
    ),
    "This is the sum over all heads: only one is asked for.": (
        lambda a, x, head: a(x, x, x)[0] - a.output_proj.bias
    ),
}

_PARTS = ("query", "key", "value")
Join = Callable[[list[Tensor]], Tensor]


def _packed(
    names: Sequence[str] = _PARTS, weight: Join = torch.cat
) -> Callable[[MultiHeadAttention], tuple[Tensor, Tensor]]:
    """An answer that joins the matrices and the biases of these maps."""

    def answer(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
        maps = [getattr(attention, f"{name}_proj") for name in names]
        return weight([m.weight for m in maps]), torch.cat([m.bias for m in maps])

    return answer


@exercise(
    "With these two, the output projection is all that is left to copy.",
    right=_packed(),
    form=pair("two tensors, the weight and the bias"),
    read=lambda got: Parts({"The weight": got[0], "The bias": got[1]}),
)
def pack(draw: Draw) -> Cases:
    """`pack(attention)`: the in_proj weight and bias of PyTorch's class."""
    n_heads = draw.randint(1, 4)
    for width, heads, seed in ((4, 2, 0), (3 * n_heads, n_heads, draw.getrandbits(32))):
        torch.manual_seed(seed)
        yield case(MultiHeadAttention(width, heads))


pack.slips = {
    "The matrices stand side by side: put one below the other.": (
        _packed(weight=lambda parts: torch.cat(parts, dim=1))
    ),
    "The matrices are stacked in a new dimension: use torch.cat.": (
        _packed(weight=torch.stack)
    ),
    "The parts stand in another order: queries, keys, values.": [
        _packed(names) for names in permutations(_PARTS) if names != _PARTS
    ],
    "Each matrix is transposed: PyTorch's class stores (outputs, inputs) too.": (
        _packed(weight=lambda parts: torch.cat([part.T for part in parts]))
    ),
}


class _MergedByReshape(MultiHeadAttention):
    """Puts the heads back with `reshape` alone."""

    def merge_heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), x.size(2), -1)


class _WithPositions(MultiHeadAttention):
    """Mixes positions into its keys."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        key = key + sinusoidal_encoding(key.size(1), key.size(2))
        return super().forward(query, key, value, mask)


class _Adds(nn.Module):
    """Returns its input, and so much more for each later token."""

    def __init__(self, step: float) -> None:
        super().__init__()
        self.step = step

    def extra_repr(self) -> str:
        """Tell one from the other."""
        return f"step={self.step}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = torch.eye(value.size(1)).expand(value.size(0), 1, -1, -1)
        return value + self.step * torch.arange(value.size(1))[:, None], weights


def _says(answer: Any, module: nn.Module) -> str:
    """What a test says of a module, asked five times."""
    said = {bool(answer(module)) for _ in range(5)}
    if len(said) == 2:
        return "sometimes accepted"
    return "accepted" if said == {True} else "rejected"


def _follows(same: Callable[[Tensor, Tensor], Any]) -> Callable[[nn.Module], Any]:
    """An answer that compares the outputs of tokens with those of the same, moved."""

    def answer(attention: nn.Module) -> Any:
        x = torch.randn(1, 6, 8)
        moved = x[:, _ORDER]
        return same(attention(x, x, x)[0], attention(moved, moved, moved)[0])

    return answer


_ORDER = torch.tensor([2, 0, 5, 1, 4, 3])
_follow = _follows(lambda a, b: torch.allclose(b, a[:, _ORDER], atol=1e-5))


def _equal_tokens(attention: nn.Module) -> bool:
    one = torch.randn(1, 1, 8).expand(1, 6, 8)
    output = attention(one, one, one)[0]
    return torch.allclose(output, output[:, :1].expand_as(output), atol=1e-5)


@exercise(
    "It needs no reference, so it runs on anybody's attention.",
    right=_follow,
)
def follows_the_tokens(draw: Draw) -> Cases:
    """`follows_the_tokens(attention)`: a test that accepts and rejects."""
    modules = {
        "A module that returns its input": _Adds(0.0),
        "The right class with 1 head": MultiHeadAttention(8, 1),
        "The right class with 4 heads": MultiHeadAttention(8, 4),
        "An attention whose heads are put back by reshape": _MergedByReshape(8, 4),
        "An attention that knows positions": _WithPositions(8, 2),
        "A module that adds to later tokens": _Adds(draw.uniform(0.05, 0.5)),
    }
    for what, module in modules.items():
        yield case(module, what=what, use=_says)


follows_the_tokens.slips = {
    "Your test rejects a module that returns its input unchanged: compare the second "
    "output with the first one in the same new order.": (
        _follows(lambda a, b: torch.allclose(a, b, atol=1e-5))
    ),
    "Your test rejects the right class: a sum in another order rounds differently, so "
    "compare with torch.allclose and an atol.": (
        _follows(lambda a, b: torch.equal(b, a[:, _ORDER]))
    ),
    "Your test accepts a broken attention: feed tokens that differ, and compare all "
    "numbers of the output, not its shape or its weights.": [
        _follows(lambda a, b: a.shape == b.shape),
        _equal_tokens,
    ],
    "Your test sometimes accepts a broken attention: use an order that moves every "
    "token.": lambda attention: _follow(attention) or bool(torch.rand(()) < 0.5),
}
