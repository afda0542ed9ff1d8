"""The exercises of chapter 6: parameters, splitting, one head's share, packing."""

from typing import Any

import torch
from torch import Tensor, nn

from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.exercises.forms import named, pair
from lib.exercises.record import Cases, Draw, case, exercise
from lib.positions import sinusoidal_encoding


def _sizes(draw: Draw) -> list[Any]:
    n_heads = draw.randint(1, 16)
    return [(8, 4), (8, 1), (512, 8), (n_heads * draw.randint(2, 64), n_heads)]


@exercise(_sizes)
def attention_parameters(d_model: int, n_heads: int) -> int:
    """How many numbers it learns."""
    return 4 * (d_model**2 + d_model)


def _dealt(draw: Draw) -> Cases:
    x = torch.arange(48.0).reshape(2, 3, 8)
    for n_heads in (2, 4):
        heads = x.unflatten(-1, (8 // n_heads, n_heads)).permute(0, 3, 1, 2)
        yield case(heads, what=f"gather_dealt_heads of {n_heads} heads")
    yield case(draw.normal(2, 3, 5, 4))


@exercise(_dealt)
def gather_dealt_heads(heads: Tensor) -> Tensor:
    """The way back from heads dealt in turns: (B, H, T, D/H) -> (B, T, D)."""
    return heads.permute(0, 2, 3, 1).flatten(-2)


def _attention(width: int, n_heads: int, seed: int = 0) -> MultiHeadAttention:
    torch.manual_seed(seed)
    attention = MultiHeadAttention(width, n_heads)
    nn.init.normal_(attention.output_proj.bias)
    return attention


def _one_head_each(draw: Draw) -> Cases:
    x = torch.randn(2, 4, 6)
    for head in (1, 0, 2):
        yield case(_attention(6, 3), x, head)
    attention = _attention(8, 2, seed=draw.getrandbits(32))
    yield case(attention, draw.normal(2, 5, 8), draw.randrange(2))


@exercise(_one_head_each)
def contribution(attention: MultiHeadAttention, x: Tensor, head: int) -> Tensor:
    """What one head adds to the output (B, T, D)."""
    maps = (attention.query_proj, attention.key_proj, attention.value_proj)
    parts = [attention.split_heads(linear(x)) for linear in maps]
    answers, _ = scaled_dot_product_attention(*parts)  # (B, H, T, D/H)
    columns = attention.output_proj.weight.chunk(attention.n_heads, dim=1)
    return answers[:, head] @ columns[head].T


def _both_sizes(draw: Draw) -> Cases:
    for width, n_heads, seed in ((4, 2, 0), (9, 3, draw.getrandbits(32))):
        yield case(_attention(width, n_heads, seed))


@exercise(
    _both_sizes,
    form=pair("two tensors, the weight and the bias"),
    read=named("The weight", "The bias"),
)
def pack(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    """The in_proj weight (3D, D) and bias (3D) of PyTorch's class."""
    q, k, v = attention.query_proj, attention.key_proj, attention.value_proj
    weight = torch.cat([q.weight, k.weight, v.weight])
    return weight, torch.cat([q.bias, k.bias, v.bias])


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
    """Returns its input or zeros, and so much more for each later token."""

    def __init__(self, step: float, keep: float = 1.0) -> None:
        super().__init__()
        self.step, self.keep = step, keep

    def extra_repr(self) -> str:
        """Tell one from the other."""
        return f"step={self.step}"

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = torch.eye(value.size(1)).expand(value.size(0), 1, -1, -1)
        steps = self.step * torch.arange(value.size(1))[:, None]
        return self.keep * value + steps, weights


def _says(answer: Any, module: nn.Module) -> str:
    """What a test says of a module, asked five times."""
    said = {bool(answer(module)) for _ in range(5)}
    if len(said) == 2:
        return "sometimes accepted"
    return "accepted" if said == {True} else "rejected"


def _modules(draw: Draw) -> Cases:
    modules = {
        "A module that returns its input": _Adds(0.0),
        "A module that returns zeros, up to rounding": _Adds(2e-8, keep=0.0),
        "The right class with 1 head": MultiHeadAttention(8, 1),
        "The right class with 4 heads": MultiHeadAttention(8, 4),
        "An attention whose heads are put back by reshape": _MergedByReshape(8, 4),
        "An attention that knows positions": _WithPositions(8, 2),
        "A module that adds to later tokens": _Adds(draw.uniform(0.05, 0.5)),
    }
    for what, module in modules.items():
        yield case(module, what=what, use=_says)


@exercise(_modules)
def follows_the_tokens(attention: nn.Module) -> bool:
    """Whether outputs change places with their tokens."""
    x, order = torch.randn(1, 6, 8), torch.tensor([2, 0, 5, 1, 3, 4])
    moved = x[:, order]
    before, after = attention(x, x, x)[0], attention(moved, moved, moved)[0]
    return torch.allclose(after, before[:, order], atol=1e-5)
