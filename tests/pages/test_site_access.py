"""What the pages owe to readers with a screen reader, a keyboard or little sight: axe.

A page is looked at wide and on a phone, in the light and in the dark.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from book.tools.site.build_site import pages
from tests.site_kinds import one_of_each_kind

PAGES = [*pages(), "genindex.html", "search.html", "404.html"]
WIDTHS = {"wide": 1280, "phone": 390}
CONTRAST = "color-contrast"
THEMES = {"light": None, "dark": CONTRAST}  # only colors depend on the theme
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RUN = """async (only) => {
    const options = { resultTypes: ["violations"] };
    if (only) options.runOnly = [only];
    return (await axe.run(document, options)).violations;
}"""
# Code is thousands of colored words; of those with one style in one kind of box, one
# is looked at and the others become plain text. Else a page takes half a minute.
ONE_OF_EACH = """() => {
    const seen = new Set();
    for (const word of document.querySelectorAll("pre span, dt.sig span")) {
        if (word.id || word.querySelector("[id], a, button")) continue;
        const box = word.closest("div[class*=highlight], dt.sig");
        const style = `${word.className} in ${word.parentElement.className}`;
        const key = `${style} in ${box?.className}`;
        if (seen.has(key)) word.replaceWith(...word.childNodes);
        else seen.add(key);
    }
}"""


# Contrast takes nearly all of axe's time. What is of one kind, in boxes of the same
# kinds, has the same colors: one of them is measured. Of one kind is what has the same
# attributes (a pressed button is of another), but for those that only name or lead
# somewhere, and stands in an odd or an even row.
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


def violations(page: Page, only: str | None = None) -> list[str]:
    """What axe finds wrong, a line each."""
    found: list[dict[str, Any]] = page.evaluate(RUN, only)
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", one_of_each_kind(PAGES))
def test_axe_finds_nothing(name: str, browser: Browser, base: str) -> None:
    """The page is loaded once, made narrow and dark, and looked at each time."""
    page = browser.new_page(color_scheme="light")
    page.goto(f"{base}/{name}", wait_until="load")
    # A color on its way from one theme to the other is of neither.
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate(ONE_OF_EACH)
    page.evaluate(AXE)
    page.evaluate(ONE_CONTRAST_OF_EACH)
    found = []
    for width, pixels in WIDTHS.items():
        page.set_viewport_size({"width": pixels, "height": 800})
        page.wait_for_timeout(400)  # the theme looks again at what scrolls now
        for theme, only in THEMES.items():
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            found += [f"{width}, {theme}: {line}" for line in violations(page, only)]
    page.close()
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
