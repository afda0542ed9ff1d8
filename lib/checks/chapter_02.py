"""The checks of chapter 2: wavelengths, one position, a turn back, a test for order."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.guard import unwrap
from lib.positions import PositionalEncoding, sinusoidal_encoding

__all__ = [
    "encode_position",
    "knows_order",
    "learned_positions",
    "shift_back",
    "wavelength",
]

_DOUBLED = "The exponent is doubled: an index that steps by two is 2i already."
_HALVED = (
    "The exponent is i / d_model: it must be 2i / d_model, because each pair has two "
    "columns."
)


@exercise("2.1", praise="For i = 255 of d_model = 512 it is a turn in 60,611 words.")
def wavelength(answer: Any) -> None:
    """Check `wavelength(i, d_model)`: the steps in which one hand goes around."""
    slips: expect.Slips = {
        "A full turn has 2π radians, not 1: multiply by 2π.": 1.0,
        "A full turn is 2π here and not 360: sines and cosines take radians.": 360.0,
    }
    expect.close(answer(0, 512), 2 * math.pi, "wavelength(0, 512)", slips)

    def steps(exponent: float) -> float:
        return 2 * math.pi * 10000**exponent

    i, d_model = 3, 8
    slips = {
        "The exponent is doubled: it is 2i / d_model.": steps(4 * i / d_model),
        _HALVED: steps(i / d_model),
        "This hand gets faster with i: the wavelength is 2π divided by the frequency, "
        "not times it.": steps(-2 * i / d_model),
        "10000 is multiplied by 2i / d_model: it is raised to that power, **.": (
            2 * math.pi * 10000 * (2 * i / d_model)
        ),
    }
    expect.close(answer(i, d_model), steps(2 * i / d_model), "wavelength(3, 8)", slips)


def _row(exponents: list[float], pos: int) -> list[float]:
    angles = [pos / 10000**exponent for exponent in exponents]
    return [f(angle) for angle in angles for f in (math.sin, math.cos)]


@exercise("2.2", praise="It is one row of the table, number for number.")
def encode_position(answer: Any) -> None:
    """Check `encode_position(pos, d_model)`: the list of one position's numbers."""
    pos, d_model = 3, 8
    got, what = answer(pos, d_model), "encode_position(3, 8)"
    expect.that(hasattr(got, "__len__"), f"{what} should be a list of 8 numbers.")
    slips: expect.Slips = {
        "Half of the numbers are missing: each pair has a sine and a cosine.": 4,
        "There are twice as many numbers as needed: one pair for two columns.": 16,
    }
    expect.equal(len(got), d_model, f"The length of {what}", slips)
    table = sinusoidal_encoding(max_len=100, d_model=d_model)
    expect.close(got, table[pos], what, _wrong_rows(pos, d_model))
    expect.close(answer(41, d_model), table[41], f"encode_position(41, {d_model})")
    expect.close(answer(0, 2), [0.0, 1.0], "encode_position(0, 2)")


def _wrong_rows(pos: int, d_model: int) -> expect.Slips:
    """Rows that typical mistakes give, each with the sentence that names it."""
    exponents = [even / d_model for even in range(0, d_model, 2)]
    right = _row(exponents, pos)
    own = [_row([c / d_model], pos)[c % 2] for c in range(d_model)]
    return {
        "Sines and cosines are exchanged: the even columns hold the sines.": (
            [right[c ^ 1] for c in range(d_model)]
        ),
        "All sines stand before all cosines: lay them down in turns.": (
            right[0::2] + right[1::2]
        ),
        _DOUBLED: _row([2 * e for e in exponents], pos),
        _HALVED: _row([e / 2 for e in exponents], pos),
        "Each column has a frequency of its own: the two columns of a pair share that "
        "of the even one.": own,
        "Positions are counted from 1: the first is 0.": _row(exponents, pos + 1),
        "The position is multiplied by the power of 10000: divide by it, so that the "
        "hands get slower.": _row([-e for e in exponents], pos),
    }


@exercise("2.3", praise="It is the transpose of the matrix that goes on.")
def shift_back(answer: Any) -> None:
    """Check `shift_back(k, d_model)`: the matrix that turns positions back."""
    k, d_model = 5, 8
    what = "shift_back(5, 8)"
    got = answer(k, d_model)
    many = (
        "There are d_model blocks: each is 2 wide, so d_model / 2 of them are enough."
    )
    slips: expect.Slips = {
        "This is a single block: there is one for each of the d_model / 2 pairs.": (
            (2, 2)
        ),
        many: (2 * d_model, 2 * d_model),
    }
    expect.shape(got, (d_model, d_model), what, slips)
    powers = [10000 ** (even / d_model) for even in range(0, d_model, 2)]
    slips = {
        "This matrix goes on, not back: turn by -k instead of k.": (
            _turns([k / power for power in powers])
        ),
        "All hands turn by the same angle: each turns by k times its own frequency.": (
            _turns([-k for _ in powers])
        ),
        "The angle is k times the power of 10000: the frequency is 1 divided by that "
        "power.": _turns([-k * power for power in powers]),
        _DOUBLED: _turns([-k / power**2 for power in powers]),
    }
    expect.close(got, _turns([-k / power for power in powers]), what, slips)


def _turns(angles: list[float]) -> Tensor:
    blocks = [
        torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
        for a in angles
    ]
    return torch.block_diag(*blocks)


@exercise("2.4", praise="Run it on each new block that you write.")
def knows_order(answer: Any) -> None:
    """Check `knows_order(block, words)`: swap two words and follow one of them."""
    # Whole numbers add up exactly in any order, so that torch.equal will do as well.
    words = torch.randint(-9, 10, (1, 5, 6)).float()
    positions = PositionalEncoding(d_model=6, max_len=16)
    seen: list[Tensor] = []

    def gather(x: Tensor) -> Tensor:
        return x + x.sum(dim=1, keepdim=True)

    blocks: dict[str, tuple[Callable[[Tensor], Tensor], bool]] = {
        "adds positions": (positions, True),
        "doubles each word": (lambda x: 2 * x, False),
        "adds positions before all words are summed": (
            (lambda x: gather(positions(x)), True)
        ),
        "adds the sum of all words to each": (gather, False),
    }
    verdicts = []
    for name, (block, knows) in blocks.items():
        seen.clear()

        def recorded(x: Tensor, block: Any = block) -> Any:
            seen.append(x.detach().clone())
            return block(x)

        got = answer(recorded, words)
        expect.that(
            isinstance(got, bool) or (isinstance(got, Tensor) and got.numel() == 1),
            "The answer should be True or False, one for the whole sentence.",
        )
        _expect_swapped(seen)
        verdicts.append((name, bool(got), knows))
    _expect_verdicts(verdicts)


def _expect_swapped(seen: list[Tensor]) -> None:
    expect.that(len(seen) > 1, "Call the block twice: before the swap and after it.")
    before, after = seen[0], seen[-1]
    swapped = before.clone()
    swapped[:, [1, -1]] = before[:, [-1, 1]]
    slips = {
        "The block got the same sentence twice: swap the words in a copy, made with "
        "clone(), and call the block on both.": torch.equal(before, after),
        "One of the two words got lost in the swap: words[:, 1] is no copy, so write "
        "into a clone and read from the original.": torch.equal(
            after[:, 1], after[:, -1]
        ),
        "Swap the word at position 1 with the last one, and change nothing else.": (
            not torch.equal(swapped, after)
        ),
    }
    expect.none_of(slips)


def _expect_verdicts(verdicts: list[tuple[str, bool, bool]]) -> None:
    slips = {
        "True and False are exchanged: True means that the block knows about order.": (
            all(got != knows for _, got, knows in verdicts)
        ),
        "It says True of every block: compare the word at position 1 before the swap "
        "with the last one after it, not with another word.": (
            all(got for _, got, _ in verdicts)
        ),
    }
    expect.none_of(slips)
    for name, got, knows in verdicts:
        expect.that(
            got == knows, f"For a block that {name} it should be {knows}, not {got}."
        )


@exercise("2.5", praise="Positions that never came up in training stay as random.")
def learned_positions(answer: Any) -> None:
    """Check the module `LearnedPositions(d_model, max_len)`: a table that learns."""
    module, words = answer(d_model=6, max_len=10), torch.randn(3, 4, 6)
    slips: expect.Slips = {
        "Only the positions come back: add them to the words.": (4, 6)
    }
    expect.shape(module(words), (3, 4, 6), "The output", slips)
    parameters = [p for p in unwrap(module).parameters() if p.requires_grad]
    expect.that(
        parameters,
        "There is nothing to learn: a plain tensor or a buffer is no parameter, so use "
        "nn.Parameter or nn.Embedding.",
    )
    count = sum(p.numel() for p in parameters)
    expect.equal(count, 10 * 6, "The count of learned numbers, max_len · d_model,")
    for parameter in parameters:  # a table of zeros is a fair start, but shows nothing
        nn.init.normal_(parameter)
    added = (module(words) - words).detach()  # (3, 4, 6)
    sentences_alike = torch.allclose(added, added[:1].expand_as(added), atol=1e-5)
    positions_alike = torch.allclose(added, added[:, :1].expand_as(added), atol=1e-5)
    expect.that(
        not positions_alike,
        "All words of a sentence get the same vector: choose the rows along the words, "
        "x.size(1), not along the batch.",
    )
    expect.that(
        sentences_alike,
        "What is added differs between the sentences of a batch: it should depend on "
        "the position alone, and be added to x once.",
    )
