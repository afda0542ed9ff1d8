"""Chapter 5's plane: the smallest translator in the page, against the chapter's own."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser
from torch import Tensor, nn
from torch.nn import functional as F

from lib.attention import scaled_dot_product_attention
from lib.figures.interactive import in_order, sources, wrapped
from lib.masks import causal_mask
from lib.positions import sinusoidal_encoding
from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, press, said

SRC = torch.tensor([[0, 1, 3], [0, 2, 3]])
TGT_IN = torch.tensor([[0, 2], [0, 1]])
TGT_OUT = torch.tensor([[2, 4], [1, 4]])
PLAIN = """(numbers) => Object.fromEntries(Object.entries(numbers)
    .map(([name, matrix]) => [name, Array.from(matrix.data)]))"""
TRAINED = f"""() => {{
    const plain = {PLAIN};
    const {{ Adam }} = modules["descent"];
    const {{ gradientOf, untrained }} = modules["smallest"];
    let numbers = untrained();
    const adam = new Adam(0.1);
    const losses = [];
    const first = gradientOf(numbers).gradient;
    for (let step = 0; step < 30; step++) {{
        const {{ loss, gradient }} = gradientOf(numbers);
        losses.push(loss);
        numbers = adam.step(numbers, gradient);
    }}
    return {{ start: plain(untrained()), first: plain(first), losses }};
}}"""


@cache
def chapter() -> dict[str, Any]:
    """The classes of the chapter."""
    known: dict[str, Any] = {
        "torch": torch,
        "nn": nn,
        "causal_mask": causal_mask,
        "sinusoidal_encoding": sinusoidal_encoding,
        "scaled_dot_product_attention": scaled_dot_product_attention,
    }
    path = next(path for path in CHAPTERS if path.name.startswith("05_"))
    for cell in read(path).cells:
        if re.search(r"^class Tiny(?!Translator)", cell.source, re.M):
            exec(cell.source, known)
    return known


def loss_of(encoder: nn.Module, decoder: nn.Module) -> Tensor:
    scores = decoder(TGT_IN, encoder(SRC))
    return F.cross_entropy(scores.flatten(0, 1), TGT_OUT.flatten())


def close(ours: list[float], theirs: Tensor) -> bool:
    return torch.allclose(torch.tensor(ours), theirs.flatten(), atol=1e-5)


def test_gradient_and_training_are_those_of_pytorch(browser: Browser) -> None:
    page = browser.new_page()
    files = in_order(sources() / "figures" / "plane.js")
    body = "".join(wrapped(path, path.read_text("utf-8")) for path in files)
    page.evaluate(f"() => {{ const modules = globalThis.modules = {{}};\n{body} }}")
    shown = page.evaluate(TRAINED)

    known = chapter()
    encoder, decoder = known["TinyEncoder"](seed=42), known["TinyDecoder"](seed=43)
    named = {
        f"{half}.{name}": numbers
        for half, module in (("encoder", encoder), ("decoder", decoder))
        for name, numbers in module.named_parameters()
    }
    assert set(shown["start"]) == set(named)
    for name, numbers in named.items():
        assert close(shown["start"][name], numbers), name
    loss_of(encoder, decoder).backward()
    for name, numbers in named.items():
        assert numbers.grad is not None
        assert close(shown["first"][name], numbers.grad), name
    optimizer = torch.optim.Adam(named.values(), lr=0.1)
    losses = []
    for _ in range(30):
        loss = loss_of(encoder, decoder)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert shown["losses"] == pytest.approx(losses, abs=2e-3)


def test_it_trains_by_quarters_of_a_step(show: Show) -> None:
    page = show("plane")
    answers = page.locator('[data-answer="right"]')
    known = chapter()
    with torch.no_grad():
        encoder, decoder = known["TinyEncoder"](seed=42), known["TinyDecoder"](seed=43)
        scores = decoder(TGT_IN, encoder(SRC))
    chances = scores.softmax(dim=-1).gather(-1, TGT_OUT[..., None]).flatten()
    shown = [float(text) for text in answers.all_text_contents()]
    assert shown == pytest.approx(chances.tolist(), abs=0.0051)
    seen = []
    for phase in ("forward", "loss", "gradient", "step"):
        page.click(f"text=next: {phase}")
        seen.append(said(page))
        assert (page.locator(".slope").count() > 0) == (phase == "gradient")
    assert "their mean is 1.73" in seen[1]
    assert seen[3].startswith("Step 1 is done")
    press(page, "10 steps", times=3)
    assert "lets go → vamos <EOS>; to go → ir <EOS>. Loss 0.00" in said(page)
    assert [float(text) for text in answers.all_text_contents()] == [1.0] * 4


def test_a_word_is_dragged_and_the_translation_follows(show: Show) -> None:
    page = show("plane")
    press(page, "10 steps", times=3)
    box = page.locator('[data-key="2"] circle >> nth=1').bounding_box()
    lets = page.locator('[data-key="1"] circle >> nth=1').bounding_box()
    assert box is not None
    assert lets is not None
    page.mouse.move(box["x"] + 7, box["y"] + 7)
    page.mouse.down()
    page.mouse.move(lets["x"] + 7, lets["y"] + 7, steps=3)
    page.mouse.up()
    # "to" where "lets" stands: the two phrases are the same for the model.
    assert "to go → vamos <EOS>" in said(page)
    press(page, "10 steps")
    page.select_option("select >> nth=0", "decoder")
    page.focus('[data-key="3"]')
    page.keyboard.press("ArrowUp")
    assert said(page).startswith("y stands at (")
    assert page.evaluate("document.activeElement.dataset.key") == "3"
