"""What the pages owe to readers with a screen reader, a keyboard or little sight: axe.

Every page is looked at wide and on a phone, in the light and in the dark.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest
from build_site import pages
from playwright.sync_api import Browser, Page

PAGES = [*pages(), "genindex.html", "search.html", "404.html"]
WIDTHS = {"wide": 1280, "phone": 390}
THEMES = ("light", "dark")  # only colors depend on the theme
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
CONTRAST = "color-contrast"
RUN = """async ([context, options]) => {
    options.resultTypes = ["violations"];
    return (await axe.run(context ?? document, options)).violations;
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
# kinds, has the same colors: one of them is measured.
MARK_REPEATED = """() => {
    const seen = new Set();
    const mark = (element, path) => {
        const style = element.getAttribute("style") ?? "";
        path += ` > ${element.tagName}.${element.className} ${style}`;
        const again = seen.has(path);
        seen.add(path);
        const children = [...element.children];
        const repeated = children.filter((child) => mark(child, path));
        if (again && repeated.length === children.length) return true;
        for (const child of repeated) child.setAttribute("data-repeated", "");
        return false;
    };
    mark(document.body, "");
}"""


def violations(
    page: Page, options: dict[str, Any], context: dict[str, Any] | None = None
) -> list[str]:
    """What axe finds wrong, a line each."""
    found: list[dict[str, Any]] = page.evaluate(RUN, [context, options])
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]


def pale(page: Page) -> list[str]:
    """What has too little contrast."""
    return violations(page, {"runOnly": [CONTRAST]}, {"exclude": ["[data-repeated]"]})


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, browser: Browser, base: str) -> None:
    """The page is loaded once, made narrow and dark, and looked at each time."""
    page = browser.new_page(color_scheme="light")
    page.goto(f"{base}/{name}", wait_until="load")
    # A color on its way from one theme to the other is of neither.
    page.add_style_tag(content="* { transition: none !important; }")
    page.evaluate(ONE_OF_EACH)
    page.evaluate(MARK_REPEATED)
    page.evaluate(AXE)
    found = []
    for width, pixels in WIDTHS.items():
        page.set_viewport_size({"width": pixels, "height": 800})
        page.wait_for_timeout(400)  # the theme looks again at what scrolls now
        others = violations(page, {"rules": {CONTRAST: {"enabled": False}}})
        found += [f"{width}: {line}" for line in others]
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            found += [f"{width}, {theme}: {line}" for line in pale(page)]
    page.close()
    assert found == []


def test_axe_sees_a_fault(browser: Browser) -> None:
    """Gray on gray, a picture without words and a button without a name are found.

    Also where other text of the kind, in a box of another kind, can be read.
    """
    page = browser.new_page()
    page.set_content(
        "<style>.gray { color: #bbb; background: #ccc }</style><main><p>dark</p>"
        "<div><p>dark</p></div><div class=gray><p>pale</p></div><img src=''>"
        "<button></button></main>"
    )
    page.evaluate(AXE)
    page.evaluate(MARK_REPEATED)
    seen = pale(page)
    found = {line.split(" ")[0] for line in violations(page, {})}
    page.close()
    assert seen == [f"{CONTRAST} (serious): <p>pale</p>"]
    assert {CONTRAST, "image-alt", "button-name"} <= found
