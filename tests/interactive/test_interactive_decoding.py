"""Chapter 13's figures: the beam's tree and the scores, against `lib`'s."""

from __future__ import annotations

import ast
import json
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
from lib.figures.interactive import sources
from lib.model import Transformer
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import PHONE, Show, press, said, slide

Table = dict[str, dict[str, float]]

SCRIPT = (sources() / "figures" / "beams.js").read_text("utf-8")
TABLES: dict[str, Table] = json.loads(
    re.search(r"^export const TABLES = (\{.*?^\});$", SCRIPT, re.M | re.S)[1]  # type: ignore[index]
)
TEXTS = "() => [...document.querySelectorAll('svg text')].map(one => one.textContent)"


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


def best_of_lib(table: Table, size: int, alpha: float) -> tuple[str, Hypothesis]:
    model = TableModel(table)
    src = torch.tensor([[2]])
    options = {"length_penalty": alpha, "max_len": 8, "cached": False}
    found = beam_search(cast(Transformer, model), src, 1, 2, size, **cast(Any, options))
    best = found[0][0]
    return " ".join(model.words[id] for id in best.ids), best


def log_probability(table: Table, text: str) -> float:
    words = text.split()
    rows = (table.get(" ".join(words[:at]), {"<eos>": 1.0}) for at in range(len(words)))
    return sum(math.log(row[word]) for row, word in zip(rows, words, strict=True))


@pytest.mark.parametrize("name", TABLES)
def test_the_beam_finds_what_lib_finds(show: Show, name: str) -> None:
    page = show("beams")
    page.select_option("select", name)
    for size in (1, 2, 3, 4):
        for alpha in (0, 0.6):
            slide(page, 0, size)
            slide(page, 1, alpha)
            if page.get_by_text("to the end").is_enabled():
                press(page, "to the end")
            _, best = best_of_lib(TABLES[name], size, alpha)
            found = re.search(r"The best is (.+), with (-[\d.]+)\.$", said(page))
            assert found, said(page)
            assert float(found[2]) == pytest.approx(best.score, abs=6e-4)
            norm = length_norm(len(best.ids), alpha)
            # Of two that are equally likely, either may win.
            logp = log_probability(TABLES[name], found[1])
            assert logp == pytest.approx(best.score * norm, abs=1e-5)
            total = f"{best.score * norm:.3f} ÷ {norm:.3f} = {best.score:.3f}"
            assert total in [line.replace("−", "-") for line in page.evaluate(TEXTS)]


def test_a_wide_beam_cheats_until_it_is_penalized() -> None:
    """What the chapter says of its example is so, by `lib` itself."""
    table = TABLES["I'm on my way to your house."]
    whole = "Ya voy para tu casa <eos>"
    assert [best_of_lib(table, size, 0)[0] for size in (1, 2)] == [whole, whole]
    assert [best_of_lib(table, size, 0)[0] for size in (3, 4)] == ["Ya voy <eos>"] * 2
    assert [best_of_lib(table, size, 0.6)[0] for size in (3, 4)] == [whole, whole]


def test_the_tables_are_those_of_the_chapter() -> None:
    chapter = next(path for path in CHAPTERS if path.name.startswith("13_"))
    found = {}
    for cell in read(chapter).cells:
        if cell.cell_type != "code" or "figures.interactive" in cell.source:
            continue
        for line in ast.parse(cell.source).body:
            if isinstance(line, ast.Assign) and isinstance(line.value, ast.Dict):
                name = ast.unparse(line.targets[0])
                if name in ("NEXT", "WAYS"):
                    found[name] = ast.literal_eval(line.value)
    assert list(found.values()) == list(TABLES.values())


def test_the_tree_grows_and_goes_back(show: Show) -> None:
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


def scores_shown(page: Page) -> tuple[float, float]:
    found = re.match(r"BLEU ([\d.]+), chrF ([\d.]+)\. ", said(page))
    assert found, said(page)
    return float(found[1]), float(found[2])


REFERENCES = {
    "dog": "el perro negro muerde al hombre viejo",
    "home": "Voy a casa ahora mismo.",
    "book": "El viejo profesor les dio un libro a los niños.",
}
WRITTEN = {
    "dog": ["el perro", "el gato", "el el el el el", "", "perro el negro al muerde"],
    "home": ["Voy a casa ahora mismo.", "Voy  a casa, ahora.", "voy a casa"],
    "book": ['A "B" & los 3.5-4 niños. ¿Les dio?', "El profesor les dio libros.", "ñ"],
}


@pytest.mark.parametrize("name", REFERENCES)
def test_the_scores_are_those_of_sacrebleu(show: Show, name: str) -> None:
    page = show("scores")
    page.select_option("select", name)
    field = page.locator("input[type=text]")
    for text in [field.input_value(), *WRITTEN[name]]:
        field.fill(text)
        expected = [score([text], [REFERENCES[name]]).value for score in (bleu, chrf)]
        assert scores_shown(page) == pytest.approx(expected, abs=0.006), text


def test_a_word_is_swapped_doubled_and_deleted(show: Show) -> None:
    page = show("scores", viewport=PHONE)
    press(page, "the right answer")
    assert scores_shown(page) == (100, 100)
    field = page.locator("input[type=text]")
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


def test_without_smoothing_one_zero_makes_the_product_zero(show: Show) -> None:
    page = show("scores")
    page.select_option("select", "home")
    page.fill("input[type=text]", "Me voy a casa.")
    assert scores_shown(page)[0] > 0
    page.click("text=smoothing")
    assert scores_shown(page)[0] == 0
    assert "a product with a zero is zero" in said(page)
