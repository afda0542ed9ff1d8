"""What opens the book: a map of it, with what is in each chapter, and its minutes.

It is made when the site is built, so it shows the chapters that there are.
`templates/404.html` lists the chapters, too: the page that a reader meets at an address
where there is none.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from book.tools.notebooks.files import read
from book.tools.notebooks.reading import stated
from book.tools.project.address import ROOT, read_address


class Map(Directive):  # type: ignore[misc]
    """The parts of the book and their chapters, as the table of contents has them.

    Each line of it says what is in a chapter, `01_words: from a sentence to …`.
    """

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write one box for each part."""
        said = dict(line.split(": ", 1) for line in self.content)
        return [nodes.raw("", book_map(said), format="html")]


def title_of(path: Path) -> str:
    """The title of a chapter, without its number and marks of Markdown."""
    first = read(path).cells[0].source.splitlines()[0]
    return re.sub(r"^# (?:\d+\. )?|`", "", first)


def parts() -> dict[str, list[Path]]:
    """The parts of the book, as the table of contents has them, and their chapters."""
    toc: dict[str, Any] = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    return {
        part["caption"]: [
            ROOT / f"{entry['file']}.ipynb"
            for entry in part["chapters"]
            if re.match(r"book/\d\d_", entry["file"])
        ]
        for part in toc["parts"]
        if part.get("caption", "").startswith("Part")
    }


def entry_of(path: Path, said: str) -> str:
    """A chapter on the map: its title, what is in it, and its minutes."""
    minutes = f'<span class="minutes">{stated(path)[0]}\N{NO-BREAK SPACE}min</span>'
    link = f'<a class="internal" href="{path.stem}.html">{escape(title_of(path))}</a>'
    return f'<li value="{int(path.name[:2])}">{link}: {escape(said)} {minutes}</li>'


def book_map(said: dict[str, str]) -> str:
    """The HTML of the map: a box for each part, and the sum of the minutes.

    Raises:
        ValueError: If it does not say something of each chapter, and of no other.
    """
    chapters = [path for found in parts().values() for path in found]
    if wrong := said.keys() ^ {path.stem for path in chapters}:
        names = ", ".join(sorted(wrong))
        raise ValueError(f"The map has a line for each chapter: see {names}.")
    boxes = ""
    for caption, found in parts().items():
        links = "".join(entry_of(path, said[path.stem]) for path in found)
        boxes += f"<section><p>{escape(caption)}</p><ol>{links}</ol></section>"
    hours, minutes = divmod(sum(stated(path)[0] for path in chapters), 60)
    label = 'class="book-map" aria-label="Map of the book"'
    told = f"<p>All main lines: {hours} h {minutes} min.</p>"
    return f"<nav {label}>{boxes}</nav>{told}"


def tell_templates(app: Sphinx, page: str, template: str, told: Any, _: Any) -> None:
    """Tell the page that stands where there is none what it leads to.

    The front page has the title of the book, which is not said twice.
    """
    if page == "book/index":
        told["docstitle"] = ""
    if page == "404":
        told["address"] = read_address().site
        found = [path for chapters in parts().values() for path in chapters]
        told["chapters"] = [(path.stem, title_of(path)) for path in found]
