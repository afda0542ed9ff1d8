"""What the build adds to the text of the chapters: figures, references, glossary links.

The sources say "figure 3.2" and "label smoothing" in plain words, so that they read
well in Colab. Here a picture and its caption become one figure, the words that name a
figure or an equation become links, and so does the first use of each glossary term.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.tools.notebooks.files import chapters, read
from book.tools.site.captions import NUMBER, REFERENCE, chapter_of, numbers_given

GLOSSARY = "book/notation"
LABEL = re.compile(r"Figure (\d+\.\d+)\. ")
# Text that is not running prose: no word in it becomes a link.
QUIET = (
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.reference,
    nodes.title,
    nodes.caption,
    nodes.raw,
    nodes.term,
    nodes.strong,
)
# Terms that a chapter uses in another sense: the memory of a computer, for one.
OTHER_SENSE = {
    "book/12_training": {"memory"},
    "book/13_decoding": {"memory"},
    "book/17_speed": {"memory"},
}
Targets = dict[tuple[str, str], str]


class FiguresOfCells(SphinxPostTransform):
    """Put each picture and the caption behind its cell into one figure."""

    default_priority = 900

    def run(self, **kwargs: Any) -> None:
        """Look for the captions; the picture stands in the cell before each."""
        for paragraph in list(self.document.findall(nodes.paragraph)):
            label = LABEL.match(paragraph.astext())
            drawn = drawing_before(paragraph) if label else None
            if label and drawn:
                enclose(drawn, paragraph, label[1])


def drawing_before(paragraph: nodes.paragraph) -> nodes.Element | None:
    """The picture or the frame that the cell before a paragraph shows."""
    place = paragraph.parent.index(paragraph)
    cell = paragraph.parent[place - 1] if place else None
    if not isinstance(cell, nodes.container) or "cell" not in cell["classes"]:
        return None
    frames = (raw for raw in cell.findall(nodes.raw) if "<iframe" in raw.astext())
    return next(itertools.chain(cell.findall(nodes.image), frames), None)


def enclose(drawn: nodes.Element, paragraph: nodes.paragraph, number: str) -> None:
    """Make a figure of a picture and the paragraph that is its caption."""
    figure = nodes.figure(ids=[f"figure-{number.replace('.', '-')}"])
    drawn.replace_self(figure)
    caption = nodes.caption("", "", *paragraph.children)
    figure += [drawn, caption]
    paragraph.parent.remove(paragraph)


def numbered() -> Targets:
    """The page and the place of every numbered figure and equation of the book."""
    targets: Targets = {}
    for path in chapters():
        given = numbers_given(read(path))
        for kind, numbers in given.items():
            for number in filter(None, numbers):
                place = f"{kind}-{number.replace('.', '-')}"
                targets[kind, number] = f"book/{path.stem}#{place}"
    return targets


def prose(document: nodes.document) -> Iterator[nodes.Text]:
    """The running text of a page, in order."""
    for paragraph in document.findall(nodes.paragraph):
        yield from (t for t in list(paragraph.findall(nodes.Text)) if not is_quiet(t))


def is_quiet(node: nodes.Node) -> bool:
    """Whether a node stands in something that is not running prose."""
    above = node.parent
    return above is not None and (isinstance(above, QUIET) or is_quiet(above))


Linker = Callable[[re.Match[str]], list[nodes.Node] | None]


def linked(text: str, pattern: re.Pattern[str], link: Linker) -> list[nodes.Node]:
    """A text with what `link` makes of each match; None leaves it as it is."""
    parts: list[nodes.Node] = []
    end = 0
    for match in pattern.finditer(text):
        made = link(match)
        if made is not None:
            parts += [nodes.Text(text[end : match.start()]), *made]
            end = match.end()
    return [*parts, nodes.Text(text[end:])]


def put_links(document: nodes.document, pattern: re.Pattern[str], link: Linker) -> None:
    """Put links into the running text of a page."""
    for text in prose(document):
        parts = linked(str(text), pattern, link)
        if len(parts) > 1 and text.parent is not None:
            text.parent.replace(text, parts)


class Book:
    """What the pages of one build link to."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self.targets: Targets = numbered()

    def link_page(self, app: Sphinx, document: nodes.document, page: str) -> None:
        """Add the links to one page; those to the glossary to chapters alone."""
        if re.match(r"book/(\d\d_|course/|self_test_)", page):
            for kind in REFERENCE:
                self.link_numbers(page, document, kind)
        if re.match(r"book/\d\d_", page):
            self.link_terms(page, document)

    def reference(self, page: str, target: str, text: str, css: str) -> nodes.reference:
        """A link from a page to `document#place`."""
        document, _, place = target.partition("#")
        uri = self.app.builder.get_relative_uri(page, document) + f"#{place}"
        return nodes.reference("", text, internal=True, refuri=uri, classes=[css])

    def link_numbers(self, page: str, document: nodes.document, kind: str) -> None:
        """Link "figure 3.2" or "equation 3.1" wherever the text says so."""
        # The first number takes its word along: a wider link is easier to hit.
        one = re.compile(rf"(?:{kind}s?\s+)?({NUMBER.pattern})", re.IGNORECASE)

        def link(match: re.Match[str]) -> list[nodes.Node] | None:
            target = self.targets.get((kind, match[1]))
            if target is None:
                return None
            return [self.reference(page, target, match[0], "number-link")]

        put_links(document, REFERENCE[kind], lambda match: linked(match[0], one, link))

    def link_terms(self, page: str, document: nodes.document) -> None:
        """Link the first use of each glossary term, from the chapter that builds it."""
        chapter = chapter_of(Path(page))
        others = OTHER_SENSE.get(page, set())
        forms = {
            form.lower(): term
            for term in self.terms
            for form in term.forms
            if term.chapter <= chapter and term.name.lower() not in others
        }
        longest_first = sorted(forms, key=len, reverse=True)
        words = "|".join(re.escape(form) for form in longest_first)
        pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
        seen: set[str] = set()

        def link(match: re.Match[str]) -> list[nodes.Node] | None:
            term = forms[match[0].lower()]
            if term.place in seen:
                return None
            seen.add(term.place)
            target = f"{GLOSSARY}#{term.place}"
            return [self.reference(page, target, match[0], "glossary-link")]

        put_links(document, pattern, link)

    @functools.cached_property
    def terms(self) -> "list[Term]":
        """The terms of the glossary, read from its page once."""
        return list(read_terms(self.app.env.get_doctree(GLOSSARY)))


class Term(NamedTuple):
    """A term of the glossary: its place on the page, its chapter, its forms."""

    name: str
    place: str
    chapter: int

    @property
    def forms(self) -> list[str]:
        """The term itself and its plural."""
        plural = re.sub(r"([^aeiou])y$", r"\1ies", self.name)
        ending = "es" if self.name.endswith(("ch", "x", "ss")) else "s"
        return [self.name, plural if plural != self.name else self.name + ending]


def read_terms(document: nodes.document) -> Iterator[Term]:
    """The terms of the glossary page; each definition ends in a link to its chapter."""
    for item in document.findall(nodes.definition_list_item):
        term = next(item.findall(nodes.term))
        chapters = re.findall(r"chapter\s+(\d+)", item.astext())
        if term["ids"] and chapters:
            name = "".join(n.astext() for n in term.findall(nodes.Text))
            yield Term(name, term["ids"][0], int(chapters[-1]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the extension to Sphinx."""
    book = Book(app)
    app.add_post_transform(FiguresOfCells)
    app.connect("doctree-resolved", book.link_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
