"""Chapter 3's figure of a dragged query, against `lib`."""

from __future__ import annotations

import math
import re

import torch
from playwright.sync_api import Page
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from tests.interactive.figure_page import PHONE, Show, press, said, slide

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
