"""Chapter 13's figures: the beam's tree and the scores, against `lib`'s."""

from __future__ import annotations

import ast
import itertools
import math
import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from playwright.sync_api import Page
from torch import Tensor, nn

from lib.decoding import Hypothesis, beam_search, length_norm
from lib.evaluation import bleu, chrf
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import PHONE, Show, ask, press, said, slide, texts

Table = dict[str, dict[str, float]]


class TableModel(nn.Module):
    """A model that looks its probabilities up, for the beam search of `lib`."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        known = [word for row in table.values() for word in row]
        self.words = ["<pad>", "<sos>", *dict.fromkeys(["<eos>", *known])]
        self.table = table
        sizes = {"max_len": 8, "tgt_vocab_size": len(self.words)}
        self.config = SimpleNamespace(pad_id=0, **sizes)

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        return src

    def decode(self, tgt: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        logits = torch.full((*tgt.shape, len(self.words)), -torch.inf)
        for row, ids in enumerate(tgt.tolist()):
            beginning = " ".join(self.words[id] for id in ids[1:])
            for word, p in self.table.get(beginning, {"<eos>": 1.0}).items():
                logits[row, -1, self.words.index(word)] = math.log(p)
        return logits


def best_of_lib(table: Table, size: int, alpha: float) -> Hypothesis:
    src = torch.tensor([[2]])
    model, options = cast(Any, TableModel(table)), {"max_len": 8, "cached": False}
    return beam_search(model, src, 1, 2, size, alpha, **cast(Any, options))[0][0]


def log_probability(table: Table, text: str) -> float:
    words = text.split()
    rows = (table.get(" ".join(words[:at]), {"<eos>": 1.0}) for at in range(len(words)))
    return sum(math.log(row[word]) for row, word in zip(rows, words, strict=True))


def test_the_tree_grows_goes_back_and_finds_what_lib_finds(show: Show) -> None:
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
        best = best_of_lib(tables[name], size, alpha)
        found = re.search(r"The best is (.+), with a score of (-[\d.]+)\.$", said(page))
        assert found, said(page)
        assert float(found[2]) == pytest.approx(best.score, abs=6e-4)
        norm = length_norm(len(best.ids), alpha)
        # Of two that are equally likely, either may win.
        logp = log_probability(tables[name], found[1])
        assert logp == pytest.approx(best.score * norm, abs=1e-5)
        total = f"{best.score * norm:.3f} ÷ {norm:.3f} = {best.score:.3f}"
        assert total in texts(page, "td")
        # A wide beam cheats until it is penalized, as the chapter says.
        assert (found[1] == "Ya voy <eos>") == (
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
