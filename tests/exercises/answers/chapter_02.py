"""Right and wrong answers to the exercises of chapter 2."""

import math

import torch
from torch import nn

from lib.checks import chapter_02 as check


class StubPositions(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()

    def forward(self, x): ...


def steps(i, d_model):
    return 2 * math.pi * 10000 ** (2 * i / d_model)


def row(pos, d_model, exponent=lambda even, d_model: even / d_model):
    angles = [pos / 10000 ** exponent(even, d_model) for even in range(0, d_model, 2)]
    return [f(angle) for angle in angles for f in (math.sin, math.cos)]


def rotation(angle):
    s, c = math.sin(angle), math.cos(angle)
    return torch.tensor([[c, s], [-s, c]])


def turns(angle):
    """An answer to 2.3 in which the hand of column `even` turns by `angle`."""

    def answer(k, d_model):
        every_pair = range(0, d_model, 2)
        return torch.block_diag(*[rotation(angle(k, e / d_model)) for e in every_pair])

    return answer


back = turns(lambda k, exponent: -k / 10000**exponent)


def swap(words):
    swapped = words.clone()
    swapped[:, [1, -1]] = words[:, [-1, 1]]
    return swapped


def knows_order(block, words):
    return not torch.allclose(block(words)[:, 1], block(swap(words))[:, -1])


def swaps_in_place(block, words):
    before = block(words)[:, 1].clone()
    words[:, [1, -1]] = words[:, [-1, 1]]
    return not torch.equal(before, block(words)[:, -1])


def loses_a_word(block, words):
    before = block(words)
    words[:, 1], words[:, -1] = words[:, -1], words[:, 1]
    return not torch.allclose(before[:, 1], block(words)[:, -1])


class LearnedPositions(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(max_len, d_model))

    def forward(self, x):
        return x + self.table[: x.size(1)]


class EmbeddedPositions(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.rows = nn.Embedding(max_len, d_model)

    def forward(self, x):
        return x + self.rows(torch.arange(x.size(1)))


def positions(forward, parameter=True):
    """A wrong answer to 2.5, with a forward of its own."""

    class Wrong(nn.Module):
        def __init__(self, d_model, max_len):
            super().__init__()
            table = torch.randn(max_len, d_model)
            self.table = nn.Parameter(table) if parameter else table

        def forward(self, x):
            return forward(self.table, x)

    return Wrong


STUBS = [(check.learned_positions, StubPositions)]

RIGHT = [
    (check.wavelength, steps),
    (check.wavelength, lambda i, d: math.tau * 10 ** (8 * i / d)),
    (check.encode_position, row),
    (check.encode_position, lambda pos, d: torch.tensor(row(pos, d))),
    (check.shift_back, back),
    (check.shift_back, lambda k, d: back(-k, d).T),
    (check.knows_order, knows_order),
    (check.knows_order, swaps_in_place),
    (check.learned_positions, LearnedPositions),
    (check.learned_positions, EmbeddedPositions),
]  # fmt: skip

WRONG = [
    (check.wavelength, lambda i, d: steps(i, d) / (2 * math.pi), "multiply by 2π"),
    (check.wavelength, lambda i, d: 360 * 10000 ** (2 * i / d), "radians"),
    (check.wavelength, lambda i, d: steps(2 * i, d), "exponent is doubled"),
    (check.wavelength, lambda i, d: steps(i / 2, d), "exponent is i / d_model"),
    (check.wavelength, lambda i, d: steps(-i, d), "gets faster with i"),
    (
        check.wavelength,
        lambda i, d: 2 * math.pi * (10000 * 2 * i / d if i else 1),
        "raised to that power",
    ),
    (check.wavelength, lambda i, d: 2 * math.pi, "wavelength(3, 8) should be"),
    (check.wavelength, lambda i, d: 7.0, "wavelength(0, 512) should be"),
    (
        check.encode_position,
        lambda pos, d: [row(pos, d)[c ^ 1] for c in range(d)],
        "are exchanged",
    ),
    (
        check.encode_position,
        lambda pos, d: row(pos, d)[0::2] + row(pos, d)[1::2],
        "before all cosines",
    ),
    (
        check.encode_position,
        lambda pos, d: row(pos, d, lambda even, d: 2 * even / d),
        "exponent is doubled",
    ),
    (
        check.encode_position,
        lambda pos, d: row(pos, d, lambda even, d: even / 2 / d),
        "exponent is i / d_model",
    ),
    (
        check.encode_position,
        lambda pos, d: [
            (math.cos if c % 2 else math.sin)(pos / 10000 ** (c / d)) for c in range(d)
        ],
        "frequency of its own",
    ),
    (check.encode_position, lambda pos, d: row(pos + 1, d), "counted from 1"),
    (
        check.encode_position,
        lambda pos, d: row(pos, d, lambda even, d: -even / d),
        "divide by it",
    ),
    (check.encode_position, lambda pos, d: row(pos, d)[0::2], "Half of the numbers"),
    (check.encode_position, lambda pos, d: row(pos, 2 * d), "twice as many"),
    (check.encode_position, lambda pos, d: math.sin(pos), "a list of 8 numbers"),
    (check.encode_position, lambda pos, d: [0.0] * d, "is off in"),
    (check.encode_position, lambda pos, d: row(min(pos, 9), d), "encode_position(41"),
    (
        check.shift_back,
        turns(lambda k, exponent: k / 10000**exponent),
        "goes on, not back",
    ),
    (check.shift_back, turns(lambda k, exponent: -k), "by the same angle"),
    (
        check.shift_back,
        turns(lambda k, exponent: -k * 10000**exponent),
        "1 divided by that power",
    ),
    (
        check.shift_back,
        turns(lambda k, exponent: -k / 10000 ** (2 * exponent)),
        "exponent is doubled",
    ),
    (check.shift_back, lambda k, d: rotation(-k), "a single block"),
    (
        check.shift_back,
        lambda k, d: torch.block_diag(*[rotation(-k) for _ in range(d)]),
        "There are d_model blocks",
    ),
    (check.shift_back, lambda k, d: torch.eye(d), "is off in"),
    (check.shift_back, lambda k, d: [1.0], "should be a tensor"),
    (
        check.knows_order,
        lambda block, words: not knows_order(block, words),
        "are exchanged",
    ),
    (
        check.knows_order,
        lambda block, words: (
            not torch.allclose(block(words)[:, 1], block(swap(words))[:, 1])
        ),
        "True of every block",
    ),
    (
        check.knows_order,
        lambda block, words: (
            not torch.allclose(
                block(words).sum(dim=1), block(swap(words)).sum(dim=1), atol=1e-4
            )
        ),
        "For a block that adds positions it should be True, not False",
    ),
    (check.knows_order, lambda block, words: block(words) != words, "True or False"),
    (
        check.knows_order,
        lambda block, words: block(words) is None,
        "Call the block twice",
    ),
    (
        check.knows_order,
        lambda block, words: torch.equal(block(words)[:, 1], block(words)[:, -1]),
        "the same sentence twice",
    ),
    (check.knows_order, loses_a_word, "got lost in the swap"),
    (
        check.knows_order,
        lambda block, words: not torch.equal(block(words), block(words.flip(1))),
        "change nothing else",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: x + table[: x.size(1)], parameter=False),
        "nothing to learn",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: table[: x.size(1)]),
        "Only the positions come back",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: x + table[: x.size(0)].unsqueeze(1)),
        "not along the batch",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: x + table[0]),
        "not along the batch",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: 2 * x + table[: x.size(1)]),
        "differs between the sentences",
    ),
    (
        check.learned_positions,
        lambda d_model, max_len: LearnedPositions(d_model, 2 * max_len),
        "should be 60, but is 120",
    ),
    (
        check.learned_positions,
        positions(lambda table, x: x + table),
        "stopped with RuntimeError",
    ),
]
