"""The exercises of chapter 2: wavelengths, a position, a turn back, a test of order."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.exercises.forms import TENSOR, TRUTH
from lib.exercises.guard import leaves_alone, unwrap
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.positions import PositionalEncoding


def _hands(draw: Draw) -> list[Any]:
    pairs = draw.randint(2, 64)
    return [(0, 512), (3, 8), (draw.randrange(pairs), 2 * pairs)]


@exercise(_hands)
def wavelength(i: int, d_model: int) -> float:
    """The steps in which one hand goes around."""
    return math.tau * 10000 ** (2 * i / d_model)


@exercise(
    lambda draw: [
        (3, 8),
        (41, 8),
        (0, 2),
        (draw.randint(1, 500), 2 * draw.randint(1, 8)),
    ],
    form=("a list of numbers", lambda got: hasattr(got, "__len__")),
)
def encode_position(pos: int, d_model: int) -> Tensor:
    """The numbers of one position, sine and cosine in turns."""
    numbers = []
    for even in range(0, d_model, 2):
        angle = pos / 10000 ** (even / d_model)
        numbers += [math.sin(angle), math.cos(angle)]
    return torch.tensor(numbers)  # a wrong length is told as another shape


@exercise(
    lambda draw: [(5, 8), (draw.randint(1, 30), 2 * draw.randint(2, 6))], form=TENSOR
)
def shift_back(k: int, d_model: int) -> Tensor:
    """The matrix that turns positions back."""
    turns = []
    for even in range(0, d_model, 2):
        angle = -k / 10000 ** (even / d_model)
        sine, cosine = math.sin(angle), math.cos(angle)
        turns.append(torch.tensor([[cosine, sine], [-sine, cosine]]))
    return torch.block_diag(*turns)


Block = Callable[[Tensor], Tensor]


def _said(answer: Any, blocks: dict[str, Block], words: Tensor) -> Parts:
    """Of which blocks an answer says that they know about order."""
    knowing = [name for name, block in blocks.items() if bool(answer(block, words))]
    return Parts({"The list of blocks that know about order": knowing})


def _blocks_and_words(draw: Draw) -> Cases:
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
    words = draw.ids(-9, 9, 1, 5, 6).float()
    yield case(blocks, words, use=_said)
    what = "That the words stay as they were"
    yield case(positions, words, what=what, use=leaves_alone)
    places, matrix = draw.normal(5, 4), draw.normal(4, 4)
    others: dict[str, Block] = {
        "mixes each word": lambda x: x @ matrix + x.mean(dim=1, keepdim=True),
        "adds other positions": lambda x: (x + places) @ matrix,
        "sums up along the sentence": lambda x: x.cumsum(dim=1),
    }
    yield case(others, draw.normal(1, 5, 4), use=_said)


@exercise(_blocks_and_words, form=TRUTH)
def knows_order(block: Block, words: Tensor) -> bool:
    """Swap two words, and follow one of them."""
    swapped = words.clone()
    swapped[:, [1, -1]] = words[:, [-1, 1]]
    before, after = block(words), block(swapped)
    return not torch.allclose(before[:, 1], after[:, -1])


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


def _tables(draw: Draw) -> Cases:
    yield case(6, 10, draw.normal(3, 4, 6), use=_learns)
    yield case(5, 12, draw.normal(2, 7, 5), use=_learns)


class LearnedPositions(nn.Module):
    """A table that learns, added to the words."""

    def __init__(self, d_model: int, max_len: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(max_len, d_model))

    def forward(self, x: Tensor) -> Tensor:  # (B, T, D) -> (B, T, D)
        return x + self.table[: x.size(1)]


learned_positions = exercise(_tables, name="learned_positions")(LearnedPositions)
