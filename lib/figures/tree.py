"""A tree of beginnings: what a search looks at, and what it keeps."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from lib.figures.cells import longest
from lib.figures.style import canvas

LINE, KEPT = "#222222", "#E1DAF4"  # black text reads well on the fill, and in print
HEIGHT = 0.75  # inches between two rows of a tree,
CLOSE = 0.62  # and between those with nothing to read on their arrows
CENTER: dict[str, Any] = {"ha": "center", "va": "center"}


def search_tree(
    probabilities: Mapping[str, float], kept: Collection[str] = (), shares: bool = True
) -> tuple[Figure, Axes]:
    r"""Draw the beginnings of a sentence as a tree that grows to the right.

    Args:
        probabilities: the probability of each beginning, its words put together with
            spaces: "A", "B", "A A", …. A box shows the last of them.
        kept: the beginnings that a search keeps; they are colored.
        shares: True writes the probability of the next word on its arrow.

    Raises:
        ValueError: if a beginning's own beginning is missing, or one to keep.
    """
    known = {"": 1.0, **probabilities}
    for begin in [*map(_parent, probabilities), *kept]:
        if begin not in known:
            raise ValueError(
                f"The beginning {begin!r} has no probability; the tree has "
                f"{list(probabilities)}."
            )
    height = HEIGHT if shares else CLOSE
    rows = _rows(probabilities, height)
    middles, width = _columns(known, 1.1 if shares else 0.42)
    figure, ax = canvas(None, width, max(rows.values()) + height)
    ax.axis("off")
    ax.set(xlim=(0, width), ylim=(max(rows.values()) + height / 2, -height / 2))
    places = {begin: (middles[_steps(begin)], rows[begin]) for begin in known}
    boxes = {}
    for begin, place in places.items():
        text = f"{begin.rpartition(' ')[2]}\n{known[begin]:.2f}" if begin else "<sos>"
        color = KEPT if begin in kept else "white"
        look = {"boxstyle": "round,pad=0.4", "facecolor": color, "edgecolor": LINE}
        boxes[begin] = ax.text(*place, text, bbox=look, **CENTER)
    for begin in probabilities:
        parent = _parent(begin)
        _arrow(ax, boxes[parent], boxes[begin])
        if shares and known[parent]:
            share = known[begin] / known[parent]
            _label(ax, places[parent], places[begin], f"{share:.2f}")
    return figure, ax


def _arrow(ax: Axes, start: Text, end: Text) -> None:
    """Lead an arrow from the right edge of a box to the left edge of another."""
    look = {"arrowstyle": "-|>", "color": LINE, "shrinkA": 0, "shrinkB": 0}
    look |= {"patchA": start.get_bbox_patch(), "patchB": end.get_bbox_patch()}
    left, right = (0, 0.5), (1, 0.5)
    ax.annotate("", left, right, xycoords=end, textcoords=start, arrowprops=look)


def _steps(begin: str) -> int:
    return len(begin.split())


def _parent(begin: str) -> str:
    return begin.rpartition(" ")[0]


def _columns(known: Mapping[str, float], gap: float) -> tuple[list[float], float]:
    """Give the middle of each step's column and the width of all, in inches."""
    middles, right = [], 0.0
    for step in range(1 + max(map(_steps, known))):
        words = [
            begin.split()[-1] for begin in known if begin and _steps(begin) == step
        ]
        width = longest([*words, "0.00" if step else "<sos>"]) + 0.3
        middles.append(right + width / 2)
        right += width + gap
    return middles, right - gap


def _rows(beginnings: Collection[str], height: float) -> dict[str, float]:
    """Give each leaf its own row, and each other one the middle of its children.

    Rows lie `height` inches apart.
    """
    rows: dict[str, float] = {}
    free = itertools.count()

    def place(begin: str) -> float:
        heights = [place(b) for b in beginnings if _parent(b) == begin]
        ends = (heights[0], heights[-1]) if heights else (height * next(free),) * 2
        rows[begin] = sum(ends) / 2
        return rows[begin]

    place("")
    return rows


def _label(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], share: str
) -> None:
    """Write a number beside the middle of an arrow."""
    rise = end[1] - start[1]
    away = 0.12 + 0.18 * abs(rise)  # a steep arrow needs more room beside it
    middle = ((start[0] + end[0]) / 2, start[1] + rise / 2)
    ax.text(middle[0], middle[1] + (away if rise > 0 else -away), share, **CENTER)
