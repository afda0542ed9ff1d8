"""Figures that show what a cell found, state by state: chapters 7 to 21."""

from __future__ import annotations

from playwright.sync_api import expect

from lib.text.files import read_json
from lib.translator import SHIPPED
from tests.interactive.figure_page import Show, press, said, texts

# --- Chapter 19's time machine: what was measured, stage by stage ---------------------

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


# --- Chapter 17's two rows: what is written when --------------------------------------

ROWS = [
    {"name": "with a cache", "operations": [2.0, 2.0, 2.0]},
    {"name": "reading all again", "operations": [2.0, 4.0, 6.0]},
]
FILLED = 'rect[fill="var(--role-value)"]'


def test_each_row_has_what_its_operations_allow(show: Show) -> None:
    page = show("waits", numbers={"rows": ROWS, "speed": 1e-6})
    press(page, "Write")
    assert page.locator(FILLED).count() == 0
    press(page, "Stop")
    page.emulate_media(reduced_motion="reduce")
    press(page, "Write")
    expect(page.locator(FILLED)).to_have_count(6)
    assert said(page) == (
        "When the first had written 3 tokens, the other had 2. "
        "All of them take 6 and 12 million operations."
    )


# --- Chapter 15's squares: what the cell found there ----------------------------------

SQUARES = {
    "question": "Which square?",
    "tokens": ["The", "jacket"],
    "word": "rojo",
    "whole": "La chaqueta es roja",
    "rows": {
        "embedding": {
            "chances": [0.01, 0.96],
            "written": ["La chaqueta es roja", "El zapato es rojo"],
        },
        "layer 0": {
            "chances": [0.02, 0.03],
            "written": ["El chaqueta es roja", "La chaqueta es roja"],
        },
    },
}


def test_a_square_tells_what_its_exchange_does(show: Show) -> None:
    page = show("patch", numbers=SQUARES)
    assert texts(page, "text.number") == ["?"] * 4
    assert texts(page, "mark") == []
    page.get_by_role("button", name="jacket, embedding").press("Enter")
    assert said(page).startswith("Exchanged: “jacket” behind embedding.")
    assert said(page).endswith("The probability of rojo is 0.96.")
    assert texts(page, "mark") == ["El", "zapato", "rojo"]
    page.get_by_role("button", name="The, layer 0").click()
    assert texts(page, "mark") == ["El"]
    assert texts(page, "text.number") == ["?", "0.96", "0.02", "?"]
    press(page, "Show all")
    assert texts(page, "text.number") == ["0.01", "0.96", "0.02", "0.03"]
    assert said(page).endswith("rojo is 0.02.")
    page.get_by_role("button", name="The, layer 0").click()
    assert said(page) == "Nothing is exchanged."
    assert texts(page, "mark") == []


# --- What a change does to sentences: guessed, then shown -----------------------------

SENTENCES = {
    "question": "Which change?",
    "sentences": ["It is cold.", "I have it."],
    "acts": ["Unplug it", "Plug it in again"],
    "states": {
        "whole": {
            "written": ["Hoy me da frío.", "Lo tengo."],
            "right": [True, True, True],
        },
        "unplugged": {
            "written": ["Hoy da miedo.", "Lo tengo."],
            "right": [True, False, True],
        },
    },
}


def test_a_guess_is_compared_with_what_came(show: Show) -> None:
    page = show("changes", numbers=SENTENCES)
    assert said(page).startswith("Shown: whole. 3 of 3")
    assert texts(page, "mark") == []
    for sentence in ("It is cold.", "I have it."):
        page.get_by_role("button", name=sentence).click()
    press(page, "Unplug it")
    assert texts(page, "mark") == ["miedo."]
    assert texts(page, "del") == ["me"]
    assert page.locator("circle[fill=none]").count() == 1
    assert "unplugged. 2 of 3" in said(page)
    assert said(page).endswith("1 of the 2 below; you marked 2, 1 rightly.")
    press(page, "Plug it in again")
    assert texts(page, "mark") == []

    page = show("changes", numbers={**SENTENCES, "dial": "how much"})
    page.get_by_role("slider", name="how much").press("ArrowRight")
    assert texts(page, "mark") == ["miedo."]
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "unplugged"
