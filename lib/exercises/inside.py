"""The exercises of chapter 14: decided heads, alignments, looking back, silence."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lib.exercises.guard import unwrap
from lib.exercises.record import Cases, Draw, case, exercise, that


def _decided(weights: Tensor, dim: int = -1) -> Tensor:
    return weights.amax(dim=dim).mean(dim=-1)


@exercise("A head that points at one word in every row is at 1.", right=_decided)
def decidedness(draw: Draw) -> Cases:
    """`decidedness(weights)`: the mean of the largest weights of a head."""
    first_head = [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]
    second_head = [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6]]
    yield case(torch.tensor([first_head, second_head]))
    shape = draw.randint(1, 5), draw.randint(2, 6), draw.randint(2, 6)
    yield case(draw.normal(*shape).softmax(dim=-1))


decidedness.slips = {
    "One number for each head is wanted, not one for all: keep dim 0.": (
        lambda weights: weights.amax(dim=-1).mean()
    ),
    "That is one number for each row: take their mean.": (
        lambda weights: weights.amax(dim=-1)
    ),
    "The mean of all weights is always 1/S.": lambda weights: weights.mean(dim=(1, 2)),
    "The mean over the rows is missing.": lambda weights: weights.amax(dim=(1, 2)),
    "The rows were added: take their mean.": (
        lambda weights: weights.amax(dim=-1).sum(dim=-1)
    ),
    "Those are the smallest: take the largest.": (
        lambda weights: weights.amin(dim=-1).mean(dim=-1)
    ),
    "The largest of each column was taken: rows are queries, so go along the last "
    "dimension.": lambda weights: _decided(weights, dim=1),
}

Words = Sequence[str]


def _pairs(target: Words, places: Tensor, source: Words) -> list[tuple[str, str]]:
    found = zip(target, places.tolist(), strict=False)
    return [(word, source[place]) for word, place in found]


def _align(weights: Tensor, source: Words, target: Words) -> list[tuple[str, str]]:
    return _pairs(target, weights.argmax(dim=-1), source)


@exercise(
    "Over a whole corpus this makes a small dictionary.",
    right=_align,
    form=("a list of pairs", lambda got: isinstance(got, list | tuple | zip)),
    read=lambda got: list(map(tuple, got)),
)
def align(draw: Draw) -> Cases:
    """`align(weights, source, target)`: each target word with a source word."""
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    what = "align(weights, source, target)"
    source, target = ["the", "white", "house"], ["la", "casa", "blanca"]
    yield case(weights, source, target, what=what)
    one = torch.tensor([[0.1, 0.9]])
    yield case(one, ["go", "<eos>"], ["vamos"], what=f"{what} for one target word")
    source, target = draw.sample("abcdefgh", 5), draw.sample("ijklmnop", 4)
    yield case(draw.normal(4, 5).softmax(dim=-1), source, target)


align.slips = {
    "Each pair begins with the target word.": (
        lambda w, source, target: [(s, t) for t, s in _align(w, source, target)]
    ),
    "The words were paired by their places, without the weights.": (
        lambda w, source, target: list(zip(target, source, strict=False))
    ),
    "The smallest weight was taken.": (
        lambda w, source, target: _pairs(target, w.argmin(dim=-1), source)
    ),
    "Those are places: look up which source word stands there.": (
        lambda w, source, target: list(zip(target, w.argmax(-1).tolist(), strict=True))
    ),
    "The largest of each column was taken: rows are target words, so go along the last "
    "dimension.": lambda w, source, target: _pairs(target, w.argmax(dim=0), source),
}


@exercise(
    "Some heads of BERT put more than half their weight there.",
    right=lambda weights: weights.diagonal(-1).mean(),
)
def share_on_previous(draw: Draw) -> Cases:
    """`share_on_previous(weights)`: how far a head looks one token back."""
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    yield case(weights, what="share_on_previous(weights)")
    size = draw.randint(4, 8)
    yield case(draw.normal(size, size).softmax(dim=-1))


share_on_previous.slips = {
    "That is the token after: the diagonal below is number −1.": (
        lambda weights: weights.diagonal(1).mean()
    ),
    "That is the token itself: take the diagonal below.": (
        lambda weights: weights.diagonal().mean()
    ),
    "The first token has none before it, and must not count.": (
        lambda weights: weights.diagonal(-1).sum() / len(weights)
    ),
    "Take the mean of the weights, not their sum.": (
        lambda weights: weights.diagonal(-1).sum()
    ),
    "That is two tokens back: the line just below the main one.": (
        lambda weights: weights.diagonal(-2).mean()
    ),
}


def _zeroed(joined: Tensor, *place: Any) -> Tensor:
    silent = joined.clone()
    silent[place] = 0.0
    return silent


def _own(joined: Tensor, head: int, n_heads: int) -> slice:
    d_head = joined.size(-1) // n_heads
    return slice(head * d_head, (head + 1) * d_head)


def _silence(joined: Tensor, head: int, n_heads: int) -> Tensor:
    return _zeroed(joined, ..., _own(joined, head, n_heads))


def _without_part(joined: Tensor, head: int, n_heads: int) -> Tensor:
    heads = list(joined.chunk(n_heads, dim=-1))
    del heads[head]
    return torch.cat(heads, dim=-1)


def _silence_in_place(joined: Tensor, head: int, n_heads: int) -> Tensor:
    joined[..., _own(joined, head, n_heads)] = 0.0
    return joined


_COPY = "The joined heads that were handed in have changed too: silence a copy."


def _on_its_own(answer: Any, joined: Tensor) -> bool:
    """Whether what is handed in stays as it is."""
    handed_in = joined.clone()
    unwrap(answer)(handed_in, 1, 3)
    that(torch.equal(handed_in, joined), _COPY)
    return True


@exercise("With a hook on output_proj the whole model runs without it.", right=_silence)
def silence(draw: Draw) -> Cases:
    """`silence(joined, head, n_heads)`: zeros in the place of one head."""
    joined = torch.arange(1.0, 13.0).view(1, 2, 6)
    yield case(joined, 1, 3, what="silence(joined, 1, 3)")
    yield case(joined, use=_on_its_own)
    n_heads = draw.randint(2, 5)
    joined = draw.normal(2, draw.randint(1, 4), n_heads * draw.randint(2, 4))
    yield case(joined, draw.randrange(n_heads), n_heads)


silence.slips = {
    "The head was cut out: keep its places, with zeros in them.": _without_part,
    "Only the head came back: keep the others, and lose this one.": (
        lambda joined, head, n_heads: joined.chunk(n_heads, dim=-1)[head]
    ),
    "Nothing is zero: a head has D / n_heads numbers.": (
        lambda joined, head, n_heads: joined.clone()
    ),
    "A head's numbers stand side by side, not every third one.": (
        lambda joined, head, n_heads: _zeroed(joined, ..., slice(head, None, n_heads))
    ),
    "A token was silenced, not a head: use the last dimension.": (
        lambda joined, head, n_heads: _zeroed(joined, slice(None), head)
    ),
    "Heads are counted from 0: that is the one before.": (
        lambda joined, head, n_heads: _silence(joined, head - 1, n_heads)
    ),
    "A head has D / n_heads numbers, and only one is zero.": (
        lambda joined, head, n_heads: _zeroed(joined, ..., head)
    ),
    "The others were silenced: keep them, and lose this one.": (
        lambda joined, head, n_heads: joined - _silence(joined, head, n_heads)
    ),
    _COPY: _silence_in_place,
}
