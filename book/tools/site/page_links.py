"""Links from a notebook to the pages of the book that work wherever it is opened.

In Colab, or in a copy on a drive, a notebook stands alone: its links name pages of the
site. While the site is built they become links inside it again, so that a copy of the
site on a stick needs no network.
"""

import json
import re
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from book.tools.project.address import ROOT, Address, read_address
from book.tools.site.pictures import without_alt_text

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BESIDE = re.compile(r"\]\((\w+)\.(?:ipynb|md)(#[\w-]+)?\)")
INSIDE = re.compile(r"\]\((#[\w-]+)\)")  # Colab gives a heading no such name
PAGE = "*[This chapter as a page of the book]({})*"


def page_of(name: str, address: Address) -> str:
    """The address of a page that stands in `book/`."""
    return f"{address.site}/book/{name}.html"


def put_page_links(notebook: NotebookNode, name: str, address: Address) -> None:
    """Let every link name a page of the site, and the first cell end in its own."""

    def beside(link: re.Match[str]) -> str:
        return f"]({page_of(link[1], address)}{link[2] or ''})"

    page = page_of(name, address)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            source = BESIDE.sub(beside, cell.source)
            cell.source = INSIDE.sub(rf"]({page}\1)", source)
    first, own = notebook.cells[0], PAGE.format(page)
    if first.cell_type == "markdown" and not first.source.endswith(own):
        first.source = f"{first.source}\n\n{own}"


def inside_the_site(text: str, name: str, address: Address) -> str:
    """A Markdown text with links to the files beside it, and none to its own page."""
    text = text.replace(PAGE.format(page_of(name, address)), "").rstrip("\n")

    def beside(link: re.Match[str]) -> str:
        is_chapter = (ROOT / "book" / f"{link[1]}.ipynb").is_file()
        return f"]({link[1]}.{'ipynb' if is_chapter else 'md'}{link[2] or ''})"

    page = rf"\]\({re.escape(address.site)}/book/(\w+)\.html(#[\w-]+)?\)"
    return re.sub(page, beside, text)


def read_notebook(app: "Sphinx", document: str, source: list[str]) -> None:
    """Turn the links of one notebook, before it is read, and drop its alt texts."""
    if not str(app.env.doc2path(document)).endswith(".ipynb"):
        return
    address, name = read_address(), document.rpartition("/")[2]
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = without_alt_text("".join(cell["source"]))
            text = inside_the_site(text, name, address)
            cell["source"] = text.splitlines(keepends=True)
    source[0] = json.dumps(notebook, ensure_ascii=False)
