"""The figures of chapters 1 and 11: words to rows, sub-words merge by merge."""

from __future__ import annotations

import ast
import json
import re

import torch
from tokenizers import Tokenizer

from lib.figures.interactive import sources
from lib.layers import TokenEmbedding
from lib.text import Vocabulary, tokenize
from lib.translator import SHIPPED
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, press, said

LABELS = """() => [...document.querySelectorAll(".interactive-picture [data-key]")]
    .map(line => line.getAttribute("aria-label"))"""
PIECES = """() => [...document.querySelectorAll("text.piece")]
    .map(text => text.textContent)"""
SENTENCES = [
    "The dog bites the cat.",
    "I don’t know: is it 12:30?",
    "¿Dónde está_la Café (²)?",
    "It's the cat's, isn't it…",
    "कि और की ❤\ufe0fyou",
]


def phrases() -> list[str]:
    """The English sentences of chapter 1."""
    cell = next(c for c in read(CHAPTERS[0]).cells if "phrases = [" in c.source)
    tree = ast.parse(cell.source)
    value = next(
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.List)
    )
    return list(ast.literal_eval(value))


def test_a_sentence_goes_through_the_vocabulary_and_the_table(show: Show) -> None:
    page = show("words")
    vocabulary = Vocabulary.build(phrases())
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
        numbers = torch.tensor([floats(label) for label in labels])
        assert torch.allclose(numbers, table[ids + other], atol=0.0051)
    page.check("input[type=checkbox]")
    doubled = torch.tensor([floats(label) for label in page.evaluate(LABELS)])
    assert torch.allclose(doubled, 2 * numbers, atol=1e-4)


def floats(label: str) -> list[float]:
    """The four numbers at the end of a token's label."""
    numbers = label.replace("−", "-").split(", ")[-4:]
    return [float(number) for number in numbers]


def test_unknown_words_share_a_row_and_all_the_phrases_are_known(
    show: Show,
) -> None:
    page = show("words")
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


def pieces_by_lib(texts: list[str]) -> list[list[str]]:
    """The pieces that the shipped tokenizer finds with its first 2,000 merges."""
    path = SHIPPED / "tatoeba-en-es" / "tokenizer.json"
    stored = json.loads(path.read_text("utf-8"))
    stored["model"]["merges"] = stored["model"]["merges"][:2000]
    tokenizer = Tokenizer.from_str(json.dumps(stored))
    return [tokenizer.encode(text, add_special_tokens=False).tokens for text in texts]


def test_the_merges_are_the_first_of_the_shipped_tokenizer() -> None:
    stored = json.loads((SHIPPED / "tatoeba-en-es" / "tokenizer.json").read_text())
    source = (sources() / "merge_list.js").read_text("utf-8")
    [shown] = re.findall(r"MERGES = `\n(.*?)\n`", source, re.DOTALL)
    pairs = [line.split(" ") for line in re.split(r"[|\n]", shown)]
    assert pairs == stored["model"]["merges"][:2000]
    known = re.findall(r'^  (".*")', source.split("MERGES")[0], re.MULTILINE)
    letters = {token for token in stored["model"]["vocab"] if len(token) == 1}
    assert set("".join(map(json.loads, known))) == letters


def test_the_shipped_merges_cut_as_the_tokenizer_does(show: Show) -> None:
    page = show("merges")
    page.select_option("select", "shipped")
    texts = [
        "The anesthesiologist smiled.",
        "¿Dónde está la estación?",
        "I don't know 1,234 bananas!",
        "Mississippi  sings; sssssh",
    ]
    for text, pieces in zip(texts, pieces_by_lib(texts), strict=True):
        page.fill("input", text)
        press(page, "all")
        assert page.evaluate(PIECES) == pieces
    page.fill("input", "Noël ž 北")
    assert said(page).endswith("Unknown to this list, so <unk>: 北.")


def test_the_ten_merges_are_those_of_the_chapter(show: Show) -> None:
    page = show("merges")
    page.fill("input", "habla hablan hablamos canta cantan la")
    chapter = next(path for path in CHAPTERS if path.stem == "11_corpus")
    cells = read(chapter).cells
    cell = next(cell for cell in cells if "for step in range(1, 11)" in cell.source)
    lines = cell.outputs[0].text.splitlines()
    listed = []
    for step in range(1, 11):
        press(page, "next ▶")
        marked = page.locator('[data-key][aria-pressed="true"]')
        assert marked.get_attribute("data-key") == str(step)
        listed.append(marked.get_attribute("aria-label") or "")
    squeeze = [" ".join(line.split()) for line in listed]
    assert squeeze == ["merge " + " ".join(line.split()) for line in lines[:10]]
    last = [piece for line in lines[10:] for piece in ast.literal_eval(line[10:])]
    assert page.evaluate(PIECES) == last
    press(page, "◀ back")
    assert said(page).startswith("Merge 9 joins c and ant, side by side 8 times")


def test_merges_are_learned_from_a_text_of_ones_own(show: Show) -> None:
    page = show("merges")
    page.select_option("select", "own")
    page.fill("input", "aab aab ab")
    press(page, "next ▶")
    # a + b stands there three times, ▁ + a three times: the alphabet decides.
    assert said(page).startswith("Merge 1 joins a and b, side by side 3 times")
    press(page, "letters")
    assert page.evaluate(PIECES) == [*"▁aab", *"▁aab", *"▁ab"]
    page.fill("input", "")
    assert said(page) == "Write a word."
