"""Clock faces: where hands of different speeds stand at some positions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from lib.figures.roles import ROLES
from lib.figures.style import Array


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
    figure, grid = plt.subplots(
        len(frequencies), 1, figsize=(4.6, 2.9 * len(frequencies)), squeeze=False
    )
    axes = grid.ravel()
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
