"""What the tests of the figures share: a page that shows one, and how it is used."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Page

from book.tools.site.figure_scripts import model_parts
from book.tools.site.javascript import run_node
from lib import figures
from lib.figures.interactive import sources

Show = Callable[..., Page]

HERE = Path(__file__).parent
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


def stored(module: str) -> Any:
    """The one object that a module of numbers hands on."""
    text = (sources() / f"{module}.js").read_text(encoding="utf-8")
    return json.loads(text.partition(" = ")[2].rstrip(";\n"))


def ask(kind: str, **question: Any) -> Any:
    """What the page's modules answer, without a page: see ask.js."""
    done = run_node(HERE / "ask.js", input=json.dumps({"kind": kind, **question}))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def page_of(
    name: str, opened: str | None = None, numbers: object = None, **known: str
) -> str:
    """A page that holds the output of a cell, and what the site tells the figure."""
    place = '<div class="interactive"'
    data = "".join(f' {key}="{escape(text)}"' for key, text in known.items())
    shown = figures.interactive(name, opened, numbers).data.replace(
        place, place + data, 1
    )
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<title>One figure</title></head>"
        f"<body><main><h1>One figure</h1>{shown}</main></body></html>"
    )


def write_page(folder: Path, name: str, model: str, **known: str) -> str:
    """Write a page, and the parts of the model that its figure needs; its address."""
    known |= {"data-model": "parts/", **model_parts(folder / "parts", model)}
    file = folder / f"{name}.html"
    file.write_text(page_of(name, **known), encoding="utf-8")
    return file.as_uri()


def violations(page: Page) -> list[str]:
    """What axe finds serious in the figure, in the light and in the dark."""
    page.evaluate(AXE)
    light = page.evaluate(SERIOUS)
    page.evaluate(DARK)  # the page's own heading stays black; the rest differs in color
    dark = page.evaluate(SERIOUS, "color-contrast")
    return [*light, *(line for line in dark if "h1" not in line)]


def wait_until_drawn(page: Page) -> None:
    """Let two frames pass: what has changed before stands in the picture then."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => "
        "requestAnimationFrame(done)))"
    )


def said(page: Page) -> str:
    """The sentence below the drawing, with the minus of Python."""
    return page.locator(".interactive-said").inner_text().replace("−", "-")


def texts(page: Page, selector: str) -> list[str]:
    """What is written in the drawing, with the minus of Python."""
    found = page.locator(selector).all_text_contents()
    return [text.replace("−", "-") for text in found]


def close(
    shown: Sequence[float], computed: torch.Tensor, margin: float = 0.0051
) -> bool:
    """Whether the numbers, which a page shows with two decimals, are those of lib."""
    found, right = torch.tensor(shown, dtype=computed.dtype), computed.flatten()
    return found.shape == right.shape and torch.allclose(found, right, atol=margin)


def slide(page: Page, place: int, value: float) -> None:
    """Move one of the sliders."""
    page.locator("input[type=range]").nth(place).fill(str(value))


def press(page: Page, name: str, times: int = 1) -> None:
    """Press a button by its name."""
    for _ in range(times):
        page.get_by_role("button", name=name, exact=True).click()
