"""Pictures for slides: without their margins, and in parts where they are too tall.

A figure is made for a page. On a slide its letters must be read from the back of a
room, so a tall one is cut between its panels or boxes, into parts that come in turn.
"""

import re
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
from PIL import Image, ImageChops

from book.tools.site.pictures import size_of

LETTER = 16.8  # pixels of a letter in a figure, before it is scaled
LEGIBLE = 22.0  # what it needs on a slide
SPACE = 852, 718  # pixels that a figure has beside the words
MOST_PARTS = 4
GAP = 4  # pixels; between the letters of a word that stands upright there are fewer
Rows = np.ndarray[Any, Any]
_BOX = re.compile(r'<rect [^>]*?y="([\d.]+)"[^>]*?height="([\d.]+)"')
_TEXT = re.compile(r'<text [^>]*?y="([\d.]+)"')
_VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="(\d+)" height="(\d+)"')


def letters(width: float, height: float, space: tuple[float, float] = SPACE) -> float:
    """The pixels of a letter when a figure of this size fills its space."""
    return LETTER * min(space[0] / width, space[1] / height)


def parts(picture: bytes) -> list[bytes]:
    """A picture in so few parts that each can be read.

    Raises:
        ValueError: If that takes too many.
    """
    is_png = picture[:4] == b"\x89PNG"
    blank = _blank_in_png(picture) if is_png else _blank(picture)
    crop = _crop_png if is_png else _crop
    for count in range(1, MOST_PARTS + 1):
        rows = _cuts(blank, count)
        if rows:
            found = [crop(picture, *ends) for ends in pairwise(rows)]
            if all(letters(*size_of(part)) >= LEGIBLE for part in found):
                return found
    raise ValueError("A figure is too wide or too dense to be read on a slide.")


def _cuts(blank: Rows, count: int) -> list[int]:
    """Where to cut into parts that are about equal; nowhere, if something is there.

    The widest gap lies above a panel's title; of two alike it is the upper one.
    """
    height = len(blank)
    edges = np.flatnonzero(np.diff(np.r_[False, blank, False]))
    gaps = edges.reshape(-1, 2)[np.diff(edges)[::2] >= GAP]
    rows = [0]
    for number in range(1, count):
        away = abs(gaps.mean(axis=1) - number * height / count)
        near = gaps[away < height / count / 3]
        if not len(near):
            return []
        wide = np.diff(near)[:, 0]
        rows.append(int(near[(wide >= 0.9 * wide.max()).argmax()].mean()))
    return [*rows, height]


def _ink(picture: bytes) -> Image.Image:
    """Where something is drawn: what differs from the corner."""
    gray = Image.open(BytesIO(picture)).convert("L")
    paper = Image.new("L", gray.size, gray.getpixel((0, 0)))
    differs = [255 * (shade > 2) for shade in range(256)]
    return ImageChops.difference(gray, paper).point(differs)


def _blank_in_png(picture: bytes) -> Rows:
    return np.asarray(~np.asarray(_ink(picture)).any(axis=1))


def _crop_png(picture: bytes, top: int, bottom: int) -> bytes:
    """The rows from top to bottom, without the margins around what is drawn."""
    image = Image.open(BytesIO(picture))
    inside = _ink(picture).crop((0, top, image.width, bottom)).getbbox()
    left, upper, right, lower = inside or (0, 0, *image.size)
    box = (max(0, left - 2), max(0, top + upper - 2), right + 1, top + lower + 1)
    written = BytesIO()
    image.crop(box).save(written, "PNG")
    return written.getvalue()


def _blank(picture: bytes) -> Rows:
    """Which rows of a drawing have no box and no text; a frame around many is none."""
    text = picture.decode()
    _, tall, _, height = _view(text)
    blank = np.ones(int(height), dtype=bool)
    taken = [(float(y), float(y) + float(h)) for y, h in _BOX.findall(text)]
    taken = [(top, end) for top, end in taken if end - top < tall / 4]
    taken += [(float(y) - 16, float(y) + 6) for y in _TEXT.findall(text)]
    for top, end in taken:
        blank[max(0, int(top * height / tall)) : int(end * height / tall) + 2] = False
    return blank


def _crop(picture: bytes, top: int, bottom: int) -> bytes:
    """The rows from top to bottom of a drawing."""
    text = picture.decode()
    wide, tall, width, height = _view(text)
    scale = tall / height
    view = f'viewBox="0 {top * scale:.1f} {wide:g} {(bottom - top) * scale:.1f}"'
    size = f'{view} width="{width:.0f}" height="{bottom - top}"'
    return _VIEW.sub(size, text, count=1).encode()


def _view(text: str) -> list[float]:
    """What a drawing shows of its plane, and how large, across and down."""
    return list(map(float, _VIEW.findall(text)[0]))
