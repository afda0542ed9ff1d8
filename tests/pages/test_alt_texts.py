"""What a figure shows, in words: behind its caption in Colab, in its page's picture."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.tools.site.alt_texts import (
    alt_text,
    as_markdown,
    put_alt_texts,
    without_alt_text,
)
from tests.book_sources import CHAPTERS, NAMES, read

CAPTION = "**Figure 1.1.** The batch.\n\nWhat follows it."
WORDS = "Two rows: <pad> is `0`, costs $1 or [2]."
FOLDED = (
    "**Figure 1.1.** The batch.\n\n<details><summary>The figure in words</summary>\n\n"
    "Two rows: &lt;pad&gt; is \\`0\\`, costs \\$1 or \\[2\\].\n\n</details>"
    "\n\nWhat follows it."
)


def test_words_follow_the_caption_and_leave_it_again() -> None:
    about = {"mystnb": {"image": {"alt": WORDS}}}
    cells = [new_code_cell("plot()", metadata=about), new_markdown_cell(CAPTION)]
    notebook = new_notebook(cells=cells)
    for _ in range(2):  # the second time changes nothing
        put_alt_texts(notebook)
        assert notebook.cells[1].source == FOLDED
    assert without_alt_text(FOLDED) == CAPTION
    notebook.cells[0].metadata.clear()
    put_alt_texts(notebook)
    assert notebook.cells[1].source == CAPTION


def test_a_caption_of_one_paragraph_ends_in_the_fold() -> None:
    about = {"mystnb": {"image": {"alt": "A line."}}}
    cells = [
        new_code_cell("plot()", metadata=about),
        new_markdown_cell("**Figure.** A"),
    ]
    notebook = new_notebook(cells=cells)
    put_alt_texts(notebook)
    assert notebook.cells[1].source.endswith("</summary>\n\nA line.\n\n</details>")
    assert without_alt_text(notebook.cells[1].source) == "**Figure.** A"


@pytest.mark.parametrize("path", CHAPTERS, ids=NAMES)
def test_each_figure_of_a_chapter_has_its_words_behind_it(path: Path) -> None:
    cells = read(path).cells
    drawn = [place for place, cell in enumerate(cells) if alt_text(cell)]
    assert drawn
    for place in drawn:
        assert as_markdown(alt_text(cells[place])) in cells[place + 1].source


@pytest.mark.parametrize("path", CHAPTERS, ids=NAMES)
def test_a_page_says_them_once(path: Path, site: Path) -> None:
    page = (site / "book" / f"{path.stem}.html").read_text(encoding="utf-8")
    assert "The figure in words" not in page
    described = {html.unescape(alt) for alt in re.findall(r'alt="([^"]*)"', page)}
    texts = {alt_text(cell) for cell in read(path).cells} - {""}
    assert texts <= described
