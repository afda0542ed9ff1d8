"""The site as a reader meets it: on a phone, in the dark, by keyboard, offline.

Each page is opened once, and looked at for all that it owes to its readers.
"""

from __future__ import annotations

import io
import itertools
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from PIL import Image
from playwright.sync_api import Browser, Page

from book.tools.site.build_site import pages
from tests.book_sources import NAMES
from tests.browsing import complaints

PHONE, NARROW = 360, 320
SETUP = "What this page runs first|Show the"
PAGES = [*pages(), "genindex.html", "search.html", "404.html"]
# The figures that answer, as far as the page brings them in by now, are there.
FIGURES_ARE_THERE = """() => [...document.querySelectorAll(".interactive[data-script]")]
    .every((place) => place.role === "group" ||
        place.getBoundingClientRect().top > innerHeight + 1100)"""
# What is wider than its box can be reached by keys, and nothing else of its kind.
KEYS_REACH_WHAT_SCROLLS = """() => [...document.querySelectorAll(
    "pre, .cell_output > .output, .pst-scrollable-table-container")]
    .every((box) => (box.tabIndex === 0) === (
        box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight))"""
OPENED = [f"book/{name}.html" for name in ("index", "translate", *NAMES)]
# A chapter with figures that answer, one with attention views, and a page for teachers:
# the rest of the pages are each the only one of their kind, or a second of these. (The
# reference takes as long as four of them, and is written by the build.)
CHOSEN = ("03_attention", "14_inside", "course/03_attention", "self_test_1")
REPEATED = re.compile(r"book/(?:\d\d_|self_test_|own_pairs|course/|reference)")


def one_of_each_kind(pages: Iterable[str]) -> list[ParameterSet]:
    """The pages as parameters of a test, those marked that a kind has twice."""
    chosen = {f"book/{name}.html" for name in CHOSEN}
    return [
        pytest.param(
            page,
            marks=[pytest.mark.exhaustive]
            if REPEATED.match(page) and page not in chosen
            else [],
        )
        for page in pages
    ]


@dataclass
class Visit:
    """A page, opened on a phone, and what happened while it loaded."""

    page: Page
    complaints: list[str]

    def each(self, selector: str, about: str) -> list[Any]:
        """What a function of JavaScript says of each element that is meant."""
        told: list[Any] = self.page.locator(selector).evaluate_all(
            f"all => Promise.all(all.map({about}))"
        )
        return told


@pytest.fixture(scope="module", params=one_of_each_kind(PAGES))
def visit(
    request: pytest.FixtureRequest, browser: Browser, base: str
) -> Iterator[Visit]:
    """One page of the site."""
    page = browser.new_page(
        viewport={"width": PHONE, "height": 740}, color_scheme="light"
    )
    visit = Visit(page, complaints(page, base))
    page.goto(f"{base}/{request.param}", wait_until="load")
    page.wait_for_function(FIGURES_ARE_THERE)
    yield visit
    page.close()


def test_loads_without_a_complaint(visit: Visit) -> None:
    """No error in the console, no failed request, no request to another host."""
    assert visit.complaints == []


def test_formulas_are_set(visit: Visit) -> None:
    """Every formula is MathML that the browser draws, in the font that came along."""
    drawn = visit.each(
        ".math > math, .math > div > math",
        "m => [m.getClientRects().length > 0, m.textContent]",
    )
    assert len(drawn) == visit.page.locator(".math").count()
    assert [text for _, text in drawn if "\\" in text] == []
    if drawn:
        assert any(seen for seen, _ in drawn)
        load = "async () => (await document.fonts.load('16px Formulas')).length"
        assert visit.page.evaluate(load) >= 1


def test_images_are_there_and_described(visit: Visit) -> None:
    images = visit.each(
        "article img",
        """async (image) => {
            image.loading = "eager";
            await image.decode().catch(() => null);
            return [image.src, image.naturalWidth, image.alt];
        }""",
    )
    for source, width, alt in images:
        assert width > 0, f"{source} did not load"
        assert len(alt) > 20, f"{source} is not described"


def test_fits_on_a_phone(visit: Visit) -> None:
    """Nothing is wider than a small one; what was printed scrolls, and code wraps."""
    page = visit.page
    page.set_viewport_size({"width": NARROW, "height": 740})
    for size in ("200%", "100%"):  # of the letters
        page.evaluate("size => document.documentElement.style.fontSize = size", size)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= NARROW, f"{width} pixels wide with letters of {size}"
    page.evaluate("document.documentElement.style.fontSize = ''")
    code = visit.each(".highlight-python pre", "e => e.scrollWidth - e.clientWidth")
    assert max(code, default=0) <= 0
    names = visit.each(
        "code.literal", "e => [e.textContent, e.getClientRects().length]"
    )
    short = [name for name, lines in names if re.match(r"\S{1,8}$", name) and lines > 1]
    assert short == [], "cut in two"
    page.set_viewport_size({"width": PHONE, "height": 740})
    sizes = visit.each("article pre", "e => parseFloat(getComputedStyle(e).fontSize)")
    assert all(size >= 11 for size in sizes)


LOOK = """heading => {
    const { fontSize, fontWeight } = getComputedStyle(heading);
    return [parseFloat(fontSize), Number(fontWeight)];
}"""


def test_headings_can_be_told_apart(visit: Visit) -> None:
    """Each level is set larger than the next, and heavier than the text."""
    levels = [visit.each(f"article {level}", LOOK) for level in ("h1", "h2", "h3")]
    found = [looks[0] for looks in levels if looks]
    assert all(one > 1.1 * next_ for (one, _), (next_, _) in itertools.pairwise(found))
    assert all(weight >= 600 for _, weight in found)


def test_figures_are_dark_in_the_dark(visit: Visit) -> None:
    """The ground of a figure, the most frequent color of its edge, is the page's."""
    visit.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    figures = visit.page.locator("article .cell_output img")
    for number in range(min(2, figures.count())):
        figures.nth(number).scroll_into_view_if_needed()
        figures.nth(number).evaluate("image => image.decode()")
        shot = Image.open(io.BytesIO(figures.nth(number).screenshot())).convert("L")
        ground = statistics.mode(shot.crop((0, 0, shot.width, 3)).tobytes())
        assert ground < 40, f"figure {number + 1} is {ground} of 255 bright"


# --- what axe finds -------------------------------------------------------------------

CONTRAST = "color-contrast"
WIDTHS = {"wide": 1280, "phone": 390}
THEMES = {"light": None, "dark": CONTRAST}  # only colors depend on the theme
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RUN = """async (only) => {
    const options = { resultTypes: ["violations"] };
    if (only) options.runOnly = [only];
    return (await axe.run(document, options)).violations;
}"""
# Contrast takes nearly all of axe's time: code is thousands of colored words. What is
# of one kind, in boxes of the same kinds, has the same colors: one of them is measured.
# Of one kind is what has the same attributes (a pressed button is of another), but for
# those that only name or lead somewhere, and stands in an odd or an even row.
ONE_CONTRAST_OF_EACH = """() => {
    const names = ["id", "href", "src", "alt", "title", "for", "name", "aria-label",
        "aria-labelledby", "aria-describedby", "aria-controls"];
    const kind = (element) => {
        const given = [...element.attributes].filter((a) => !names.includes(a.name));
        const row = element.tagName === "TR" ? element.rowIndex % 2 : "";
        return [element.tagName, row, ...given.map((a) => `${a.name}=${a.value}`)];
    };
    const seen = new Set();
    const mark = (element, path) => {
        path += ` > ${kind(element).join(" ")}`;
        if (seen.has(path)) element.dataset.repeated = "";
        seen.add(path);
        for (const child of element.children) mark(child, path);
    };
    mark(document.body, "");
    const rule = { id: "color-contrast", selector: ":not([data-repeated])" };
    axe.configure({ rules: [rule] });
}"""


MEASURED = """() => document.querySelectorAll("body *").forEach((element) => {
    if (element.checkVisibility()) element.dataset.repeated = "";
})"""


def violations(page: Page, only: str | None = None) -> list[str]:
    """What axe finds wrong, a line each."""
    found: list[dict[str, Any]] = page.evaluate(RUN, only)
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]


def test_axe_finds_nothing(visit: Visit) -> None:
    """The page is made wide and narrow, light and dark, and looked at each time."""
    page = visit.page
    # A color on its way from one theme to the other is of neither.
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate(AXE)
    page.evaluate(ONE_CONTRAST_OF_EACH)
    found = []
    for width, pixels in WIDTHS.items():
        page.set_viewport_size({"width": pixels, "height": 800})
        page.wait_for_function(KEYS_REACH_WHAT_SCROLLS)  # the theme looks again, later
        for theme, only in THEMES.items():
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            found += [f"{width}, {theme}: {line}" for line in violations(page, only)]
        # The colors of what was in sight are the same in the next width.
        page.evaluate(MEASURED)
    assert found == []


def test_axe_sees_a_fault(browser: Browser) -> None:
    """Gray on gray, a picture without words and a button without a name are found.

    Also where text that is like it but for its box, its state or its row can be read.
    """
    page = browser.new_page()
    page.set_content(
        "<style>.gray, [aria-pressed=true], tr:nth-child(even) td "
        "{ color: #bbb; background: #ccc }</style><main><p>dark</p>"
        "<div><p>dark</p></div><div class=gray><p>pale</p></div><img src=''>"
        "<button></button><button>on</button><button aria-pressed=true>off</button>"
        "<table><tr><td>odd</td></tr><tr><td>even</td></tr></table></main>"
    )
    page.evaluate(AXE)
    page.evaluate(ONE_CONTRAST_OF_EACH)
    found = violations(page)
    page.close()
    assert {line.split(" ")[0] for line in found} >= {"image-alt", "button-name"}
    pale = ("<p>pale</p>", '<button aria-pressed="true">off</button>', "<td>even</td>")
    contrast = [line for line in found if line.startswith(CONTRAST)]
    assert contrast == [f"{CONTRAST} (serious): {text}" for text in pale]


# --- what one page shows for all ------------------------------------------------------


@pytest.mark.parametrize("name", one_of_each_kind(OPENED))
def test_a_page_opens_from_a_folder(name: str, browser: Browser, site: Path) -> None:
    """Without a server, as after ``make book``: no complaint, and every view draws."""
    page = browser.new_page()
    heard = complaints(page, "file:")
    page.goto((site / name).as_uri())
    for frame in page.locator("article iframe").all():
        frame.scroll_into_view_if_needed()
        drawn = frame.content_frame.locator("svg :is(line, rect, text)").first
        drawn.wait_for(state="attached")
    page.close()
    assert heard == []


# Which folds of a page have something in them that cannot be seen.
FOLDED = """() => [...document.querySelectorAll("article details > :not(summary)")]
    .filter((inside) => !inside.checkVisibility())
    .map((inside) => inside.closest("details").textContent.trim().slice(0, 40))"""


@pytest.mark.parametrize("name", ["03_attention", "self_test_1"])
def test_what_is_folded_prints(name: str, browser: Browser, base: str) -> None:
    """Solutions, derivations and code, but not the setup."""
    page = browser.new_page()
    page.goto(f"{base}/book/{name}.html", wait_until="load")
    folded = page.evaluate(FOLDED)
    page.emulate_media(media="print")
    printed = page.evaluate(FOLDED)
    page.close()
    assert len(folded) > 5
    assert [text for text in printed if not re.match(SETUP, text)] == []


# What moved by itself while a reader went down the page, as browsers measure it.
MOVED = """async () => {
    let moved = 0;
    const add = (entries) => {
        for (const { value } of entries) moved += value;
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let y = 0; y < document.body.scrollHeight; y += 300) {
        scrollTo({ top: y, behavior: "instant" });
        await frame();
        await frame();
    }
    add(observer.takeRecords());
    return moved;
}"""


@pytest.mark.parametrize("name", one_of_each_kind(OPENED))
def test_nothing_moves_while_one_scrolls(
    name: str, browser: Browser, base: str
) -> None:
    """Figures come in while the page is read; on a phone, too, their room is kept."""
    page = browser.new_page(viewport={"width": PHONE, "height": 740})
    page.goto(f"{base}/{name}", wait_until="load")
    moved = page.evaluate(MOVED)
    page.close()
    assert moved <= 0.02


# How far down the middle of each icon in sight lies, in pixels.
MIDDLES = """all => all.map(icon => icon.getBoundingClientRect())
    .filter(box => box.width).map(box => box.y + box.height / 2)"""


# What each button is called, and the line around it where it has the focus.
RINGS = """all => all.map(button => {
    button.focus();
    const { outlineStyle } = getComputedStyle(button);
    return [button.ariaLabel ?? button.textContent, outlineStyle];
})"""


def test_icons_stand_where_they_belong(browser: Browser, site: Path) -> None:
    """Those above a page in one line, and the one of the search before its words.

    Each has a ring where it has the focus.
    """
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto((site / "book" / "03_attention.html").as_uri())
    above = page.locator(".article-header-buttons svg.drawn-icon").evaluate_all(MIDDLES)
    page.keyboard.press("Tab")  # from here on the focus is shown
    rings = page.locator("button.btn:visible").evaluate_all(RINGS)
    page.locator(".search-button-field").first.click()
    icon = page.locator("#pst-search-dialog svg.drawn-icon").bounding_box()
    words = page.locator("#pst-search-dialog input").bounding_box()
    page.close()
    assert len(rings) >= 5
    assert {ring for _, ring in rings} == {"solid"}
    assert len(above) >= 3
    assert max(above) - min(above) < 1
    assert icon and words and icon["x"] + icon["width"] <= words["x"]


def test_search_finds_chapters_first(browser: Browser, base: str) -> None:
    """That of the word's name in front, then those with a heading that has it."""
    page = browser.new_page()
    page.goto(f"{base}/search.html?q=attention")
    page.get_by_text("Search finished").wait_for()
    links = page.locator("#search-results li > a").evaluate_all(
        "all => all.map(a => a.getAttribute('href').split('#')[0])"
    )
    page.close()
    assert links[0] == "book/03_attention.html"
    terms = links.index("book/notation.html")
    assert terms >= 4
    assert all(re.match(r"book/\d\d_", link) for link in links[:terms])


def test_the_address_of_the_site_leads_to_the_front_page(
    browser: Browser, base: str
) -> None:
    page = browser.new_page()
    page.goto(base)
    page.wait_for_url(f"{base}/book/index.html")
    page.close()
