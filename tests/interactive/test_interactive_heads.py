"""Chapter 6's figure: the blocks of the heads stand where PyTorch puts the numbers."""

from __future__ import annotations

import torch
from playwright.sync_api import Page

from lib.attention import MultiHeadAttention
from tests.interactive.figure_page import PHONE, Show, press, said, slide

# The blocks in the order in which their tensor is read: by head, by row, by column.
READ = """name => [...document.querySelectorAll(`[data-key^="${name}-"]`)]
    .map(block => {
        const box = block.querySelector("rect").getBoundingClientRect();
        return [Math.round(box.top), Math.round(box.left), +block.textContent];
    })
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .map(block => block[2])"""


def at_step(page: Page, step: int) -> tuple[list[int], list[int]]:
    """The numbers of both ways, row after row, after some steps."""
    slide(page, 0, step)
    return page.evaluate(READ, "right"), page.evaluate(READ, "faulty")


def test_the_blocks_stand_where_pytorch_puts_the_numbers(show: Show) -> None:
    page = show("heads")
    mistake, count = page.locator("select").all()
    x = torch.arange(12.0).reshape(1, 3, 4)
    same = x.flatten().tolist()
    for heads in (1, 2, 4):
        count.select_option(str(heads))
        mistake.select_option("merge")
        attention = MultiHeadAttention(4, heads)
        split = attention.split_heads(x)
        assert at_step(page, 2)[0] == split.flatten().tolist()
        assert at_step(page, 3) == (same, split.flatten().tolist())
        right, faulty = at_step(page, 4)
        assert right == attention.merge_heads(split).flatten().tolist()
        assert faulty == split.reshape(1, 3, 4).flatten().tolist()
        mistake.select_option("split")
        assert at_step(page, 2)[1] == x.reshape(1, heads, 3, -1).flatten().tolist()
        assert at_step(page, 4) == (same, same)
    mistake.select_option("merge")
    count.select_option("2")
    slide(page, 0, 0)
    press(page, "Next")  # the blocks move until they stand
    page.locator(".interactive-said").get_by_text("head 1").first.wait_for()
    assert page.locator("output").inner_text() == "1"


def test_what_stands_with_another_word_is_marked_and_told(show: Show) -> None:
    page = show("heads", viewport=PHONE, reduced_motion="reduce")
    output = page.locator("output")
    assert output.inner_text() == "2"  # where both are one
    assert page.locator('[aria-label*="another word"]').count() == 0
    press(page, "▶ Play")
    assert output.inner_text() == "4"  # where the error shows
    wrong = torch.arange(12).reshape(1, 3, 2, 2).transpose(1, 2).reshape(3, 4)
    moved = int((wrong // 4 != torch.arange(3)[:, None]).sum())
    page.click('[data-key="faulty-9"]')
    assert said(page).startswith("9 is a number of man. Right: row of man.")
    assert f"row of bites; {moved} of 12 numbers" in said(page)
    marked = page.locator('[data-key^="faulty-"][aria-label*="another word"]')
    assert marked.count() == moved
    assert page.locator('[data-key^="right-"][aria-label*="another"]').count() == 0
    slide(page, 0, 0)
    press(page, "Next", times=2)
    assert output.inner_text() == "2"
    press(page, "Back")
    assert output.inner_text() == "1"
