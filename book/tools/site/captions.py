r"""Numbers of figures and equations, as they stand in the text of the notebooks.

    -m book.tools.site.captions      write the numbers, in order, into every chapter

A figure's caption is the first paragraph of the Markdown cell behind it and begins with
`**Figure 3.2.**`; a display formula ends in `\tag{3.1}`. So Colab shows both,
and the site needs no numbers of its own. References are plain words: figure 3.2,
equation 3.1.
"""

import argparse
import itertools
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from nbformat import NotebookNode

from book.tools.notebooks.files import chapters, read
from book.tools.notebooks.normal_form import serialize

CAPTION = re.compile(r"\A\*\*Figure(?: (\d+\.\d+))?\.\*\*(?=\s+\S)")
FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
TAG = re.compile(r"\s*\\tag\{([^}]*)\}")
FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
REFERENCE = {
    kind: re.compile(
        rf"\b({kind}s?)\s+(\d+\.\d+(?:(?:,|\s+and|\s+to|,\s+and)\s+\d+\.\d+)*)",
        re.IGNORECASE,
    )
    for kind in ("figure", "equation")
}
NUMBER = re.compile(r"\d+\.\d+")


def chapter_of(path: Path) -> int:
    """The number of a chapter, which its file's name begins with."""
    return int(path.name.split("_")[0])


def text_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The Markdown cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def outside_code(change: Callable[[str], str], text: str) -> str:
    """Apply a change to a text, except inside its fenced code."""
    parts = FENCE.split(text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def number(notebook: NotebookNode, chapter: int) -> None:
    """Number captions and formulas, and carry the references along."""
    renamed = {
        kind: {old: f"{chapter}.{new}" for new, old in enumerate(given, 1) if old}
        for kind, given in numbers_given(notebook).items()
    }
    places = {kind: itertools.count(1) for kind in renamed}

    def following(kind: str) -> str:
        return f"{chapter}.{next(places[kind])}"

    def tagged(formula: re.Match[str]) -> str:
        body = TAG.sub("", formula[1])
        rest = body.rstrip()
        tag = f"\\tag{{{following('equation')}}}"
        return f"$${rest} {tag}{body[len(rest) :]}$$"

    for cell in text_cells(notebook):
        text = outside_code(lambda part: renew(part, renamed), cell.source)
        text = CAPTION.sub(lambda _: f"**Figure {following('figure')}.**", text)
        cell.source = outside_code(lambda part: FORMULA.sub(tagged, part), text)


def renew(text: str, renamed: dict[str, dict[str, str]]) -> str:
    """Replace the old numbers by the new ones wherever a text names them."""

    def renewed(named: re.Match[str]) -> str:
        numbers = renamed[named[1].lower().removesuffix("s")]
        return NUMBER.sub(lambda n: numbers.get(n[0], n[0]), named[0])

    for kind in renamed:
        text = REFERENCE[kind].sub(renewed, text)
    return text


def number_chapters(paths: Iterable[Path]) -> None:
    """Number these chapters in their files; pages name figures by their captions."""
    for path in paths:
        notebook = read(path)
        number(notebook, chapter_of(path))
        path.write_text(serialize(notebook), encoding="utf-8", newline="\n")


def numbers_given(notebook: NotebookNode) -> dict[str, list[str]]:
    """The numbers that the captions and the formulas of a chapter carry, in order."""
    sources = [cell.source for cell in text_cells(notebook)]
    captions = [match[1] for source in sources if (match := CAPTION.match(source))]
    formulas = [
        tag[1] if (tag := TAG.search(body)) else ""
        for source in sources
        for body in FORMULA.findall(FENCE.sub("", source))
    ]
    return {"figure": captions, "equation": formulas}


def main(arguments: list[str] | None = None) -> int:
    """Number every chapter."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    number_chapters(chapters())
    return 0


if __name__ == "__main__":
    sys.exit(main())
