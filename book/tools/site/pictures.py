"""The pictures that cells show, and what they show in words.

The words stand once, in the metadata of the cell that draws (`mystnb.image.alt`), and
the site gives them to the picture. Colab reads no such metadata and describes no
picture. So in the notebook the caption carries the words too, folded. A page leaves
the fold out, because its picture has them.
"""

import base64
import html
import itertools
import re
from io import BytesIO

from nbformat import NotebookNode
from PIL import Image

from book.tools.site.captions import CAPTION

ENDINGS = {"image/png": ".png", "image/svg+xml": ".svg"}
_FOLD = "\n\n<details><summary>The figure in words</summary>\n\n{}\n\n</details>"
_FOLDED = re.compile(
    r"\n\n<details><summary>The figure in words</summary>\n\n.*?\n\n</details>",
    re.DOTALL,
)


def pictures_of(cell: NotebookNode) -> list[tuple[str, bytes]]:
    """The ending of each picture that a cell shows, and what its file would hold."""
    return [
        (ending, base64.b64decode(data) if ending == ".png" else data.encode())
        for output in cell.get("outputs", [])
        for kind, data in output.get("data", {}).items()
        if (ending := ENDINGS.get(kind, ""))
    ]


def size_of(picture: bytes) -> tuple[int, int]:
    """The width and the height of a picture in pixels; an SVG says them itself."""
    said = re.search(rb'<svg [^>]*width="(\d+)" height="(\d+)"', picture)
    if said:
        return int(said[1]), int(said[2])
    return Image.open(BytesIO(picture)).size


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
