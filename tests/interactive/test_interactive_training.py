"""Chapter 11's figure: the schedule by sliders, against `lib.training`'s."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from lib.training import warmup_decay
from tests.interactive.figure_page import PHONE, Show, said, slide

DOT = '[data-key="step"]'


def rate_shown(page: Page) -> tuple[int, float]:
    """The step that the dot stands at, and the rate that is written there."""
    text = page.get_attribute(DOT, "aria-valuetext") or ""
    found = re.fullmatch(r"step (\d+), rate ([\d.]+)", text)
    assert found, text
    return int(found[1]), float(found[2])


def test_the_rates_are_those_of_lib(show: Show) -> None:
    page = show("schedule")
    runs = [(0.002, 300, 3000), (0.001, 0, 1500), (0.003, 950, 6000)]
    for peak, warmup, total in runs:
        for place, value in enumerate((peak, warmup, total)):
            slide(page, place, value)
        page.focus(DOT)
        for key in ("ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            step, rate = rate_shown(page)
            expected = peak * warmup_decay(step, warmup, total)
            assert rate == pytest.approx(expected, abs=0.6e-5), (peak, warmup, step)


def test_the_papers_rule_is_that_of_the_chapter(show: Show) -> None:
    """Equation 11.2, divided by its highest rate, and it does not know the end."""
    page = show("schedule")
    page.select_option("select", "root")
    for total in (3000, 6000):
        slide(page, 2, total)
        step, rate = rate_shown(page)
        share = min((300 / (step + 1)) ** 0.5, (step + 1) / 300)
        assert step == 1000
        assert rate == pytest.approx(0.002 * share, abs=0.6e-5)


def test_the_rates_are_added_up(show: Show) -> None:
    page = show("schedule")
    rates = [0.002 * warmup_decay(step, 300, 3000) for step in range(3000)]
    assert f"All rates together are {sum(rates):.2f}," in said(page)
    assert f"has {sum(rates[2250:]) / sum(rates):.0%} of it" in said(page)


def test_the_dot_is_dragged_and_stays_on_the_curve(show: Show) -> None:
    page = show("schedule", viewport=PHONE)
    box = page.locator(DOT).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(2000, 300, steps=4)
    page.mouse.up()
    step, rate = rate_shown(page)
    assert step == 2999  # the last step of the run
    assert rate == pytest.approx(0.002 / 2700, abs=0.6e-5)
