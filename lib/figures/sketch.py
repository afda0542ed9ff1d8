"""Boxes, arrows and labels, measured in inches: what the diagrams are drawn with."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle
from matplotlib.textpath import TextPath

from lib.figures.style import FONT_SIZE

Point = tuple[float, float]

# Light fills: black text reads well on each of them, on screen and in print. Words are
# purple, positions sky blue and mistakes vermilion, as everywhere; the others are tints
# without a role.
FILLS = {
    "attention": "#E1DAF4",
    "norm": "#FAF6C4",
    "feed_forward": "#EFDFCB",
    "linear": "#F4F4F4",
    "embedding": "#F3DDE9",
    "position": "#CFE8F7",
    "softmax": "#E3E3E3",
    "mask": "#C6CBD3",
    "mistake": "#F7D3BE",
    "plain": "#FFFFFF",
}
LINE = "#222222"
MARGIN = 0.12  # inches around a diagram


def text_width(text: str) -> float:
    """Width of a line of text in inches, at the size of the diagrams."""
    font = FontProperties(family="DejaVu Sans")
    lines = [line for line in text.split("\n") if line.strip()]
    sizes = [TextPath((0, 0), line, FONT_SIZE, prop=font) for line in lines]
    return max((float(p.get_extents().width) for p in sizes), default=0.0) / 72


def shape_text(*sizes: int | str) -> str:
    """Write a shape as the book does.

    Example:
        >>> shape_text(2, 7, "D")
        '(2, 7, D)'
    """
    return f"({', '.join(map(str, sizes))})"


@dataclasses.dataclass(frozen=True)
class Box:
    """Where a drawn box stands: its center, width and height in inches."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> Point:
        """The middle of the upper edge."""
        return self.x, self.y + self.height / 2

    @property
    def bottom(self) -> Point:
        """The middle of the lower edge."""
        return self.x, self.y - self.height / 2

    @property
    def left(self) -> Point:
        """The middle of the left edge."""
        return self.x - self.width / 2, self.y

    @property
    def right(self) -> Point:
        """The middle of the right edge."""
        return self.x + self.width / 2, self.y


class Sketch:
    """A sheet without borders: draw anywhere, in inches; `finish` cuts it to size."""

    def __init__(self) -> None:
        self.figure: Figure = plt.figure(layout="none")
        self.ax = self.figure.add_axes((0, 0, 1, 1))
        self.ax.axis("off")
        self._seen: list[Point] = []

    def finish(self) -> tuple[Figure, Axes]:
        """Cut the sheet to what was drawn, and give the figure and its axes."""
        xs, ys = zip(*self._seen, strict=True)
        left, right = min(xs) - MARGIN, max(xs) + MARGIN
        bottom, top = min(ys) - MARGIN, max(ys) + MARGIN
        self.figure.set_size_inches(right - left, top - bottom)
        self.ax.set(xlim=(left, right), ylim=(bottom, top))
        return self.figure, self.ax

    def cover(self, *points: Point) -> None:
        """Keep these points on the sheet when it is cut to size."""
        self._seen += points

    def box(
        self,
        x: float,
        y: float,
        text: str,
        kind: str,
        width: float,
        height: float | None = None,
        line: float = 1.1,
    ) -> Box:
        """Draw a box around a text; without a height it takes what the text needs."""
        if height is None:
            height = 0.2 * (1 + text.count("\n")) + 0.18
        corner = (x - width / 2, y - height / 2)
        patch = FancyBboxPatch(
            corner,
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=FILLS[kind],
            edgecolor=LINE,
            linewidth=line,
            zorder=3,
        )
        self.ax.add_patch(patch)
        self.text((x, y), text)
        self.cover(corner, (corner[0] + width, corner[1] + height))
        return Box(x, y, width, height)

    def cell(
        self,
        corner: Point,
        width: float,
        height: float,
        text: str,
        fill: str,
        **style: Any,
    ) -> None:
        """Draw a cell of a row or a table from its lower left corner on."""
        style.setdefault("edgecolor", LINE)
        self.ax.add_patch(Rectangle(corner, width, height, facecolor=fill, **style))
        self.cover(corner, (corner[0] + width, corner[1] + height))
        if text:
            self.text((corner[0] + width / 2, corner[1] + height / 2), text)

    def text(self, place: Point, text: str, ha: str = "center") -> None:
        """Write a text with its middle (or its left or right end) at the place."""
        self.ax.text(*place, text, ha=ha, va="center", fontsize=FONT_SIZE, zorder=4)
        width, height = text_width(text) + 0.03, 0.1 * (1 + text.count("\n"))
        left = place[0] - width * {"left": 0.0, "center": 0.5, "right": 1.0}[ha]
        self.cover((left, place[1] - height), (left + width, place[1] + height))

    def plus(self, x: float, y: float) -> Box:
        """Draw a circle with a plus sign: two arrows meet there and are added."""
        self.ax.add_patch(
            Circle((x, y), 0.13, facecolor="white", edgecolor=LINE, zorder=3)
        )
        for dx, dy in ((0.075, 0.0), (0.0, 0.075)):
            xs, ys = [x - dx, x + dx], [y - dy, y + dy]
            self.ax.plot(xs, ys, color=LINE, linestyle="-", linewidth=1.4, zorder=4)
        return Box(x, y, 0.26, 0.26)

    def arrow(
        self, start: Point, end: Point, label: str = "", side: str = "right"
    ) -> None:
        """Draw an arrow; its label stands beside it ("right", "left" or "above")."""
        self.path([start, end])
        if label:
            x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            if side == "above":
                self.text((x, y + 0.13), label)
            else:
                offset = 0.09 if side == "right" else -0.09
                self.text((x + offset, y), label, "left" if offset > 0 else "right")

    def path(self, points: Sequence[Point], line: float = 1.2) -> None:
        """Draw a line through the points, with an arrow head at the last one."""
        self.cover(*points)
        if len(points) > 2:
            xs, ys = zip(*points[:-1], strict=True)
            self.ax.plot(xs, ys, color=LINE, linestyle="-", linewidth=line, zorder=2)
        head = FancyArrowPatch(
            points[-2],
            points[-1],
            arrowstyle="-|>",
            mutation_scale=12,
            color=LINE,
            linewidth=line,
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
        self.ax.add_patch(head)

    def frame(self, left: float, bottom: float, right: float, top: float) -> None:
        """Draw a dashed frame around what is repeated."""
        patch = FancyBboxPatch(
            (left, bottom),
            right - left,
            top - bottom,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor="#F7F7F7",
            edgecolor="#7A7A7A",
            linestyle="--",
            zorder=0,
        )
        self.ax.add_patch(patch)
        self.cover((left, bottom), (right, top))
