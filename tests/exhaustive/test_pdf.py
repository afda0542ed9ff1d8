"""The book as one PDF: every chapter, its figures, its links and its contents."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

from book.tools.notebooks.files import chapters
from book.tools.site.front_page import title_of
from book.tools.site.pdf import BOOK, headings_in, inside, write_pdf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def book(site: Path) -> PdfReader:
    write_pdf(BOOK)
    return PdfReader(BOOK)


def test_every_chapter_is_in_it_with_its_figures(book: PdfReader) -> None:
    starts = {
        # the page curls the apostrophe of "Other people's weights"
        found[1].replace("’", "'"): page
        for title, page in headings_in(book)
        if (found := re.match(r"\d+\. (.+)", title))
    }
    pages = [starts[title_of(path)] for path in chapters()]
    assert pages == sorted(set(pages))
    for first, last in itertools.pairwise([*pages, len(book.pages)]):
        printed = [book.pages[number - 1] for number in range(first, last)]
        assert any(page.images.keys() for page in printed), f"from page {first} on"


def test_the_contents_name_the_right_pages(book: PdfReader) -> None:
    text = "\n".join(page.extract_text() for page in book.pages[1:12])
    for title, page in headings_in(book)[:60]:
        start = re.escape(" ".join(title.split())[:20]).replace(r"\ ", r"\s+")
        assert re.search(rf"{start}[\s\S]{{0,200}}?\b{page:03d}\b", text), title


def test_its_links_stay_inside_it(book: PdfReader) -> None:
    """Links between chapters lead to one of its pages, never to a file of the site."""
    inner, outer = 0, []
    for page in book.pages:
        for annotation in page.annotations or []:
            link = annotation.get_object()
            address = str(link.get("/A", {}).get("/URI", ""))
            inner += "/Dest" in link
            outer += [address] if address.startswith("file:") else []
    assert inner > 200
    assert outer == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("04_masks.html", "#book-04_masks--"),
        ("04_masks.html#why", "#book-04_masks--why"),
        ("#here", "#book-03_attention--here"),
        ("https://example.org/x", "https://example.org/x"),
        ("../genindex.html", "../genindex.html"),
    ],
)
def test_links_become_places(address: str, expected: str) -> None:
    assert inside("book/03_attention.html", address) == expected


def test_self_tests_show_options_and_reasons(book: PdfReader) -> None:
    """On paper nothing can be opened, so everything stands open."""
    places = [
        range(page - 1, after)
        for (title, page), (_, after) in itertools.pairwise(headings_in(book))
        if title.startswith("Self-test")
    ]
    assert len(places) == 4
    texts = [book.pages[page].extract_text() for pages in places for page in pages]
    text = " ".join(" ".join(texts).split())
    assert text.count("Right.") >= 40
    assert "The two words are 3 apart in meaning." in text
