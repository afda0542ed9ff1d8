"""Chapter 3's figure of a dragged query, against `lib`."""

from __future__ import annotations

import math
import re

import torch
from playwright.sync_api import Page

from lib.attention import scaled_dot_product_attention
from tests.interactive.figure_page import (
    PHONE,
    Show,
    close,
    press,
    said,
    slide,
    wait_until_drawn,
)

KEYS = torch.tensor([[1.0, 2.0], [-1.0, 0.0], [1.0, 0.0]])
VALUES = torch.tensor([[3.0, 0.0], [-1.0, -1.0], [0.0, 3.0]])
HIGH = "document.querySelector('.interactive').offsetHeight"
TIP = '[data-key="query"] circle >> nth=-1'


def told(page: Page) -> list[float]:
    """The decimal numbers in the sentence below the figure."""
    return [float(number) for number in re.findall(r"-?\d+\.\d+", said(page))]


def tells(
    page: Page,
    query: list[float],
    keys: torch.Tensor = KEYS,
    temperature: float = math.sqrt(2),
) -> bool:
    """Whether the line below the figure says query, scores, τ, weights, output."""
    q = torch.tensor([query])
    # The function divides by √2 itself: a longer query makes up for it.
    warm = q * math.sqrt(2) / temperature
    output, weights = scaled_dot_product_attention(warm, keys, VALUES)
    parts = (q[0], (q @ keys.T)[0], torch.tensor([temperature]), weights[0], output[0])
    return close(told(page), torch.cat(parts))


def test_a_query_and_a_key_are_moved_on_a_phone(show: Show) -> None:
    page = show("query", viewport=PHONE)
    assert tells(page, [1.0, 1.0])
    page.focus('[data-key="query"]')
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
    assert tells(page, [0.4, 0.8])
    high = page.evaluate(HIGH)
    for power in (4, 0.5, -1):  # the longest text of the value is that of √d_k
        slide(page, 0, power)
        assert page.evaluate(HIGH) == high
    assert tells(page, [0.4, 0.8], temperature=0.5)
    press(page, "turned round")
    assert tells(page, [-0.4, -0.8], temperature=0.5)
    press(page, "zero")
    assert close(told(page)[-5:-2], torch.full((3,), 1 / 3))
    press(page, "as in the text")
    assert tells(page, [1.0, 1.0])

    plane = page.locator("rect").first
    box = plane.bounding_box()
    assert box is not None
    unit = box["width"] / 6
    for tip, x, y in ((TIP, -2, -1), ('[data-key="1"] circle >> nth=-1', -3, -9)):
        place = {"x": (3 + x) * unit, "y": (3 - y) * unit}
        page.locator(tip).drag_to(plane, target_position=place, force=True)
    keys = KEYS.clone()
    keys[1] = torch.tensor([-3.0, -3.0])  # the plane ends there
    assert tells(page, [-2.0, -1.0], keys)
    assert page.evaluate("document.activeElement.dataset.key") == "1"


def test_a_finger_drags_the_query_and_the_page_stands_still(show: Show) -> None:
    size = {"width": 360, "height": 500}
    page = show("query", viewport=size, has_touch=True, is_mobile=True)
    page.evaluate("document.body.style.paddingBottom = '900px'")
    tip = page.locator(TIP).bounding_box()
    plane = page.locator("rect").first.bounding_box()
    assert tip and plane
    x, y = tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2
    finger = page.context.new_cdp_session(page)
    touch = "Input.dispatchTouchEvent"
    at = [{"x": x, "y": y}]
    finger.send(touch, {"type": "touchStart", "touchPoints": at})
    for part in (0.25, 0.5, 0.75, 1.0):
        at = [{"x": x, "y": y + part * plane["height"] / 3}]  # two units down
        finger.send(touch, {"type": "touchMove", "touchPoints": at})
    finger.send(touch, {"type": "touchEnd", "touchPoints": []})
    wait_until_drawn(page)
    assert tells(page, [1.0, -1.0])
    assert page.evaluate("scrollY") == 0
