"""The whole book as one PDF: contents with page numbers, figures, links, bookmarks.

The articles of the built site are laid behind one another in one document, every link
between them turned into one inside it, and Chromium prints that. It prints twice: the
first time shows on which page each heading falls, the second has the numbers in it.
"""

import sys
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from bs4 import Tag
from playwright.sync_api import Page, sync_playwright
from pypdf import PdfReader
from pypdf.generic import Destination

from book.tools.project.address import ROOT
from book.tools.site.browser import find_browser
from book.tools.site.build_site import SITE, bring_up_to_date, pages
from book.tools.site.finish_pages import element, parsed

BOOK = ROOT / "_build" / "book.pdf"
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


def article(name: str) -> Tag:
    """The article of one page, its links and marks ready for one document."""
    article = element(parsed(SITE / name), "article")
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
        fold["open"] = ""
    for setup in article.select(".tag_setup"):
        setup.decompose()
    return article


def mark(page: str, identity: str) -> str:
    """The name of a place of a page inside the one document."""
    return f"{page.removesuffix('.html').replace('/', '-')}--{identity}"


def inside(page: str, address: str) -> str:
    """The address of a link once all pages are one document."""
    whole = urlsplit(urljoin(f"/{page}", address))
    target = whole.path.removeprefix("/")
    if whole.scheme or target not in pages():
        return address
    return f"#{mark(target, whole.fragment)}"


def row(heading: Tag, number: int) -> str:
    """A line of the contents: a heading, and the number of its page behind it."""
    kind = "chapter" if heading.name == "h1" else "section"
    words = " ".join(heading.get_text().replace("#", "").replace("¶", "").split())
    (place,) = heading.find_parents(["section", "article"], limit=1)
    link = f'<a href="#{place["id"]}">{escape(words)}</a>'
    return f'<p class="{kind}">{link}<span>{number:03d}</span></p>'


def document(contents: str, articles: str) -> str:
    """The whole book as one page."""
    return f"""<!doctype html><html lang="en" data-theme="light"><head>
<meta charset="utf-8"><title>{TITLE}</title>
<link rel="stylesheet" href="../_static/book-all.css"><style>{STYLE}</style></head>
<body><div class="cover"><img src="../_static/logo.svg" alt="">
<p class="name">{TITLE}</p>
<p>From position encoding to a translator you trained yourself</p></div>
<nav class="contents"><p class="name"><b>Contents</b></p>{contents}</nav>
{articles}</body></html>"""


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
    return [
        (str(one.title), (reader.get_destination_page_number(one) or 0) + 1)
        for chapter in reader.outline
        for one in (chapter if isinstance(chapter, list) else [chapter])
        if isinstance(one, Destination)  # and not a list of what a section holds
    ]


def write_pdf(path: Path) -> None:
    """Print the whole book."""
    articles = [article(name) for name in pages()]
    headings = [h for each in articles for h in each.find_all(["h1", "h2"])]
    numbers = [0] * len(headings)
    whole = SITE / WHOLE
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser())
        page = chromium.new_page(color_scheme="light")
        for _ in range(2):
            rows = [row(*each) for each in zip(headings, numbers, strict=True)]
            text = document("\n".join(rows), "\n".join(map(str, articles)))
            whole.write_text(text, encoding="utf-8")
            print_to(path, page, whole)
            numbers = [number for _, number in headings_in(PdfReader(path))]
        chromium.close()
    whole.unlink()


def main() -> int:
    """Print the book that is built; build it first where that is not so."""
    if problem := bring_up_to_date():
        print(problem, file=sys.stderr)
        return 1
    write_pdf(BOOK)
    print(f"The book is printed, {len(PdfReader(BOOK).pages)} pages: {BOOK}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
