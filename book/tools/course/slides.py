"""Slides for a lesson: decks of short texts, with the chapters' own figures and code.

    -m book.tools.course.slides [chapters]

A deck, `book/course/slides/04_masks.md`, is a list of slides with `---` between them.
A line such as `{figure} The two masks` brings in the figure whose caption begins so,
`{code} def causal_mask` the definition of that name, and `{output} print("two words`
what the cell that holds those words printed; each of a cell that has the tag `slide`.
With `{figure later}`, and so for all three, it shows when the speaker goes on: first
the question, then the answer. A figure so tall that its letters get small comes whole,
and then in parts, enlarged.
What follows `Notes:` is for the speaker.
nbconvert makes slides of it; reveal.js, which shows them, lies beside them.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import shutil
import sys
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbconvert.exporters import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.tools.project.address import ROOT
from book.tools.project.statements import Definition, statements
from book.tools.site.formulas import FONT, characters, cut_font, to_mathml
from book.tools.site.pictures import pictures_of, size_of

DECKS = ROOT / "book" / "course" / "slides"
SHOWN = DECKS / "reveal"
DIRECTIVE = re.compile(r"^\{(figure|code|output)( later)?\} (.+)$", re.MULTILINE)
FORMULA = re.compile(r"\$([^$\n]+)\$")
# The style sheet of a theme, in whose place slides.css stands.
THEME = re.compile(r'<link href="[^"]*/dist/theme/[^"]*"[^>]*>')
ROOM = 560  # pixels of height that a slide has below its title
LINE = 41  # pixels that a line of text takes
WIDTH = 1090  # pixels that a line of code has
SMALLEST, LARGEST = 20.5, 30.0  # pixels of a letter of code
LINE_HEIGHT = 1.36  # of code, as a share of its size
LETTER = 16.8  # pixels of a letter in a figure, before it is scaled
LEGIBLE, ENLARGED = 17.0, 20.0  # what it needs on a slide, and has in a part
ASPECT = 0.61  # the width of a letter of code, as a share of its size


class Slide(NamedTuple):
    """One slide: its Markdown, and what its speaker says."""

    text: str
    notes: str


def decks(names: list[str] | None = None) -> list[Path]:
    """The decks, in order; those of some chapters where names are given."""
    found = sorted(DECKS.glob("[0-9][0-9]_*.md"))
    return [path for path in found if not names or path.stem in names]


def slides_of(path: Path) -> list[Slide]:
    """The slides of a deck.

    Raises:
        ValueError: If a slide has no title or no notes.
    """
    slides = []
    for part in re.split(r"^---$", path.read_text(encoding="utf-8"), flags=re.M):
        text, _, notes = part.strip().partition("\nNotes:")
        if not text.startswith("#") or not notes.strip():
            start = " ".join(part.split())[:50]
            raise ValueError(
                f"{path.name}: a slide begins with its title and ends with 'Notes:', "
                f"but one is {start!r}."
            )
        slides.append(Slide(text.strip(), notes.strip()))
    return slides


class Chapter:
    """The chapter whose figures and code a deck shows, from the cells tagged for it."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.notebook: NotebookNode = nbformat.read(path, as_version=4)
        self.pictures: dict[str, bytes] = {}  # by the names of their files

    def content(self, kind: str, wanted: str, room: int) -> str:
        """The HTML of what a line of a deck asks for.

        Raises:
            ValueError: If the chapter has no such thing, or several.
        """
        if kind == "figure":
            return self.figure(wanted, room)
        if kind == "code":
            return colored(self.definition(wanted), room)
        text = self.printed(wanted)
        return boxed("printed", text, escape(text), room)

    def figure(self, wanted: str, room: int) -> str:
        """The picture in front of a caption, as high as there is room for."""
        caption = re.compile(rf"\*\*Figure [\d.]+\.\*\* {re.escape(wanted)}")
        found = [
            cell
            for cell, after in pairwise(self.notebook.cells)
            if is_for_slides(cell) and caption.match(after.source)
        ]
        cell = self.only(found, "figure whose caption begins", wanted)
        pictures = pictures_of(cell)
        if not pictures:
            raise ValueError(f"{self.name}: {wanted!r} is not a picture.")
        ending, picture = pictures[0]
        alt = escape(str(cell.metadata["mystnb"]["image"]["alt"]))
        file = f"{self.name}-{len(self.pictures) + 1}{ending}"
        self.pictures[file] = picture
        width, height = size_of(picture)
        whole = f'<img alt="{alt}" style="height: {room}px" src="{file}">'
        if LETTER * room / height >= LEGIBLE:
            return f"<figure>{whole}</figure>"
        return f"<figure>{whole}{enlarged(file, width, height, room)}</figure>"

    def definition(self, wanted: str) -> str:
        """The lines of a function or class, or of the one cell with these words."""
        name = wanted.removeprefix("def ").removeprefix("class ")
        for cell in self.code_cells():
            found = statements(cell.source).get(name)
            if found and isinstance(found.node, Definition):
                return without_docstring(found.text)
        return str(self.cell_with(wanted).source)

    def printed(self, wanted: str) -> str:
        """What the one cell with these words printed."""
        texts = [o.text for o in self.cell_with(wanted).outputs if "text" in o]
        if not texts:
            raise ValueError(f"{self.name}: the cell with {wanted!r} prints nothing.")
        return "".join(texts).rstrip()

    def code_cells(self) -> Iterator[NotebookNode]:
        """The cells of code that are for slides."""
        for cell in self.notebook.cells:
            if cell.cell_type == "code" and is_for_slides(cell):
                yield cell

    def cell_with(self, wanted: str) -> NotebookNode:
        """The one cell of code that holds these words."""
        cells = [cell for cell in self.code_cells() if wanted in cell.source]
        return self.only(cells, "cell with", wanted)

    def only(self, found: list[NotebookNode], what: str, wanted: str) -> NotebookNode:
        """The one cell that was found.

        Raises:
            ValueError: If it is not one.
        """
        if len(found) != 1:
            raise ValueError(
                f"{self.name} has {len(found)} times a {what} {wanted!r}: name one, "
                "and give its cell the tag 'slide'."
            )
        return found[0]


def is_for_slides(cell: NotebookNode) -> bool:
    """Whether a cell is among those that a deck shows."""
    return "slide" in cell.metadata.get("tags", [])


def enlarged(file: str, width: int, height: int, room: int) -> str:
    """The parts of a tall picture, from its top down, each over the one before."""
    scale = ENLARGED / LETTER
    count = math.ceil(height * scale / room)
    parts = []
    for number in range(count):
        alt = f"The same picture, enlarged: part {number + 1} of {count}, from the top."
        look = f"height: {room}px; width: {width * scale:.0f}px"
        place = f"object-position: 0 {100 * number / (count - 1):.0f}%"
        parts.append(
            f'<img class="fragment part" alt="{alt}" style="{look}; {place}" '
            f'src="{file}">'
        )
    return "".join(parts)


def without_docstring(source: str) -> str:
    """A definition without its docstring, which a room cannot read."""
    tree = ast.parse(source).body[0]
    assert isinstance(tree, Definition)  # noqa: S101
    first = tree.body[0]
    if ast.get_docstring(tree) is None or len(tree.body) == 1:
        return source
    lines = source.splitlines()
    return "\n".join(lines[: first.lineno - 1] + lines[first.end_lineno or 0 :])


def colored(code: str, room: int) -> str:
    """Python code in color."""
    shown = highlight(code, PythonLexer(), HtmlFormatter(wrapcode=True, nowrap=True))
    return boxed("highlight", code, shown, room)


def boxed(kind: str, text: str, shown: str, room: int) -> str:
    """A text in a box, in letters with which it fits on a slide, within limits."""
    lines = text.splitlines()
    wide = WIDTH / max(map(len, lines)) / ASPECT
    high = (room - 40) / len(lines) / LINE_HEIGHT
    size = min(LARGEST, wide, max(high, SMALLEST))
    # At an empty line Markdown would end a block of HTML.
    shown = re.sub(r"(?<=\n)(?=\n)", "&#32;", shown)
    look = f'style="font-size: {size:.1f}px"'
    return f'<div class="{kind}" {look}><pre>{shown}</pre></div>'


def room_beside(text: str) -> int:
    """The pixels of height that the words of a slide leave for its figure."""
    words = DIRECTIVE.sub("", text).splitlines()[1:]
    lines = sum(1 + len(line) // 78 for line in words if line.strip())
    return max(200, ROOM - LINE * lines)


def filled(slide: Slide, chapter: Chapter) -> str:
    """The Markdown of a slide with its figures, code and formulas in place."""
    room = room_beside(slide.text) // max(1, len(DIRECTIVE.findall(slide.text)))
    text = FORMULA.sub(lambda found: to_mathml(found[1]), slide.text)

    def html(found: re.Match[str]) -> str:
        content = chapter.content(found[1], found[3].strip(), room)
        return f'<div class="fragment">{content}</div>' if found[2] else content

    return DIRECTIVE.sub(lambda found: f"\n{html(found)}\n", text)


def notebook_of(deck: Path, chapter: Chapter) -> NotebookNode:
    """A deck as a notebook that nbconvert makes slides of."""
    cells = []
    for slide in slides_of(deck):
        for kind, text in (("slide", filled(slide, chapter)), ("notes", slide.notes)):
            metadata = {"slideshow": {"slide_type": kind}}
            cells.append(new_markdown_cell(text, metadata=metadata))
    title = slides_of(deck)[0].text.splitlines()[0].lstrip("# ")
    return new_notebook(cells=cells, metadata={"title": title})


def write_deck(deck: Path, folder: Path) -> None:
    """Write the slides of one chapter."""
    exporter = SlidesExporter(
        template_name="template",
        extra_template_basedirs=[str(SHOWN)],
        exclude_anchor_links=True,
        reveal_url_prefix="reveal",
    )
    chapter = Chapter(ROOT / "book" / f"{deck.stem}.ipynb")
    text, _ = exporter.from_notebook_node(notebook_of(deck, chapter))
    (folder / f"{deck.stem}.html").write_text(THEME.sub("", text), encoding="utf-8")
    for file, picture in chapter.pictures.items():
        (folder / file).write_bytes(picture)


def write_slides(folder: Path, names: list[str] | None = None) -> list[str]:
    """Write the decks, and what shows them; the files' names come back."""
    for name in ("dist", "plugin"):
        shutil.copytree(SHOWN / name, folder / "reveal" / name, dirs_exist_ok=True)
    style = (DECKS / "slides.css").read_text(encoding="utf-8")
    colors = HtmlFormatter(style="a11y-high-contrast-light")
    style += colors.get_style_defs(".highlight")
    (folder / "slides.css").write_text(style, encoding="utf-8")
    found = decks(names)
    for deck in found:
        write_deck(deck, folder)
    pages = [page.read_text(encoding="utf-8") for page in folder.glob("*.html")]
    (folder / FONT).write_bytes(cut_font("".join(sorted(characters(pages)))))
    return [f"{deck.stem}.html" for deck in found]


def main(arguments: list[str] | None = None) -> int:
    """Write the slides and say where they are."""
    parser = argparse.ArgumentParser(description="The slides of the lessons.")
    parser.add_argument("chapters", nargs="*", help="such as 04_masks; all without")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "slides")
    options = parser.parse_args(arguments)
    unknown = set(options.chapters) - {deck.stem for deck in decks()}
    if unknown:
        there = ", ".join(deck.stem for deck in decks())
        parser.error(f"there are no slides {', '.join(sorted(unknown))}: {there}")
    try:
        files = write_slides(options.out, options.chapters)
    except ValueError as error:
        print(f"The slides were not made: {error}", file=sys.stderr)
        return 1
    print(f"{len(files)} decks are written: open {options.out / files[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
