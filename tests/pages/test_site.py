"""The site as a reader meets it, in a browser, on a phone, with the network off."""

import io
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlparse

import pytest
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response

from book.tools.site.build_site import pages
from tests.book_sources import NAMES
from tests.site_kinds import one_of_each_kind

PHONE = {"width": 360, "height": 740}
PAGES = [*pages(), "genindex.html", "search.html"]
OPENED = [f"book/{name}.html" for name in ("index", "translate", *NAMES)]
DARK = """() => { document.documentElement.dataset.theme = "dark" }"""


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


@pytest.fixture(scope="module", params=one_of_each_kind(PAGES))
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
    visit.page.wait_for_load_state("load")
    visit.complaints += [f"asks another host: {url}" for url in hosts]
    yield visit
    context.close()


def test_loads_without_a_complaint(visit: Visit) -> None:
    """No error in the console, no failed request, no request to another host."""
    assert visit.complaints == []
    assert [r.url for r in visit.responses if r.status >= 400] == []


def test_formulas_are_set(visit: Visit) -> None:
    """Every formula is MathML that the browser draws, in the font that came along."""
    formulas = visit.page.evaluate("document.querySelectorAll('.math').length")
    drawn = visit.page.evaluate(
        """() => [...document.querySelectorAll(".math > math, .math > div > math")]
            .map((m) => [m.getClientRects().length > 0, m.textContent])"""
    )
    assert len(drawn) == formulas
    in_sight = sum(seen for seen, _ in drawn)
    assert in_sight > 0 or not drawn
    assert [text for _, text in drawn if "\\" in text] == []
    if drawn:
        fonts = visit.page.evaluate(
            "async () => (await document.fonts.load('16px Formulas')).length"
        )
        assert fonts >= 1


def test_images_are_there_and_described(visit: Visit) -> None:
    images = visit.page.locator("article img").evaluate_all(
        """all => Promise.all(all.map(async (image) => {
            image.loading = "eager";
            await image.decode().catch(() => null);
            const { src, naturalWidth, alt } = image;
            return [src, naturalWidth, alt, image.getAttribute("alt")];
        }))"""
    )
    for source, width, alt, stated in images:
        assert width > 0, f"{source} did not load"
        assert stated is not None and len(alt) > 20, f"{source} is not described"


def test_fits_on_a_phone(visit: Visit) -> None:
    """Nothing is wider than 360 pixels; what is long scrolls in its own box."""
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    wide = visit.page.locator("article *").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('pre, .pst-scrollable-table-container'))"
        ".map(e => e.outerHTML.slice(0, 120))"
    )
    assert width <= PHONE["width"], f"{width} pixels wide: {wide[-3:]}"


def test_code_is_legible_on_a_phone(visit: Visit) -> None:
    sizes = visit.page.locator("article pre").evaluate_all(
        "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert all(size >= 11 for size in sizes)


def test_figures_are_dark_in_the_dark(visit: Visit) -> None:
    """The ground of a figure, its most frequent color, is that of the page."""
    visit.page.evaluate(DARK)
    figures = visit.page.locator("article .cell_output img")
    for number in range(min(2, figures.count())):
        figures.nth(number).scroll_into_view_if_needed()
        visit.page.wait_for_function(
            "n => document.querySelectorAll('article .cell_output img')[n].complete",
            arg=number,
        )
        shot = Image.open(io.BytesIO(figures.nth(number).screenshot())).convert("L")
        ((ground, _),) = Counter(shot.tobytes()).most_common(1)
        assert ground < 40, f"figure {number + 1} is {ground} of 255 bright"


def test_headings_can_be_told_apart(visit: Visit) -> None:
    """Each level is set larger than the next, and heavier than the text."""
    looks = visit.page.evaluate(
        """() => ["h1", "h2", "h3"].map((level) => {
            const found = document.querySelector(`article ${level}`);
            if (!found) return null;
            const style = getComputedStyle(found);
            return [parseFloat(style.fontSize), parseInt(style.fontWeight)];
        })"""
    )
    sizes = [look[0] for look in looks if look]
    assert all(one > 1.1 * next_ for one, next_ in itertools.pairwise(sizes))
    assert all(look[1] >= 600 for look in looks if look)


@pytest.mark.parametrize("name", one_of_each_kind(OPENED))
def test_a_page_opens_from_a_folder(name: str, browser: Browser, site: Path) -> None:
    """Without a server, as after ``make book``: no complaint, and every view draws."""
    visit = Visit(browser.new_page())
    visit.listen()
    visit.page.goto((site / name).as_uri())
    for frame in visit.page.locator("article iframe").all():
        frame.scroll_into_view_if_needed()
        drawn = frame.content_frame.locator("svg :is(line, rect, text)").first
        drawn.wait_for(state="attached", timeout=10_000)
    asked = {urlparse(response.url).scheme for response in visit.responses}
    visit.page.close()
    assert visit.complaints == []
    assert asked <= {"file", "data", "blob"}


def test_every_chapter_can_be_opened_in_colab(site: Path) -> None:
    from book.tools.project.address import read_address

    address = read_address()
    for name in NAMES:
        link = f"{address.colab}/book/{name}.ipynb"
        page = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
        assert link in page, f"{name} has no button that opens {link}"


def middles(icons: Locator) -> list[float]:
    """How far down the middle of each icon in sight lies, in pixels."""
    boxes = [icon.bounding_box() for icon in icons.all()]
    return [box["y"] + box["height"] / 2 for box in boxes if box and box["width"]]


def test_icons_stand_where_they_belong(browser: Browser, site: Path) -> None:
    """Those above a page in one line, and the one of the search before its words."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto((site / "book" / "03_attention.html").as_uri())
    above = middles(page.locator(".article-header-buttons svg.drawn-icon"))
    page.locator(".search-button-field").first.click()
    icon = page.locator("#pst-search-dialog svg.drawn-icon").bounding_box()
    words = page.locator("#pst-search-dialog input").bounding_box()
    page.close()
    assert len(above) >= 4
    assert max(above) - min(above) < 1
    assert icon and words
    assert icon["x"] + icon["width"] <= words["x"]
    middle = icon["y"] + icon["height"] / 2
    assert abs(middle - words["y"] - words["height"] / 2) < 3


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
