"""Chapter 2's figure: the clocks, their table, and two positions."""

from __future__ import annotations

import math
import re

import pytest
import torch

from lib.positions import sinusoidal_encoding
from tests.interactive.figure_page import Show, said, slide

NUMBERS = """() => [...document.querySelectorAll("text.number")]
    .map(text => text.textContent.replaceAll("−", "-"))"""


@pytest.mark.parametrize(("position", "d_model"), [(44, 2), (0, 4), (63, 16)])
def test_the_hands_and_the_nearest_are_those_of_lib(
    show: Show, position: int, d_model: int
) -> None:
    page = show("positions")
    slide(page, 0, position)
    slide(page, 2, d_model)
    table = sinusoidal_encoding(84, d_model)
    texts = page.evaluate(NUMBERS)
    shown = [float(text[4:]) for text in texts if text.startswith(("sin", "cos"))]
    assert shown == pytest.approx(table[position].tolist(), abs=0.0051)
    distances = torch.cdist(table[position : position + 1], table)[0]
    distances[position] = math.inf
    [(like, distance)] = re.findall(r"like position (\d+): ([\d.]+) apart", said(page))
    assert int(like) == distances.argmin()
    assert float(distance) == pytest.approx(distances.min().item(), abs=0.0051)


def test_the_base_changes_the_slow_hands(show: Show) -> None:
    page = show("positions")
    slide(page, 0, 10)
    slide(page, 2, 4)
    for power in (0, 2, 8):
        slide(page, 3, power)
        angle = 10 / (10**power) ** 0.5
        slow = [f"sin {math.sin(angle):.2f}", f"cos {math.cos(angle):.2f}"]
        assert page.evaluate(NUMBERS)[3:5] == slow


def test_the_dot_product_depends_on_the_distance_alone(show: Show) -> None:
    page = show("positions")
    assert page.locator("output").all_inner_texts()[2] == "8"  # where it opens
    for d_model in (8, 16):
        slide(page, 2, d_model)
        table = sinusoidal_encoding(84, d_model)
        for distance in (2, 20):
            slide(page, 1, distance)
            found = set()
            for p in (0, 63):
                slide(page, 0, p)
                found.update(re.findall(r" is (-?[\d.]+): as before", said(page)))
                assert f"positions {p} and {p + distance} " in said(page)
            assert len(found) == 1
            expected = (table[5] @ table[5 + distance]).item()
            assert float(found.pop()) == pytest.approx(expected, abs=1e-4)
        pairs = [text for text in page.evaluate(NUMBERS) if text.startswith("dot")]
        shares = (table[5] * table[25]).unflatten(0, (-1, 2)).sum(dim=1)
        shown = [float(text[4:]) for text in pairs]
        assert shown == pytest.approx(shares.tolist(), abs=0.0051)


def test_the_matrix_turns_one_hand_into_the_other(show: Show) -> None:
    page = show("positions")
    slide(page, 1, 3)
    texts = page.locator("text.turn").all_text_contents()
    numbers = [float(text.replace("−", "-")) for text in texts]
    matrix = torch.tensor(numbers).view(2, 2)
    table = sinusoidal_encoding(50, 2)
    assert torch.allclose(table[:47] @ matrix.T, table[3:], atol=2e-3)
    page.locator("input[type=range]").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert "the distance is still 3" in said(page)
