"""Numbers of figures and equations: in order, and named where they stand."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from book.tools.site.captions import (
    CAPTION,
    NUMBER,
    REFERENCE,
    chapter_of,
    number,
    numbers_given,
)
from book.tools.site.pictures import alt_text, pictures_of
from tests.book_sources import CHAPTERS, read, text_pages


def notebook_of(*texts: str) -> NotebookNode:
    """A notebook of Markdown cells."""
    return new_notebook(cells=[new_markdown_cell(text) for text in texts])


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_numbers_are_in_order_and_references_follow() -> None:
    """Also where numbers change places."""
    notebook = notebook_of(
        "$$a = b$$ and by equation 3.9\n\n$$\nc \\tag{3.9}\n$$ costs $$ or $3$.",
        "Figure 3.1 and figures 3.1, 3.2 and 2.4.",
        "**Figure 3.2.** Like figure 3.1.",
        "**Figure.** New.",
        "**Figure 3.1.** Last.",
    )
    number(notebook, 3)
    assert sources(notebook) == [
        "$$a = b \\tag{3.1}$$ and by equation 3.2\n\n$$\nc \\tag{3.2}\n$$"
        " costs $$ or $3$.",
        "Figure 3.3 and figures 3.3, 3.1 and 2.4.",
        "**Figure 3.1.** Like figure 3.3.",
        "**Figure 3.2.** New.",
        "**Figure 3.3.** Last.",
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
    """A cell draws one figure, or a view in a frame; no caption stands elsewhere.

    The map in one line, on top, is a signpost and no figure.
    """
    cells, captioned = BOOK[chapter].cells, 0
    for cell, after in zip(cells, [*cells[1:], new_markdown_cell()], strict=True):
        pictures = [] if "model_strip" in cell.source else pictures_of(cell)
        if pictures or "<iframe" in str(cell.get("outputs", "")):
            assert len(pictures) <= 1 and CAPTION.match(after.source), cell.id
            assert not pictures or len(alt_text(cell)) > 20, f"describe {cell.id}"
            captioned += 1
    assert captioned == len(numbers_given(BOOK[chapter])["figure"]) > 0


Numbers = set[tuple[str, str]]


def given_in(notebook: NotebookNode) -> Numbers:
    """The figures and equations of a chapter."""
    given = numbers_given(notebook).items()
    return {(kind, each) for kind, numbers in given for each in numbers}


def named_in(*texts: str) -> Numbers:
    """The figures and equations that texts name."""
    return {
        (found[1].lower(), each)
        for text in texts
        for found in REFERENCE.finditer(text)
        for each in NUMBER.findall(found[0])
    }


@each_chapter
def test_a_chapter_names_figures_and_equations_of_its_own(chapter: int) -> None:
    """It is read alone, too, in Colab; and another chapter's number is an old one."""
    named = named_in(*sources(BOOK[chapter]))
    assert named and named <= given_in(BOOK[chapter])


@pytest.mark.parametrize("page", text_pages(), ids=lambda path: path.name)
def test_no_page_names_a_figure_or_an_equation_by_its_number(page: Path) -> None:
    """Lessons and slides begin its caption, and the build writes the number."""
    assert named_in(page.read_text("utf-8")) == set()
