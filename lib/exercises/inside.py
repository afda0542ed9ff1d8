"""The exercises of chapter 14: decided heads, alignments, looking back, silence."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lib.exercises.guard import leaves_alone
from lib.exercises.record import Cases, Draw, case, exercise


def _heads(draw: Draw) -> Cases:
    first_head = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    second_head = [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6]]
    yield case(torch.tensor([first_head, second_head]))
    yield case(draw.normal(4, 3, 5).softmax(dim=-1))


@exercise(_heads)
def decidedness(weights: Tensor) -> Tensor:
    """The mean of the largest weights of each head, (H) of (H, T, S)."""
    return weights.amax(dim=-1).mean(dim=-1)


Words = Sequence[str]


def _sentences(draw: Draw) -> Cases:
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    source, target = ["the", "white", "house"], ["la", "casa", "blanca"]
    yield case(weights, source, target)
    one = torch.tensor([[0.1, 0.9]])
    yield case(one, ["go", "<eos>"], ["vamos"], what="align for one target word")
    source, target = draw.sample("abcdefgh", 5), draw.sample("ijklmnop", 4)
    yield case(draw.normal(4, 5).softmax(dim=-1), source, target)


@exercise(
    _sentences,
    form=("a list of pairs", lambda got: isinstance(got, list | tuple | zip)),
    read=lambda got: list(map(tuple, got)),
)
def align(weights: Tensor, source: Words, target: Words) -> list[tuple[str, str]]:
    """Each target word with a source word, by weights (T, S)."""
    places = weights.argmax(dim=-1).tolist()
    return [(word, source[place]) for word, place in zip(target, places, strict=True)]


def _looking_back(draw: Draw) -> Cases:
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
    yield case(weights, what="share_on_previous(weights)")
    yield case(draw.normal(6, 6).softmax(dim=-1))


@exercise(_looking_back)
def share_on_previous(weights: Tensor) -> Tensor:
    """How far a head with weights (S, S) looks one token back."""
    return weights.diagonal(-1).mean()


def _joined(draw: Draw) -> Cases:
    joined = torch.arange(1.0, 13.0).view(1, 2, 6)
    yield case(joined, 1, 3, what="silence(joined, 1, 3)")
    what = "That the joined heads stay as they were"
    yield case(joined, 1, 3, what=what, use=leaves_alone)
    yield case(draw.normal(2, 3, 12), draw.randrange(4), 4)


@exercise(_joined)
def silence(joined: Tensor, head: int, n_heads: int) -> Tensor:
    """Zeros in the place of one of the joined heads (B, T, D)."""
    heads = list(joined.chunk(n_heads, dim=-1))
    heads[head] = torch.zeros_like(heads[head])
    return torch.cat(heads, dim=-1)
