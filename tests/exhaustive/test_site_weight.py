"""How heavy a page is on a first visit, and whether a slow line carries it in time.

The line is that of a slow phone: 1.6 Mbit/s and 150 ms.
"""

from __future__ import annotations

import gzip
from collections import Counter

import pytest
from playwright.sync_api import Browser, Response

from book.tools.site.build_site import pages

PAGES = [*pages(), "genindex.html", "search.html"]
LATENCY = 0.15  # seconds
THROUGHPUT = 1.6e6 / 8  # bytes a second
BEYOND_PICTURES = 450_000  # bytes
BEFORE_TEXT = 250_000  # bytes
READY = 4.0  # seconds
ROUND_TRIPS = 6  # a connection, the page, what it names, and what that names
# What Chromium must have before it draws the text; scripts wait until after it.
BLOCKING = ("document", "stylesheet")


def weigh(browser: Browser, base: str, name: str) -> tuple[int, int]:
    """What a first visit takes, in bytes: before the text, and all but pictures.

    A real server sends all of it compressed.
    """
    page = browser.new_page(viewport={"width": 390, "height": 800})
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{base}/{name}", wait_until="load")
    sizes: Counter[str] = Counter()
    for answer in answers:
        sizes[answer.request.resource_type] += len(gzip.compress(answer.body()))
    page.close()
    return sum(sizes[kind] for kind in BLOCKING), sizes.total() - sizes["image"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_and_ready_in_time(
    name: str, browser: Browser, base: str
) -> None:
    """The line has carried all but the pictures in time."""
    text, others = weigh(browser, base, name)
    assert others <= BEYOND_PICTURES
    assert text <= BEFORE_TEXT
    assert ROUND_TRIPS * LATENCY + others / THROUGHPUT <= READY
    # A text, a style and a script: a page that failed weighs nothing.
    assert others > text > 10_000
