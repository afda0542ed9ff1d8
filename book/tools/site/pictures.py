"""The pictures that cells show: PNG where code draws numbers, SVG for the drawings."""

import base64
import re
from io import BytesIO

from nbformat import NotebookNode
from PIL import Image

ENDINGS = {"image/png": ".png", "image/svg+xml": ".svg"}


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
