"""The last touch on the pages that Sphinx wrote: light, described, open to everyone.

The theme sends more than a book needs. Here the scripts and styles that are used become
one file each, icons become drawings, attention views become files of their own that
load when they come into sight, and every page says in its head what it is.
"""

import functools
import hashlib
import re
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from book.tools.project.address import read_address
from book.tools.site.figure_scripts import connect_figures, versioned
from book.tools.site.formulas import SCROLLS
from book.tools.site.icons import replace_icons
from book.tools.site.pictures import size_of

STYLE = "_static/book-all.css"
SCRIPT = "_static/book-all.js"
# Scripts that no page of this book uses, and one that this module's icons replace.
UNUSED = (
    *("fontawesome", "thebe", "togglebutton", "toggleHint"),
    *("design-tabs", "mathjax", "MathJax"),
)
UNUSED_STYLES = ("togglebutton", "sphinx-design", "thebe")
SEARCH_ONLY = ("searchtools", "language_data", "searchindex")
FIRST = "documentation_options"  # inline scripts of the page need it at once
RULE = re.compile(r"[^{}]*\{[^{}]*\}")
ICON_RULE = re.compile(r"\.fa[srb]?[\s,.:{>]|\.fa-")
DESCRIPTION = "A book that builds a Transformer piece by piece, each of them run."


def finish(app: Sphinx, error: Exception | None) -> None:
    """Go over every page of the site, and drop what no page uses any more."""
    if error is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    described = descriptions(site)
    for path in sorted(site.rglob("*.html")):
        if is_page(site, path):
            page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
            finish_page(site, path, page, described)
            path.write_text(str(page), encoding="utf-8")
    drop_leftovers(site)


def is_page(site: Path, path: Path) -> bool:
    """Whether a file is a page of the book, and not a part of the theme."""
    first = path.relative_to(site).parts[0]
    return first not in ("_static", "_sources", "index.html", "404.html")


def finish_page(
    site: Path, path: Path, page: BeautifulSoup, described: dict[str, str]
) -> None:
    """Everything that is done to one page."""
    name = path.relative_to(site).as_posix()
    up = "../" * (len(Path(name).parts) - 1)
    join_styles(site, path, page, up)
    join_scripts(site, path, page, up)
    replace_icons(page)
    size_images(path, page)
    move_frames(site, page, up)
    connect_figures(site, path, page, up)
    lay_setup_at_foot(page)
    join_menus(page)
    mend(page)
    add_index(page, up)
    describe(page, name, described)


# --- styles and scripts ---------------------------------------------------------------


def local(path: Path, address: str) -> Path:
    """The file that an address on a page stands for."""
    return (path.parent / address.split("?")[0]).resolve()


def join_styles(site: Path, path: Path, page: BeautifulSoup, up: str) -> None:
    """Make one style sheet of all that a page asks for."""
    links = page.find_all("link", rel="stylesheet")
    used = [
        local(path, str(link["href"]))
        for link in links
        if not any(word in str(link["href"]) for word in UNUSED_STYLES)
    ]
    text = "\n".join(map(read_style, used))
    write_once(site / STYLE, text, path)
    first, *rest = links
    first["href"] = versioned(up + STYLE, text)
    for link in rest:
        link.decompose()


def write_once(target: Path, text: str, page: Path) -> None:
    """Write what all pages share; a page that needs another is an error."""
    if not target.exists():
        target.write_text(text, encoding="utf-8")
    elif target.read_text(encoding="utf-8") != text:
        raise ValueError(f"{page.name} needs another {target.name} than other pages")


@functools.cache
def read_style(path: Path) -> str:
    """A style sheet with what it imports, without the rules of the icon font."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'@import "([^"]+)";', lambda m: read_style(path.parent / m[1]), text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    kept = RULE.sub(lambda rule: "" if is_icon_rule(rule[0]) else rule[0], text)
    return re.sub(r"\s+", " ", kept)


def is_icon_rule(rule: str) -> bool:
    """Whether a rule is about the theme's icon font and about nothing else."""
    selector, _, body = rule.partition("{")
    if selector.strip() == "@font-face":
        return "Font Awesome" in body or "FontAwesome" in body
    return all(ICON_RULE.search(f"{part} ") for part in selector.split(","))


def join_scripts(site: Path, path: Path, page: BeautifulSoup, up: str) -> None:
    """Make one script of all that a page needs, read after its text."""
    parts: list[Path] = []
    for script in page.find_all("script"):
        address, body = str(script.get("src", "")), str(script.string or "")
        if any(word in address or word in body for word in UNUSED):
            script.decompose()
        elif FIRST in address:
            # Small, and needed at once: it goes into the page.
            script.string = local(path, address).read_text(encoding="utf-8")
            del script["src"]
        elif any(word in address for word in SEARCH_ONLY):
            if path.name == "search.html":
                script["defer"] = ""
            else:
                script.decompose()
        elif address:
            parts.append(local(path, address))
            script.decompose()
    for link in page.find_all("link", rel="preload"):
        link.decompose()
    text = ";\n".join(map(read_script, parts))
    write_once(site / SCRIPT, text, path)
    script = page.new_tag("script", src=versioned(up + SCRIPT, text), defer="")
    # Before those of the search, which are put off as well, and need it.
    element(page, "link").insert_before(script)


@functools.cache
def read_script(path: Path) -> str:
    """A script without the address of its source map."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE).strip()


def drop_leftovers(site: Path) -> None:
    """Remove the files that no page asks for, templates of the themes among them."""
    fonts = ("vendor/fontawesome/webfonts/*", "scripts/font*")
    for pattern in ("**/*.map", "*webpack-macros.html", *fonts):
        for file in (site / "_static").glob(pattern):
            file.unlink()


# --- pictures and views ---------------------------------------------------------------


def size_images(path: Path, page: BeautifulSoup) -> None:
    """Let pictures load when they come into sight, their room kept free."""
    for image in element(page, "main").find_all("img"):
        file = local(path, str(image["src"]))
        image["loading"], image["decoding"] = "lazy", "async"
        if "width" not in image.attrs:
            image["width"], image["height"] = map(str, size_of(file.read_bytes()))


def move_frames(site: Path, page: BeautifulSoup, up: str) -> None:
    """Make a file of each attention view; the scripts that views share, one each.

    A notebook keeps a view in a sandbox. On the site it is a file like the others: in
    a sandbox it could not read its scripts where the site was opened from a folder.
    """
    for frame in page.find_all("iframe", srcdoc=True):
        view = BeautifulSoup(str(frame["srcdoc"]), "html.parser")
        for script in view.find_all("script"):
            text = str(script.string or "")
            if len(text) > 500:
                script.string = ""
                script["src"] = store(site, text, ".js")
        name = store(site, str(view), ".html")
        frame["src"] = f"{up}_static/views/{name}"
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


def element(page: BeautifulSoup | Tag, name: str) -> Tag:
    """The one element of a name, which every page has."""
    found = page.find(name)
    if not isinstance(found, Tag):
        raise ValueError(f"a page has no <{name}>")
    return found


def lay_setup_at_foot(page: BeautifulSoup) -> None:
    """Put the cells that only a notebook needs first into one bar at a page's end."""
    cells = page.select("article .cell.tag_setup, article .cell.tag_imports")
    if cells:
        bar = page.new_tag("details", attrs={"class": "first-run"})
        bar.append(page.new_tag("summary", string="What this page runs first"))
        for cell in cells:
            for fold in cell.find_all("details"):
                fold["open"] = ""
            bar.append(cell.extract())
        element(page, "article").append(bar)


def join_menus(page: BeautifulSoup) -> None:
    """Make one menu of repository, downloads and full screen."""
    for menu in page.select(".dropdown-download-buttons"):
        items = element(menu, "ul")
        for other in page.select(".dropdown-source-buttons"):
            items.extend(other.find_all("li"))
            other.decompose()
        for button in page.select(".btn-fullscreen-button"):
            button["class"] = "btn btn-sm dropdown-item"
            words = {"class": "btn__text-container"}
            button.append(page.new_tag("span", attrs=words, string="Full screen"))
            items.append(page.new_tag("li"))
            items.find_all("li")[-1].append(button.extract())
        element(menu, "button")["aria-label"] = "Downloads, source, full screen"
        element(menu, "path")["d"] = "".join(
            f"M12 {y}a1 1 0 1 0 .1 0z" for y in (4, 11, 18)
        )


def mend(page: BeautifulSoup) -> None:
    """Correct what the theme leaves unclear to a screen reader."""
    for keys in page.find_all(class_="search-button__kbd-shortcut"):
        keys["aria-hidden"] = "true"
    for cell in page.find_all("th"):
        if not cell.get_text(strip=True):
            cell.name = "td"
    for sidebar in page.find_all(id="pst-primary-sidebar"):
        sidebar["role"], sidebar["aria-label"] = "complementary", "The book"
    for item in page.select("nav.bd-docs-nav li:has(> details)"):
        # Its fold shows an arrow alone: say whose pages it holds.
        title = element(item, "a").get_text(strip=True)
        element(item, "summary")["aria-label"] = f"Pages of: {title}"
    for table in element(page, "main").find_all("table"):
        if table.find_parent(class_=SCROLLS) is None:
            table.wrap(page.new_tag("div", attrs={"class": SCROLLS}))
    unneeded = page.select("#ethical-ad-placement, #jb-print-docs-body")
    for found in [*unneeded, *page.select("meta[name=viewport]")[1:]]:
        found.decompose()


def add_index(page: BeautifulSoup, up: str) -> None:
    """List the general index behind the appendices."""
    lists = page.select("nav.bd-docs-nav ul.bd-sidenav")
    if lists:
        item = page.new_tag("li", attrs={"class": "toctree-l1"})
        where = {"class": "reference internal", "href": f"{up}genindex.html"}
        item.append(page.new_tag("a", attrs=where, string="Index"))
        lists[-1].append(item)


# --- what a page says of itself -------------------------------------------------------


def descriptions(site: Path) -> dict[str, str]:
    """What the front page and that for teachers say of a page: behind its link."""
    found: dict[str, str] = {}
    for front in (site / "book" / "index.html", site / "book/course/index.html"):
        page = BeautifulSoup(front.read_text(encoding="utf-8"), "html.parser")
        for item in element(page, "article").find_all("li"):
            link = item.find("a", class_="internal")
            for minutes in item.find_all(class_="minutes"):
                minutes.decompose()
            title, _, text = item.get_text(" ", strip=True).partition(" : ")
            if isinstance(link, Tag) and text:
                name = local(front, str(link["href"])).relative_to(site.resolve())
                text = " ".join(text.split())
                found.setdefault(name.as_posix(), f"{title}: {text}")
    return found


def describe(page: BeautifulSoup, name: str, described: dict[str, str]) -> None:
    """Put the description and the preview of a page into its head."""
    address = read_address()
    title = element(page, "title").get_text().split(" — ")[0].strip()
    text = described.get(name, f"{title}. {DESCRIPTION}")
    head = element(page, "head")
    head.append(page.new_tag("meta", attrs={"name": "description", "content": text}))
    for key, value in {
        "og:title": title,
        "og:description": text,
        "og:type": "article",
        "og:site_name": "The Transformer, Piece by Piece",
        "og:url": f"{address.site}/{name}",
        "og:image": f"{address.site}/_static/preview.png",
        "og:image:alt": "The Transformer, Piece by Piece: three blocks, one on its way",
        "twitter:card": "summary_large_image",
    }.items():
        head.append(page.new_tag("meta", attrs={"property": key, "content": value}))
