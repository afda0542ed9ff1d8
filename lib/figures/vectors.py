"""Vectors of two numbers as arrows, and position encodings as clocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from lib.figures.style import (
    PALETTE,
    ROLES,
    Array,
    as_array,
    panels,
    zero_lines,
)

ARROW = {"arrowstyle": "-|>", "mutation_scale": 16, "color": PALETTE["black"]}


def arrows(
    vectors: Mapping[str, Sequence[float]],
    roles: Mapping[str, str] | None = None,
) -> tuple[Figure, Axes]:
    """Draw vectors of two numbers as arrows, each with its name at the tip.

    Args:
        vectors: the two numbers of each arrow, by name.
        roles: what each arrow is, which gives its color (see `ROLES`); an arrow that
            is not named is a word.

    Raises:
        ValueError: if there is no vector, or one has not two numbers.
    """
    tips = {name: as_array(v, f"the vector {name!r}", 1) for name, v in vectors.items()}
    if not tips or any(len(tip) != 2 for tip in tips.values()):
        raise ValueError(
            "Expected one vector or more, of two numbers each, but got "
            f"{dict(vectors)}: only those can be drawn as arrows on a page."
        )
    reach = max(float(abs(tip).max()) for tip in tips.values())
    figure, ax = plt.subplots(figsize=(5.2, 3.6))
    zero_lines(ax)
    for name, (x, y) in tips.items():
        color = ROLES[(roles or {}).get(name, "word")]
        look = {**ARROW, "color": color, "linewidth": 2.5, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x, y), (0, 0), arrowprops=look)
        side = "left" if x > 0 else "right"
        ax.text(x + 0.06 * reach * (1 if x > 0 else -1), y, name, ha=side, va="center")
    corners = np.array([(0.0, 0.0), *tips.values()])
    room = np.array([0.75, 0.2]) * reach  # for the names
    (left, low), (right, high) = corners.min(0) - room, corners.max(0) + room
    ax.set(xlim=(left, right), ylim=(low, high))
    ax.set(aspect="equal", xlabel="number 1", ylabel="number 2")
    return figure, ax


def clock(pair: Any, shift: int | None = None) -> tuple[Figure, Axes]:
    """Draw one sine/cosine pair (§3.5) as points on the unit circle, one per position.

    Args:
        pair: one row per position: its sine and its cosine.
        shift: also draw an arrow from the tip of each of the first positions to the
            tip that stands this many positions further on.

    Shape:
        pair: (T, 2)

    Raises:
        ValueError: if there are not two columns, or the shift leaves no position.
    """
    points = as_array(pair, "a pair (positions × [sine, cosine])", 2)
    if points.shape[1] != 2:
        raise ValueError(
            "Expected two columns, a sine and its cosine, but got "
            f"{points.shape[1]}; take for example `encoding[:, 0:2]`."
        )
    if shift is not None and not 0 < shift < len(points):
        raise ValueError(
            f"Expected a shift from 1 to {len(points) - 1}, but got {shift}."
        )
    figure, ax = plt.subplots(figsize=(4.2, 4.2))
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor="#9A9A9A"))
    zero_lines(ax)
    sines, cosines = points[:, 0], points[:, 1]
    ax.plot(cosines, sines, "o", color=ROLES["position"], markersize=9)
    for position, (sine, cosine) in enumerate(points):
        ax.text(1.19 * cosine, 1.19 * sine, str(position), ha="center", va="center")
    if shift is not None:
        _turns(ax, points, shift)
    ax.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), xlabel="cosine", ylabel="sine")
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    ax.set_aspect("equal")
    return figure, ax


def _turns(ax: Axes, points: Array, shift: int) -> None:
    """Draw an arrow from the tip of each of the first positions to the shifted one."""
    for start, dashes in enumerate(("-", "--", ":")[: len(points) - shift]):
        end, begin = points[[start + shift, start], ::-1]  # cosine, sine
        look = {**ARROW, "linewidth": 1.8, "linestyle": dashes, "shrinkA": 5}
        ax.annotate("", end, begin, arrowprops={**look, "shrinkB": 5})


def clock_faces(
    positions: Sequence[int], frequencies: Mapping[str, float]
) -> tuple[Figure, Array]:
    """Draw one clock below the other, each with its hand at the same positions (§3.5).

    Args:
        positions: the positions, from 0.
        frequencies: by title: the angle in radians by which a clock's hand turns from
            one position to the next.

    Returns:
        The figure and an array of its axes, one per clock.

    Raises:
        ValueError: if there is no position or no clock.
    """
    if not positions or not frequencies:
        raise ValueError("Expected at least one position and one clock, but got none.")
    figure, axes = panels(len(frequencies), 4.6, 2.9 * len(frequencies))
    for ax, (title, frequency) in zip(axes, frequencies.items(), strict=True):
        _face(ax, positions, frequency)
        ax.set_title(title)
    return figure, axes


def _face(ax: Axes, positions: Sequence[int], frequency: float) -> None:
    """Draw the hands; hands that lie on one another share their name."""
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor="#9A9A9A"))
    tips: dict[tuple[float, float], list[int]] = {}
    for position in positions:
        y, x = math.sin(position * frequency), math.cos(position * frequency)
        near = next((tip for tip in tips if math.dist(tip, (x, y)) < 0.1), (x, y))
        tips.setdefault(near, []).append(position)
        ax.plot([0, x], [0, y], color=ROLES["position"], linestyle="-", linewidth=2.5)
        ax.plot([x], [y], "o", color=ROLES["position"], markersize=8)
    for (x, y), here in tips.items():
        name = ", ".join(map(str, here))
        ax.text(1.12 * x, 1.12 * y, name, ha="left" if x > 0 else "right", va="center")
    ax.set(xlim=(-1.9, 1.9), ylim=(-1.2, 1.2), aspect="equal")
    ax.axis("off")
