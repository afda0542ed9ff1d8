"""What a change does to sentences: guessed, then shown, as the cell found it."""

from __future__ import annotations

from tests.interactive.figure_page import Show, press, said, texts

TOLD = {
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
    page = show("changes", numbers=TOLD)
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


def test_a_dial_leads_to_every_state(show: Show) -> None:
    page = show("changes", numbers={**TOLD, "dial": "how much"})
    dial = page.get_by_role("slider", name="how much")
    assert dial.get_attribute("aria-valuetext") == "whole"
    dial.press("ArrowRight")
    assert texts(page, "mark") == ["miedo."]
    assert dial.get_attribute("aria-valuetext") == "unplugged"
