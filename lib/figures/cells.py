"""What all heat maps share: the cells, their labels and numbers, the figure's size."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure

from lib.figures.style import (
    FONT_SIZE,
    MAX_WIDTH,
    PHONE_WIDTH,
    WIDTH,
    Array,
    canvas,
    check_labels,
    ink_on,
)

ANNOTATED = 9
"""A matrix with more columns than this shows colors only, unless asked."""
LARGE = 24  # beyond this, cells touch, and only some indices are written
TOKENS = 27  # up to this, each name that was given is written
MISSING = "#C8C8C8"  # the color of what is not finite
CELL = 0.58  # inches: room for "−0.12" at the usual font size
LETTER = 0.6 * FONT_SIZE / 72  # inches that a letter takes, about

Labels = tuple[Sequence[str] | None, Sequence[str] | None]
"""One label for each row and one for each column; None stands for their indices."""


def longest(labels: Sequence[str] | None) -> float:
    """Room in inches for the longest of the labels."""
    return LETTER * max((len(label) for label in labels or [""]), default=0)


def figure_size(
    shape: tuple[int, ...], rows: Sequence[str] | None, columns: Sequence[str] | None
) -> tuple[float, float]:
    """Width and height in inches that a matrix with these labels needs."""
    height, width = shape
    limits = [LARGE if given is None else TOKENS for given in (rows, columns)]
    if height > limits[0] or width > limits[1]:
        return WIDTH, float(np.clip(4.6 * height / width, 2.4, 4.6))
    cell = min(CELL, 4.6 / width)
    across = width * cell + longest(rows) + 1.6
    down = height * max(0.2, min(CELL, 4.6 / height) * 0.8) + 1.0
    if leaning(columns, cell):
        down += 0.7 * longest(columns)
    widest = PHONE_WIDTH if width <= 16 else MAX_WIDTH
    return float(np.clip(across, 3.6, widest)), max(down, 2.0)


def leaning(columns: Sequence[str] | None, cell: float) -> bool:
    """Whether the names of columns this wide must lean to stay apart."""
    return longest(columns) > 0.92 * cell


def labels_of(
    matrix: Array,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    what: tuple[str, str],
) -> Labels:
    """Give the names of rows and columns, if there are as many as the matrix has."""
    return (
        check_labels(rows, matrix.shape[0], what[0], "rows"),
        check_labels(columns, matrix.shape[1], what[1], "columns"),
    )


def heat_map(
    ax: Axes | None,
    values: Array,
    colors: tuple[Colormap, float, float],
    labels: Labels,
    names: tuple[str, str] = ("", ""),
    title: str | None = None,
    decimals: int = 2,
    annotate: bool | None = True,
    colorbar: bool | None = False,
) -> tuple[Figure, Axes]:
    """Color one cell for each number, the first row on top, and name what stands there.

    Args:
        ax: axes to draw on; None makes a new figure.
        values: the numbers; what is not finite stays gray.
        colors: the colors, and the numbers at which they begin and end.
        labels: those of the rows and of the columns.
        names: what the rows and the columns are.
        title: title above the map.
        decimals: digits after the point of the numbers in the cells.
        annotate: write the numbers into the cells; None: if they fit.
        colorbar: draw the scale of the colors; None: if no numbers are written.
    """
    figure, ax = canvas(ax, *figure_size(values.shape, *labels), title)
    height, width = values.shape
    numbers = height <= 2 * ANNOTATED and width <= ANNOTATED
    numbers = numbers if annotate is None else annotate
    colorbar = not numbers if colorbar is None else colorbar
    cmap, low, high = colors
    ax.set_facecolor(MISSING)
    large = max(values.shape) > LARGE
    sns.heatmap(
        np.where(np.isfinite(values), values, np.nan),
        ax=ax,
        cmap=cmap,
        vmin=low,
        vmax=high,
        cbar=colorbar,
        cbar_kws={"shrink": 0.9, "aspect": 22} if colorbar else None,
        linewidths=0.0 if large else 1.0,
        linecolor="#D9D9D9",
        rasterized=large,
        xticklabels=False,
        yticklabels=False,
    )
    ax.set(ylabel=names[0], xlabel=names[1])
    _label_cells(ax, labels, values.shape)
    if numbers:
        _draw_numbers(ax, values, decimals)
    return figure, ax


def draw_hatch(ax: Axes, chosen: Array) -> None:
    """Hatch the chosen cells, so that they stand out without color."""
    ax.pcolor(
        np.ma.masked_where(~chosen, np.ones(chosen.shape)),
        hatch="////" if max(chosen.shape) <= LARGE else "",
        cmap=ListedColormap(["white"]),
        edgecolor="#8C8C8C",  # also the color of the hatch
        linewidth=0.5,
    )


def _label_cells(ax: Axes, labels: Labels, shape: tuple[int, ...]) -> None:
    """Name rows and columns; long names of columns lean."""
    height, width = shape
    rows, columns = labels
    for axis, given, count in ((ax.xaxis, columns, width), (ax.yaxis, rows, height)):
        step = 1 if given is not None and count <= TOKENS else _step(count)
        places = list(range(0, count, step))
        names = [str(p) if given is None else given[p] for p in places]
        axis.set_ticks([place + 0.5 for place in places], names)
        axis.set_tick_params(length=0 if step == 1 else 3)
    cell = ax.get_window_extent().width / ax.figure.dpi / width
    lean = leaning(columns, cell)
    # Narrow columns need upright names: leaning ones would run into each other.
    upright = lean and cell < 0.3
    ax.tick_params(axis="y", labelrotation=0)
    plt.setp(
        ax.get_xticklabels(),
        rotation=90 if upright else 45 if lean else 0,
        ha="right" if lean else "center",
        va="center" if upright else "top",
        rotation_mode="anchor",
    )


def _step(count: int) -> int:
    """A round distance that leaves at most nine names on a long axis."""
    if count <= LARGE:
        return 1 if count <= 16 else 2
    return next(s for s in (4, 5, 8, 10, 16, 20, 50, 64, 100, count) if count / s <= 9)


def _draw_numbers(ax: Axes, values: Array, decimals: int) -> None:
    """Write each number into its cell, in the ink that reads best there."""
    mesh = ax.collections[0]
    for (row, column), value in np.ndenumerate(values):
        back: Any = mesh.cmap(mesh.norm(value)) if np.isfinite(value) else MISSING
        ax.text(
            column + 0.5,
            row + 0.5,
            number(value, decimals),
            ha="center",
            va="center",
            color=ink_on(mpl.colors.to_hex(back)),
        )


def number(value: float, decimals: int) -> str:
    """Write a number with a true minus sign, and never as minus zero.

    Example:
        >>> number(-0.001, 2), number(-1.5, 1), number(float("-inf"), 2)
        ('0.00', '−1.5', '−∞')
    """
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{round(float(value), decimals) + 0.0:.{decimals}f}".replace("-", "−")
