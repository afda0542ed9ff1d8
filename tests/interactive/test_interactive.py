"""The figures that answer: packed, shown in a notebook, and driven in a browser.

What holds for all of them stands here; what one shows has a file of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from book.tools.project.address import ROOT
from book.tools.site.figure_scripts import TRANSLATORS, WRITER, heights
from lib import figures
from lib.figures.interactive import (
    in_order,
    names,
    openings,
    packed,
    sources,
    stored,
    style,
)
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, violations, wait_until_drawn

NAMES = names()
PLACE = re.compile(
    r'<div class="interactive" data-figure="([\w-]+)"(?: data-opened="(\w+)")?>'
    r'(?:<script type="application/json">(.*)</script>)?</div>'
)


def places() -> list[tuple[str, str | None, Any]]:
    """The figures of the chapters: the name, where it opens, and what is handed over.

    As stored: with nothing but their places and their numbers.
    """
    found: list[tuple[str, str | None, Any]] = []
    for path in CHAPTERS:
        for cell in read(path).cells:
            if "figures.interactive(" not in cell.source:
                continue
            assert "interactive" in cell.metadata.tags
            (output,) = [o for o in cell.outputs if "text/html" in o.get("data", {})]
            place = PLACE.fullmatch(output.data["text/html"])
            assert place, f"{path.stem}, {cell.id}"
            name, opened, numbers = place.groups()
            told = json.loads(numbers) if numbers else None
            assert bool(told) != ("nbval-ignore-output" in cell.metadata.tags)
            found.append((name, path.stem if told else opened, told))
    return found


PLACES = places()
FIRST = {name: at for name, at, _ in reversed(PLACES)}
# Words that lie on one another: those that are turned have boxes larger than they are,
# and the stars of the plane stand where they land.
COVERED = """() => {
    const found = [];
    const texts = [...document.querySelectorAll(".interactive-picture text")]
        .filter(text => !text.hasAttribute("transform") && text.textContent !== "★")
        .map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([one, a], n) => texts.slice(n + 1).forEach(([other, b]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1.5 && high > 5) found.push(`${one} on ${other}`);
    }));
    return found;
}"""


@pytest.mark.parametrize(
    ("name", "at", "told"),
    [
        pytest.param(
            *place, marks=[pytest.mark.exhaustive] * (FIRST[place[0]] != place[1])
        )
        for place in PLACES
    ]
    + [("translate", None, None)],
    ids=lambda at: str(at)[:20],
)
def test_a_figure_stands_alone_in_every_light_and_width(
    show: Show, name: str, at: str | None, told: Any
) -> None:
    opened = None if told else at
    page = show(name, opened, told, viewport={"width": 800, "height": 900})
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.interactive') !== null")
    assert page.locator(".interactive [aria-live]").count() >= 1
    assert page.locator(".interactive").get_attribute("aria-label")
    phone, wide_page = heights()[f"{name} {at}" if at else name]
    for width, height in ((800, wide_page), (704, wide_page), (360, phone)):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until_drawn(page)  # one frame after its width has changed
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide on a page of {width}"
        high = page.evaluate("document.querySelector('.interactive').offsetHeight")
        # What is wrong by more moves the page: heights.json keeps the room. (Those with
        # a model show something on the site alone; test_site.py watches it.)
        right = name in (*TRANSLATORS, WRITER) or abs(high - height) <= 60
        assert right, f"{name} is {high} high at {width}"
        assert page.evaluate(COVERED) == [], f"at {width}"
    assert violations(page) == []


def test_figures_bring_little_script() -> None:
    """At most 43 kB, a model's 102; and 20 of numbers, which one computes with."""
    data = sources() / "head_numbers.js"
    size = data.stat().st_size
    assert size <= 20_000
    for name in NAMES:
        most = 102_000 if name in (*TRANSLATORS, WRITER) else 43_000
        if data.resolve() in in_order(sources() / "figures" / f"{name}.js"):
            most += size
        assert len(packed(name).encode()) <= most, name


def test_every_figure_stands_in_a_chapter_at_each_of_its_openings() -> None:
    shown = {(name, None if told else at) for name, at, told in PLACES}
    every = {(name, at) for name in NAMES for at in (*openings(name),) or (None,)}
    assert every - shown == {("translate", None)}
    own_page = (ROOT / "book" / "translate.md").read_text(encoding="utf-8")
    assert stored(figures.interactive("translate").data) in own_page


def test_functions_that_no_module_asks_for_do_not_travel() -> None:
    assert "function dragPoints" in packed("query")
    assert "function dragPoints" not in packed("scores")


def test_modules_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="imports itself"):
        in_order(tmp_path / "a.js")


def test_an_unknown_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="no interactive figure 'mosk': there are"):
        figures.interactive("mosk")
    with pytest.raises(ValueError, match="not open at 'roof': it opens at model, enc"):
        figures.interactive("architecture", "roof")


def test_every_color_of_a_role_is_defined() -> None:
    used = {
        name
        for path in sources().rglob("*.js")
        for name in re.findall(r"var\((--role-[a-z]+)\)", path.read_text("utf-8"))
    }
    assert used
    assert all(f"{name}:" in style() for name in used)
