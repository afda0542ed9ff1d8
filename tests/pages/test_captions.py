"""Numbers of figures and equations: in order, and carried to what names them."""

from __future__ import annotations

import copy

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from book.tools.site.captions import (
    CAPTION,
    FENCE,
    NUMBER,
    REFERENCE,
    chapter_of,
    number,
    numbers_given,
)
from book.tools.site.pictures import pictures_of
from tests.book_sources import CHAPTERS, read


def notebook_of(*texts: str) -> NotebookNode:
    """A notebook of Markdown cells."""
    return new_notebook(cells=[new_markdown_cell(text) for text in texts])


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_captions_are_numbered_in_order_and_references_follow() -> None:
    """Also where numbers change places."""
    notebook = notebook_of(
        "Figure 3.1 and figures 3.1, 3.2 and 2.4.",
        "**Figure 3.2.** Like figure 3.1.",
        "**Figure.** New.",
        "**Figure 3.1.** Last.",
    )
    number(notebook, 3)
    assert sources(notebook) == [
        "Figure 3.3 and figures 3.3, 3.1 and 2.4.",
        "**Figure 3.1.** Like figure 3.3.",
        "**Figure 3.2.** New.",
        "**Figure 3.3.** Last.",
    ]


def test_formulas_are_numbered_in_order_and_references_follow() -> None:
    notebook = notebook_of(
        "$$a = b$$ and by equation 4.9\n\n$$\nc \\tag{4.9}\n$$ costs $$ or $3$.",
        "```\n$$x$$ of equation 4.9\n```",
    )
    number(notebook, 4)
    assert sources(notebook) == [
        "$$a = b \\tag{4.1}$$ and by equation 4.2\n\n$$\nc \\tag{4.2}\n$$"
        " costs $$ or $3$.",
        "```\n$$x$$ of equation 4.9\n```",
    ]


BOOK = {chapter_of(path): read(path) for path in CHAPTERS}
each_chapter = pytest.mark.parametrize("chapter", BOOK)


@each_chapter
def test_a_chapter_numbers_its_figures_and_formulas_in_order(chapter: int) -> None:
    """Where this fails, `-m book.tools.site.captions` numbers them."""
    again = copy.deepcopy(BOOK[chapter])
    number(again, chapter)
    assert sources(again) == sources(BOOK[chapter])


@each_chapter
def test_each_figure_has_its_caption_behind_it(chapter: int) -> None:
    """A cell draws one figure, or a view in a frame; no caption stands elsewhere."""
    cells, captioned = BOOK[chapter].cells, 0
    for cell, after in zip(cells, [*cells[1:], new_markdown_cell()], strict=True):
        pictures = pictures_of(cell)
        if pictures or "<iframe" in str(cell.get("outputs", "")):
            assert len(pictures) <= 1 and CAPTION.match(after.source), cell.id
            captioned += 1
    assert captioned == len(numbers_given(BOOK[chapter])["figure"]) > 0


def test_no_chapter_names_a_figure_that_is_not_there() -> None:
    known = {
        (kind, each)
        for notebook in BOOK.values()
        for kind, numbers in numbers_given(notebook).items()
        for each in numbers
    }
    named = {
        (kind, each)
        for notebook in BOOK.values()
        for text in sources(notebook)
        for kind, pattern in REFERENCE.items()
        for found in pattern.finditer(FENCE.sub("", text))
        for each in NUMBER.findall(found[2])
    }
    assert len(named) > 50
    assert named - known == set()
