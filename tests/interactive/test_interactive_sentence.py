"""Chapters 3 and 4: a sentence through a head of the translator, against `lib`'s."""

from __future__ import annotations

import base64
import json
import math

import pytest
import torch
from playwright.sync_api import Page
from torch import Tensor

from book.tools.site import head_numbers
from lib.attention import scaled_dot_product_attention
from lib.masks import causal_mask
from lib.translator import Translator
from tests.interactive.figure_page import PHONE, Show, press, said, slide

WIDE = {"width": 1200, "height": 900}
CELLS = """() => [...document.querySelectorAll("rect[data-key] + text")]
    .map(text => text.textContent.replace("−", "-"))"""
FILE = head_numbers.FILE.read_text(encoding="utf-8")
HEADS = json.loads(FILE.partition("HEADS = ")[2].rstrip(";\n"))
BYTES = torch.frombuffer(
    bytearray(base64.b64decode(HEADS["bytes"])), dtype=torch.int8
).view(-1, HEADS["width"])
Numbers = list[Tensor]


def numbers() -> dict[tuple[int, str], Numbers]:
    """Queries, keys and values of each sentence and head, as the page holds them."""
    found, at = {}, 0
    for number, sentence in enumerate(HEADS["sentences"]):
        src, tgt = (len(sentence[side]) + HEADS["padding"] for side in ("src", "tgt"))
        for name in HEADS["heads"]:
            rows, cols = (
                src if name == "encoder" else tgt,
                tgt if name == "decoder" else src,
            )
            counts = [rows, cols, cols]
            parts = BYTES[at : at + sum(counts)].split(counts)
            found[number, name] = [part / HEADS["scale"] for part in parts]
            at += sum(counts)
    assert at == len(BYTES)
    return found


NUMBERS = numbers()


def mask_of(rule: str, name: str, rows: int, cols: int) -> Tensor:
    """What a rule of the list lets each query see, two tokens of padding last."""
    every = torch.ones(rows, cols)
    causal = causal_mask(rows) if name == "decoder" else every.bool()
    real = torch.arange(cols) < cols - HEADS["padding"]
    asks = torch.arange(rows)[:, None] < rows - HEADS["padding"]
    return {
        "right": causal & real,
        "none": every.bool(),
        "inverted": ~(causal & real),
        "shifted": every.tril(1).bool() & real,
        "thorough": causal & real & asks,
    }[rule]


def close(shown: list[str], computed: Tensor, margin: float) -> bool:
    found = torch.tensor([float(text or 0) for text in shown])
    return torch.allclose(found, computed.flatten(), atol=margin)


def test_the_numbers_are_those_of_the_translator() -> None:
    """But for the rounding, which can fall out differently on another processor."""
    translator = Translator.load(head_numbers.MODEL)
    for number, sentence in enumerate(head_numbers.SENTENCES):
        src, tgt, found = head_numbers.looked(translator, sentence)
        assert HEADS["sentences"][number] == {"src": src, "tgt": tgt}
        for name, (attention, head) in head_numbers.HEADS.items():
            q, k, v = NUMBERS[number, name]
            for ours, theirs in zip((q, k, v), found[attention][:3], strict=True):
                margin = 0.51 / HEADS["scale"]
                assert torch.allclose(ours, theirs[0, head], atol=margin)
            rows, cols = len(q), len(k)
            mask = mask_of("right", name, rows, cols)
            _, weights = scaled_dot_product_attention(q, k, v, mask)
            words = slice(rows - HEADS["padding"])
            exact = found[attention].weights[0, head]
            assert torch.allclose(weights[words], exact[words], atol=0.02)


@pytest.mark.parametrize("name", HEADS["heads"])
def test_every_stage_is_that_of_lib(show: Show, name: str) -> None:
    page = show("sentence", "open", viewport=WIDE, reduced_motion="reduce")
    page.locator("select").nth(1).select_option(name)
    for number in range(len(HEADS["sentences"])):
        page.locator("select").nth(0).select_option(str(number))
        less = [part[: -HEADS["padding"]] for part in NUMBERS[number, name]]
        q, k, v = less
        mask = causal_mask(len(q)) if name == "decoder" else None
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        scores = q @ k.T / math.sqrt(HEADS["width"])
        slide(page, 0, 1)
        assert close(page.evaluate(CELLS), scores, 0.051)
        slide(page, 0, 2)
        hidden = [text == "-∞" for text in page.evaluate(CELLS)]
        assert hidden == (weights == 0).logical_and(scores.exp() > 0).flatten().tolist()
        slide(page, 0, 3)
        assert close(page.evaluate(CELLS), weights, 0.0051)
        slide(page, 0, 4)
        row = page.locator('[data-key^="row-"][aria-pressed="true"]')
        at = int((row.get_attribute("data-key") or "")[4:])
        first = float(said(page).rstrip(".").split()[-1])
        assert first == pytest.approx(output[at, 0].item(), abs=0.0051)


@pytest.mark.parametrize("rule", ["right", "none", "inverted", "shifted", "thorough"])
def test_masks_right_and_wrong_are_those_of_lib(show: Show, rule: str) -> None:
    page = show("sentence", "masked", viewport=WIDE)
    page.get_by_label("filled up").check()
    page.locator("select").nth(2).select_option(rule)
    slide(page, 0, 3)
    q, k, v = NUMBERS[0, "decoder"]
    mask = mask_of(rule, "decoder", len(q), len(k))
    _, weights = scaled_dot_product_attention(q, k, v, mask)
    assert close(page.evaluate(CELLS), weights, 0.0051)
    closed = [text == "" for text in page.evaluate(CELLS)]
    assert closed == (~mask).flatten().tolist()
    assert ("Everything is hidden" in said(page)) == (rule == "thorough")


def test_a_cell_is_opened_by_key_and_the_reader_is_told(show: Show) -> None:
    page = show("sentence", "masked", viewport=PHONE)
    slide(page, 0, 2)
    assert said(page).startswith("Hidden from “blanco”: “está”, “cansado”, “.”.")
    page.focus('[data-key="cell-4"]')
    page.keyboard.press("Enter")
    assert said(page).startswith("Hidden from “blanco”: “cansado”, “.”.")
    assert page.evaluate("document.activeElement.dataset.key") == "cell-4"
    page.click('g[data-key="row-0"]')
    assert said(page).startswith("Hidden from “<sos>”: “El”, “caballo”,")
    press(page, "as in the model")
    page.click('g[data-key="row-3"]')
    assert said(page).startswith("Hidden from “blanco”: “está”, “cansado”, “.”.")


def row_shown(page: Page, row: int, count: int) -> list[str]:
    """The cells of one row of the table."""
    cells: list[str] = page.evaluate(CELLS)
    return cells[row * count : (row + 1) * count]


def test_a_query_is_moved_by_key_and_dragged(show: Show) -> None:
    """In the plane of the query and of what tells the keys apart most."""
    page = show("sentence", "open", viewport=WIDE)
    slide(page, 0, 3)
    q, k, v = (part[: -HEADS["padding"]] for part in NUMBERS[0, "encoder"])
    along = q[1] / q[1].norm()
    apart = k - k.mean(dim=0)
    apart = apart - (apart @ along)[:, None] * along
    across = torch.linalg.svd(apart).Vh[0]
    page.focus('[data-key="query"]')
    for key in ["ArrowLeft"] * 6 + ["ArrowUp"] * 4:
        page.keyboard.press(key)
    shown = row_shown(page, 1, len(k))
    moved = [q[1:2] - 1.5 * along + sign * across for sign in (1, -1)]
    assert any(
        close(shown, scaled_dot_product_attention(each, k, v)[1], 0.0051)
        for each in moved
    )
    tip = page.locator('[data-key="query"] circle').last.bounding_box()
    plane = page.locator("line[stroke-dasharray]").first.bounding_box()
    assert tip is not None
    assert plane is not None
    page.mouse.move(tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    page.mouse.down()
    page.mouse.move(plane["x"] + plane["width"] / 2, plane["y"], steps=3)
    page.mouse.up()
    # No direction, no preference.
    assert close(row_shown(page, 1, len(k)), torch.full((len(k),), 1 / len(k)), 0.03)
    assert "(moved)" in said(page)
    press(page, "as in the model")
    _, weights = scaled_dot_product_attention(q, k, v)
    assert close(row_shown(page, 1, len(k)), weights[1], 0.0051)


def test_title_and_sentence_are_those_of_the_stage_that_comes(show: Show) -> None:
    """While it moves, the rows that have arrived show the next stage."""
    page = show("sentence", "open", viewport=WIDE)
    for at, step in ((0.5, 1), (2.5, 3), (3, 3), (3.125, 4)):
        slide(page, 0, at)
        assert page.locator("output").inner_text() == str(step)
        title = page.locator(".interactive-picture > text").first.text_content()
        assert (title or "").startswith(f"{step}. ")
        begins = {1: "Highest for", 3: "Of the attention", 4: "The output of"}
        assert said(page).startswith(begins[step])


def test_play_goes_to_the_end_and_stops_where_it_is_told(show: Show) -> None:
    page = show("sentence", "open", reduced_motion="reduce")
    press(page, "▶ Play")
    assert said(page).startswith("The output of “white” is")
    press(page, "Back")
    assert said(page).startswith("Of the attention of “white”, 0.88 to “horse”")
    page.close()
    page = show("sentence", "open")
    press(page, "▶ Play")
    press(page, "❚❚ Pause")
    assert page.get_by_role("button", name="▶ Play").is_visible()
    assert float(page.locator("input[type=range]").input_value()) < 4
