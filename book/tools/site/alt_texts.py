"""What a figure shows, in words, where Colab lets a reader come upon it.

The words stand once, in the metadata of the cell that draws (`mystnb.image.alt`), and
the site gives them to the picture. Colab reads no such metadata and describes no
picture. So in the notebook the caption carries the words too, folded. A page leaves
the fold out, because its picture has them.
"""

import html
import itertools
import re

from nbformat import NotebookNode

from book.tools.site.captions import CAPTION

_FOLD = "\n\n<details><summary>The figure in words</summary>\n\n{}\n\n</details>"
_FOLDED = re.compile(
    r"\n\n<details><summary>The figure in words</summary>\n\n.*?\n\n</details>",
    re.DOTALL,
)


def alt_text(cell: NotebookNode) -> str:
    """The words for the figure that a cell draws; empty if it has none."""
    return str(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))


def as_markdown(text: str) -> str:
    """A text of which Markdown and HTML take no sign for theirs, such as `<pad>`."""
    return re.sub(r"([\\`*$\[\]])", r"\\\1", html.escape(text, quote=False))


def put_alt_texts(notebook: NotebookNode) -> None:
    """Let each caption carry the words for its figure, behind its first paragraph."""
    for cell, after in itertools.pairwise(notebook.cells):
        if after.cell_type == "markdown" and CAPTION.match(after.source):
            caption, gap, rest = without_alt_text(after.source).partition("\n\n")
            words = as_markdown(alt_text(cell))
            fold = _FOLD.format(words) if words else ""
            after.source = f"{caption}{fold}{gap}{rest}"


def without_alt_text(text: str) -> str:
    """A caption without the words for its figure."""
    return _FOLDED.sub("", text)
