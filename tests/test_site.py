"""The site as a reader meets it, in a browser, on a phone, with the network off."""

import functools
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlparse

import pytest
from browser import find_browser
from build_site import pages
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, sync_playwright

PHONE = {"width": 360, "height": 740}
PAGES = [*pages(), "genindex.html", "search.html"]
DARK = """() => { document.documentElement.dataset.theme = "dark" }"""

# What a first visit to a page may bring along, everything counted, nothing compressed:
# MathJax, the theme's scripts and fonts take three and a half of these.
LIMIT = 6_000_000  # bytes
HTML_LIMIT = 1_500_000  # bytes of the page alone


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The address of a server for the built site."""
    handler = functools.partial(QuietHandler, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.fail("There is no Chromium here: install one, or name one in CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page, opened on a phone, and what happened while it loaded."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    def listen(self) -> None:
        """Write down what the browser complains of, and everything that it fetches."""
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", lambda r: self.complaints.append(f"no {r.url}"))
        self.page.on("response", lambda response: self.responses.append(response))

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


@pytest.fixture(scope="module", params=PAGES)
def visit(
    request: pytest.FixtureRequest, browser: Browser, base: str
) -> Iterator[Visit]:
    """One page of the site, loaded with every other host out of reach."""
    context = browser.new_context(viewport=PHONE)  # type: ignore[arg-type]
    hosts: list[str] = []
    host = urlparse(base).netloc

    def refuse(route):
        hosts.append(route.request.url)
        route.abort()

    context.route(lambda url: urlparse(url).netloc not in ("", host), refuse)
    visit = Visit(context.new_page())
    visit.listen()
    visit.page.goto(f"{base}/{request.param}", wait_until="networkidle")
    visit.complaints += [f"asks another host: {url}" for url in hosts]
    yield visit
    context.close()


def test_loads_without_a_complaint(visit: Visit) -> None:
    """No error in the console, no failed request, no request to another host."""
    assert visit.complaints == []
    assert [r.url for r in visit.responses if r.status >= 400] == []


def test_formulas_are_set(visit: Visit) -> None:
    """MathJax has set every formula, and understood it."""
    formulas = visit.page.locator(".math").count()
    set_ones = visit.page.locator(".math mjx-container").count()
    assert set_ones >= formulas, f"{formulas - set_ones} formulas are raw text"
    assert visit.page.locator("mjx-merror").count() == 0


def test_images_are_there_and_described(visit: Visit) -> None:
    images = visit.page.locator("article img").evaluate_all(
        "all => all.map(i => [i.src, i.naturalWidth, i.alt, i.getAttribute('alt')])"
    )
    for source, width, alt, stated in images:
        assert width > 0, f"{source} did not load"
        assert stated is not None and len(alt) > 20, f"{source} is not described"


def test_fits_on_a_phone(visit: Visit) -> None:
    """Nothing is wider than 360 pixels; what is long scrolls in its own box."""
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    wide = visit.page.locator("article *").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('pre, table, .math, mjx-container'))"
        ".map(e => e.outerHTML.slice(0, 120))"
    )
    assert width <= PHONE["width"], f"{width} pixels wide: {wide[-3:]}"


def test_code_is_legible_on_a_phone(visit: Visit) -> None:
    sizes = visit.page.locator("article pre").evaluate_all(
        "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert all(size >= 11 for size in sizes)


def test_figures_keep_a_light_card_in_the_dark(visit: Visit) -> None:
    visit.page.evaluate(DARK)
    grounds = visit.page.locator(".cell_output img").evaluate_all(
        "all => all.map(i => [getComputedStyle(i).backgroundColor,"
        " getComputedStyle(i).filter])"
    )
    assert [g for g in grounds if g != ["rgb(255, 255, 255)", "none"]] == []


def test_is_light_enough(visit: Visit) -> None:
    """The page and all that it fetches stay within the stated limits."""
    sizes = {r.url: len(r.body()) for r in visit.responses if r.status == 200}
    assert sizes[visit.responses[0].url] <= HTML_LIMIT
    assert sum(sizes.values()) <= LIMIT, sorted(sizes.items(), key=lambda kv: -kv[1])[
        :5
    ]


def test_every_chapter_can_be_opened_in_colab(site: Path) -> None:
    from address import read_address

    from tests.book_sources import NAMES

    address = read_address()
    for name in NAMES:
        link = (
            f"https://colab.research.google.com/github/{address.slug}"
            f"/blob/{address.revision}/book/{name}.ipynb"
        )
        page = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
        assert link in page, f"{name} has no button that opens {link}"


def test_search_finds_a_word(browser: Browser, base: str) -> None:
    page = browser.new_page()
    page.goto(f"{base}/search.html?q=attention")
    page.locator("#search-results li a").first.wait_for(timeout=10_000)
    page.close()


def test_the_address_of_the_site_leads_to_the_front_page(
    browser: Browser, base: str
) -> None:
    page = browser.new_page()
    page.goto(base)
    page.wait_for_url(f"{base}/book/index.html", timeout=10_000)
    page.close()
