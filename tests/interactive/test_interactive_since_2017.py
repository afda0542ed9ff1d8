"""Chapter 19's time machine: it shows what was measured, stage by stage."""

from __future__ import annotations

from book.tools.site.since_numbers import FILE, WAY, runs_of, text
from lib.text.files import read_json
from lib.translator import SHIPPED
from tests.interactive.figure_page import Show, press, said


def test_each_stage_tells_its_losses_and_its_cache(show: Show) -> None:
    assert FILE.read_text(encoding="utf-8") == text()
    measured = read_json(SHIPPED / "measurements" / "since_2017.json")
    page = show("since_2017")
    for count in range(len(WAY) + 1):
        runs = runs_of(measured, WAY[:count])
        low, middle, high = sorted(list(run["curve"].values())[-1] for run in runs)
        told = f"{middle:.2f} (three seeds: {low:.2f} to {high:.2f})"
        assert told in said(page)
        assert f"keeps {runs[0]['cache']:,} bytes" in said(page)
        sums = page.locator(".interactive-picture text", has_text="norm").count()
        assert sums == 2
        if count < len(WAY):
            press(page, "Next")
    assert page.get_by_role("button", name="Next").is_disabled()
