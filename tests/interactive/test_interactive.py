"""The figures that answer: packed, shown in a notebook, and driven in a browser.

What holds for all of them stands here; what one shows has a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from book.tools.notebooks.normal_form import PLACE, keep_place
from book.tools.project.address import ROOT
from book.tools.site.figure_scripts import TRANSLATORS
from lib import figures
from lib.figures.interactive import in_order, names, packed, sources, style, used
from tests.book_sources import CHAPTERS, read

NAMES = names()
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
SERIOUS = """async () => (await axe.run(document, {resultTypes: ["violations"]}))
    .violations.filter(rule => ["serious", "critical"].includes(rule.impact))
    .map(rule => `${rule.id}: ${rule.nodes[0].html.slice(0, 160)}`)"""
DARK = "() => { document.documentElement.dataset.theme = 'dark' }"


def shown_alone(page: Page, name: str) -> list[str]:
    """Show a figure as the output of a cell; list its errors and requests."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: errors.append(f"asked for {request.url}"))
    page.set_content(
        "<!doctype html><html lang='en'><head><title>One figure</title></head>"
        f"<body><main><h1>One figure</h1>{figures.interactive(name).data}</main></body>"
    )
    page.wait_for_selector(".interactive > *")
    return errors


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 800, "height": 900})
    yield page
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_stands_alone_in_every_light_and_width(page: Page, name: str) -> None:
    errors = shown_alone(page, name)
    for width in (800, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(150)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide on a page of {width}"
    page.evaluate(AXE)
    light = page.evaluate(SERIOUS)
    page.evaluate(DARK)
    page.evaluate("document.body.style.background = '#16191d'")
    dark = [line for line in page.evaluate(SERIOUS) if "h1" not in line]
    assert light + dark + errors == []


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_reached_by_keyboard_and_has_a_voice(page: Page, name: str) -> None:
    shown_alone(page, name)
    page.keyboard.press("Tab")
    inside = "document.activeElement.closest('.interactive') !== null"
    assert page.evaluate(inside)
    assert page.locator(".interactive [aria-live]").count() >= 1
    assert page.locator(".interactive").get_attribute("aria-label")


@pytest.mark.parametrize("name", sorted({*NAMES} - {*TRANSLATORS}))
def test_a_figure_brings_at_most_40_kb_of_script(name: str) -> None:
    assert len(packed(name).encode()) <= 40_000


def test_the_page_translate_has_its_place() -> None:
    text = (ROOT / "book" / "translate.md").read_text(encoding="utf-8")
    assert PLACE.format("translate") in text


@pytest.mark.parametrize("name", sorted({*NAMES} - {"translate"}))
def test_a_figure_stands_in_a_chapter(name: str) -> None:
    """In a cell of one line, tagged, with nothing but its place stored as output."""
    cells = [
        cell
        for path in CHAPTERS
        for cell in read(path).cells
        if cell.cell_type == "code" and f'interactive("{name}")' in cell.source
    ]
    assert cells, f"no chapter shows {name}"
    for cell in cells:
        assert cell.source == f'figures.interactive("{name}")'
        assert {"interactive", "nbval-ignore-output"} <= set(cell.metadata.tags)
        assert cell.outputs[0].data["text/html"] == PLACE.format(name)


def test_what_is_stored_of_a_figure_is_its_place() -> None:
    output = {"data": {"text/html": figures.interactive("mask").data}}
    keep_place(output)
    assert output["data"]["text/html"] == PLACE.format("mask")


def test_modules_are_packed_after_what_they_import() -> None:
    order = [path.name for path in in_order(sources() / "figures" / "mask.js")]
    assert order.index("draw.js") < order.index("mask.js")
    script = packed("mask")
    assert "import " not in script
    assert "export " not in script
    assert "bookFigures" in script


def test_functions_that_no_module_asks_for_do_not_travel() -> None:
    module = (
        "export function asked() {\n  return helper();\n}\n"
        "export function helper() {\n  return 1;\n}\n"
        "export function alone() {\n  return alone;\n}\n"
    )
    kept = used(module, {"asked"})
    assert "function asked" in kept
    assert "function helper" in kept
    assert "alone" not in kept
    assert "function onDrag" not in packed("mask")


def test_modules_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="imports itself"):
        in_order(tmp_path / "a.js")


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="no interactive figure 'mosk': there are"):
        figures.interactive("mosk")


def test_every_color_of_a_role_is_defined() -> None:
    used = {
        name
        for path in sources().rglob("*.js")
        for name in re.findall(r"var\((--role-[a-z]+)\)", path.read_text("utf-8"))
    }
    assert used
    assert all(f"{name}:" in style() for name in used)
