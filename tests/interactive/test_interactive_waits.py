"""Chapter 17's two rows: what is written when, by operations that were counted."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.interactive.figure_page import Show, press, said

ROWS = [
    {"name": "with a cache", "operations": [2.0, 2.0, 2.0]},
    {"name": "reading all again", "operations": [2.0, 4.0, 6.0]},
]
FILLED = 'rect[fill="var(--role-value)"]'


def test_each_row_has_what_its_operations_allow(show: Show) -> None:
    page = show("waits", numbers={"rows": ROWS, "speed": 1e-6})
    press(page, "Write")
    assert page.locator(FILLED).count() == 0
    press(page, "Stop")
    page.emulate_media(reduced_motion="reduce")
    press(page, "Write")
    expect(page.locator(FILLED)).to_have_count(6)
    assert said(page) == (
        "When the first had written 3 tokens, the other had 2. "
        "All of them take 6 and 12 million operations."
    )
