"""A tree of beginnings: what a search looks at, and what it keeps."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.sketch import Box, Sketch, text_width

HEIGHT = 0.75  # inches between two rows
GAPS = {True: 1.1, False: 0.42}  # between two steps, with numbers on arrows and without


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
    sketch, boxes = Sketch(), {}
    columns = _columns(known, GAPS[shares])
    for begin, y in _rows(probabilities).items():
        x, width = columns[len(begin.split())]
        kind = "attention" if begin in kept else "plain"
        boxes[begin] = sketch.box(x, y, _text(begin, known[begin]), kind, width)
    for begin in probabilities:
        parent = _parent(begin)
        share = known[begin] / known[parent] if known[parent] else 0.0
        label = f"{share:.2f}" if shares else ""
        _branch(sketch, boxes[parent], boxes[begin], label)
    return sketch.finish()


def _text(begin: str, probability: float) -> str:
    return f"{begin.split()[-1]}\n{probability:.2f}" if begin else "<sos>"


def _columns(known: Mapping[str, float], gap: float) -> list[tuple[float, float]]:
    """Give each step the middle and the width of its column, in inches."""
    columns: list[tuple[float, float]] = []
    right = -gap
    for step in range(1 + max(len(begin.split()) for begin in known)):
        texts = [_text(b, p) for b, p in known.items() if len(b.split()) == step]
        width = max(map(text_width, texts)) + 0.3
        columns.append((right + gap + width / 2, width))
        right += gap + width
    return columns


def _parent(begin: str) -> str:
    return begin.rpartition(" ")[0]


def _rows(beginnings: Collection[str]) -> dict[str, float]:
    """Give each leaf its own row, and each other one the middle of its children."""
    rows: dict[str, float] = {}
    free = itertools.count()

    def place(begin: str) -> float:
        heights = [place(b) for b in beginnings if _parent(b) == begin]
        ends = (heights[0], heights[-1]) if heights else (-HEIGHT * next(free),) * 2
        rows[begin] = sum(ends) / 2
        return rows[begin]

    place("")
    return rows


def _branch(sketch: Sketch, parent: Box, child: Box, label: str) -> None:
    start, end = parent.right, child.left
    sketch.path([start, end])
    if not label:
        return
    rise = end[1] - start[1]
    away = 0.12 + 0.18 * abs(rise)  # a steep arrow needs more room beside it
    middle = ((start[0] + end[0]) / 2, start[1] + rise / 2)
    sketch.text((middle[0], middle[1] + (away if rise >= 0 else -away)), label)
