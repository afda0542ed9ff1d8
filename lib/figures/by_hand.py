"""Attention for a few words: the roles, and one word's way through the three steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from matplotlib.figure import Figure

from lib.figures.cells import heat_map, number
from lib.figures.style import ROLES, Array, as_array, check_labels, panels, shades


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
        rows = check_labels(words, len(matrix), "words", "rows")
        names = check_labels(columns, matrix.shape[1], "columns", "columns")
        checked.append((title, matrix, _colors(role, matrix), (rows, names)))
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
    heat_map(axes[2], mixed, _colors("value", value), labels, title=title, decimals=2)
    axes[2].axhline(count, color="black", linewidth=2)
    return figure, axes


def _bars(
    ax: Axes, names: Sequence[str], lengths: Array, role: str, title: str
) -> None:
    """Draw horizontal bars, the first on top, with their numbers at the end."""
    drawn = ax.barh(range(len(names)), lengths, color=ROLES[role], height=0.6)
    ax.bar_label(drawn, [number(length, 2) for length in lengths], padding=4)
    ax.set_yticks(range(len(names)), list(names))
    ax.invert_yaxis()
    ax.margins(x=0.22)
    ax.axvline(0, color="black", linewidth=1)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(axis="both", length=0, labelbottom=False)
    ax.set_title(title)
