"""The figures of chapters 1 and 11: words to rows, sub-words merge by merge."""

from __future__ import annotations

import ast
import json
import re

import torch
from tokenizers import Tokenizer

from lib.layers import TokenEmbedding
from lib.text import Vocabulary, tokenize
from lib.text.files import read_json
from lib.translator import SHIPPED
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, press, said, texts

LABELS = """() => [...document.querySelectorAll(".interactive [data-key]")]
    .map(line => line.getAttribute("aria-label"))"""
PIECES = ".piece"
TOKENIZER = read_json(SHIPPED / "tatoeba-en-es" / "tokenizer.json")
MERGES = TOKENIZER["model"]["merges"][:2000]  # those that the page is given
SENTENCES = [
    "The dog bites the cat.",
    "I don’t know: is it 12:30?",
    "¿Dónde está_la Café (²)?",
    "It's the cat's, isn't it…",
    "कि और की ❤\ufe0fyou",
]


def floats(labels: list[str]) -> torch.Tensor:
    """The four numbers at the end of each token's label."""
    rows = [label.replace("−", "-").split(", ")[-4:] for label in labels]
    return torch.tensor([list(map(float, row)) for row in rows])


def test_a_sentence_goes_through_the_vocabulary_and_the_table(show: Show) -> None:
    page = show("words")
    chapter = read(CHAPTERS[1 - 1]).cells
    cell = next(cell.source for cell in chapter if "phrases = [" in cell.source)
    listed = re.search(r"phrases = (\[.*?\])", cell, re.S)
    assert listed
    vocabulary = Vocabulary.build(ast.literal_eval(listed[1]))
    torch.manual_seed(0)
    table = TokenEmbedding(len(vocabulary), 4, vocabulary.pad_id).table.weight
    page.fill("input >> nth=1", "Yes.")
    for sentence in SENTENCES:
        page.fill("input >> nth=0", sentence)
        ids = [*vocabulary.encode(sentence), vocabulary.eos_id]
        other = [*vocabulary.encode("Yes."), vocabulary.eos_id]
        other += [vocabulary.pad_id] * (len(ids) - len(other))
        words = [*tokenize(sentence), "<eos>"]
        labels = page.evaluate(LABELS)
        written = [re.sub(r": (unknown, )?id .*", "", label) for label in labels]
        assert written[: len(words)] == words
        shown = [int(re.findall(r" id (\d+),", label)[-1]) for label in labels]
        assert shown == ids + other
        numbers = floats(labels)
        assert torch.allclose(numbers, table[ids + other], atol=0.0051)
    page.check("input[type=checkbox]")
    assert torch.allclose(floats(page.evaluate(LABELS)), 2 * numbers, atol=1e-4)
    page.uncheck("input[type=checkbox]")

    page.fill("input >> nth=0", "A cat sleeps.")
    page.focus('[data-key="0-1"]')
    page.keyboard.press("Enter")
    assert "“cat” is not among the 60 tokens" in said(page)
    assert "(3 here)" in said(page)
    assert page.locator('[aria-pressed="true"]').count() == 3
    page.click('[data-key="1-4"]')
    assert "<pad> fills the shorter sentence up" in said(page)
    page.fill("input >> nth=0", "lets go " * 20)
    assert "Only the first 12 tokens" in said(page)


def test_the_merges_are_the_first_of_the_shipped_tokenizer(show: Show) -> None:
    page = show("merges")
    page.select_option("select", "shipped")
    less = TOKENIZER | {"model": TOKENIZER["model"] | {"merges": MERGES}}
    tokenizer = Tokenizer.from_str(json.dumps(less))
    for text in (
        "The anesthesiologist smiled.",
        "¿Dónde está la estación?",
        "I don't know 1,234 bananas!",
        "Mississippi  sings; sssssh",
    ):
        page.fill("input", text)
        press(page, "all")
        pieces = tokenizer.encode(text, add_special_tokens=False).tokens
        assert texts(page, PIECES) == pieces
    page.fill("input", "Noël ž 北")
    assert said(page).endswith("Unknown to this list, so <unk>: 北.")


def test_the_ten_merges_are_those_of_the_chapter(show: Show) -> None:
    page = show("merges")
    page.fill("input", "habla hablan hablamos canta cantan la")
    chapter = read(CHAPTERS[11 - 1]).cells
    cell = next(cell for cell in chapter if "for step in range(1, 11)" in cell.source)
    lines = cell.outputs[0].text.splitlines()
    for step, line in enumerate(lines[:10], start=1):
        press(page, "next ▶")
        marked = page.locator('[data-key][aria-pressed="true"]')
        assert marked.get_attribute("data-key") == str(step)
        label = marked.get_attribute("aria-label") or ""
        assert label.split() == ["merge", *line.split()]
    last = [piece for line in lines[10:] for piece in ast.literal_eval(line[10:])]
    assert texts(page, PIECES) == last
    press(page, "◀ back")
    assert said(page).startswith(
        "Merge 9 joins c and ant, which stood side by side 8 times"
    )
    page.select_option("select", "own")
    page.fill("input", "aab aab ab")
    press(page, "next ▶")
    # a + b stands there three times, ▁ + a three times: the alphabet decides.
    assert said(page).startswith(
        "Merge 1 joins a and b, which stood side by side 3 times"
    )
    press(page, "letters")
    assert texts(page, PIECES) == [*"▁aab", *"▁aab", *"▁ab"]
    page.fill("input", "")
    assert said(page) == "Write a word."
