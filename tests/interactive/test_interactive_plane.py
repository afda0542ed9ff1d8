"""Chapter 5's plane: the smallest translator in the page, against the chapter's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.book_sources import CHAPTERS, read
from tests.interactive.figure_page import Show, ask, close, press, said, texts

SRC = torch.tensor([[0, 1, 3], [0, 2, 3]])
TGT_IN = torch.tensor([[0, 2], [0, 1]])
TGT_OUT = torch.tensor([[2, 4], [1, 4]])


def untrained() -> tuple[nn.Module, nn.Module]:
    """Encoder and decoder as the chapter defines them."""
    known: dict[str, Any] = {}
    wanted = r"^class Tiny(?!Translator)|^# @title What this chapter imports"
    for cell in read(CHAPTERS[5 - 1]).cells:
        if re.search(wanted, cell.source, re.M):
            exec(cell.source, known)
    return known["TinyEncoder"](seed=42), known["TinyDecoder"](seed=43)


def loss_of(encoder: nn.Module, decoder: nn.Module) -> Tensor:
    scores = decoder(TGT_IN, encoder(SRC))
    return F.cross_entropy(scores.flatten(0, 1), TGT_OUT.flatten())


def test_gradient_and_training_are_those_of_pytorch() -> None:
    shown = ask("smallest", steps=30)
    encoder, decoder = untrained()
    named = {
        f"{half}.{name}": numbers
        for half, module in (("encoder", encoder), ("decoder", decoder))
        for name, numbers in module.named_parameters()
    }
    loss_of(encoder, decoder).backward()
    for name, numbers in named.items():
        assert numbers.grad is not None
        assert close(shown["first"][name], numbers.grad, 1e-5), name
    optimizer = torch.optim.Adam(named.values(), lr=0.1)
    losses = []
    for _ in range(30):
        loss = loss_of(encoder, decoder)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert shown["losses"] == pytest.approx(losses, abs=2e-3)


def test_it_trains_by_quarters_of_a_step_and_follows_a_dragged_word(show: Show) -> None:
    page = show("plane")
    right = '[data-answer="right"]'
    encoder, decoder = untrained()
    with torch.no_grad():
        scores = decoder(TGT_IN, encoder(SRC))
    chances = scores.softmax(dim=-1).gather(-1, TGT_OUT[..., None]).flatten()
    assert close(list(map(float, texts(page, right))), chances)
    seen = []
    for phase in ("forward", "loss", "gradient", "step"):
        page.click(f"text=next: {phase}")
        seen.append(said(page))
        assert (page.locator(".slope").count() > 0) == (phase == "gradient")
    assert "their mean is 1.73" in seen[1]
    assert seen[3].startswith("Step 1 is done")
    press(page, "10 steps", times=3)
    assert "lets go → vamos <EOS>; to go → ir <EOS>. Loss 0.00" in said(page)
    assert texts(page, right) == ["1.00"] * 4
    # Drag "to" where "lets" stands: the two phrases are the same for the model.
    lets, to = (page.locator(f'[data-key="{n}"] circle >> nth=1') for n in (1, 2))
    to.drag_to(lets, force=True)
    assert "to go → vamos <EOS>" in said(page)
    press(page, "10 steps")
    page.select_option("select >> nth=0", "decoder")
    page.focus('[data-key="3"]')
    page.keyboard.press("ArrowUp")
    assert said(page).startswith("y stands at (")
    assert page.evaluate("document.activeElement.dataset.key") == "3"


def test_the_chapter_opens_on_the_first_words_of_each_step(show: Show) -> None:
    page = show("plane", "first")
    encoder, decoder = untrained()
    optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    for _ in range(6):
        scores = decoder(torch.tensor([[0], [0]]), encoder(SRC))  # behind <SOS>
        best = scores[:, 0].argmax(dim=-1).tolist()
        written = [text.split()[0] for text in texts(page, "td:nth-child(3)")]
        assert written == [
            ["<SOS>", "ir", "vamos", "y", "<EOS>"][word] for word in best
        ]
        optimizer.zero_grad()
        loss_of(encoder, decoder).backward()
        optimizer.step()
        press(page, "Train one step")
    assert said(page) == "After 6 steps 2 of 2 phrases are right."
