"""Numbers of figures and equations: in order, and carried to what names them."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book.tools.site.captions import (
    chapter_of,
    dangling,
    number,
    numbers_given,
    problems,
    renew,
)
from tests.book_sources import CHAPTERS, read

ALT = {"mystnb": {"image": {"alt": "A line that rises from left to right."}}}


def figure(count: int = 1, metadata: dict[str, Any] = ALT) -> NotebookNode:
    """A cell that drew some figures."""
    drawn = [new_output("display_data", {"image/png": ""}) for _ in range(count)]
    return new_code_cell("plot()", outputs=drawn, metadata=metadata)


def notebook_of(*cells: NotebookNode | str) -> NotebookNode:
    """A notebook of cells; a text stands for a Markdown cell."""
    return new_notebook(
        cells=[new_markdown_cell(c) if isinstance(c, str) else c for c in cells]
    )


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_captions_are_numbered_in_order_and_references_follow() -> None:
    notebook = notebook_of(
        "Figure 3.1 and figures 3.1, 3.7 and 2.4.",
        figure(),
        "**Figure.** New.",
        figure(),
        "**Figure 3.1.** Like figure 3.7.",
        figure(),
        "**Figure 3.7.** Last.",
    )
    number(notebook, 3)
    assert sources(notebook) == [
        "Figure 3.2 and figures 3.2, 3.3 and 2.4.",
        "**Figure 3.1.** New.",
        "**Figure 3.2.** Like figure 3.3.",
        "**Figure 3.3.** Last.",
    ]
    assert list(problems(notebook, 3)) == []


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


def test_numbering_twice_changes_nothing() -> None:
    notebook = notebook_of("$$a$$", figure(), "**Figure.** One.", "figure 5.1")
    number(notebook, 5)
    once = sources(notebook)
    number(notebook, 5)
    assert sources(notebook) == once


def test_renaming_in_a_circle_loses_nothing() -> None:
    circle = {"figure": {"1.1": "1.2", "1.2": "1.1"}}
    assert renew("figure 1.1, figure 1.2", circle) == "figure 1.2, figure 1.1"


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ([figure()], "no '**Figure.** …' stands behind it"),
        ([figure(), "A line."], "no '**Figure.** …' stands behind it"),
        ([figure(), "**Figure 2.1.**"], "no '**Figure.** …' stands behind it"),
        ([figure(2), "**Figure 2.1.** Two."], "draws 2 figures"),
        ([figure(metadata={}), "**Figure 2.1.** A."], "describe it"),
        ([figure(), "**Figure 2.2.** A."], "figures are numbered ['2.2']"),
        (["**Figure 2.1.** None."], "behind a cell that draws nothing"),
        (["$$a$$"], "equations are numbered ['']"),
    ],
)
def test_what_is_missing_is_said(cells: list[Any], complaint: str) -> None:
    found = " ".join(problems(notebook_of(*cells), 2))
    assert re.search(re.escape(complaint), found), found


def test_references_to_nothing_are_found() -> None:
    there = notebook_of(figure(), "**Figure 1.1.** A. $$x \\tag{1.1}$$")
    here = notebook_of("Figures 1.1 and 1.2, equations 1.1 to 2.1.")
    assert list(dangling({1: there, 2: here})) == [
        "chapter 2 names figure 1.2, which is not in the book",
        "chapter 2 names equation 2.1, which is not in the book",
    ]


def test_a_formula_without_a_number_is_seen() -> None:
    notebook = nbformat.from_dict(notebook_of("$$a$$ $$b \\tag{7.1}$$"))
    assert numbers_given(notebook) == {"figure": [], "equation": ["", "7.1"]}


BOOK = {chapter_of(path): read(path) for path in CHAPTERS}


@pytest.mark.parametrize("chapter", BOOK)
def test_a_chapter_numbers_all_of_its_figures(chapter: int) -> None:
    assert numbers_given(BOOK[chapter])["figure"]
    assert list(problems(BOOK[chapter], chapter)) == []


def test_no_chapter_names_a_figure_that_is_not_there() -> None:
    assert list(dangling(BOOK)) == []
