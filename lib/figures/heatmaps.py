"""Heat maps: attention weights, masks, any matrix, and the way through attention."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lib.figures.cells import (
    draw_hatch,
    figure_size,
    heat_map,
    labels_of,
    number,
)
from lib.figures.curves import draw_bars
from lib.figures.style import (
    DIVERGING,
    PALETTE,
    ROLES,
    SEQUENTIAL,
    Array,
    as_array,
    canvas,
    check_labels,
    panels,
    shades,
)

BLOCKED, ATTENDED = "#FFFFFF", PALETTE["gray"]
TOKENS = ("queries", "keys")  # those that look, and those that are looked at


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
    labels = labels_of(matrix, queries, keys, TOKENS)
    colors = (SEQUENTIAL, 0.0, max(1.0, float(matrix.max())))
    return heat_map(ax, matrix, colors, labels, TOKENS, title, 2, annotate, colorbar)


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
    matrix = np.asarray(mask)
    if matrix.dtype != np.bool_:
        raise ValueError(
            f"Expected a boolean mask, but got {matrix.dtype}; compare it with "
            "something, for example `mask != 0`."
        )
    while matrix.ndim > 2 and matrix.shape[0] == 1:
        matrix = matrix[0]
    matrix = as_array(matrix, "mask (queries × keys)", 2)
    if matrix.shape[0] == 1:
        matrix = matrix.repeat(len(queries), axis=0)
    labels = labels_of(matrix, queries, keys, TOKENS)
    width, height = figure_size(matrix.shape, *labels)
    figure, ax = canvas(ax, width, height + 0.3)
    colors = (ListedColormap([BLOCKED, ATTENDED]), 0.0, 1.0)
    cells = matrix.astype(float)
    heat_map(ax, cells, colors, labels, TOKENS, title, annotate=False)
    draw_hatch(ax, ~matrix)
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
    labels = labels_of(
        values, row_labels, column_labels, ("row labels", "column labels")
    )
    finite = values[np.isfinite(values)]
    low, high = finite.min(initial=0.0), finite.max(initial=1e-12)
    signed = bool(low < 0) if signed is None else signed
    if signed:
        high = max(-low, high)
        low = -high
    colors = (DIVERGING if signed else SEQUENTIAL, low, high)
    names = (ylabel, xlabel)
    return heat_map(
        ax, values, colors, labels, names, title, decimals, annotate, colorbar
    )


def role_tables(
    words: Sequence[str],
    tables: Mapping[str, tuple[str, Any, Sequence[str]]],
) -> tuple[Figure, Array]:
    """Draw the vectors that words have in their roles, one table below the other.

    Args:
        words: the words, one per row of each table.
        tables: by title: the role (see `ROLES`), the numbers, and what each column
            stands for.

    Shape:
        numbers: (T, d)

    Returns:
        The figure and an array of its axes, one per table.

    Raises:
        ValueError: if a table does not fit its words or its columns.
    """
    checked = []
    for title, (role, numbers, columns) in tables.items():
        matrix = as_array(numbers, title, 2).astype(float)
        labels = labels_of(matrix, words, columns, ("words", "columns"))
        checked.append((title, matrix, _colors(role, matrix), labels))
    height = 0.36 * len(words) + 0.75
    figure, axes = panels(len(tables), 5.2, height * len(tables))
    for ax, (title, matrix, colors, labels) in zip(axes, checked, strict=True):
        heat_map(ax, matrix, colors, labels, title=title, decimals=0)
    return figure, axes


def _colors(role: str, numbers: Array) -> tuple[Colormap, float, float]:
    """The shades of a role, light enough for the numbers to be read on them."""
    top = float(abs(numbers).max()) or 1.0
    return shades(role), -1.4 * top, 1.4 * top


def attention_steps(
    query: str, keys: Sequence[str], scores: Any, weights: Any, values: Any
) -> tuple[Figure, Array]:
    """Draw one word's way through attention: scores, softmax, weighted sum (§3.2.1).

    Args:
        query: the word that looks.
        keys: the words that are looked at.
        scores: the scaled score of each key.
        weights: the weight of each key; they sum to 1.
        values: the value of each key.

    Shape:
        - scores and weights: (S)
        - values: (S, d_v)

    Returns:
        The figure and an array of its three axes.

    Raises:
        ValueError: if there is not one score, weight and value for each key.
    """
    score, weight = (as_array(x, "scores and weights", 1) for x in (scores, weights))
    value = as_array(values, "values (keys × numbers)", 2).astype(float)
    for numbers, what in ((score, "scores"), (weight, "weights"), (value, "values")):
        check_labels(keys, len(numbers), "keys", what)
    count = len(keys)
    ratios = (count, count, count + 1)
    figure, axes = panels(3, 5.2, 1.2 * count + 3.2, height_ratios=ratios)
    _bars(axes[0], keys, score, "key", f"1. {query} compares: scaled scores")
    _bars(axes[1], keys, weight, "weight", "2. softmax shares out: weights")
    parts = weight[:, None] * value
    mixed = np.concatenate([parts, parts.sum(axis=0, keepdims=True)])
    rows = [f"{number(w, 2)} × {k}" for w, k in zip(weight, keys, strict=True)]
    labels = ([*rows, "sum"], [f"number {i + 1}" for i in range(value.shape[1])])
    title = "3. the values are mixed"
    heat_map(axes[2], mixed, _colors("value", value), labels, title=title)
    axes[2].axhline(count, color="black", linewidth=2)
    return figure, axes


def _bars(
    ax: Axes, names: Sequence[str], lengths: Array, role: str, title: str
) -> None:
    """Draw horizontal bars of one role, on both sides of zero."""
    draw_bars(ax, names, lengths, ROLES[role], height=0.6, room=0.22)
    ax.axvline(0, color="black", linewidth=1)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="x", length=0, labelbottom=False)
    ax.set_title(title)
