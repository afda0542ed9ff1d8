"""The whole book as one PDF: contents with page numbers, figures, links, bookmarks.

The articles of the built site are laid behind one another in one document, every link
between them turned into one inside it, and Chromium prints that. It prints twice: the
first time shows on which page each heading falls, the second has the numbers in it.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader
from pypdf.generic import Destination

from book.tools.project.address import ROOT
from book.tools.site.browser import find_browser
from book.tools.site.build_site import bring_up_to_date, pages, site_folder
from book.tools.site.finish_pages import element

TITLE = "The Transformer, Piece by Piece"
WHOLE = "book/whole.html"
STYLE = """
@page { size: A4; margin: 18mm 16mm 20mm; }
html { font-size: 11pt; }
body { background: #fff; }
article, nav.contents { break-before: page; }
.cover { padding-top: 30vh; text-align: center; }
.cover img { height: 6rem; }
.cover p.name { font-size: 2.6rem; font-weight: 700; line-height: 1.2; }
nav.contents p { margin: 0.12rem 0; display: flex; gap: 0.5rem; }
nav.contents p.chapter { font-weight: 600; margin-top: 0.55rem; }
nav.contents p.section { padding-left: 1.6rem; }
nav.contents a { flex: 1; color: inherit; text-decoration: none; }
nav.contents span { font-variant-numeric: tabular-nums; }
.headerlink, .copybtn, details:not(.choice) > summary { display: none !important; }
pre { font-size: 8.2pt !important; white-space: pre-wrap !important; }
.bd-article img { max-height: 210mm; }
h1, h2, h3, h4 { break-after: avoid; }
"""
FOOTER = """<div style="width: 100%; text-align: center; font: 9px sans-serif">
<span class="pageNumber"></span></div>"""


class Whole:
    """The book as one document, put together from the pages of the site."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.articles = [self.article(name) for name in pages()]

    def article(self, name: str) -> Tag:
        """The article of one page, its links and marks ready for one document."""
        text = (self.site / name).read_text(encoding="utf-8")
        article = element(BeautifulSoup(text, "html.parser"), "article")
        for marked in article.find_all(id=True):
            marked["id"] = mark(name, str(marked["id"]))
        article["id"] = mark(name, "")
        for link in article.find_all("a", href=True):
            link["href"] = address = inside(name, str(link["href"]))
            if not address.startswith(("#", "https:", "http:", "mailto:")):
                link.unwrap()  # a page of the site that is not in the book
        for picture in article.find_all(["img", "iframe"], loading=True):
            del picture["loading"]
        for fold in article.find_all("details"):
            keep_or_drop(fold)
        return article

    def headings(self) -> list[Tag]:
        """The headings that the contents list: chapters and their sections."""
        return [h for a in self.articles for h in a.find_all(["h1", "h2"])]

    def contents(self, numbers: list[int]) -> str:
        """The table of contents, a page number behind each heading."""
        rows = []
        for heading, number in zip(self.headings(), numbers, strict=True):
            kind = "chapter" if heading.name == "h1" else "section"
            target = heading.find_parent(["section", "article"])
            place = target["id"] if isinstance(target, Tag) else ""
            rows.append(
                f'<p class="{kind}"><a href="#{place}">{escape(words(heading))}</a>'
                f"<span>{number:03d}</span></p>"
            )
        return "\n".join(rows)

    def html(self, numbers: list[int]) -> str:
        """The whole document."""
        articles = "\n".join(map(str, self.articles))
        return f"""<!doctype html><html lang="en" data-theme="light"><head>
<meta charset="utf-8"><title>{TITLE}</title>
<link rel="stylesheet" href="../_static/book-all.css"><style>{STYLE}</style></head>
<body><div class="cover"><img src="../_static/logo.svg" alt="">
<p class="name">{TITLE}</p>
<p>From position encoding to a translator you trained yourself</p></div>
<nav class="contents"><p class="name"><b>Contents</b></p>{self.contents(numbers)}</nav>
{articles}</body></html>"""


def words(heading: Tag) -> str:
    """The text of a heading, without the sign that links to it."""
    return " ".join(heading.get_text().replace("#", "").replace("¶", "").split())


def mark(page: str, identity: str) -> str:
    """The name of a place of a page inside the one document."""
    return f"{page.removesuffix('.html').replace('/', '-')}--{identity}"


def inside(page: str, address: str) -> str:
    """The address of a link once all pages are one document."""
    whole = urlsplit(urljoin(f"/{page}", address))
    target = whole.path.removeprefix("/")
    if whole.scheme or whole.netloc or target not in pages():
        return address
    return f"#{mark(target, whole.fragment)}"


def keep_or_drop(fold: Tag) -> None:
    """Open what is folded; leave out what stands on the page a second time."""
    summary = fold.find("summary")
    text = summary.get_text() if isinstance(summary, Tag) else ""
    if "setup cell" in text or "copy and run" in text:
        fold.decompose()
    else:
        fold["open"] = ""


def print_to(path: Path, page: Page, whole: Path) -> None:
    """Print one document."""
    page.goto(whole.as_uri(), wait_until="networkidle", timeout=240_000)
    # A file is idle before it has been read.
    page.wait_for_load_state("load", timeout=240_000)
    page.pdf(
        path=path,
        format="A4",
        outline=True,
        tagged=True,
        prefer_css_page_size=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
    )


def headings_in(reader: PdfReader) -> list[tuple[str, int]]:
    """The chapters and sections among a PDF's bookmarks, and the page of each."""

    def walk(outline: Sequence[object], depth: int) -> Iterator[tuple[str, int]]:
        for entry in outline:
            if isinstance(entry, list):
                yield from walk(entry, depth + 1)
            elif isinstance(entry, Destination) and depth < 2:
                number = reader.get_destination_page_number(entry)
                yield str(entry.title), (number or 0) + 1

    return list(walk(reader.outline, 0))


def write_pdf(site: Path, path: Path) -> None:
    """Print the whole book.

    Raises:
        RuntimeError: If there is no browser, or a heading has no bookmark.
    """
    browser = find_browser()
    if browser is None:
        raise RuntimeError("there is no Chromium: install one, or name it in CHROMIUM")
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part.pdf")
    book = Whole(site)
    numbers = [0] * len(book.headings())
    whole = site / WHOLE
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser)
        page = chromium.new_page(color_scheme="light")
        for _ in range(2):
            whole.write_text(book.html(numbers), encoding="utf-8")
            print_to(unfinished, page, whole)
            whole.unlink()
            numbers = [number for _, number in headings_in(PdfReader(unfinished))]
            if len(numbers) != (count := len(book.headings())):
                raise RuntimeError(f"{count} headings, {len(numbers)} bookmarks")
        chromium.close()
    unfinished.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Print the book that is built; build it first where that is not so."""
    parser = argparse.ArgumentParser(description="The whole book as one PDF.")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "book.pdf")
    options = parser.parse_args(arguments)
    if problem := bring_up_to_date():
        print(problem, file=sys.stderr)
        return 1
    try:
        write_pdf(site_folder(), options.out)
    except RuntimeError as error:
        print(f"The PDF was not made: {error}.", file=sys.stderr)
        return 1
    count = len(PdfReader(options.out).pages)
    print(f"The book is printed, {count} pages: {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
