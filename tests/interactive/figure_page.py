"""What the tests of the figures share: a page that shows one, and how it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources

from playwright.sync_api import Page

from lib import figures

Show = Callable[..., Page]

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
SERIOUS = """async (only) => {
    const options = {resultTypes: ["violations"], ...(only && {runOnly: [only]})};
    return (await axe.run(document, options)).violations
    .filter(rule => ["serious", "critical"].includes(rule.impact))
    .map(rule => `${rule.id}: ${rule.nodes[0].html.slice(0, 160)}`);
}"""
DARK = """() => {
    document.documentElement.dataset.theme = "dark";
    document.body.style.background = "#16191d";
}"""
PHONE = {"width": 360, "height": 900}


def shown_alone(page: Page, name: str, opened: str | None = None) -> list[str]:
    """Show a figure as the output of a cell; list its errors and requests."""
    errors: list[str] = []

    def ask(address: str) -> None:
        if not address.startswith("blob:"):  # a worker, made of the script itself
            errors.append(f"asked for {address}")

    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: ask(request.url))
    page.set_content(
        "<!doctype html><html lang='en'><head><title>One figure</title></head>"
        "<body><main><h1>One figure</h1>"
        f"{figures.interactive(name, opened).data}</main></body>"
    )
    page.wait_for_selector(".interactive > *")
    return errors


def violations(page: Page) -> list[str]:
    """What axe finds serious in the figure, in the light and in the dark."""
    page.evaluate(AXE)
    light = page.evaluate(SERIOUS)
    page.evaluate(DARK)  # the page's own heading stays black; the rest differs in color
    dark = page.evaluate(SERIOUS, "color-contrast")
    return [*light, *(line for line in dark if "h1" not in line)]


def said(page: Page) -> str:
    """The sentence below the drawing, with the minus of Python."""
    return page.locator(".interactive-said").inner_text().replace("−", "-")


def slide(page: Page, place: int, value: float) -> None:
    """Move one of the sliders."""
    page.locator("input[type=range]").nth(place).fill(str(value))


def press(page: Page, name: str, times: int = 1) -> None:
    """Press a button by its name."""
    for _ in range(times):
        page.get_by_role("button", name=name, exact=True).click()
