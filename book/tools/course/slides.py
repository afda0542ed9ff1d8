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
from collections.abc import Iterator
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

from book.tools.course.slide_pictures import LEGIBLE, LETTER, SPACE, letters, parts
from book.tools.course.written import written
from book.tools.notebooks.files import read
from book.tools.project.address import ROOT
from book.tools.project.statements import Definition, statements
from book.tools.site.formulas import FONT, characters, cut_font, to_mathml
from book.tools.site.pictures import alt_text, pictures_of, size_of

DECKS = ROOT / "book" / "course" / "slides"
SHOWN = DECKS / "reveal"
DIRECTIVE = re.compile(r"^\{(figure|code|output)( later)?\} (.+)$", re.MULTILINE)
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
    slides, deck = [], written(path.read_text(encoding="utf-8"), path.stem)
    for part in re.split(r"^---$", deck, flags=re.M):
        text, _, notes = part.strip().partition("\nNotes:")
        if not text.startswith("#") or not notes.strip():
            start = " ".join(part.split())[:50]
            raise ValueError(
                f"{path.name}: a slide begins with its title and ends with 'Notes:', "
                f"but one is {start!r}."
            )
        slides.append(Slide(text.strip(), notes.strip()))
    return slides


class Picture(NamedTuple):
    """A picture on a slide: its file, what it shows, its size before it is scaled."""

    file: str
    alt: str
    width: int
    height: int

    @property
    def can_be_read(self) -> bool:
        """Whether its letters are large enough beside words."""
        return letters(self.width, self.height) >= LEGIBLE

    def shown(self, scale: float) -> str:
        """Its HTML."""
        size = f"width: {self.width * scale:.1f}px; height: {self.height * scale:.1f}px"
        image = f'<img alt="{self.alt}" style="{size}" src="{self.file}">'
        return f"<figure>{image}</figure>"


class Chapter:
    """The chapter whose figures and code a deck shows, from the cells tagged for it."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        self.notebook = read(path)
        self.pictures: dict[str, bytes] = {}  # by the names of their files
        self.figures: dict[str, list[Picture]] = {}  # by the beginnings of captions

    def text_of(self, kind: str, wanted: str) -> str:
        """The code or the output that a line of a deck asks for.

        Raises:
            ValueError: If the chapter has no such thing, or several.
        """
        return self.definition(wanted) if kind == "code" else self.printed(wanted)

    def figure(self, wanted: str) -> list[Picture]:
        """The picture in front of a caption, whole or in parts that can be read.

        Raises:
            ValueError: If the chapter has no such figure, or several.
        """
        if wanted in self.figures:
            return self.figures[wanted]
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
        described = escape(alt_text(cell))
        made, found_parts = [], parts(picture)
        for number, part in enumerate(found_parts, start=1):
            file, alt = f"{self.name}-{len(self.pictures) + 1}{ending}", described
            if len(found_parts) > 1:
                alt += f" Part {number} of {len(found_parts)}, from the top."
            self.pictures[file] = part
            made.append(Picture(file, alt, *size_of(part)))
        self.figures[wanted] = made
        return made

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


def without_docstring(source: str) -> str:
    """A definition without its docstring, which a room cannot read."""
    tree = ast.parse(source).body[0]
    assert isinstance(tree, Definition)  # noqa: S101
    first = tree.body[0]
    if ast.get_docstring(tree) is None or len(tree.body) == 1:
        return source
    lines = source.splitlines()
    return "\n".join(lines[: first.lineno - 1] + lines[first.end_lineno or 0 :])


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


def filled(slide: Slide, chapter: Chapter, last: list[Picture]) -> list[str]:
    """The Markdown of a slide, or of several, with all that it shows in place.

    Args:
        slide: what the deck says.
        chapter: where figures, code and outputs come from.
        last: the picture that was shown last, if any; words alone stand beside it.
    """
    text = FORMULA.sub(lambda found: to_mathml(found[1]), slide.text)
    wanted = DIRECTIVE.findall(slide.text)
    if figures := figures_of(slide):
        ((_, later, caption),) = figures
        pictures = chapter.figure(caption.strip())
        last[:] = [one for one in pictures if one.can_be_read][-1:] or last
        room = room_below(slide.text)
        return [with_picture(text, one, room, bool(later)) for one in pictures]
    room, width = room_below(slide.text) // max(1, len(wanted)), WIDTH
    texts = [chapter.text_of(kind, name.strip()) for kind, _, name in wanted]
    is_beside = bool(last) and has_room(texts, last[0], text)
    if is_beside:
        room, width = 300, round(TWO_COLUMNS - last[0].width * LEGIBLE / LETTER)

    def html(found: re.Match[str]) -> str:
        content = box(found[1], texts.pop(0), room, width)
        return f'<div class="fragment">{content}</div>' if found[2] else content

    text = DIRECTIVE.sub(lambda found: f"\n{html(found)}\n", text)
    return [beside(text, last[0].shown(LEGIBLE / LETTER)) if is_beside else text]


def has_room(texts: list[str], picture: Picture, words: str) -> bool:
    """Whether a slide is half empty, and narrow enough to stand beside a picture."""
    lines = [line for text in texts for line in text.splitlines()]
    wide = max(map(len, lines), default=0) * SMALLEST * ASPECT + BORDER["code"]
    free = TWO_COLUMNS - picture.width * LEGIBLE / LETTER
    return len(lines) <= HALF and wide <= free and "|---" not in words


def with_picture(text: str, picture: Picture, room: int, later: bool) -> str:
    """A slide with a picture: below its words, or beside them where it is tall."""
    width, height = picture.width, picture.height
    is_below = letters(width, height, (WIDTH, room)) >= LEGIBLE
    space = (WIDTH, room) if is_below else SPACE
    shown = picture.shown(min(space[0] / width, space[1] / height))
    shown = f'<div class="fragment">{shown}</div>' if later else shown
    if is_below:
        return DIRECTIVE.sub(lambda _: f"\n{shown}\n", text)
    return beside(DIRECTIVE.sub("", text), shown)


def beside(text: str, shown: str) -> str:
    """A slide in two columns."""
    return f'<div class="beside">{shown}<div>\n\n{text}\n\n</div></div>'


def notebook_of(deck: Path, chapter: Chapter) -> NotebookNode:
    """A deck as a notebook that nbconvert makes slides of."""
    cells, slides = [], slides_of(deck)
    shown = [chapter.figure(d[2].strip()) for s in slides for d in figures_of(s)]
    legible = [one for some in shown for one in some if one.can_be_read]
    last = legible[:1]  # for the title
    for slide in slides:
        for text in filled(slide, chapter, last):
            for kind, source in (("slide", text), ("notes", slide.notes)):
                metadata = {"slideshow": {"slide_type": kind}}
                cells.append(new_markdown_cell(source, metadata=metadata))
    title = slides[0].text.splitlines()[0].lstrip("# ")
    return new_notebook(cells=cells, metadata={"title": title})


def figures_of(slide: Slide) -> list[tuple[str, str, str]]:
    """The figures that a slide asks for."""
    return [found for found in DIRECTIVE.findall(slide.text) if found[0] == "figure"]


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
