"""How heavy a page is, and how long it takes, on a slow line and a first visit.

The line is that of a slow phone: 1.6 Mbit/s and 150 ms. The table of all pages is
printed and kept in _build/page-weights.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from playwright.sync_api import Browser

from book.tools.project.address import ROOT
from book.tools.site.build_site import pages

PAGES = [*pages(), "genindex.html", "search.html"]
LINE = {
    "offline": False,
    "latency": 150,  # ms
    "downloadThroughput": 1.6e6 / 8,  # bytes a second
    "uploadThroughput": 750e3 / 8,
}
BEYOND_PICTURES = 450_000  # bytes
BEFORE_TEXT = 250_000  # bytes
READY = 4.0  # seconds
MOST = 120  # seconds for a visit, pictures included
ROUND_TRIPS = 6  # a connection, the page, what it names, and what that names
# What Chromium must have before it draws the text; scripts wait until after it.
BLOCKING = {"Document", "Stylesheet"}


HEAD = """| page | before the text, kB | beyond pictures, kB | pictures, kB | ready, s |
|---|---:|---:|---:|---:|"""


class Weight(NamedTuple):
    """What one page transfers, in bytes, and when it was ready, in seconds."""

    text: int
    others: int
    pictures: int
    ready: float


def weigh(browser: Browser, base: str, name: str) -> Weight:
    """Visit a page over the slow line, with an empty cache, and count its bytes."""
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    session = context.new_cdp_session(page)
    kinds: dict[str, str] = {}
    sizes: dict[str, int] = {}

    def started(event: dict[str, Any]) -> None:
        kinds[event["requestId"]] = event["type"]

    def ended(event: dict[str, Any]) -> None:
        sizes[event["requestId"]] = int(event["encodedDataLength"])

    session.on("Network.responseReceived", started)
    session.on("Network.loadingFinished", ended)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", LINE)
    page.goto(f"{base}/{name}", wait_until="load", timeout=MOST * 1000)
    ready = page.evaluate(
        """() => Math.max(
            performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
            ...performance.getEntriesByType("resource")
                .filter((entry) => entry.initiatorType === "script")
                .map((entry) => entry.responseEnd))"""
    )
    context.close()
    text = sum(size for each, size in sizes.items() if kinds.get(each) in BLOCKING)
    pictures = sum(size for each, size in sizes.items() if kinds.get(each) == "Image")
    others = sum(sizes.values()) - pictures
    return Weight(text, others, pictures, ready / 1000)


def test_pages_are_light_and_ready_in_time(browser: Browser, base: str) -> None:
    """The line has carried all but the pictures in time; the table has what was seen.

    What was seen holds the processor's part too, which other tests may be using.
    """
    weights = {name: weigh(browser, base, name) for name in PAGES}
    rows = []
    for name, (*sizes, ready) in weights.items():
        kilobytes = " | ".join(f"{size / 1000:.0f}" for size in sizes)
        rows.append(f"| {name} | {kilobytes} | {ready:.2f} |")
    table = "\n".join([HEAD, *rows])
    (ROOT / "_build" / "page-weights.md").write_text(table + "\n", encoding="utf-8")
    print(f"\n{table}")
    waiting = ROUND_TRIPS * LINE["latency"] / 1000
    carrying = LINE["downloadThroughput"]
    for name, (text, others, _, _) in weights.items():
        assert others <= BEYOND_PICTURES, name
        assert text <= BEFORE_TEXT, name
        assert waiting + others / carrying <= READY, name
        # A text, a style and a script: a page that failed weighs nothing.
        assert others > text > 10_000, name
