"""The exercises of chapter 14: decided heads, alignments, looking back, silence."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lib.exercises.guard import leaves_alone
from lib.exercises.record import Cases, Draw, case, exercise


@exercise(
    "A head that points at one word in every row is at 1.",
    right=lambda weights: weights.amax(dim=-1).mean(dim=-1),
)
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
    "The largest of each column was taken: rows are queries, so go along the last "
    "dimension.": lambda weights: weights.amax(dim=1).mean(dim=-1),
}

Words = Sequence[str]


def _pairs(target: Words, places: Tensor, source: Words) -> list[tuple[str, str]]:
    found = zip(target, places.tolist(), strict=False)
    return [(word, source[place]) for word, place in found]


@exercise(
    "Over a whole corpus this makes a small dictionary.",
    right=lambda weights, source, target: _pairs(target, weights.argmax(-1), source),
    form=("a list of pairs", lambda got: isinstance(got, list | tuple | zip)),
    read=lambda got: list(map(tuple, got)),
)
def align(draw: Draw) -> Cases:
    """`align(weights, source, target)`: each target word with a source word."""
    weights = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.2, 0.5, 0.3]])
    source, target = ["the", "white", "house"], ["la", "casa", "blanca"]
    yield case(weights, source, target)
    one = torch.tensor([[0.1, 0.9]])
    yield case(one, ["go", "<eos>"], ["vamos"], what="align for one target word")
    source, target = draw.sample("abcdefgh", 5), draw.sample("ijklmnop", 4)
    yield case(draw.normal(4, 5).softmax(dim=-1), source, target)


align.slips = {
    "Each pair begins with the target word.": (
        lambda w, source, target: [
            (one, word) for word, one in _pairs(target, w.argmax(-1), source)
        ]
    ),
    "The words were paired by their places, without the weights.": (
        lambda w, source, target: list(zip(target, source, strict=False))
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
    weights = torch.tensor([[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
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
}


def _silence_in_place(joined: Tensor, head: int, n_heads: int) -> Tensor:
    joined.chunk(n_heads, dim=-1)[head].zero_()
    return joined


def _silence(joined: Tensor, head: int, n_heads: int) -> Tensor:
    return _silence_in_place(joined.clone(), head, n_heads)


def _without_part(joined: Tensor, head: int, n_heads: int) -> Tensor:
    heads = list(joined.chunk(n_heads, dim=-1))
    del heads[head]
    return torch.cat(heads, dim=-1)


@exercise("With a hook on output_proj the whole model runs without it.", right=_silence)
def silence(draw: Draw) -> Cases:
    """`silence(joined, head, n_heads)`: zeros in the place of one head."""
    joined = torch.arange(1.0, 13.0).view(1, 2, 6)
    yield case(joined, 1, 3, what="silence(joined, 1, 3)")
    what = "That the joined heads stay as they were"
    yield case(joined, 1, 3, what=what, use=leaves_alone)
    n_heads = draw.randint(2, 5)
    joined = draw.normal(2, draw.randint(1, 4), n_heads * draw.randint(2, 4))
    yield case(joined, draw.randrange(n_heads), n_heads)


silence.slips = {
    "The head was cut out: keep its places, with zeros in them.": _without_part,
    "A head's numbers stand side by side, not every third one.": (
        lambda joined, head, n_heads: (
            joined * (torch.arange(joined.size(-1)) % n_heads != head)
        )
    ),
    "The others were silenced: keep them, and lose this one.": (
        lambda joined, head, n_heads: joined - _silence(joined, head, n_heads)
    ),
    "The joined heads that were handed in have changed too: silence a copy.": (
        _silence_in_place
    ),
}
