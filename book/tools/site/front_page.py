"""What opens the book: a sentence that its own translator translates, and a map.

Both are made when the site is built, so they show the translator that ships and the
chapters that there are.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

import nbformat
import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from book.tools.project.address import ROOT


class Translated(Directive):  # type: ignore[misc]
    """A sentence, and what the shipped translator makes of it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Translate, and write both sentences as rows of tokens."""
        sentence = " ".join(self.content)
        return [nodes.raw("", translated(sentence), format="html")]


class Map(Directive):  # type: ignore[misc]
    """The parts of the book and their chapters, as the table of contents has them."""

    def run(self) -> list[nodes.Node]:
        """Write one box for each part."""
        return [nodes.raw("", book_map(), format="html")]


def translated(sentence: str) -> str:
    """The HTML of a sentence and its translation."""
    from lib.translator import Translator

    translator = Translator.load(ROOT / "lib" / "shipped" / "tatoeba-en-es")
    (written,) = translator.translate([sentence])
    return (
        '<div class="opening" role="group" aria-label="A sentence translated">'
        f"{row('English', 'en', sentence)}"
        '<div class="machine">a Transformer</div>'
        f"{row('Spanish', 'es', written)}</div>"
    )


def row(name: str, language: str, sentence: str) -> str:
    """The words of one sentence, each in a box of its own."""
    words = re.findall(r"[\w'’]+|[^\w\s]", sentence)
    boxes = " ".join(f'<span class="word">{escape(word)}</span>' for word in words)
    return f'<p><small>{name}</small> <span lang="{language}">{boxes}</span></p>'


def title_of(path: Path) -> str:
    """The title of a chapter, without its number and marks of Markdown."""
    first = nbformat.read(path, as_version=4).cells[0].source
    found = re.match(r"# (?:\d+\. )?(.+)", first)
    if not found:
        raise ValueError(f"{path.name} does not begin with a title: # Title")
    return found[1].replace("`", "")


def book_map(root: Path = ROOT) -> str:
    """The HTML of the map."""
    toc: dict[str, Any] = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    boxes = [
        part_box(root, part["caption"], chapter_files(part))
        for part in toc["parts"]
        if part.get("caption", "").startswith("Part")
    ]
    return f'<nav class="book-map" aria-label="Map of the book">{"".join(boxes)}</nav>'


def chapter_files(part: dict[str, Any]) -> list[str]:
    """The chapters of a part, without its self-test."""
    files = [str(entry["file"]) for entry in part["chapters"]]
    return [file for file in files if re.match(r"\d\d_", Path(file).name)]


def part_box(root: Path, caption: str, files: list[str]) -> str:
    """One part of the map: its name, and links to its chapters."""
    links = "".join(
        f'<li value="{int(Path(file).name[:2])}"><a class="internal" '
        f'href="{Path(file).name}.html">'
        f"{escape(title_of(root / f'{file}.ipynb'))}</a></li>"
        for file in files
    )
    return f"<section><p>{escape(caption)}</p><ol>{links}</ol></section>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    app.add_directive("translated", Translated)
    app.add_directive("map", Map)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
