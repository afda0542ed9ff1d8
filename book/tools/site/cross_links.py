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
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from book.tools.notebooks.files import chapters
from book.tools.site.captions import NUMBER, REFERENCE, chapter_of

GLOSSARY = "book/notation"
LABEL = re.compile(r"Figure (\d+)\.(\d+)\. ")
# The first number takes its word along: a wider link is easier to hit.
NAMED = re.compile(rf"(?:(?:figure|equation)s?\s+)?{NUMBER.pattern}", re.IGNORECASE)
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


def link_page(app: Sphinx, document: nodes.document, page: str) -> None:
    """Make the figures of a page, and add its links; those to terms in chapters."""
    if re.match(r"book/(\d\d_|course/)", page):
        put_captions(document)
        link_numbers(app, document, page)
    if re.match(r"book/\d\d_", page):
        link_terms(app, document, page)


# --- figures --------------------------------------------------------------------------


def put_captions(document: nodes.document) -> None:
    """Put each picture and the caption behind its cell into one figure."""
    for paragraph in list(document.findall(nodes.paragraph)):
        label = LABEL.match(paragraph.astext())
        drawn = drawing_before(paragraph) if label else None
        if label and drawn:
            figure = nodes.figure(ids=[f"figure-{label[1]}-{label[2]}"])
            drawn.replace_self(figure)
            figure += [drawn, nodes.caption("", "", *paragraph.children)]
            paragraph.parent.remove(paragraph)


def drawing_before(paragraph: nodes.paragraph) -> nodes.Element | None:
    """The picture or the frame that the cell before a paragraph shows."""
    cell = paragraph.previous_sibling()
    if not isinstance(cell, nodes.container) or "cell" not in cell["classes"]:
        return None
    frames = (raw for raw in cell.findall(nodes.raw) if "<iframe" in raw.astext())
    return next(itertools.chain(cell.findall(nodes.image), frames), None)


# --- links ----------------------------------------------------------------------------

Linker = Callable[[re.Match[str]], list[nodes.Node]]


def put_links(document: nodes.document, pattern: re.Pattern[str], link: Linker) -> None:
    """Put what `link` makes of each match into the running text of a page."""
    for paragraph in document.findall(nodes.paragraph):
        for text in list(paragraph.findall(nodes.Text)):
            if not is_quiet(text) and pattern.search(text):
                text.parent.replace(text, linked(text, pattern, link))


def is_quiet(node: nodes.Node) -> bool:
    """Whether a node stands in something that is not running prose."""
    above = node.parent
    return above is not None and (isinstance(above, QUIET) or is_quiet(above))


def linked(text: str, pattern: re.Pattern[str], link: Linker) -> list[nodes.Node]:
    """A text, with what `link` makes of each match in its place."""
    parts: list[nodes.Node] = []
    end = 0
    for match in pattern.finditer(text):
        parts += [nodes.Text(text[end : match.start()]), *link(match)]
        end = match.end()
    return [*parts, nodes.Text(text[end:])]


def link_numbers(app: Sphinx, document: nodes.document, page: str) -> None:
    """Link "figure 3.2" or "equation 3.1" wherever the text says so."""
    names = {str(chapter_of(path)): f"book/{path.stem}" for path in chapters()}

    def link_each(found: re.Match[str]) -> list[nodes.Node]:
        def link(named: re.Match[str]) -> list[nodes.Node]:
            chapter, number = named[0].split()[-1].split(".")
            target = app.builder.get_relative_uri(page, names[chapter])
            uri = f"{target}#{found[1].lower()}-{chapter}-{number}"
            return [reference(uri, named[0], "number-link")]

        return linked(found[0], NAMED, link)

    put_links(document, REFERENCE, link_each)


def link_terms(app: Sphinx, document: nodes.document, page: str) -> None:
    """Link the first use of each glossary term, from the chapter that builds it."""
    chapter = chapter_of(Path(page))
    terms = {
        form: term
        for term in glossary(app)
        for form in term.forms
        if term.chapter <= chapter and form not in OTHER_SENSE.get(page, ())
    }
    longest_first = sorted(terms, key=len, reverse=True)
    words = "|".join(re.escape(form) for form in longest_first)
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    target = app.builder.get_relative_uri(page, GLOSSARY)
    seen: set[str] = set()

    def link(match: re.Match[str]) -> list[nodes.Node]:
        place = terms[match[0].lower()].place
        if place in seen:
            return [nodes.Text(match[0])]
        seen.add(place)
        return [reference(f"{target}#{place}", match[0], "glossary-link")]

    put_links(document, pattern, link)


def reference(uri: str, text: str, css: str) -> nodes.reference:
    """A link inside the site."""
    return nodes.reference("", text, internal=True, refuri=uri, classes=[css])


# --- the glossary ---------------------------------------------------------------------


class Term(NamedTuple):
    """A term of the glossary: its place on the page, its chapter, its forms."""

    place: str
    chapter: int
    forms: list[str]


@functools.cache
def glossary(app: Sphinx) -> list[Term]:
    """The terms of the glossary page, read once."""
    return list(read_terms(app.env.get_doctree(GLOSSARY)))


def read_terms(document: nodes.document) -> Iterator[Term]:
    """The terms of the glossary page; each definition ends in a link to its chapter."""
    for item in document.findall(nodes.definition_list_item):
        term = next(item.findall(nodes.term))
        chapters = re.findall(r"chapter\s+(\d+)", item.astext())
        if term["ids"] and chapters:
            name = "".join(n.astext() for n in term.findall(nodes.Text)).lower()
            yield Term(term["ids"][0], int(chapters[-1]), [name, plural_of(name)])


def plural_of(name: str) -> str:
    """The plural of a term."""
    if name.endswith(("ch", "x", "ss")):
        return f"{name}es"
    return re.sub(r"([^aeiou])ys$", r"\1ies", f"{name}s")
