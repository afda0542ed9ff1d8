"""The position encoding: its formula, its wavelengths, and the shift as a rotation."""

from __future__ import annotations

import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lib.positions import PositionalEncoding, sinusoidal_encoding

EVEN = st.integers(1, 24).map(lambda n: 2 * n)


def by_the_formula(position: int, column: int, d_model: int) -> float:
    """Return one number of §3.5, from Python's own mathematics."""
    angle = position / 10000 ** ((column - column % 2) / d_model)
    return math.cos(angle) if column % 2 else math.sin(angle)


@given(max_len=st.integers(1, 80), d_model=EVEN)
def test_every_number_follows_the_formula(max_len: int, d_model: int) -> None:
    table = sinusoidal_encoding(max_len, d_model)
    expected = torch.tensor(
        [
            [by_the_formula(position, column, d_model) for column in range(d_model)]
            for position in range(max_len)
        ]
    )
    assert table.shape == (max_len, d_model)
    torch.testing.assert_close(table, expected, rtol=0, atol=1e-6)


def test_far_positions_are_as_exact_as_near_ones() -> None:
    table = sinusoidal_encoding(20_000, 8)
    expected = [by_the_formula(19_999, column, 8) for column in range(8)]
    torch.testing.assert_close(table[-1], torch.tensor(expected), rtol=0, atol=1e-6)


def as_power(d_model: int) -> Tensor:
    index = torch.arange(d_model // 2, dtype=torch.float64)
    return 1 / 10000 ** (2 * index / d_model)


def as_exp_of_log(d_model: int) -> Tensor:
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    return torch.exp(even * (-math.log(10000.0) / d_model))


def as_repeated_index(d_model: int) -> Tensor:
    column = torch.arange(d_model, dtype=torch.float64)
    return (1 / 10000 ** (2 * (column // 2) / d_model))[::2]


@pytest.mark.parametrize("frequencies", [as_power, as_exp_of_log, as_repeated_index])
def test_the_three_ways_to_write_the_frequencies_agree(frequencies) -> None:
    angle = torch.arange(50, dtype=torch.float64)[:, None] * frequencies(16)
    table = sinusoidal_encoding(50, 16).double()
    torch.testing.assert_close(table[:, 0::2], angle.sin(), rtol=0, atol=1e-6)
    torch.testing.assert_close(table[:, 1::2], angle.cos(), rtol=0, atol=1e-6)


def rotation(shift: int, d_model: int) -> Tensor:
    """Return the matrix that turns each pair by what `shift` positions turn it.

    sin(a + b) = cos(b) sin(a) + sin(b) cos(a), and
    cos(a + b) = -sin(b) sin(a) + cos(b) cos(a).
    """
    blocks = []
    for angle in (shift * as_power(d_model)).tolist():
        sine, cosine = math.sin(angle), math.cos(angle)
        blocks.append(
            torch.tensor([[cosine, sine], [-sine, cosine]], dtype=torch.float64)
        )
    matrix: Tensor = torch.block_diag(*blocks)
    return matrix


@given(d_model=EVEN, shift=st.integers(0, 40), start=st.integers(0, 40))
def test_a_shift_is_a_rotation(d_model: int, shift: int, start: int) -> None:
    table = sinusoidal_encoding(100, d_model).double()
    turn = rotation(shift, d_model)
    # The same matrix for every position: that is what makes it a relative code.
    torch.testing.assert_close(
        table[start : start + 10] @ turn.T,
        table[start + shift : start + shift + 10],
        rtol=0,
        atol=1e-6,
    )
    identity = torch.eye(d_model, dtype=torch.float64)
    torch.testing.assert_close(turn @ turn.T, identity, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        turn, torch.linalg.matrix_power(rotation(1, d_model), shift), rtol=0, atol=1e-9
    )


def test_the_table_does_not_depend_on_its_length() -> None:
    torch.testing.assert_close(
        sinusoidal_encoding(10, 6), sinusoidal_encoding(500, 6)[:10], rtol=0, atol=0
    )


def test_the_table_follows_the_default_dtype() -> None:
    assert sinusoidal_encoding(3, 4).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        table = sinusoidal_encoding(100, 4)
    finally:
        torch.set_default_dtype(torch.float32)
    assert table.dtype == torch.float64
    assert abs(table[99, 2].item() - by_the_formula(99, 2, 4)) < 1e-14


@given(
    batch=st.integers(0, 3),
    length=st.integers(0, 9),
    max_len=st.integers(9, 20),
    d_model=EVEN,
)
def test_the_module_adds_the_first_rows(
    batch: int, length: int, max_len: int, d_model: int
) -> None:
    x = torch.randn(batch, length, d_model)
    before = x.clone()
    result = PositionalEncoding(d_model, max_len)(x)
    expected = x + sinusoidal_encoding(max_len, d_model)[:length]
    torch.testing.assert_close(result, expected, rtol=0, atol=0)
    assert torch.equal(x, before)


def test_the_table_is_a_buffer_that_is_not_saved() -> None:
    module = PositionalEncoding(4, 6)
    assert list(module.parameters()) == []
    assert [name for name, _ in module.named_buffers()] == ["table"]
    assert module.state_dict() == {}
    assert module.double().table.dtype == torch.float64
    assert module.to("meta").table.device.type == "meta"
    assert torch.equal(
        copy.deepcopy(PositionalEncoding(4, 6)).table, sinusoidal_encoding(6, 4)
    )


@pytest.mark.parametrize("d_model", [1, 3, 15, 0, -2])
def test_an_odd_or_empty_d_model_is_refused(d_model: int) -> None:
    message = rf"even and at least 2.* {d_model}\."
    with pytest.raises(ValueError, match=message):
        sinusoidal_encoding(10, d_model)
    with pytest.raises(ValueError, match=message):
        PositionalEncoding(d_model, 10)


@pytest.mark.parametrize("max_len", [0, -1])
def test_an_empty_table_is_refused(max_len: int) -> None:
    with pytest.raises(ValueError, match=rf"max_len must be at least 1.* {max_len}\."):
        sinusoidal_encoding(max_len, 4)


def test_a_sentence_past_max_len_is_refused_by_both_numbers() -> None:
    module = PositionalEncoding(d_model=4, max_len=7)
    assert module(torch.zeros(1, 7, 4)).shape == (1, 7, 4)
    with pytest.raises(ValueError, match=r"8 tokens .* max_len = 7"):
        module(torch.zeros(1, 8, 4))


@pytest.mark.parametrize("shape", [(2, 3, 5), (3, 4), (4,), (1, 2, 3, 4), (2, 4, 3)])
def test_a_wrong_shape_is_refused_by_both_shapes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"\(B, T, 4\)") as error:
        PositionalEncoding(d_model=4, max_len=7)(torch.zeros(shape))
    assert str(shape) in str(error.value)
