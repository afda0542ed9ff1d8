"""The exercises of chapter 20: an RMS norm, joined matrices, rotary pairs, a count."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lib.exercises.forms import TENSOR, named
from lib.exercises.record import Cases, Draw, case, exercise


def _rows(draw: Draw) -> Cases:
    one, two = torch.tensor([[3.0, 4.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]])
    yield case(one, torch.ones(2), 0.0, what="rms_norm of (3, 4)")
    yield case(two, torch.tensor([2.0, 0.5]), 0.3, what="rms_norm of two rows")
    yield case(draw.normal(3, 4), draw.normal(4), draw.uniform(0.1, 1.0))


@exercise(_rows)
def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Each row over the root of its mean square."""
    mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
    return weight * x / (mean_square + eps).sqrt()


def _joined(draw: Draw) -> Cases:
    joined = torch.arange(27.0).view(3, 9)
    yield case(joined, what="split_joined of the numbers 0 to 26")
    yield case(draw.normal(6, 18))


def _are_three(got: Any) -> bool:
    three = isinstance(got, list | tuple) and len(got) == 3
    return three and all(isinstance(part, Tensor) for part in got)


@exercise(
    _joined,
    form=("three matrices", _are_three),
    read=named("The queries' matrix", "The keys' matrix", "The values' matrix"),
)
def split_joined(joined: Tensor) -> Sequence[Tensor]:
    """Three matrices (D, D) for nn.Linear, of one (D, 3 * D)."""
    return joined.T.chunk(3)


def _halves(draw: Draw) -> Cases:
    weight = torch.arange(36.0).view(6, 6)
    yield case(weight, 1, what="to_neighbors of one head of 6 numbers")
    yield case(torch.arange(144.0).view(12, 12), 2, what="to_neighbors of two heads")
    yield case(draw.normal(18, 18), 3)


@exercise(_halves, form=TENSOR)
def to_neighbors(weight: Tensor, n_heads: int) -> Tensor:
    """Rows of halves, as rows of neighbors."""
    halves = weight.unflatten(0, (n_heads, 2, -1))  # (H, 2, pairs, D)
    return halves.transpose(1, 2).reshape(weight.shape)


_TALE = {
    "vocab_size": 512,
    "hidden_size": 64,
    "intermediate_size": 172,
    "num_hidden_layers": 5,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "tie_word_embeddings": True,
}


def _configs(draw: Draw) -> Cases:
    yield case(_TALE, what="count_llama of stories260K")
    untied = {**_TALE, "tie_word_embeddings": False}
    yield case(untied, what="count_llama with an output of its own")
    drawn = {
        **untied,
        "vocab_size": draw.randint(50, 900),
        "hidden_size": 12 * draw.randint(1, 8),
        "intermediate_size": draw.randint(20, 90),
        "num_hidden_layers": draw.randint(2, 9),
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
    }
    yield case(drawn, what="count_llama of a random Llama")


@exercise(_configs)
def count_llama(config: dict[str, int]) -> int:
    """The numbers of a Llama, from what config.json says."""
    width, layers = config["hidden_size"], config["num_hidden_layers"]
    shared = width // config["num_attention_heads"] * config["num_key_value_heads"]
    attention = 2 * width * width + 2 * width * shared
    feed_forward = 3 * width * config["intermediate_size"]
    layer = attention + feed_forward + 2 * width
    tables = 1 if config["tie_word_embeddings"] else 2
    return layers * layer + width + tables * config["vocab_size"] * width
