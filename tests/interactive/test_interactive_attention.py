"""Chapter 3's figures: a dragged query, and one word's way, against `lib`."""

from __future__ import annotations

import math
import re

import torch
from playwright.sync_api import Page
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from tests.interactive.figure_page import PHONE, Show, press, said, slide

QUERIES = torch.tensor([[-2.0, 0.0], [1.0, 1.0], [-2.0, 0.0]])
KEYS = torch.tensor([[1.0, 2.0], [-1.0, 0.0], [1.0, 0.0]])
VALUES = torch.tensor([[3.0, 0.0], [-1.0, -1.0], [0.0, 3.0]])


def told(page: Page) -> Tensor:
    """The decimal numbers in the sentence below the figure."""
    found = re.findall(r"-?\d+\.\d+", said(page))
    return torch.tensor([float(number) for number in found])


def expected(query: list[float], keys: Tensor, temperature: float) -> Tensor:
    """What the line below the figure says: query, scores, τ, weights, output."""
    q = torch.tensor([query])
    # The function divides by √2 itself: a longer query makes up for it.
    warm = q * math.sqrt(2) / temperature
    output, weights = scaled_dot_product_attention(warm, keys, VALUES)
    parts = (q[0], (q @ keys.T)[0], torch.tensor([temperature]), weights[0], output[0])
    return torch.cat(parts)


def close(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, atol=0.0051)


def test_a_query_moved_by_key_and_temperature_gives_what_lib_gives(
    show: Show,
) -> None:
    page = show("query")
    assert close(told(page), expected([1.0, 1.0], KEYS, math.sqrt(2)))
    page.focus('[data-key="query"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    assert close(told(page), expected([0.4, 0.8], KEYS, math.sqrt(2)))
    slide(page, 0, -1)
    assert close(told(page), expected([0.4, 0.8], KEYS, 0.5))
    press(page, "turned round")
    assert close(told(page), expected([-0.4, -0.8], KEYS, 0.5))
    press(page, "zero")
    assert close(told(page)[-5:-2], torch.full((3,), 1 / 3))
    press(page, "as in the text")
    assert close(told(page), expected([1.0, 1.0], KEYS, math.sqrt(2)))


def test_a_query_and_a_key_are_dragged_on_a_phone(show: Show) -> None:
    page = show("query", viewport=PHONE)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    pixels = page.locator("rect").first.bounding_box()
    assert pixels is not None
    unit = pixels["width"] / 6
    middle = (pixels["x"] + 3 * unit, pixels["y"] + 3 * unit)
    keys = KEYS.clone()
    for key, to in (("query", (-2.0, -1.0)), ("1", (-3.0, -9.0))):
        tip = page.locator(f'[data-key="{key}"] circle').last.bounding_box()
        assert tip is not None
        page.mouse.move(tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
        page.mouse.down()
        page.mouse.move(middle[0] + to[0] * unit, middle[1] - to[1] * unit, steps=3)
        page.mouse.up()
    keys[1] = torch.tensor([-3.0, -3.0])  # the plane ends there
    assert close(told(page), expected([-2.0, -1.0], keys, math.sqrt(2)))
    assert page.evaluate("document.activeElement.dataset.key") == "1"


def test_a_finger_drags_the_query_and_the_page_stands_still(show: Show) -> None:
    size = {"width": 360, "height": 500}
    page = show("query", viewport=size, has_touch=True, is_mobile=True)
    page.evaluate("document.body.style.paddingBottom = '900px'")
    tip = page.locator('[data-key="query"] circle').last.bounding_box()
    plane = page.locator("rect").first.bounding_box()
    assert tip is not None
    assert plane is not None
    x, y = tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2
    finger = page.context.new_cdp_session(page)
    touch = "Input.dispatchTouchEvent"
    at = [{"x": x, "y": y}]
    finger.send(touch, {"type": "touchStart", "touchPoints": at})
    for part in (0.25, 0.5, 0.75, 1.0):
        at = [{"x": x, "y": y + part * plane["height"] / 3}]  # two units down
        finger.send(touch, {"type": "touchMove", "touchPoints": at})
    finger.send(touch, {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(50)
    assert close(told(page), expected([1.0, -1.0], KEYS, math.sqrt(2)))
    assert page.evaluate("scrollY") == 0


def test_every_step_of_a_word_is_that_of_lib(show: Show) -> None:
    page = show("three_words", viewport={"width": 390, "height": 900})
    keys = KEYS.clone()
    keys[2, 1] = 2.5
    page.get_by_label("key of man, number 2").fill("2.5")
    scores = QUERIES @ keys.T
    output, weights = scaled_dot_product_attention(QUERIES, keys, VALUES)
    for step in (scores, scores / math.sqrt(2), weights, output):
        press(page, "Next")
        assert close(told(page), step[1])
    page.select_option("select", "2")
    assert close(told(page), output[2])
    press(page, "Back")
    assert close(told(page), weights[2])


def test_a_row_of_the_matrix_is_pressed_and_a_wrong_number_is_left_out(
    show: Show,
) -> None:
    page = show("three_words")
    press(page, "Next", 3)
    page.focus('[data-key="0"]')
    page.keyboard.press("Enter")
    assert page.locator("select").input_value() == "0"
    _, weights = scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    assert close(told(page), weights[0])
    page.get_by_label("query of dog, number 1").fill("77")
    assert close(told(page), weights[0])
    press(page, "as in the text")
    assert page.get_by_label("query of dog, number 1").input_value() == "-2"
