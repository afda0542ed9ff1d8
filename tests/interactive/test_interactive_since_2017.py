"""Chapter 19's time machine: it shows what was measured, stage by stage."""

from __future__ import annotations

from lib.text.files import read_json
from lib.translator import SHIPPED
from tests.interactive.figure_page import Show, press, said

WAY = ["pre-norm", "RMS norm", "gated", "rotary", "grouped"]  # by year


def test_each_stage_tells_its_losses_and_its_cache(show: Show) -> None:
    measured = read_json(SHIPPED / "measurements" / "since_2017.json")["runs"]
    page = show("since_2017")
    for count in range(len(WAY) + 1):
        stage = {"changes": WAY[:count], "rate": 4e-3}
        runs = [run for run in measured if run | stage == run and run["seed"] < 3]
        low, middle, high = sorted(list(run["curve"].values())[-1] for run in runs)
        told = f"{middle:.2f} (three seeds: {low:.2f} to {high:.2f})"
        assert told in said(page)
        assert f"keeps {runs[0]['cache']:,} bytes" in said(page)
        sums = page.locator(".interactive-picture text", has_text="norm").count()
        assert sums == 2
        if count < len(WAY):
            press(page, "Next")
    assert page.get_by_role("button", name="Next").is_disabled()
