"""Chapter 2's figures: the clocks with their table, and two positions."""

from __future__ import annotations

import math
import re

import pytest
import torch
from playwright.sync_api import Browser, Page

from lib.positions import sinusoidal_encoding
from tests.interactive.test_interactive import shown_alone

NUMBERS = """() => [...document.querySelectorAll("text.number")]
    .map(text => text.textContent.replaceAll("−", "-"))"""


def set_to(page: Page, slider: int, value: int) -> None:
    page.locator("input[type=range]").nth(slider).fill(str(value))


def said(page: Page) -> str:
    return page.locator(".interactive-said").inner_text().replace("−", "-")


@pytest.mark.browser
@pytest.mark.parametrize(("position", "d_model"), [(44, 2), (0, 4), (63, 16)])
def test_the_hands_and_the_nearest_are_those_of_lib(
    browser: Browser, position: int, d_model: int
) -> None:
    page = browser.new_page()
    assert shown_alone(page, "positions") == []
    set_to(page, 0, position)
    set_to(page, 1, d_model)
    table = sinusoidal_encoding(64, d_model)
    texts = page.evaluate(NUMBERS)
    shown = [float(text[4:]) for text in texts if text.startswith(("sin", "cos"))]
    assert shown == pytest.approx(table[position].tolist(), abs=0.0051)
    distances = torch.cdist(table[position : position + 1], table)[0]
    distances[position] = math.inf
    [(like, distance)] = re.findall(r"like position (\d+): ([\d.]+) apart", said(page))
    assert int(like) == distances.argmin()
    assert float(distance) == pytest.approx(distances.min().item(), abs=0.0051)
    page.close()


@pytest.mark.browser
def test_the_base_changes_the_slow_hands(browser: Browser) -> None:
    page = browser.new_page()
    assert shown_alone(page, "positions") == []
    set_to(page, 0, 10)
    set_to(page, 1, 4)
    for power in (0, 2, 8):
        set_to(page, 2, power)
        angle = 10 / (10**power) ** 0.5
        slow = [f"sin {math.sin(angle):.2f}", f"cos {math.cos(angle):.2f}"]
        assert page.evaluate(NUMBERS)[2:4] == slow
    page.close()


@pytest.mark.browser
def test_the_dot_product_depends_on_the_distance_alone(browser: Browser) -> None:
    page = browser.new_page()
    assert shown_alone(page, "shift") == []
    for d_model in (4, 128):
        page.select_option("select", str(d_model))
        table = sinusoidal_encoding(101, d_model)
        for distance in (2, 20):
            set_to(page, 1, distance)
            found = set()
            for p in (0, 80):
                set_to(page, 0, p)
                found.update(re.findall(r" is (-?[\d.]+)\. ", said(page)))
                assert f"positions {p} and {p + distance} " in said(page)
            assert len(found) == 1
            expected = (table[5] @ table[5 + distance]).item()
            assert float(found.pop()) == pytest.approx(expected, abs=1e-4)
    page.close()


@pytest.mark.browser
def test_the_matrix_turns_one_hand_into_the_other(browser: Browser) -> None:
    page = browser.new_page()
    assert shown_alone(page, "shift") == []
    page.select_option("select", "2")
    set_to(page, 1, 3)
    texts = page.evaluate(NUMBERS)
    matrix = torch.tensor([float(text) for text in texts[1:5]]).view(2, 2)
    table = sinusoidal_encoding(50, 2)
    assert torch.allclose(table[:47] @ matrix.T, table[3:], atol=2e-3)
    page.locator("input[type=range]").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert "You moved both" in said(page)
    page.close()
