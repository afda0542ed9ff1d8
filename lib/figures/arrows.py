"""Vectors of two numbers as arrows from one point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.style import ROLES, as_array, zero_lines


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
    if not vectors:
        raise ValueError("Expected at least one vector to draw, but got none.")
    tips = {name: as_array(v, f"the vector {name!r}", 1) for name, v in vectors.items()}
    for name, tip in tips.items():
        if len(tip) != 2:
            raise ValueError(
                f"Expected two numbers for {name!r}, but got {len(tip)}: only vectors "
                "of two numbers can be drawn as arrows on a page."
            )
    reach = max(float(abs(tip).max()) for tip in tips.values())
    figure, ax = plt.subplots(figsize=(5.2, 3.6))
    zero_lines(ax)
    for name, (x, y) in tips.items():
        color = ROLES[(roles or {}).get(name, "word")]
        style = {"arrowstyle": "-|>", "color": color, "lw": 2.5, "mutation_scale": 16}
        ax.annotate(
            "", (x, y), (0, 0), arrowprops={**style, "shrinkA": 0, "shrinkB": 0}
        )
        side = "left" if x > 0 else "right"
        ax.text(x + 0.06 * reach * (1 if x > 0 else -1), y, name, ha=side, va="center")
    xs, ys = [tip[0] for tip in tips.values()], [tip[1] for tip in tips.values()]
    room = 0.75 * reach  # for the names
    ax.set_xlim(min(0.0, *xs) - room, max(0.0, *xs) + room)
    ax.set_ylim(min(0.0, *ys) - 0.2 * reach, max(0.0, *ys) + 0.2 * reach)
    ax.set(aspect="equal", xlabel="number 1", ylabel="number 2")
    return figure, ax
