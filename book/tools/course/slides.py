"""Slides for a lesson: decks of short texts, with the chapters' own figures and code.

    -m book.tools.course.slides [chapters]

A deck, `book/course/slides/04_masks.md`, is a list of slides with `---` between them.
A line such as `{figure} The two masks` brings in the figure whose caption begins so,
`{code} def causal_mask` the definition of that name, and `{output} print("two words`
what the cell that holds those words printed; each of a cell that has the tag `slide`.
With `{figure later}`, and so for all three, it shows when the speaker goes on: first
the question, then the answer. A figure too tall for that stands beside the words, or
comes in parts, on a slide each. Words alone stand beside the picture shown last.
What follows `Notes:` is for the speaker.
nbconvert makes slides of it; reveal.js, which shows them, lies beside them.
"""

import argparse
import ast
import re
import shutil
import sys
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from nbconvert.exporters import SlidesExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from book.tools.course.exercises import tags
from book.tools.course.slide_pictures import LEGIBLE, LETTER, letters, parts
from book.tools.course.written import written
from book.tools.notebooks.files import read
from book.tools.project.address import ROOT
from book.tools.project.statements import Definition, statements
from book.tools.site.formulas import FONT, characters, cut_font, to_mathml
from book.tools.site.pictures import alt_text, pictures_of, size_of

DECKS = ROOT / "book" / "course" / "slides"
SHOWN = DECKS / "reveal"
DIRECTIVE = re.compile(r"^\{(figure|code|output)( later)?\} (.+?) *$", re.MULTILINE)
FORMULA = re.compile(r"\$([^$\n]+)\$")
# The style sheet of a theme, in whose place slides.css stands.
THEME = re.compile(r'<link href="[^"]*/dist/theme/[^"]*"[^>]*>')
ROOM = 560  # pixels of height that a slide has below its title
LINE = 50  # pixels that a line of text takes
COLUMNS = 64  # letters that a line of text has
WIDTH = 1204  # pixels that a slide has between its margins
BORDER = {"code": 38, "output": 22}  # of these, what a box around a text takes
SMALLEST, LARGEST = 22.0, 38.0  # pixels of a letter of code
HALF = 6  # lines of code that leave half of a slide empty
TWO_COLUMNS = 1150  # pixels that a picture and the text beside it have together
LINE_HEIGHT = 1.36  # of code, as a share of its size
ASPECT = 0.603  # the width of a letter of code, as a share of its size


class Slide(NamedTuple):
    """One slide.

    Args:
        text: its Markdown.
        notes: what its speaker says.
        asks: what it asks for: of which kind, whether later, and in which words.
        room: the pixels of height that its words leave for that.
    """

    text: str
    notes: str
    asks: list[tuple[str, str, str]]
    room: int

    @property
    def figure(self) -> str:
        """The beginning of the caption of the figure that it asks for, if any."""
        wanted = (words for kind, _, words in self.asks if kind == "figure")
        return next(wanted, "")


def decks() -> list[Path]:
    """The decks, in order."""
    return sorted(DECKS.glob("[0-9][0-9]_*.md"))


def slides_of(path: Path) -> list[Slide]:
    """The slides of a deck.

    Raises:
        ValueError: If a slide has no title or no notes.
    """
    slides, deck = [], written(path.read_text(encoding="utf-8"), path.stem)
    for part in re.split(r"^---$", deck, flags=re.M):
        text, _, notes = part.strip().partition("\nNotes:")
        if not text.startswith("#") or not notes.strip():
            start = " ".join(part.split())[:50]
            raise ValueError(
                f"{path.name}: a slide begins with its title and ends with 'Notes:', "
                f"but one is {start!r}."
            )
        asks, room = DIRECTIVE.findall(text), room_below(text)
        text = FORMULA.sub(lambda found: to_mathml(found[1]), text.strip())
        slides.append(Slide(text, notes.strip(), asks, room))
    return slides


class Picture(NamedTuple):
    """A picture on a slide: its file, what that holds, and what it shows in words."""

    file: str
    content: bytes
    alt: str

    @property
    def size(self) -> tuple[int, int]:
        """Its width and height before it is scaled."""
        return size_of(self.content)

    def shown(self, letter: float) -> str:
        """Its HTML, with letters of so many pixels."""
        width, height = (side * letter / LETTER for side in self.size)
        size = f"width: {width:.1f}px; height: {height:.1f}px"
        image = f'<img alt="{self.alt}" style="{size}" src="{self.file}">'
        return f"<figure>{image}</figure>"


class Chapter:
    """The chapter whose figures and code a deck shows, from the cells tagged for it."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        pairs = pairwise(read(path).cells)
        self.cells = [pair for pair in pairs if "slide" in tags(pair[0])]
        self.pictures: list[Picture] = []

    def figure(self, wanted: str) -> list[Picture]:
        """The picture in front of a caption, whole or in parts that can be read.

        Raises:
            ValueError: If the chapter has no such figure, or several.
        """
        caption = re.compile(rf"\*\*Figure [\d.]+\.\*\* {re.escape(wanted)}")
        found = [cell for cell, after in self.cells if caption.match(after.source)]
        cell = self._only(found, "figure whose caption begins", wanted)
        ((ending, picture),) = pictures_of(cell)
        pieces = parts(picture)
        for number, part in enumerate(pieces, start=1):
            file = f"{self.name}-{len(self.pictures) + 1}{ending}"
            place = f" Part {number} of {len(pieces)}, from the top."
            alt = escape(alt_text(cell)) + place * (len(pieces) > 1)
            self.pictures.append(Picture(file, part, alt))
        return self.pictures[-len(pieces) :]

    def code(self, wanted: str) -> str:
        """The one cell with these words, or the function or class that they begin."""
        name = re.sub("^(def|class) ", "", wanted)
        for cell, _ in self.cells:
            if found := statements(cell.source).get(name):
                return without_docstring(found.text)
        return str(self.cell_with(wanted).source)

    def output(self, wanted: str) -> str:
        """What the one cell with these words printed."""
        texts = (out.text for out in self.cell_with(wanted).outputs if "text" in out)
        return "".join(texts).rstrip()

    def cell_with(self, wanted: str) -> NotebookNode:
        """The one cell of code that holds these words."""
        cells = [cell for cell, _ in self.cells if wanted in cell.source]
        return self._only(cells, "cell with", wanted)

    def _only(self, found: list[NotebookNode], what: str, wanted: str) -> NotebookNode:
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


def without_docstring(source: str) -> str:
    """A definition without its docstring, which a room cannot read."""
    node = ast.parse(source).body[0]
    if not isinstance(node, Definition) or not ast.get_docstring(node):
        return source
    lines, first = source.splitlines(), node.body[0]
    return "\n".join(lines[: first.lineno - 1] + lines[first.end_lineno :])


def box(kind: str, text: str, room: int, width: int = WIDTH) -> str:
    """Code in color, or an output, in letters with which it fits, within limits."""
    css, shown = "printed", escape(text)
    if kind == "code":
        form = HtmlFormatter(wrapcode=True, nowrap=True)
        css, shown = "highlight", highlight(text, PythonLexer(), form)
    lines = text.splitlines()
    wide = (width - BORDER[kind]) / max(map(len, lines)) / ASPECT
    high = (room - 40) / len(lines) / LINE_HEIGHT
    size = min(LARGEST, wide, max(high, SMALLEST))
    # At an empty line Markdown would end a block of HTML.
    shown = re.sub(r"(?<=\n)(?=\n)", "&#32;", shown)
    look = f'class="{css}" style="font-size: {size:.1f}px"'
    return f"<div {look}><pre>{shown}</pre></div>"


def room_below(text: str) -> int:
    """The pixels of height that the words of a slide leave for what it shows."""
    words = DIRECTIVE.sub("", text).splitlines()[1:]
    lines = sum(1 + len(line) // COLUMNS for line in words if line.strip())
    return max(200, ROOM - LINE * lines)


def filled(slide: Slide, chapter: Chapter, last: Picture) -> str:
    """The Markdown of a slide of words, with the code and the outputs in place.

    Args:
        slide: what the deck says.
        chapter: where code and outputs come from.
        last: the picture that was shown last; words alone stand beside it.
    """
    texts = [getattr(chapter, kind)(words) for kind, _, words in slide.asks]
    room, width = slide.room // max(1, len(texts)), WIDTH
    free = TWO_COLUMNS - last.size[0] * LEGIBLE / LETTER
    is_beside = has_room(texts, free) and "|---" not in slide.text
    if is_beside:
        room, width = 300, round(free)

    def html(found: re.Match[str]) -> str:
        content = box(found[1], texts.pop(0), room, width)
        return later(content) if found[2] else content

    text = DIRECTIVE.sub(lambda found: f"\n{html(found)}\n", slide.text)
    return beside(text, last.shown(LEGIBLE)) if is_beside else text


def has_room(texts: list[str], free: float) -> bool:
    """Whether texts leave half of a slide empty, and fit into so many pixels."""
    lines = [line for text in texts for line in text.splitlines()]
    wide = max(map(len, lines), default=0) * SMALLEST * ASPECT + BORDER["code"]
    return len(lines) <= HALF and wide <= free


def with_picture(slide: Slide, picture: Picture) -> str:
    """A slide with a picture: below its words, or beside them where it is tall."""
    below = letters(*picture.size, (WIDTH, slide.room))
    is_below = below >= LEGIBLE
    shown = picture.shown(below if is_below else letters(*picture.size))
    shown = later(shown) if slide.asks[0][1] else shown
    if is_below:
        return DIRECTIVE.sub(lambda _: f"\n{shown}\n", slide.text)
    return beside(DIRECTIVE.sub("", slide.text), shown)


def later(shown: str) -> str:
    """What shows when the speaker goes on."""
    return f'<div class="fragment">{shown}</div>'


def beside(text: str, shown: str) -> str:
    """A slide in two columns."""
    return f'<div class="beside">{shown}<div>\n\n{text}\n\n</div></div>'


def notebook_of(deck: Path, chapter: Chapter) -> NotebookNode:
    """A deck as a notebook that nbconvert makes slides of."""
    cells, slides = [], slides_of(deck)
    figures = [chapter.figure(slide.figure) for slide in slides if slide.figure]
    last = figures[0][0]  # for the title
    for slide in slides:
        texts = [] if slide.figure else [filled(slide, chapter, last)]
        if slide.figure:
            *_, last = pictures = figures.pop(0)
            texts = [with_picture(slide, picture) for picture in pictures]
        for text in texts:
            for kind, source in (("slide", text), ("notes", slide.notes)):
                metadata = {"slideshow": {"slide_type": kind}}
                cells.append(new_markdown_cell(source, metadata=metadata))
    title = slides[0].text.splitlines()[0].lstrip("# ")
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
    for picture in chapter.pictures:
        (folder / picture.file).write_bytes(picture.content)


def write_slides(folder: Path, names: list[str] | None = None) -> list[str]:
    """Write the decks, and what shows them; the files' names come back."""
    for name in ("dist", "plugin"):
        shutil.copytree(SHOWN / name, folder / "reveal" / name, dirs_exist_ok=True)
    style = (DECKS / "slides.css").read_text(encoding="utf-8")
    colors = HtmlFormatter(style="a11y-high-contrast-light")
    style += colors.get_style_defs(".highlight")
    (folder / "slides.css").write_text(style, encoding="utf-8")
    found = [deck for deck in decks() if not names or deck.stem in names]
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
    there = [deck.stem for deck in decks()]
    if unknown := set(options.chapters).difference(there):
        parser.error(f"there are no slides {unknown.pop()}: {', '.join(there)}")
    try:
        files = write_slides(options.out, options.chapters)
    except ValueError as error:
        parser.exit(1, f"The slides were not made: {error}\n")
    print(f"{len(files)} decks are written: open {options.out / files[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
