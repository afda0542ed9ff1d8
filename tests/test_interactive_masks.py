"""Chapter 4's figure: the mask that is clicked together, against `lib`'s."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import Browser

from lib.masks import causal_mask, padding_mask
from tests.test_interactive import shown_alone

PRESSED = """() => [...document.querySelectorAll("[data-key]")]
    .map(cell => cell.getAttribute("aria-pressed") === "true")"""


@pytest.mark.browser
def test_the_masks_are_those_of_lib(browser: Browser) -> None:
    page = browser.new_page()
    assert shown_alone(page, "mask") == []
    causal = causal_mask(5)
    padding = padding_mask(torch.tensor([[1, 4, 5, 6, 0]]), pad_id=0)[0, 0]
    for name, mask in {
        "both": causal & padding,
        "causal": causal,
        "padding": padding.expand(5, 5),
        "inverted": ~(causal & padding),
        "none": torch.ones(5, 5, dtype=torch.bool),
    }.items():
        page.select_option("select", name)
        assert page.evaluate(PRESSED) == mask.flatten().tolist(), name
    page.close()


@pytest.mark.browser
def test_a_cell_is_opened_by_key_and_heard_through_two_layers(browser: Browser) -> None:
    page = browser.new_page()
    assert shown_alone(page, "mask") == []
    page.focus('[data-key="1-2"]')
    page.keyboard.press("Enter")
    said = page.locator(".interactive-said")
    assert said.inner_text() == "el hears <sos>, el, gato after 1 layer."
    assert page.evaluate("document.activeElement.dataset.key") == "1-2"
    page.click('[data-key="2-3"]')
    page.click('[data-key="1-2"]')
    page.click('[data-key="1-2"]')
    page.locator("input[type=range]").fill("2")
    assert said.inner_text() == "el hears <sos>, el, gato, duerme after 2 layers."
    page.close()
