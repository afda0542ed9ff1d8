"""Chapters 3 and 4: a sentence through a head of the translator, against `lib`'s."""

from __future__ import annotations

import base64
import math

import torch
from playwright.sync_api import Page
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from lib.figures.views import record_lookups
from lib.masks import causal_mask
from lib.translator import Translator
from tests.interactive import figure_page
from tests.interactive.figure_page import (
    PHONE,
    Show,
    press,
    said,
    slide,
    stored,
    texts,
)

WIDE = {"width": 1200, "height": 900}
HEADS = stored("head_numbers")


def numbers() -> dict[tuple[int, str], tuple[Tensor, ...]]:
    """Queries, keys and values of each sentence and head, as the page holds them."""
    stored = bytearray(base64.b64decode(HEADS["bytes"]))
    rows = torch.frombuffer(stored, dtype=torch.int8).view(-1, HEADS["width"])
    found = {}
    for number, sentence in enumerate(HEADS["sentences"]):
        src, tgt = (len(sentence[side]) + HEADS["padding"] for side in ("src", "tgt"))
        kinds = {"encoder": (src, src), "decoder": (tgt, tgt), "cross": (tgt, src)}
        for name in HEADS["heads"]:
            counts = [kinds[name][0], kinds[name][1], kinds[name][1]]
            *parts, rows = rows.split([*counts, len(rows) - sum(counts)])
            found[number, name] = tuple(part / HEADS["scale"] for part in parts)
    assert len(rows) == 0
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


def cells(page: Page) -> list[str]:
    return texts(page, "rect[data-key] + text")


def close(shown: list[str], computed: Tensor, margin: float = 0.0051) -> bool:
    """Whether the cells show what is computed, and nothing for nothing."""
    return figure_page.close([float(text or 0) for text in shown], computed, margin)


def test_the_numbers_are_those_of_the_translator() -> None:
    """But for the rounding, which can fall out differently on another processor."""
    translator = Translator.load("grammar-en-es")
    english, spanish = translator.src_vocab, translator.tgt_vocab
    for number, sentence in enumerate(HEADS["sentences"]):
        src = [english.ids[token] for token in sentence["src"]]
        tgt = [spanish.ids[token] for token in sentence["tgt"]]
        (written,) = translator.translate([english.decode(src)])
        assert spanish.encode(written) == tgt[1:]
        padding = HEADS["padding"] * [english.pad_id]
        with torch.no_grad(), record_lookups(translator.model) as found:
            translator.model(*(torch.tensor([ids + padding]) for ids in (src, tgt)))
        for name, (attention, head) in HEADS["heads"].items():
            q, k, v = NUMBERS[number, name]
            for ours, theirs in zip((q, k, v), found[attention][:3], strict=True):
                margin = 0.51 / HEADS["scale"]
                assert torch.allclose(ours, theirs[0, head], atol=margin)
            mask = mask_of("right", name, len(q), len(k))
            _, weights = scaled_dot_product_attention(q, k, v, mask)
            words = slice(len(q) - HEADS["padding"])
            exact = found[attention].weights[0, head]
            assert torch.allclose(weights[words], exact[words], atol=0.02)


def test_every_stage_is_that_of_lib(show: Show) -> None:
    page = show("sentence", "open", viewport=WIDE, reduced_motion="reduce")
    row = page.locator('[data-key^="row-"][aria-pressed="true"]')
    for number, name in NUMBERS:
        page.select_option("select >> nth=0", str(number))
        page.select_option("select >> nth=1", name)
        q, k, v = (part[: -HEADS["padding"]] for part in NUMBERS[number, name])
        mask = causal_mask(len(q)) if name == "decoder" else None
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        scores = q @ k.T / math.sqrt(HEADS["width"])
        slide(page, 0, 1)
        assert close(cells(page), scores, 0.051)
        slide(page, 0, 2)
        hidden = [text == "-∞" for text in cells(page)]
        assert hidden == (weights == 0).flatten().tolist()
        slide(page, 0, 3)
        assert close(cells(page), weights)
        slide(page, 0, 4)
        at = int((row.get_attribute("data-key") or "")[4:])
        assert close([said(page).rstrip(".").split()[-1]], output[at, 0])

    page.select_option("select >> nth=0", "0")
    page.select_option("select >> nth=1", "encoder")
    press(page, "▶ Play")  # to the end at once, where nothing is to move
    assert said(page).startswith("The output of “white” is")
    press(page, "Back")
    assert said(page).startswith("Of the attention of “white”, 0.88 to “horse”")


def test_masks_right_and_wrong_are_those_of_lib(show: Show) -> None:
    page = show("sentence", "masked", viewport=WIDE)
    page.get_by_label("filled up").check()
    q, k, v = NUMBERS[0, "decoder"]
    for rule in ("right", "none", "inverted", "shifted", "thorough"):
        page.select_option("select >> nth=2", rule)
        slide(page, 0, 3)
        mask = mask_of(rule, "decoder", len(q), len(k))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        assert close(cells(page), weights)
        closed = [text == "" for text in cells(page)]
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


def test_it_moves_from_stage_to_stage_and_a_query_is_dragged(show: Show) -> None:
    """On the way, the rows that have arrived show the next stage.

    A query is dragged in the plane of its own and of what tells the keys apart most.
    """
    page = show("sentence", "open", viewport=WIDE)
    for at, step, begins in (
        (0.5, 1, "Highest for"),
        (2.5, 3, "Of the attention"),
        (3, 3, "Of the attention"),
        (3.125, 4, "The output of"),
    ):
        slide(page, 0, at)
        assert page.locator("output").inner_text() == str(step)
        title, *_ = texts(page, ".interactive-picture > text")
        assert title.startswith(f"{step}. ")
        assert said(page).startswith(begins)
    slide(page, 0, 0)
    press(page, "▶ Play")
    press(page, "❚❚ Pause")
    assert page.get_by_role("button", name="▶ Play").is_visible()
    assert float(page.locator("input[type=range]").input_value()) < 4

    slide(page, 0, 3)
    q, k, v = (part[: -HEADS["padding"]] for part in NUMBERS[0, "encoder"])
    along = q[1] / q[1].norm()
    apart = k - k.mean(dim=0)
    apart = apart - (apart @ along)[:, None] * along
    across = torch.linalg.svd(apart).Vh[0]
    second = slice(len(k), 2 * len(k))  # the row that is moved
    page.focus('[data-key="query"]')
    for key in ["ArrowLeft"] * 6 + ["ArrowUp"] * 4:
        page.keyboard.press(key)
    moved = [q[1:2] - 1.5 * along + sign * across for sign in (1, -1)]
    assert any(
        close(cells(page)[second], scaled_dot_product_attention(each, k, v)[1])
        for each in moved
    )
    middle = page.locator("line.axis").first
    page.locator('[data-key="query"] circle').last.drag_to(middle, force=True)
    # No direction, no preference.
    assert close(cells(page)[second], torch.full((len(k),), 1 / len(k)), 0.03)
    assert "(moved)" in said(page)
    press(page, "as in the model")
    _, weights = scaled_dot_product_attention(q, k, v)
    assert close(cells(page)[second], weights[1])
