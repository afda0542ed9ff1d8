"""Chapter 4's figure: the mask that is clicked together, against `lib`'s."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from lib.attention import scaled_dot_product_attention
from lib.masks import causal_mask, padding_mask
from tests.interactive.figure_page import Show, said, slide

PRESSED = """() => [...document.querySelectorAll("[data-key]")]
    .map(cell => cell.getAttribute("aria-pressed") === "true")"""
WEIGHTS = """() => [...document.querySelectorAll("[data-weight]")]
    .map(number => number.textContent)"""
QUERIES = torch.tensor([[1.0, 0.0], [0.0, 2.0], [2.0, 1.0], [1.0, 2.0], [1.0, 1.0]])
KEYS = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [0.0, 2.0], [1.0, 1.0]])


def masks() -> dict[str, Tensor]:
    """The masks of the list, made with `lib`'s functions."""
    causal = causal_mask(5)
    padding = padding_mask(torch.tensor([[1, 4, 5, 6, 0]]), pad_id=0)[0, 0]
    return {
        "both": causal & padding,
        "causal": causal,
        "padding": padding.expand(5, 5),
        "inverted": ~(causal & padding),
        "none": torch.ones(5, 5, dtype=torch.bool),
        "shifted": torch.ones(5, 5).tril(diagonal=1).bool() & padding,
        "thorough": causal & padding & padding.T,
    }


def test_masks_and_weights_are_those_of_lib(show: Show) -> None:
    page = show("mask")
    for name, mask in masks().items():
        page.select_option("select", name)
        assert page.evaluate(PRESSED) == mask.flatten().tolist(), name
        _, weights = scaled_dot_product_attention(QUERIES, KEYS, KEYS, mask)
        shown = torch.tensor([float(number) for number in page.evaluate(WEIGHTS)])
        assert torch.allclose(shown, weights.flatten(), atol=0.0051), name


def test_a_row_without_an_open_cell_is_nan_by_the_formula_and_zero_in_lib(
    show: Show,
) -> None:
    page = show("mask")
    page.select_option("select", "thorough")
    assert page.evaluate(WEIGHTS)[20:] == ["0.00"] * 5
    page.locator("select").nth(1).select_option("formula")
    mask = masks()["thorough"]
    scores = (QUERIES @ KEYS.T / math.sqrt(2)).masked_fill(~mask, -math.inf)
    shown = [float(number) for number in page.evaluate(WEIGHTS)]
    expected = scores.softmax(dim=-1).flatten()
    close = torch.allclose(torch.tensor(shown), expected, atol=0.0051, equal_nan=True)
    assert close
    assert "NaN" in said(page)


def test_a_cell_is_opened_by_key_and_heard_through_two_layers(show: Show) -> None:
    page = show("mask")
    page.focus('[data-key="1-2"]')
    page.keyboard.press("Enter")
    assert said(page).startswith("el hears <sos>, el, gato after 1 layer.")
    mask = masks()["both"]
    mask[1, 2] = True
    _, weights = scaled_dot_product_attention(QUERIES, KEYS, KEYS, mask)
    assert f"{weights[1, 2]:.2f} goes to later words" in said(page)
    assert page.evaluate("document.activeElement.dataset.key") == "1-2"
    page.click('[data-key="2-3"]')
    page.click('[data-key="1-2"]')
    page.click('[data-key="1-2"]')
    slide(page, 0, 2)
    assert said(page).startswith("el hears <sos>, el, gato, come after 2 layers.")
