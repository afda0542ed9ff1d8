"""Links of a notebook: to the site where it stands alone, inside the site on a page."""

from __future__ import annotations

import re

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from book.tools.project.address import ROOT, Address, read_address
from book.tools.site.page_links import PAGE, inside_the_site, page_of, put_page_links
from tests.book_sources import NAMES, NOTEBOOKS, read

ADDRESS = Address("https://github.com/Some/book", "v1")
SITE = "https://some.github.io/book"
TO_ITSELF = f"Back [above]({SITE}/book/01_words.html#ids)."
BESIDE = "See [chapter 3](03_attention.ipynb#why) and [mistakes](mistakes.md)."
ALONE = (
    f"See [chapter 3]({SITE}/book/03_attention.html#why) and "
    f"[mistakes]({SITE}/book/mistakes.html)."
)


def test_links_lead_to_the_site_and_back_inside() -> None:
    notebook = new_notebook(cells=[new_markdown_cell(BESIDE)])
    for _ in range(2):  # the second time changes nothing
        put_page_links(notebook, "01_words", ADDRESS)
        own = PAGE.format(f"{SITE}/book/01_words.html")
        assert notebook.cells[0].source == f"{ALONE}\n\n{own}"
    assert inside_the_site(notebook.cells[0].source, "01_words", ADDRESS) == BESIDE


def test_a_link_to_a_heading_of_its_own_names_the_page() -> None:
    cells = [new_markdown_cell("# 1."), new_markdown_cell("Back [above](#ids).")]
    notebook = new_notebook(cells=cells)
    put_page_links(notebook, "01_words", ADDRESS)
    assert notebook.cells[1].source == TO_ITSELF
    inside = inside_the_site(TO_ITSELF, "01_words", ADDRESS)
    assert inside == "Back [above](01_words.ipynb#ids)."


def test_other_links_stay() -> None:
    text = "[here](#below) [there](https://example.org/book/x.html)"
    assert inside_the_site(text, "01_words", ADDRESS) == text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_link_of_a_notebook_needs_a_file_beside_it(path) -> None:
    """Each leads to a page that is there, to a place in the notebook, or to the web."""
    address = read_address()
    own = page_of(path.stem, address)
    cells = [cell.source for cell in read(path).cells if cell.cell_type == "markdown"]
    assert own in cells[0]
    for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join(cells)):
        assert target.startswith("https://"), target
        if target.startswith(f"{address.site}/book/"):
            name = target.removeprefix(f"{address.site}/book/").partition(".html")[0]
            assert any((ROOT / "book").glob(f"{name}.*")), target


def test_on_a_page_the_links_stay_inside_the_site(site) -> None:
    for name in NAMES:
        text = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
        article = text.partition("<article")[2].partition("</article>")[0]
        assert f'href="{read_address().site}' not in article
        assert "This chapter as a page" not in article
