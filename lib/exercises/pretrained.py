"""The exercises of chapter 20: an RMS norm, joined matrices, rotary pairs, a count."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.exercises.forms import TENSOR
from lib.exercises.record import Cases, Draw, Parts, case, exercise


def _mean_square(x: Tensor) -> Tensor:
    return x.square().mean(-1, keepdim=True)


def _rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], weight, eps)


@exercise("Compare it with `lib.today.RMSNorm`: the same line.", right=_rms_norm)
def rms_norm(draw: Draw) -> Cases:
    """`rms_norm(x, weight, eps)`: each row of x over the root of its mean square."""
    yield case(
        torch.tensor([[3.0, 4.0]]), torch.ones(2), 0.0, what="rms_norm of (3, 4)"
    )
    two = torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    yield case(two, torch.tensor([2.0, 0.5]), 0.3, what="rms_norm of two rows")
    yield case(draw.normal(3, 4), draw.normal(4), draw.uniform(0.1, 1.0))


rms_norm.slips = {
    "An RMS norm leaves the mean where it is: do not subtract it.": (
        lambda x, weight, eps: _rms_norm(x - x.mean(-1, keepdim=True), weight, eps)
    ),
    "The root is missing: divide by the root of the mean square.": (
        lambda x, weight, eps: weight * x / (_mean_square(x) + eps)
    ),
    "The weight is missing: multiply each number by its own.": (
        lambda x, weight, eps: _rms_norm(x, torch.ones_like(weight), eps)
    ),
    "eps belongs inside the root, to the mean square.": (
        lambda x, weight, eps: weight * x / (_mean_square(x).sqrt() + eps)
    ),
}


def _are_three(got: Any) -> bool:
    three = isinstance(got, list | tuple) and len(got) == 3
    return three and all(isinstance(part, Tensor) for part in got)


def _named(got: Sequence[Tensor]) -> Parts:
    names = ("The queries' matrix", "The keys' matrix", "The values' matrix")
    return Parts(dict(zip(names, got, strict=True)))


@exercise(
    "A GPT-2 goes into the book's attention in this way.",
    right=lambda joined: joined.T.chunk(3),
    form=("three matrices", _are_three),
    read=_named,
)
def split_joined(draw: Draw) -> Cases:
    """`split_joined(joined)`: three matrices for `nn.Linear` of one (D, 3 * D)."""
    joined = torch.arange(27.0).view(3, 9)
    yield case(joined, what="split_joined of the numbers 0 to 26")
    width = 3 * draw.randint(1, 2)
    yield case(draw.normal(width, 3 * width))


split_joined.slips = {
    "Each matrix should be transposed: GPT-2 has a row for each number that comes in, "
    "nn.Linear for each that goes out.": lambda joined: list(joined.chunk(3, dim=1)),
    "The three stand one beside the other: cut the columns, not the rows.": (
        lambda joined: [part.T for part in joined.chunk(3)]
    ),
    "The first third belongs to the queries: cut in three, do not take every third.": (
        lambda joined: [joined.T[place::3] for place in range(3)]
    ),
    "The order is queries, keys, values.": lambda joined: joined.T.chunk(3)[::-1],
}


def _to_neighbors(weight: Tensor, n_heads: int) -> Tensor:
    heads = weight.unflatten(0, (n_heads, 2, -1))
    return heads.transpose(1, 2).reshape(weight.shape)


def _to_halves(weight: Tensor, n_heads: int) -> Tensor:
    heads = weight.unflatten(0, (n_heads, -1, 2))
    return heads.transpose(1, 2).reshape(weight.shape)


@exercise(
    "Queries and keys move alike, so their products stay what they were.",
    right=_to_neighbors,
    form=TENSOR,
)
def to_neighbors(draw: Draw) -> Cases:
    """`to_neighbors(weight, n_heads)`: rows of halves, as rows of neighbors."""
    weight = torch.arange(36.0).view(6, 6)
    yield case(weight, 1, what="to_neighbors of one head of 6 numbers")
    yield case(torch.arange(144.0).view(12, 12), 2, what="to_neighbors of two heads")
    heads = draw.randint(2, 3)
    yield case(draw.normal(6 * heads, 6 * heads), heads)


to_neighbors.slips = {
    "This goes from neighbors to halves: the other way round.": _to_halves,
    "Nothing was moved: number i of the first half comes beside number i of the "
    "second.": lambda weight, n_heads: weight,
    "Each head has halves of its own: take it apart by heads first.": (
        lambda weight, n_heads: _to_neighbors(weight, 1)
    ),
    "Move rows, not columns: a row makes one number of a query.": (
        lambda weight, n_heads: _to_neighbors(weight.T, n_heads).T
    ),
}

Settings = dict[str, Any]
_TALE = {
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 172,
    "num_hidden_layers": 5,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "tie_word_embeddings": True,
}


def _count(config: Settings, matrices: int = 3, norms: int = 2) -> int:
    """The numbers of a Llama; the options make what people get wrong."""
    width, layers = config["hidden_size"], config["num_hidden_layers"]
    shared = width * config["num_key_value_heads"] // config["num_attention_heads"]
    layer = 2 * width * width + 2 * width * shared + norms * width
    layer += matrices * width * config["intermediate_size"]
    tables = 1 + (not config["tie_word_embeddings"])
    return int(layers * layer + width + tables * config["vocab_size"] * width)


@exercise("Before you download a model, you know its size.", right=_count)
def count_llama(draw: Draw) -> Cases:
    """`count_llama(config)`: the numbers of a Llama, from what config.json says."""
    yield case(_TALE, what="count_llama of stories260K")
    untied = {**_TALE, "tie_word_embeddings": False}
    yield case(untied, what="count_llama with an output of its own")
    groups = draw.randint(1, 4)
    heads = groups * draw.randint(2, 4)
    drawn = {
        "vocab_size": draw.randint(50, 900),
        "hidden_size": heads * 2 * draw.randint(1, 8),
        "intermediate_size": draw.randint(20, 90),
        "num_hidden_layers": draw.randint(2, 9),
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "tie_word_embeddings": draw.random() < 0.5,
    }
    yield case(drawn, what="count_llama of a random Llama")


count_llama.slips = {
    "Keys and values have fewer heads than queries: look at num_key_value_heads.": (
        lambda config: _count(
            {**config, "num_key_value_heads": config["num_attention_heads"]}
        )
    ),
    "A gated feed-forward has three matrices, not two.": (
        lambda config: _count(config, matrices=2)
    ),
    "The two norms of each layer are missing.": lambda config: _count(config, norms=0),
    "A tied output is the embedding's matrix: count it once.": (
        lambda config: _count({**config, "tie_word_embeddings": False})
    ),
    "An output that is not tied has a matrix of its own.": (
        lambda config: _count({**config, "tie_word_embeddings": True})
    ),
}
