"""An embedding as a table: each token picks out its row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.cells import number
from lib.figures.sketch import FILLS, LINE, Point, Sketch, text_width
from lib.figures.style import Array, as_array, check_labels

ROW, COLUMN = 0.42, 0.62  # inches: the size of a number's cell
GAP = 0.62  # inches for the arrows


def table_lookup(
    tokens: Sequence[str], ids: Sequence[int], table: Any, names: Sequence[str]
) -> tuple[Figure, Axes]:
    """Draw how tokens become vectors: their ids pick rows out of a table (§3.4).

    Args:
        tokens: the tokens of a sentence.
        ids: their token ids.
        table: the embedding table, one row for each entry of the vocabulary.
        names: the vocabulary, one name for each row of the table.

    Shape:
        table: (V, D)

    Raises:
        ValueError: if an id has no row, or the names do not fit the table.
    """
    rows = as_array(table, "a table (entries × numbers)", 2)
    names = check_labels(names, len(rows), "names", "rows")
    for index in ids:
        if not 0 <= index < len(rows):
            raise ValueError(
                f"Expected ids from 0 to {len(rows) - 1}, but got the id {index}."
            )
    labels = [f"{token}: {index}" for token, index in zip(tokens, ids, strict=True)]
    sketch = Sketch()
    wide = max(text_width(label) for label in labels) + 0.25
    named = [f"{name} {index}" for index, name in enumerate(names)]
    left = wide + GAP + max(text_width(name) for name in named) + 0.1
    right = left + rows.shape[1] * COLUMN + GAP
    begin = (
        ROW * (len(rows) - len(tokens)) / 2
    )  # the shorter columns stand in the middle
    top = 0.5
    for x, title in (
        (wide / 2, "tokens"),
        (left + rows.shape[1] * COLUMN / 2, "the table"),
        (right + rows.shape[1] * COLUMN / 2, "vectors"),
    ):
        sketch.text((x, top), title)
    for index, name in enumerate(named):
        sketch.text((left - 0.08, -ROW * index), name, "right")
        _row(sketch, (left, -ROW * index), rows[index], index in ids)
    for place, (label, index) in enumerate(zip(labels, ids, strict=True)):
        y = -begin - ROW * place
        box = sketch.box(wide / 2, y, label, "plain", wide, ROW - 0.06)
        sketch.arrow(box.right, (wide + GAP - 0.06, -ROW * index))
        _row(sketch, (right, y), rows[index], True)
        sketch.arrow((left + rows.shape[1] * COLUMN, -ROW * index), (right - 0.02, y))
    return sketch.finish()


def _row(sketch: Sketch, start: Point, numbers: Array, chosen: bool) -> None:
    """Draw one row of numbers from its left end on; chosen ones are colored."""
    x, y = start
    for place, value in enumerate(numbers):
        corner = (x + place * COLUMN, y - ROW / 2 + 0.03)
        fill = FILLS["embedding"] if chosen else "#FFFFFF"
        edge = LINE if chosen else "#9A9A9A"
        text = number(float(value), 1)
        sketch.cell(corner, COLUMN, ROW - 0.06, text, fill, edgecolor=edge)
    sketch.cover((x, y - ROW / 2), (x + len(numbers) * COLUMN, y + ROW / 2))
