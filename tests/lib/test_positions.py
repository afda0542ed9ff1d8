"""The position encoding: its formula, number by number, and what the module adds."""

from __future__ import annotations

import math

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lib.positions import PositionalEncoding, sinusoidal_encoding
from tests.refusals import Call, each_refusal, refuses

EVEN = st.integers(1, 24).map(lambda n: 2 * n)


def by_the_formula(position: int, d_model: int) -> list[float]:
    """Return one row of §3.5, from Python's own mathematics."""
    angles = [position / 10000 ** (even / d_model) for even in range(0, d_model, 2)]
    return [turn(angle) for angle in angles for turn in (math.sin, math.cos)]


def assert_equal(table: Tensor, rows: list[list[float]]) -> None:
    torch.testing.assert_close(table, torch.tensor(rows), rtol=0, atol=1e-6)


@given(max_len=st.integers(1, 80), d_model=EVEN)
def test_every_number_follows_the_formula(max_len: int, d_model: int) -> None:
    table = sinusoidal_encoding(max_len, d_model)
    assert_equal(table, [by_the_formula(place, d_model) for place in range(max_len)])


def test_far_positions_are_as_exact_as_near_ones() -> None:
    assert_equal(sinusoidal_encoding(20_000, 8)[-1:], [by_the_formula(19_999, 8)])


def test_the_table_follows_the_default_dtype() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        table = sinusoidal_encoding(100, 4)
    finally:
        torch.set_default_dtype(torch.float32)
    assert table.dtype == torch.float64
    assert abs(table[99, 2].item() - by_the_formula(99, 4)[2]) < 1e-14


@given(length=st.integers(0, 9), max_len=st.integers(9, 20), d_model=EVEN)
def test_the_module_adds_the_first_rows(
    length: int, max_len: int, d_model: int
) -> None:
    x = torch.randn(2, length, d_model)
    expected = x + sinusoidal_encoding(max_len, d_model)[:length]
    assert torch.equal(PositionalEncoding(d_model, max_len)(x), expected)


def test_the_table_moves_with_the_module_and_is_not_saved() -> None:
    module = PositionalEncoding(4, 6)
    assert module.state_dict() == {}
    assert module.double().table.dtype == torch.float64


@each_refusal(
    (lambda: sinusoidal_encoding(10, 15), r"even and at least 2.* it is 15\."),
    (lambda: PositionalEncoding(0, 10), r"even and at least 2.* it is 0\."),
    (lambda: sinusoidal_encoding(0, 4), r"max_len must be at least 1.* it is 0\."),
    (
        lambda: PositionalEncoding(4, 7)(torch.zeros(1, 8, 4)),
        "8 tokens is longer than max_len = 7",
    ),
    (
        lambda: PositionalEncoding(4, 7)(torch.zeros(2, 3, 5)),
        r"\(B, T, 4\), but got \(2, 3, 5\)",
    ),
    (
        lambda: PositionalEncoding(4, 7)(torch.zeros(3, 4)),
        r"\(B, T, 4\), but got \(3, 4\)",
    ),
)
def test_what_has_no_position_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
