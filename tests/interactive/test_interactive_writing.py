"""The language model of the page: it writes what lib's writes, token for token."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from book.tools.site.figure_scripts import WRITER, model_parts
from book.tools.site.opening import BEGINNING, SHOWN, opening
from book.tools.site.page_model import LANGUAGE_MODEL
from lib.decoding import generate
from lib.figures.interactive import packed, style
from lib.translator import read_language_model
from tests.interactive.figure_page import PHONE, violations
from tests.interactive.test_interactive_model import ask, sentences_of_all_kinds

MODEL, VOCAB = read_language_model(LANGUAGE_MODEL)
NEVER = [VOCAB.pad_id, VOCAB.sos_id, VOCAB.unk_id]
DIALS = [
    {"temperature": 0.0, "topK": 2000, "topP": 1.0},
    {"temperature": 0.7, "topK": 2000, "topP": 1.0},
    {"temperature": 1.3, "topK": 40, "topP": 0.9},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The parts of the model."""
    place = tmp_path_factory.mktemp("writing") / "parts"
    model_parts(place, LANGUAGE_MODEL)
    return place


def test_it_writes_what_lib_writes(folder: Path, tmp_path: Path) -> None:
    """300 beginnings: half of them greedily, the others drawn by the same numbers."""
    sentences = sentences_of_all_kinds(300)
    typed = [" ".join(s.split()[: 1 + n % 4]) for n, s in enumerate(sentences)]
    prompts = [[VOCAB.sos_id, *VOCAB.encode(each)] for each in typed]
    kinds = [0 if n % 2 else 1 + n // 2 % 2 for n in range(len(typed))]
    numbers = {kind: torch.Generator().manual_seed(kind) for kind in (0, 1, 2)}
    wanted: dict[int, list[int]] = {}
    drawn = torch.zeros(MODEL.config.max_len, len(typed))
    for kind, dials in enumerate(DIALS):
        rows = [n for n, each in enumerate(kinds) if each == kind]
        written = generate(
            MODEL,
            [prompts[n] for n in rows],
            VOCAB.eos_id,
            temperature=dials["temperature"],
            top_k=int(dials["topK"]),
            top_p=dials["topP"],
            generator=numbers[kind],
            never=NEVER,
        )
        wanted |= {n: prompts[n] + ids for n, ids in zip(rows, written, strict=True)}
        again = torch.Generator().manual_seed(kind)
        for step in range(MODEL.config.max_len):  # as `drawing` asks for them
            drawn[step, rows] = torch.rand(len(rows), generator=again)
    found = ask(
        tmp_path,
        "writing",
        folder=str(folder),
        typed=typed,
        dials=[DIALS[kind] for kind in kinds],
        numbers=drawn.tolist(),
    )
    assert found == [wanted[n] for n in range(len(typed))]


def test_before_the_model_is_there_it_shows_libs_scores() -> None:
    ids = torch.tensor([[VOCAB.sos_id, *VOCAB.encode(BEGINNING)]])
    with torch.inference_mode():
        scores = MODEL.eval()(ids)[0, -1].index_fill(0, torch.tensor(NEVER), -torch.inf)
    likeliest = scores.topk(SHOWN)
    assert opening()["tokens"] == [VOCAB.tokens[n] for n in likeliest.indices]
    assert opening()["logits"][:SHOWN] == pytest.approx(likeliest.values, abs=0.01)
    shares = torch.tensor(opening()["logits"]).softmax(0)[:SHOWN]
    assert torch.allclose(shares, scores.softmax(0)[likeliest.indices], rtol=0.02)


@pytest.fixture
def page(browser: Browser, folder: Path) -> Page:
    """The figure alone on a phone, opened as a file, its model not fetched."""
    known = {"data-model": "parts/", **model_parts(folder, LANGUAGE_MODEL)}
    known["data-opening"] = json.dumps(opening())
    data = " ".join(f'{name}="{escape(text)}"' for name, text in known.items())
    file = folder.parent / "page.html"
    file.write_text(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Writing"
        f"</title><style>{style()}</style></head><body><main><h1>Writing</h1>"
        f"<div class='interactive' id='here' {data}></div></main>"
        f"<script>{packed(WRITER)}\nbookFigures['{WRITER}'](here);</script></body></html>",
        encoding="utf-8",
    )
    page = browser.new_page(viewport=PHONE)
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(file.as_uri())
    return page


def test_a_reader_lets_it_write(page: Page) -> None:
    bars = page.locator(".translate-candidate")
    assert bars.count() == SHOWN
    assert bars.first.inner_text().startswith(opening()["tokens"][0])
    first = bars.first.inner_text()
    page.get_by_label("top-k").fill("3")  # before anything is fetched
    assert bars.all_inner_texts()[3].endswith("out")
    assert "3 of 1997" in page.inner_text(".interactive")
    page.get_by_label("top-k").fill("41")
    page.get_by_role("button", name="Let it write").press("Enter")
    field = page.get_by_label("A beginning")
    expect(field).to_be_focused()
    assert bars.first.inner_text() == first
    assert "1997 of 1997" in page.inner_text(".interactive")
    page.get_by_label("temperature").fill("0")
    field.fill("My sister")
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
