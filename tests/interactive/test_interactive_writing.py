"""The language model of the page: it writes what lib's writes, token for token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from playwright.sync_api import expect

from book.tools.site.figure_scripts import WRITER
from book.tools.site.first_shown import opening
from book.tools.site.page_model import LANGUAGE_MODEL
from lib.decoding import generate
from lib.translator import read_language_model
from tests.interactive.figure_page import PHONE, Show, ask, violations, write_page
from tests.interactive.test_interactive_model import sentences_of_all_kinds

MODEL, VOCAB = read_language_model(LANGUAGE_MODEL)
NEVER = [VOCAB.pad_id, VOCAB.sos_id, VOCAB.unk_id]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of the figure, and the parts of the model."""
    place = tmp_path_factory.mktemp("writing")
    known = {"data-opening": json.dumps(opening())}
    write_page(place, WRITER, LANGUAGE_MODEL, **known)
    return place


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(0.0, 2000, 1.0), (0.7, 2000, 1.0), (1.3, 40, 0.9)],
)
def test_it_writes_what_lib_writes(
    folder: Path, temperature: float, top_k: int, top_p: float
) -> None:
    """A hundred beginnings, greedily or drawn by the same numbers."""
    sentences = sentences_of_all_kinds(100)
    typed = [" ".join(s.split()[: 1 + n % 4]) for n, s in enumerate(sentences)]
    prompts = [[VOCAB.sos_id, *VOCAB.encode(each)] for each in typed]
    first, again = (torch.Generator().manual_seed(1) for _ in range(2))
    how = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    ends: dict[str, Any] = {"eos_id": VOCAB.eos_id, "never": NEVER}
    written = generate(MODEL, prompts, **how, **ends, generator=first)
    steps = range(MODEL.config.max_len)  # as `drawing` asks for the numbers
    found = ask(
        "writing",
        folder=str(folder / "parts"),
        typed=typed,
        dials={"temperature": temperature, "topK": top_k, "topP": top_p},
        numbers=[torch.rand(len(typed), generator=again).tolist() for _ in steps],
    )
    assert found == [p + ids for p, ids in zip(prompts, written, strict=True)]


def test_a_reader_lets_it_write(visit: Show, folder: Path) -> None:
    """On a phone, opened as a file, its model not fetched."""
    page = visit((folder / f"{WRITER}.html").as_uri(), viewport=PHONE)
    bars = page.locator(".translate-candidate")

    def shares() -> list[tuple[str, float]]:
        rows = (text.split("\n") for text in bars.all_inner_texts())
        return [(name, float(percent.strip("%"))) for name, percent in rows]

    stored = shares()
    assert [name for name, _ in stored] == opening()["tokens"]
    page.get_by_label("top-k").fill("3")  # before anything is fetched
    assert bars.all_inner_texts()[3].endswith("out")
    assert "3 of 1997" in page.inner_text(".interactive")
    page.get_by_label("top-k").fill("41")
    page.get_by_role("button", name="Fetch the model").press("Enter")
    field = page.get_by_label("A beginning")
    expect(field).to_be_focused()
    for (name, share), (before, known) in zip(shares(), stored, strict=True):
        assert name == before
        assert share == pytest.approx(known, abs=0.11)
    assert "1997 of 1997" in page.inner_text(".interactive")
    page.get_by_label("temperature").fill("0")
    field.fill("I like 🍕 and 日本")
    notes = page.locator(".translate-notes")
    assert "has never seen 🍕 日 本: it reads <unk> there" in notes.inner_text()
    field.fill("My sister")
    assert not notes.is_visible()
    page.get_by_role("button", name="Next").press("Enter")
    page.get_by_role("button", name="Write").press("Enter")
    expect(page.locator(".interactive-said")).to_contain_text("Here the text ends.")
    prompt = [VOCAB.sos_id, *VOCAB.encode("My sister")]
    (ids,) = generate(MODEL, [prompt], VOCAB.eos_id, never=NEVER)
    assert page.inner_text(".translate-text") == VOCAB.decode(prompt + ids)
    assert page.get_by_role("button", name="Next").is_disabled()
    page.get_by_role("button", name="Start again").click()
    bars.nth(2).click()
    third = bars.nth(2).locator("span").first.inner_text()
    assert page.locator(".translate-chip").count() == len(prompt) + 1, third
    page.get_by_label("or pick one").select_option("Glorb snib")
    assert page.inner_text(".translate-text") == "Glorb snib"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert violations(page) == []
