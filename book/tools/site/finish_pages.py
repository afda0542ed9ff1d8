"""The last touch on the pages that Sphinx wrote: light, described, open to everyone.

The theme sends more than a book needs. Here the scripts and styles that are used become
one file each, icons become drawings, attention views become files of their own that
load when they come into sight, and every page says in its head what it is.
"""

import functools
import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from book.tools.project.address import read_address
from book.tools.site.figure_scripts import connect_figures, versioned
from book.tools.site.formulas import SCROLLS
from book.tools.site.icons import replace_icons
from book.tools.site.pictures import size_of

STYLE = "_static/book-all.css"
SCRIPT = "_static/book-all.js"
# Scripts that no page of this book uses, and one that the drawn icons replace.
UNUSED = re.compile(
    "fontawesome|thebe|togglebutton|toggleHint|design-tabs|mathjax", re.IGNORECASE
)
UNUSED_STYLES = re.compile("togglebutton|sphinx-design|thebe")
OF_SEARCH = re.compile("searchtools|language_data|searchindex")
FIRST = "documentation_options"  # inline scripts of the page need it at once
# What is about the theme's icon font and about nothing else.
ICON_RULE = re.compile(
    r"[^{}]*\.fa[srb]?(?:[\s,.:>-][^{}]*)?\{[^{}]*\}"
    r"|@font-face\s*\{[^{}]*Font ?Awesome[^{}]*\}"
)
DESCRIPTION = "A book that builds a Transformer piece by piece, each of them run."


class Page(NamedTuple):
    """A page of the site: its path inside it, and what stands on it."""

    site: Path
    name: str
    html: BeautifulSoup

    @property
    def up(self) -> str:
        """What leads from the page to the top of the site."""
        return "../" * self.name.count("/")

    def text_at(self, address: object) -> str:
        """The text of the file that an address on the page stands for."""
        return self.file_at(address).read_text(encoding="utf-8")

    def file_at(self, address: object) -> Path:
        """The file that an address on the page stands for."""
        return self.site / urljoin(self.name, str(address).split("?")[0])


def finish(app: Sphinx, error: Exception | None) -> None:
    """Go over every page of the site, and drop what no page uses any more."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    described = descriptions(site)
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if not name.startswith(("_static/", "_sources/", "index.html", "404.html")):
            page = Page(site, name, parsed(path))
            for step in (
                *(join_styles, join_scripts, size_images, move_frames),
                *(lay_setup_at_foot, mend, add_index),
            ):
                step(page)
            replace_icons(page.html)
            connect_figures(site, path, page.html, page.up)
            describe(page, described.get(name))
            path.write_text(str(page.html), encoding="utf-8")
    drop_leftovers(site)


def parsed(path: Path) -> BeautifulSoup:
    """What stands on a page."""
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def made(html: str) -> Tag:
    """An element that is put into a page."""
    return element(BeautifulSoup(html, "html.parser"), True)


# --- styles and scripts ---------------------------------------------------------------


def join_styles(page: Page) -> None:
    """Make one style sheet of all that a page asks for; all ask for the same."""
    first, *rest = page.html.find_all("link", rel="stylesheet")
    addresses = [str(link["href"]) for link in (first, *rest)]
    used = [page.file_at(each) for each in addresses if not UNUSED_STYLES.search(each)]
    text = "\n".join(map(read_style, used))
    (page.site / STYLE).write_text(text, encoding="utf-8")
    first["href"] = versioned(page.up + STYLE, text)
    for link in rest:
        link.decompose()


@functools.cache
def read_style(path: Path) -> str:
    """A style sheet with what it imports, without the rules of the icon font."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'@import "([^"]+)";', lambda m: read_style(path.parent / m[1]), text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", ICON_RULE.sub("", text))


def join_scripts(page: Page) -> None:
    """Make one script of all that a page needs, read after its text."""
    parts = []
    for script in page.html.find_all("script"):
        address = str(script.get("src", ""))
        if FIRST in address:
            # Small, and needed at once: it goes into the page.
            script.string = page.text_at(address)
            del script["src"]
        elif OF_SEARCH.search(address) and page.name == "search.html":
            script["defer"] = ""
        elif address or UNUSED.search(str(script.string)):
            if address and not UNUSED.search(address) and not OF_SEARCH.search(address):
                parts.append(page.text_at(address))
            script.decompose()
    for link in page.html.find_all("link", rel="preload"):
        link.decompose()
    text = re.sub(r"^//# sourceMappingURL=.*", "", "\n;\n".join(parts), flags=re.M)
    (page.site / SCRIPT).write_text(text, encoding="utf-8")
    script = made(
        f'<script defer="" src="{versioned(page.up + SCRIPT, text)}"></script>'
    )
    # Before those of the search, which are put off as well, and need it.
    element(page.html, "link").insert_before(script)


def drop_leftovers(site: Path) -> None:
    """Remove the files that no page asks for, templates of the themes among them."""
    fonts = ("vendor/fontawesome/webfonts/*", "scripts/font*")
    for pattern in ("**/*.map", "*webpack-macros.html", *fonts):
        for file in (site / "_static").glob(pattern):
            file.unlink()


# --- pictures and views ---------------------------------------------------------------


def size_images(page: Page) -> None:
    """Let pictures load when they come into sight, their room kept free."""
    for image in element(page.html, "main").find_all("img"):
        image["loading"], image["decoding"] = "lazy", "async"
        if "width" not in image.attrs:
            picture = page.file_at(image["src"]).read_bytes()
            image["width"], image["height"] = map(str, size_of(picture))


def move_frames(page: Page) -> None:
    """Make a file of each attention view; the scripts that views share, one each.

    A notebook keeps a view in a sandbox. On the site it is a file like the others: in
    a sandbox it could not read its scripts where the site was opened from a folder.
    """
    for frame in page.html.find_all("iframe", srcdoc=True):
        view = BeautifulSoup(str(frame["srcdoc"]), "html.parser")
        for script in view.find_all("script"):
            text = str(script.string or "")
            if len(text) > 500:
                script.string = ""
                script["src"] = store(page.site, text, ".js")
        name = store(page.site, str(view), ".html")
        frame["src"] = f"{page.up}_static/views/{name}"
        frame["loading"] = "lazy"
        del frame["srcdoc"], frame["sandbox"]


def store(site: Path, text: str, ending: str) -> str:
    """Write a part of a view under a name that its content gives."""
    folder = site / "_static" / "views"
    folder.mkdir(exist_ok=True)
    name = hashlib.sha256(text.encode()).hexdigest()[:16] + ending
    (folder / name).write_text(text, encoding="utf-8")
    return name


# --- what a screen reader meets -------------------------------------------------------


def element(page: BeautifulSoup | Tag, name: str | bool) -> Tag:
    """The one element of a name, which every page has."""
    found = page.find(name)
    if not isinstance(found, Tag):
        raise ValueError(f"a page has no <{name}>")
    return found


def lay_setup_at_foot(page: Page) -> None:
    """Put the cells that only a notebook needs first into one bar at a page's end."""
    cells = page.html.select("article .cell.tag_setup, article .cell.tag_imports")
    if cells:
        summary = "<summary>What this page runs first</summary>"
        bar = made(f'<details class="first-run">{summary}</details>')
        for cell in cells:
            for fold in cell.find_all("details"):
                fold["open"] = ""
            bar.append(cell.extract())
        element(page.html, "article").append(bar)


def join_menus(
    app: Sphinx, page: str, template: str, told: dict[str, Any], _: object
) -> None:
    """Make one menu of repository, downloads and full screen, before it is written."""
    menus = {menu["label"]: menu for menu in told["header_buttons"]}
    if menu := menus.get("download-buttons"):
        menu["icon"] = "fas fa-ellipsis-vertical"
        menu["tooltip"] = "Downloads, source, full screen"
        menu["buttons"] += menus.pop("source-buttons")["buttons"]
        menu["buttons"].append(
            {
                "type": "javascript",
                "javascript": "toggleFullScreen()",
                "tooltip": "Fullscreen mode",
                "icon": "fas fa-expand",
                "text": "Full screen",
            }
        )
        del menus["fullscreen-button"]
    told["header_buttons"] = list(menus.values())


def mend(page: Page) -> None:
    """Correct what the theme leaves unclear to a screen reader."""
    for keys in page.html.find_all(class_="search-button__kbd-shortcut"):
        keys["aria-hidden"] = "true"
    for cell in page.html.find_all("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
    for sidebar in page.html.find_all(id="pst-primary-sidebar"):
        sidebar["role"], sidebar["aria-label"] = "complementary", "The book"
    for item in page.html.select("nav.bd-docs-nav li:has(> details)"):
        # Its fold shows an arrow alone: say whose pages it holds.
        title = element(item, "a").get_text(strip=True)
        element(item, "summary")["aria-label"] = f"Pages of: {title}"
    for table in page.html.select(f"main table:not(.{SCROLLS} table)"):
        table.wrap(made(f'<div class="{SCROLLS}"></div>'))
    unneeded = page.html.select("#ethical-ad-placement, #jb-print-docs-body")
    for found in [*unneeded, *page.html.select("meta[name=viewport]")[1:]]:
        found.decompose()


def add_index(page: Page) -> None:
    """List the general index behind the appendices."""
    lists = page.html.select("nav.bd-docs-nav ul.bd-sidenav")
    if lists:
        link = f'<a class="reference internal" href="{page.up}genindex.html">Index</a>'
        lists[-1].append(made(f'<li class="toctree-l1">{link}</li>'))


# --- what a page says of itself -------------------------------------------------------


def descriptions(site: Path) -> dict[str, str]:
    """What the front page and that for teachers say of a page: behind its link."""
    found: dict[str, str] = {}
    for front in ("book/index.html", "book/course/index.html"):
        for item in element(parsed(site / front), "article").find_all("li"):
            for minutes in item.find_all(class_="minutes"):
                minutes.decompose()
            title, _, text = item.get_text(" ", strip=True).partition(" : ")
            link = item.find("a", class_="internal")
            if isinstance(link, Tag) and text:
                name = urljoin(front, str(link["href"]))
                found.setdefault(name, f"{title}: {' '.join(text.split())}")
    return found


def describe(page: Page, text: str | None) -> None:
    """Put the description and the preview of a page into its head."""
    address = read_address()
    title = element(page.html, "title").get_text().split(" — ")[0].strip()
    text = text or f"{title}. {DESCRIPTION}"
    head = element(page.html, "head")
    told = {"name": "description", "content": text}
    head.append(page.html.new_tag("meta", attrs=told))
    for key, value in {
        "og:title": title,
        "og:description": text,
        "og:type": "article",
        "og:site_name": "The Transformer, Piece by Piece",
        "og:url": f"{address.site}/{page.name}",
        "og:image": f"{address.site}/_static/preview.png",
        "og:image:alt": "The Transformer, Piece by Piece: three blocks, one on its way",
        "twitter:card": "summary_large_image",
    }.items():
        told = {"property": key, "content": value}
        head.append(page.html.new_tag("meta", attrs=told))
