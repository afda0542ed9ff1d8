"""Hidden values for chapter 5."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from book.tools.course.hidden import Draw, Observe, call, draws
from lib.attention import MultiHeadAttention


class _Broken(nn.Module):
    """Attention whose tokens read what stood before them, or never move."""

    def __init__(self, attention: nn.Module, slip: str) -> None:
        super().__init__()
        self.attention, self.slip = attention, slip

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        output, weights = self.attention(q, k, v)
        if self.slip == "adds up":
            return output.cumsum(dim=1), weights
        place = torch.arange(q.size(1))[:, None]
        return output + 0.1 * place, weights


def _attention(draw: Draw, width: int, heads: int) -> MultiHeadAttention:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draw.getrandbits(32))
        return MultiHeadAttention(width, heads).eval()


@draws("5.1")
def attention_parameters(draw: Draw) -> Iterator[Observe]:
    """Other sizes."""
    heads = draw.randint(1, 16)
    yield call(heads * draw.randint(2, 64), heads)


@draws("5.2")
def gather_dealt_heads(draw: Draw) -> Iterator[Observe]:
    """Other numbers of sentences, heads, tokens and numbers."""
    yield call(draw.normal(*(draw.randint(2, 6) for _ in range(4))))


@draws("5.3")
def contribution(draw: Draw) -> Iterator[Observe]:
    """Another module, another head."""
    heads = draw.randint(2, 5)
    width = heads * draw.randint(2, 4)
    words = draw.normal(2, draw.randint(2, 6), width)
    yield call(_attention(draw, width, heads), words, draw.randrange(heads))


@draws("5.4")
def pack(draw: Draw) -> Iterator[Observe]:
    """Another module."""
    heads = draw.randint(1, 4)
    yield call(_attention(draw, 3 * heads, heads))


@draws("5.5")
def follows_the_tokens(draw: Draw) -> Iterator[Observe]:
    """Other modules, right and broken."""
    attention = _attention(draw, 8, draw.choice([1, 2, 4]))
    yield call(attention)
    yield call(_Broken(attention, draw.choice(["adds up", "adds places"])))
