"""The pages as files: what their heads say, and where their links lead."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import torch
from bs4 import BeautifulSoup, Tag
from PIL import Image

from book.tools.notebooks import files, reading
from book.tools.project.address import ROOT, read_address
from book.tools.site.build_site import pages
from book.tools.site.cross_links import OTHER_SENSE
from book.tools.site.pictures import alt_text
from tests import book_sources

PAGES = [*pages(), "genindex.html", "search.html"]
CHAPTERS = [name for name in PAGES if re.match(r"book/\d\d_", name)]
each_page = pytest.mark.parametrize("name", PAGES)
each_chapter = pytest.mark.parametrize("name", CHAPTERS)


@functools.cache
def read(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")


@functools.cache
def places(file: Path) -> frozenset[str]:
    """The places of a page that a link can name."""
    return frozenset(str(tag["id"]) for tag in read(file).select("[id]"))


def stated(page: BeautifulSoup, key: str) -> str:
    """What a <meta> of a page says."""
    found = page.select_one(f'meta[name="{key}"], meta[property="{key}"]')
    return str(found["content"]) if found else ""


def test_every_page_is_described(site: Path) -> None:
    """In its own words; those of a chapter are what the front page says of it."""
    texts = set()
    for name in PAGES:
        page = read(site / name)
        text = stated(page, "description")
        assert len(text) > 40
        assert stated(page, "og:title")
        assert stated(page, "og:description") == text
        assert stated(page, "og:url") == f"{read_address().site}/{name}"
        general = "builds a Transformer piece by piece, each" in text
        assert not (general and name in CHAPTERS), name
        texts.add(text)
    assert len(texts) == len(PAGES)


def test_the_preview_is_a_picture_of_the_site(site: Path) -> None:
    address = stated(read(site / "book" / "index.html"), "og:image")
    file = site / address.removeprefix(f"{read_address().site}/")
    with Image.open(file) as picture:
        assert picture.size == (1200, 630)


@each_page
def test_every_link_leads_somewhere(site: Path, name: str) -> None:
    """Every address inside the site is a file, and every place in it is there."""
    lost = []
    for address in {str(link["href"]) for link in read(site / name).select("a[href]")}:
        parts = urlsplit(urljoin(f"/{name}", address))
        if parts.scheme or parts.netloc:
            continue
        file = site / unquote(parts.path).removeprefix("/")
        place = unquote(parts.fragment)
        if not file.is_file() or (
            place and file.suffix == ".html" and place not in places(file)
        ):
            lost.append(address)
    assert lost == []


@each_page
def test_a_page_has_the_index_one_link_away_and_no_icon_font(
    site: Path, name: str
) -> None:
    links = read(site / name).select("nav.bd-docs-nav a")
    (index,) = (link for link in links if link.get_text(strip=True) == "Index")
    assert str(index["href"]).endswith("genindex.html")
    text = (site / name).read_text(encoding="utf-8")
    assert re.findall(r'class="[^"]*\bfa[bsr]?(?:-|\b)', text) == []
    assert "fontawesome" not in text and "MathJax" not in text


@each_chapter
def test_a_page_has_nothing_that_only_a_notebook_alone_needs(
    site: Path, name: str
) -> None:
    """Its links stay inside the site, and its pictures have the words for them."""
    page = read(site / name)
    text = page.get_text()
    assert "The figure in words" not in text and "This chapter as a page" not in text
    assert page.select(f'article a[href^="{read_address().site}"]') == []
    described = {str(image["alt"]) for image in page.select("img[alt]")}
    notebook = book_sources.read(ROOT / Path(name).with_suffix(".ipynb"))
    assert {alt_text(cell) for cell in notebook.cells} - {""} <= described


def test_every_notebook_can_be_opened_in_colab(site: Path) -> None:
    for name in (path.stem for path in book_sources.NOTEBOOKS):
        link = f"{read_address().colab}/book/{name}.ipynb"
        assert read(site / "book" / f"{name}.html").select(f'a[href="{link}"]'), name


def terms(site: Path) -> list[Tag]:
    return list(read(site / "book" / "notation.html").select("dl.glossary dt"))


def test_every_term_stands_in_the_index(site: Path) -> None:
    index = read(site / "genindex.html").get_text(" ", strip=True)
    names = [term.get_text("", strip=True).removesuffix("#") for term in terms(site)]
    assert len(names) > 40
    assert [name for name in names if name not in index] == []


def test_each_term_is_linked_once_from_its_first_use(site: Path) -> None:
    """Unless it has another sense there; one that no chapter uses is no term."""
    linked = set()
    for name in CHAPTERS:
        links = read(site / name).select("article a.glossary-link")
        places = [str(link["href"]).partition("#")[2] for link in links]
        assert places and len(set(places)) == len(places)
        others = OTHER_SENSE.get(name.removesuffix(".html"), set())
        assert others.isdisjoint(link.get_text().lower() for link in links)
        linked |= set(places)
    assert {str(term["id"]) for term in terms(site)} == linked


def test_a_missing_page_leads_back_from_any_depth(site: Path) -> None:
    """It asks for no file, and each of its links is a page of the site."""
    page = read(site / "404.html")
    assert page.select("script, img, link:not([href='data:,'])") == []
    home = f"{read_address().site}/"
    links = [str(link["href"]) for link in page.find_all("a")]
    assert len(links) > len(CHAPTERS)
    assert all((site / link.removeprefix(home)).is_file() for link in links)


def test_the_front_page_opens_with_a_translation_and_a_map(site: Path) -> None:
    page = read(site / "book" / "index.html")
    assert page.title and page.title.get_text() == "The Transformer, Piece by Piece"
    place = page.select("article .interactive[data-trace]")[0]
    stored = json.loads(str(place["data-trace"]))
    assert [line.get_text() for line in place.select("[lang]")] == stored["texts"]
    size = len(stored["spanish"]), len(stored["english"])
    weights = torch.tensor(stored["weights"])
    assert weights.shape == size
    assert ((weights.sum(1) > 0.5) & (weights.sum(1) <= 1.01))[:-1].all()
    chapters = [str(link["href"]) for link in page.select(".book-map a")]
    assert chapters == [Path(name).name for name in CHAPTERS]
    minutes = [span.get_text().split()[0] for span in page.select(".book-map li span")]
    assert minutes == [str(reading.stated(path)[0]) for path in files.chapters()]


@each_chapter
def test_captions_stand_in_figures(site: Path, name: str) -> None:
    """A numbered caption is the caption of a figure, never a loose paragraph."""
    page = read(site / name)
    loose = [
        p.get_text()[:40]
        for p in page.select("article p")
        if re.match(r"Figure \d+\.\d+\.", p.get_text()) and not p.find_parent("figure")
    ]
    assert loose == []
    for figure in page.select("article figure[id^=figure-]"):
        (caption,) = figure.select("figcaption")
        assert re.match(r"\s*Figure \d+\.\d+\. \S", caption.get_text())
        assert figure.find(["img", "iframe"])
