"""Heat maps: attention weights, masks, and matrices of any size with their numbers."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lib.figures.cells import (
    draw_cells,
    draw_hatch,
    draw_numbers,
    figure_size,
    longest,
    name_axes,
    wants_numbers,
)
from lib.figures.style import (
    DIVERGING,
    MAX_WIDTH,
    PALETTE,
    SEQUENTIAL,
    Array,
    as_array,
    canvas,
    check_labels,
)

BLOCKED, ATTENDED = "#FFFFFF", PALETTE["gray"]


def attention_map(
    weights: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    ax: Axes | None = None,
    title: str | None = None,
    annotate: bool | None = None,
    colorbar: bool | None = None,
) -> tuple[Figure, Axes]:
    """Draw one head's attention weights: each row is a query and adds up to 1.

    Args:
        weights: the weights, one row per query and one column per key.
        queries: the tokens that attend, one per row.
        keys: the tokens that are attended to, one per column.
        ax: axes to draw on; None makes a new figure.
        title: title above the map.
        annotate: write each weight into its cell; None: if it fits.
        colorbar: draw the scale of the colors; None: if no numbers are written.

    Shape:
        weights: (T, S)

    Raises:
        ValueError: if the weights do not fit the tokens.
    """
    matrix = as_array(weights, "weights (queries × keys)", 2)
    rows = check_labels(queries, matrix.shape[0], "queries", "rows")
    columns = check_labels(keys, matrix.shape[1], "keys", "columns")
    figure, ax = canvas(ax, *figure_size(matrix.shape, rows, columns))
    numbers = wants_numbers(annotate, matrix)
    bar = not numbers if colorbar is None else colorbar
    draw_cells(ax, matrix, SEQUENTIAL, 0.0, max(1.0, float(matrix.max())), bar)
    name_axes(ax, rows, columns, "queries", "keys", title)
    if numbers:
        draw_numbers(ax, matrix, 2)
    return figure, ax


def attention_grid(
    weights: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    titles: Sequence[str] | None = None,
    columns: int | None = None,
) -> tuple[Figure, Array]:
    """Draw the weights of several heads side by side, with one scale for all.

    Args:
        weights: one matrix of weights per head.
        queries: the tokens that attend, one per row.
        keys: the tokens that are attended to, one per column.
        titles: one title per head; None: "head 1", "head 2", ….
        columns: how many maps stand in a row; None: what the width allows.

    Shape:
        weights: (H, T, S)

    Returns:
        The figure and an array of its axes, one per head.

    Raises:
        ValueError: if the weights do not fit the tokens or the titles.
    """
    heads = as_array(weights, "weights (heads × queries × keys)", 3)
    rows = check_labels(queries, heads.shape[1], "queries", "rows")
    names = check_labels(keys, heads.shape[2], "keys", "columns")
    titles = [f"head {h + 1}" for h in range(len(heads))] if titles is None else titles
    titles = check_labels(titles, len(heads), "titles", "heads")
    if columns is None:
        columns = 4 if heads.shape[2] <= 6 else 2
    columns = max(1, min(columns, len(heads)))
    lines = -(-len(heads) // columns)
    cell = min(0.45, (MAX_WIDTH - 2) / (columns * heads.shape[2]))
    height = lines * (cell * heads.shape[1] + 0.4) + longest(names) + 0.5
    width = columns * (cell * heads.shape[2] + 0.2) + longest(rows) + 1.2
    figure, grid = plt.subplots(
        lines,
        columns,
        figsize=(min(max(width, 4.0), MAX_WIDTH), height),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    axes = grid.ravel()
    for index, ax in enumerate(axes):
        if index >= len(heads):
            ax.set_visible(False)
            continue
        draw_cells(ax, heads[index], SEQUENTIAL, 0.0, 1.0, False)
        name_axes(ax, rows, names, "", "", titles[index])
        below = index + columns >= len(heads)
        ax.tick_params(labelleft=index % columns == 0, labelbottom=below)
    figure.supylabel("queries", fontsize=plt.rcParams["axes.labelsize"])
    figure.supxlabel("keys", fontsize=plt.rcParams["axes.labelsize"])
    figure.colorbar(axes[0].collections[0], ax=list(axes), shrink=0.8, aspect=25)
    return figure, axes[: len(heads)]


def mask_map(
    mask: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
) -> tuple[Figure, Axes]:
    """Draw a boolean mask (True = may be attended to), blocked cells hatched.

    Args:
        mask: the mask; leading axes of size 1 are dropped, and a single row counts
            for every query.
        queries: the tokens that attend, one per row.
        keys: the tokens that are attended to, one per column.
        ax: axes to draw on; None makes a new figure.
        title: title above the map.
        legend: say below the map which cell means what.

    Shape:
        mask: (T, S), or (1, S) for every query alike

    Raises:
        ValueError: if the mask is not boolean or does not fit the tokens.
    """
    if isinstance(mask, list | tuple):
        mask = np.asarray(mask)
    while mask.ndim > 2 and mask.shape[0] == 1:
        mask = mask[0]
    matrix = as_array(mask, "mask (queries × keys)", 2)
    if matrix.dtype != np.bool_:
        raise ValueError(
            f"Expected a boolean mask, but got {matrix.dtype}; compare it with "
            "something, for example `mask != 0`."
        )
    if matrix.shape[0] == 1:
        matrix = matrix.repeat(len(queries), axis=0)
    rows = check_labels(queries, matrix.shape[0], "queries", "rows")
    columns = check_labels(keys, matrix.shape[1], "keys", "columns")
    width, height = figure_size(matrix.shape, rows, columns)
    figure, ax = canvas(ax, width, height + 0.3)
    colors = ListedColormap([BLOCKED, ATTENDED])
    draw_cells(ax, matrix.astype(float), colors, 0.0, 1.0, False)
    draw_hatch(ax, ~matrix)
    name_axes(ax, rows, columns, "queries", "keys", title)
    if legend:
        seen = Patch(facecolor=ATTENDED, edgecolor="gray", label="may be attended to")
        cut = Patch(facecolor=BLOCKED, edgecolor="gray", hatch="////", label="blocked")
        figure.legend(handles=[seen, cut], loc="outside lower center", ncols=2)
    return figure, ax


def value_map(
    matrix: Any,
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    signed: bool | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    xlabel: str = "",
    ylabel: str = "",
    annotate: bool | None = None,
    decimals: int = 2,
    colorbar: bool | None = None,
) -> tuple[Figure, Axes]:
    """Draw any matrix: a small one with its numbers, a large one as colors.

    Args:
        matrix: the numbers, row 0 at the top.
        row_labels: one label per row; None: the row's index.
        column_labels: one label per column; None: the column's index.
        signed: colors on both sides of a white zero; None: if a number is negative.
        ax: axes to draw on; None makes a new figure.
        title: title above the map.
        xlabel: name of the columns.
        ylabel: name of the rows.
        annotate: write each number into its cell; None: if it fits.
        decimals: digits after the point.
        colorbar: draw the scale of the colors; None: if no numbers are written.

    Raises:
        ValueError: if the labels do not fit the matrix.
    """
    values = as_array(matrix, "a matrix", 2).astype(float)
    rows = None if row_labels is None else list(row_labels)
    columns = None if column_labels is None else list(column_labels)
    if rows is not None:
        rows = check_labels(rows, values.shape[0], "row labels", "rows")
    if columns is not None:
        columns = check_labels(columns, values.shape[1], "column labels", "columns")
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    signed = bool(low < 0) if signed is None else signed
    if signed:
        high = max(abs(low), abs(high), 1e-12)
        low = -high
    else:
        low, high = min(0.0, low), max(high, 1e-12)
    figure, ax = canvas(ax, *figure_size(values.shape, rows, columns))
    numbers = wants_numbers(annotate, values)
    bar = not numbers if colorbar is None else colorbar
    draw_cells(ax, values, DIVERGING if signed else SEQUENTIAL, low, high, bar)
    name_axes(ax, rows, columns, ylabel, xlabel, title)
    if numbers:
        draw_numbers(ax, values, decimals)
    return figure, ax
