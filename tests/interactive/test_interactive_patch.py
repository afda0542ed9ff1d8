"""Chapter 15's squares: each tells what the cell found there, and what is written."""

from __future__ import annotations

from tests.interactive.figure_page import Show, press, said, texts

TOLD = {
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
    page = show("patch", numbers=TOLD)
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
