r"""Numbers of figures and equations, as they stand in the text of the notebooks.

    -m book.tools.site.captions      write the numbers, in order, into every chapter

A figure's caption is the first paragraph of the Markdown cell behind it and begins with
`**Figure 3.2.**`; a display formula ends in `\tag{3.1}`. So Colab shows both,
and the site needs no numbers of its own. References are plain words: figure 3.2,
equation 3.1.
"""

import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from nbformat import NotebookNode

from book.tools.notebooks.files import chapters, read
from book.tools.notebooks.normal_form import serialize

CAPTION = re.compile(r"\A\*\*Figure(?: (\d+\.\d+))?\.\*\*(?=\s+\S)")
FORMULA = re.compile(r"\$\$(.+?)(?:\s*\\tag\{([^}]*)\})?(\s*)\$\$", re.DOTALL)
NUMBER = re.compile(r"\d+\.\d+")
REFERENCE = re.compile(
    r"\b(figure|equation)s?\s+\d+\.\d+(?:(?:,|\s+and|\s+to|,\s+and)\s+\d+\.\d+)*",
    re.IGNORECASE,
)


def chapter_of(path: Path) -> int:
    """The number of a chapter, which its file's name begins with."""
    return int(path.name.split("_")[0])


def text_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The Markdown cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def number(notebook: NotebookNode, chapter: int) -> None:
    """Number captions and formulas, and carry the references along."""
    renamed = {
        kind: {old: f"{chapter}.{new}" for new, old in enumerate(given, 1) if old}
        for kind, given in numbers_given(notebook).items()
    }
    figures, equations = itertools.count(1), itertools.count(1)

    def renew(named: re.Match[str]) -> str:
        numbers = renamed[named[1].lower()]
        return NUMBER.sub(lambda n: numbers.get(n[0], n[0]), named[0])

    def tag(formula: re.Match[str]) -> str:
        return f"$${formula[1]} \\tag{{{chapter}.{next(equations)}}}{formula[3]}$$"

    for cell in text_cells(notebook):
        text = REFERENCE.sub(renew, cell.source)
        text = CAPTION.sub(lambda _: f"**Figure {chapter}.{next(figures)}.**", text)
        cell.source = FORMULA.sub(tag, text)


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
    formulas = [tag for source in sources for _, tag, _ in FORMULA.findall(source)]
    return {"figure": captions, "equation": formulas}


if __name__ == "__main__":
    number_chapters(chapters())
