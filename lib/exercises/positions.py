"""The exercises of chapter 2: wavelengths, a position, a turn back, a test of order."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.exercises.forms import TENSOR, TRUTH
from lib.exercises.guard import unwrap
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.positions import PositionalEncoding, sinusoidal_encoding

_DOUBLED = "The exponent is doubled: an index that steps by two is 2i already."
_HALVED = (
    "The exponent is i / d_model: it must be 2i / d_model, because each pair has two "
    "columns."
)


def _steps(i: float, d_model: int) -> float:
    return math.tau * 10000 ** (2 * i / d_model)


@exercise("For i = 255 of d_model = 512 it is a turn in 60,611 words.", right=_steps)
def wavelength(draw: Draw) -> Cases:
    """`wavelength(i, d_model)`: the steps in which one hand goes around."""
    yield case(0, 512)
    yield case(3, 8)
    pairs = draw.randint(2, 64)
    yield case(draw.randrange(pairs), 2 * pairs)


wavelength.slips = {
    "A full turn has 2π radians, not 1: multiply by 2π.": (
        lambda i, d: _steps(i, d) / math.tau
    ),
    "The exponent is doubled: it is 2i / d_model.": lambda i, d: _steps(2 * i, d),
    _HALVED: lambda i, d: _steps(i / 2, d),
    "This hand gets faster with i: the wavelength is 2π divided by the frequency, not "
    "times it.": lambda i, d: _steps(-i, d),
}


def _row(pos: int, d_model: int, factor: float = 1.0) -> list[float]:
    """A row of the table; `factor` multiplies the exponents."""
    exponents = [factor * even / d_model for even in range(0, d_model, 2)]
    angles = [pos / 10000**exponent for exponent in exponents]
    return [f(angle) for angle in angles for f in (math.sin, math.cos)]


@exercise(
    "It is one row of the table, number for number.",
    right=lambda pos, d_model: sinusoidal_encoding(512, d_model)[pos],
    form=("a list of numbers", lambda got: hasattr(got, "__len__")),
)
def encode_position(draw: Draw) -> Cases:
    """`encode_position(pos, d_model)`: the list of one position's numbers."""
    yield case(3, 8)
    yield case(41, 8)
    yield case(0, 2)
    yield case(draw.randint(1, 500), 2 * draw.randint(1, 8))


encode_position.slips = {
    "Sines and cosines are exchanged: the even columns hold the sines.": (
        lambda pos, d: [_row(pos, d)[column ^ 1] for column in range(d)]
    ),
    "All sines stand before all cosines: lay them down in turns.": (
        lambda pos, d: _row(pos, d)[0::2] + _row(pos, d)[1::2]
    ),
    _DOUBLED: lambda pos, d: _row(pos, d, factor=2),
    _HALVED: lambda pos, d: _row(pos, d, factor=0.5),
    "Each column has a frequency of its own: the two columns of a pair share that of "
    "the even one.": lambda pos, d: [
        (math.cos if c % 2 else math.sin)(pos / 10000 ** (c / d)) for c in range(d)
    ],
}


def _turned(angle: Callable[[int, float], float]) -> Callable[[int, int], Tensor]:
    """An answer in which a hand turns by an angle, from k and the power of 10000."""

    def answer(k: int, d_model: int) -> Tensor:
        angles = [angle(k, 10000 ** (even / d_model)) for even in range(0, d_model, 2)]
        pairs = [(math.sin(one), math.cos(one)) for one in angles]
        return torch.block_diag(*(torch.tensor([[c, s], [-s, c]]) for s, c in pairs))

    return answer


@exercise(
    "It is the transpose of the matrix that goes on.",
    right=_turned(lambda k, power: -k / power),
    form=TENSOR,
)
def shift_back(draw: Draw) -> Cases:
    """`shift_back(k, d_model)`: the matrix that turns positions back."""
    yield case(5, 8)
    yield case(draw.randint(1, 30), 2 * draw.randint(2, 6))


shift_back.slips = {
    "This matrix goes on, not back: turn by -k instead of k.": (
        _turned(lambda k, power: k / power)
    ),
    "All hands turn by the same angle: each turns by k times its own frequency.": (
        _turned(lambda k, power: -k)
    ),
    "The angle is k times the power of 10000: the frequency is 1 divided by that "
    "power.": _turned(lambda k, power: -k * power),
    _DOUBLED: _turned(lambda k, power: -k / power**2),
}


Block = Callable[[Tensor], Tensor]


def _knows_order(block: Block, words: Tensor, place: int = -1) -> bool:
    """The test; after the swap it looks at this place."""
    swapped = words.clone()
    swapped[:, [1, -1]] = words[:, [-1, 1]]
    return not torch.allclose(block(words)[:, 1], block(swapped)[:, place])


def _said(answer: Any, blocks: dict[str, Block], words: Tensor) -> Parts:
    """Of which blocks an answer says that they know about order."""
    knowing = [name for name, block in blocks.items() if bool(answer(block, words))]
    return Parts({"The list of blocks that know about order": knowing})


@exercise("Run it on each new block that you write.", right=_knows_order, form=TRUTH)
def knows_order(draw: Draw) -> Cases:
    """`knows_order(block, words)`: swap two words and follow one of them."""
    positions = PositionalEncoding(d_model=6, max_len=16)

    def gather(x: Tensor) -> Tensor:
        return x + x.sum(dim=1, keepdim=True)

    blocks: dict[str, Block] = {
        "adds positions": positions,
        "doubles each word": lambda x: 2 * x,
        "adds positions before all words are summed": lambda x: gather(positions(x)),
        "adds the sum of all words to each": gather,
    }
    # Whole numbers add up exactly in any order, so that torch.equal will do as well.
    yield case(blocks, draw.ids(-9, 9, 1, 5, 6).float(), use=_said)
    length, width = draw.randint(3, 8), draw.randint(2, 6)
    places, matrix = draw.normal(length, width), draw.normal(width, width)
    others: dict[str, Block] = {
        "mixes each word": lambda x: x @ matrix + x.mean(dim=1, keepdim=True),
        "adds other positions": lambda x: (x + places) @ matrix,
        "sums up along the sentence": lambda x: x.cumsum(dim=1),
    }
    yield case(others, draw.normal(1, length, width), use=_said)


knows_order.slips = {
    "It says False of every block: swap the words in a copy, made with clone(), and "
    "call the block twice: before the swap and after it.": lambda block, words: False,
    "It says True of every block: compare the word at position 1 before the swap with "
    "the last one after it. And see that the swap loses no word: words[:, 1] is no "
    "copy, so write into a clone and read from the original.": (
        lambda block, words: _knows_order(block, words, place=1)
    ),
    "True and False are exchanged: True means that the block knows about order.": (
        lambda block, words: not _knows_order(block, words)
    ),
}


def _learns(answer: Any, d_model: int, max_len: int, words: Tensor) -> Parts:
    """How much is learned, and what comes out for other numbers in its place."""
    module = answer(d_model, max_len)
    learned = [p for p in unwrap(module).parameters() if p.requires_grad]
    torch.manual_seed(0)  # zeros are a fair start, but show nothing
    for parameter in learned:
        nn.init.normal_(parameter)
    count = sum(parameter.numel() for parameter in learned)
    what = "The count of learned numbers, max_len · d_model,"
    return Parts({what: count, "The output": module(words)})


class _Learned(nn.Module):
    """Positions that are learned; `added` is what slips change."""

    def __init__(self, d_model: int, max_len: int, added: Any = None) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(max_len, d_model))
        self.added = added or (lambda table, x: x + table[: x.size(1)])

    def forward(self, x: Tensor) -> Any:
        return self.added(self.table, x)


@exercise("Positions that never came up in training stay as random.", right=_Learned)
def learned_positions(draw: Draw) -> Cases:
    """The module `LearnedPositions(d_model, max_len)`: a table that learns."""
    yield case(6, 10, draw.normal(3, 4, 6), use=_learns)
    width, rows, length = draw.randint(2, 9), draw.randint(8, 20), draw.randint(2, 8)
    yield case(width, rows, draw.normal(2, length, width), use=_learns)


learned_positions.slips = {
    "Only the positions come back: add them to the words.": (
        lambda d, n: _Learned(d, n, lambda table, x: table[: x.size(1)])
    ),
    "There is nothing to learn: a plain tensor or a buffer is no parameter, so use "
    "nn.Parameter or nn.Embedding.": (
        lambda d, n: PositionalEncoding(d_model=d, max_len=n)
    ),
    "All words of a sentence get the same vector: choose the rows along the words, "
    "x.size(1), not along the batch.": [
        lambda d, n: _Learned(d, n, lambda table, x: x + table[: len(x), None]),
        lambda d, n: _Learned(d, n, lambda table, x: x + table[0]),
    ],
}
