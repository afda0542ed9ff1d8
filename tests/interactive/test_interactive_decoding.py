"""Chapter 13's figures: the beam's tree and the scores, against `lib`'s."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from lib.decoding import length_norm
from lib.evaluation import bleu, chrf
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import PHONE, Show, ask, press, said, slide, texts

Table = dict[str, dict[str, float]]


def written_by(
    table: Table, beginning: str = "", score: float = 0.0
) -> Iterator[tuple[str, float]]:
    """All that a table can write, and its log-probability."""
    for word, p in table.get(beginning, {"<eos>": 1.0}).items():
        text = f"{beginning} {word}".strip()
        total = score + math.log(p)
        yield from (
            [(text, total)] if word == "<eos>" else written_by(table, text, total)
        )


def test_the_tree_grows_goes_back_and_finds_the_best(show: Show) -> None:
    page = show("beams", viewport=PHONE)
    boxes = "document.querySelectorAll('[data-key]').length"
    assert said(page) == "After 3 steps, kept: Ya voy para | Voy a tu."
    page.select_option("select", "two words")
    press(page, "back")
    assert page.evaluate(boxes) == 2
    press(page, "step")
    assert page.evaluate(boxes) == 6
    page.focus('[data-key="B B"]')
    page.keyboard.press("Enter")
    assert said(page) == "B B: 0.4 × 0.9 = 0.360, and its logarithm is -1.02."
    press(page, "back")
    assert page.evaluate(boxes) == 2
    assert said(page) == "After 1 step, kept: A | B."

    tables = ask("exports", module="figures/beams.js")["TABLES"]
    chapter = "\n".join(cell.source for cell in read(CHAPTERS[13 - 1]).cells)
    written = re.findall(r"^(?:NEXT|WAYS) = (\{.*?^\})", chapter, re.M | re.S)
    assert list(tables.values()) == list(map(ast.literal_eval, written))
    for name, size, alpha in itertools.product(tables, (1, 2, 3, 4), (0, 0.6)):
        page.select_option("select", name)
        slide(page, 0, size)
        slide(page, 1, alpha)
        if page.get_by_text("to the end").is_enabled():
            press(page, "to the end")
        found = re.search(r"The best is (.+), with a score of (-[\d.]+)\.$", said(page))
        assert found, said(page)
        text, score = found.groups()
        known = dict(written_by(tables[name]))
        norms = {each: length_norm(len(each.split()), alpha) for each in known}
        logp, norm = known[text], norms[text]
        assert f"{logp:.3f} ÷ {norm:.3f} = {score}" in texts(page, "td")
        if size == 4:  # nothing is lost; of two that are equally likely, either may win
            best = max(known[each] / norms[each] for each in known)
            assert float(score) == pytest.approx(best, abs=6e-4)
        # A wide beam cheats until it is penalized, as the chapter says.
        assert (text == "Ya voy <eos>") == (
            name != "two words" and size > 2 and not alpha
        )


def scores_shown(page: Page) -> tuple[float, float]:
    found = re.match(r"BLEU ([\d.]+), chrF ([\d.]+)\. ", said(page))
    assert found, said(page)
    return float(found[1]), float(found[2])


# Of each text to choose: the right answer, and what is written instead.
WRITTEN = {
    "dog": (
        "el perro negro muerde al hombre viejo",
        ["el perro", "el gato", "el el el el el", "", "perro el negro al muerde"],
    ),
    "home": (
        "Voy a casa ahora mismo.",
        ["Voy a casa ahora mismo.", "Voy  a casa, ahora.", "voy a casa"],
    ),
    "book": (
        "El viejo profesor les dio un libro a los niños.",
        ['A "B" & los 3.5-4 niños. ¿Les dio?', "El profesor les dio libros.", "ñ"],
    ),
}


def test_the_scores_are_those_of_sacrebleu_while_words_are_moved(show: Show) -> None:
    page = show("scores", viewport=PHONE)
    field = page.locator("input[type=text]")
    press(page, "the right answer")
    assert scores_shown(page) == (100, 100)
    page.focus('[data-key="1"]')
    page.keyboard.press("Enter")
    press(page, "swap with the next")
    assert field.input_value() == "el negro perro muerde al hombre viejo"
    swapped = scores_shown(page)
    press(page, "swap with the next")
    press(page, "delete the word")
    assert field.input_value() == "el negro muerde al hombre viejo"
    assert swapped[0] < scores_shown(page)[0] < 100
    press(page, "say it twice")
    assert field.input_value() == "el negro negro muerde al hombre viejo"

    for name, (reference, written) in WRITTEN.items():
        page.select_option("select", name)
        for text in [field.input_value(), *written]:
            field.fill(text)
            right = [score([text], [reference]).value for score in (bleu, chrf)]
            assert scores_shown(page) == pytest.approx(right, abs=0.006), text
    # Without smoothing one zero makes the product zero.
    page.select_option("select", "home")
    field.fill("Me voy a casa.")
    assert scores_shown(page)[0] > 0
    page.click("text=smoothing")
    assert scores_shown(page)[0] == 0
    assert "a product with a zero is zero" in said(page)
