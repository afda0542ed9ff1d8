"""Chapter 2's figure: the clocks, their table, and two positions."""

from __future__ import annotations

import math
import re

import pytest
import torch
from playwright.sync_api import Page

from lib.positions import sinusoidal_encoding
from tests.interactive.figure_page import Show, close, said, slide, texts


def shown(page: Page) -> list[float]:
    """Sine and cosine of each pair, as the table under "Look inside" has them."""
    found = list(map(float, texts(page, "td:not(:first-child)")))
    return torch.tensor(found).view(2, -1).T.flatten().tolist()


def test_hands_nearest_and_base_are_those_of_lib(show: Show) -> None:
    page = show("positions")
    page.click("summary")
    for position, d_model in ((44, 2), (0, 4), (63, 16), (10, 4)):
        slide(page, 0, position)
        slide(page, 2, d_model)
        table = sinusoidal_encoding(84, d_model)
        assert close(shown(page), table[position])
        distances = torch.cdist(table[position : position + 1], table)[0]
        distances[position] = math.inf
        [nearest] = texts(page, ".nearest")
        [distance] = re.findall(rf"most like {position}, ([\d.]+) apart", nearest)
        assert close([float(distance)], distances.min())
        assert texts(page, "text.like") == [str(int(distances.argmin()))]
    for power in (0, 2, 8):  # another base changes the slow hands
        slide(page, 3, power)
        angle = torch.tensor(10 / (10**power) ** 0.5)
        slow = torch.stack([angle.sin(), angle.cos()])
        assert close(shown(page)[2:4], slow)


def test_two_positions_are_told_by_their_distance_alone(show: Show) -> None:
    page = show("positions")
    page.click("summary")
    assert page.locator("output").all_inner_texts()[2] == "8"  # where it opens
    before = said(page)
    page.get_by_role("button", name="Both a word further").click()
    assert said(
        page
    ) == f"{before[:-1]}: as before, because the distance is still 2.".replace(
        "positions 3 and 5", "positions 4 and 6"
    )
    slide(page, 1, 3)
    matrix = torch.tensor(list(map(float, texts(page, "text.turn")))).view(2, 2)
    table = sinusoidal_encoding(50, 2)
    assert torch.allclose(table[:47] @ matrix.T, table[3:], atol=2e-3)
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
        shares = (table[5] * table[25]).view(-1, 2).sum(dim=1)
        assert close(list(map(float, texts(page, "text.dot"))), shares)
