"""Lines, bars and circles: what changes over steps, positions, depth or angle."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.cells import number
from lib.figures.style import (
    CYCLE,
    LINE_STYLES,
    MARKERS,
    PALETTE,
    ROLES,
    WIDTH,
    as_array,
    canvas,
)

FEW = 30
"""Lines with no more points than this show each point with a marker."""


def line_curves(
    x: Any,
    series: Mapping[str, Any],
    xlabel: str,
    ylabel: str,
    logx: bool = False,
    logy: bool = False,
    title: str | None = None,
    ax: Axes | None = None,
    mistakes: Collection[str] = (),
) -> tuple[Figure, Axes]:
    """Draw one line per name, told apart by color, dashes and markers.

    Args:
        x: where the points stand; shared by all lines.
        series: the name of each line, and its values.
        xlabel: name of the horizontal axis, with its unit.
        ylabel: name of the vertical axis, with its unit.
        logx: use a logarithmic horizontal axis.
        logy: use a logarithmic vertical axis.
        title: title above the lines.
        ax: axes to draw on; None makes a new figure.
        mistakes: names of lines that take the color of what is wrong.

    Raises:
        ValueError: if a line has not one value per point of `x`, or a mistake no line.
    """
    places = as_array(x, "x", 1)
    lines = {name: as_array(y, f"values of {name!r}", 1) for name, y in series.items()}
    for name, y in lines.items():
        if len(y) != len(places):
            raise ValueError(
                f"Expected {len(places)} values for {name!r}, one for each point of "
                f"x, but got {len(y)}."
            )
    for name in mistakes:
        if name not in lines:
            raise ValueError(f"Expected mistakes of {list(lines)}, but got {name!r}.")
    figure, ax = canvas(ax, WIDTH, 3.6, title)
    for index, (name, y) in enumerate(lines.items()):
        color = PALETTE[CYCLE[index % len(CYCLE)]]
        ax.plot(
            places,
            y,
            label=name,
            color=ROLES["mistake"] if name in mistakes else color,
            linestyle=LINE_STYLES[index % len(LINE_STYLES)],
            marker=MARKERS[index % len(MARKERS)] if len(places) <= FEW else None,
        )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_xscale("log" if logx else "linear")
    ax.set_yscale("log" if logy else "linear")
    ax.grid(True, axis="y", linewidth=0.8)
    ax.set_axisbelow(True)
    if len(lines) > 1:
        ax.legend(handlelength=3.0)
    return figure, ax


def bars(
    values: Mapping[str, float],
    ylabel: str = "",
    decimals: int = 2,
    ax: Axes | None = None,
) -> tuple[Figure, Axes]:
    """Draw one horizontal bar per name, with its number at the end.

    Args:
        values: the length of each bar by name, top to bottom.
        ylabel: what the lengths measure, with the unit.
        decimals: digits after the point.
        ax: axes to draw on; None makes a new figure.

    Raises:
        ValueError: if there are no values.
    """
    if not values:
        raise ValueError("Expected at least one value to draw a bar for, but got none.")
    lengths = [float(value) for value in values.values()]
    figure, ax = canvas(ax, WIDTH, 0.42 * len(values) + 1.1)
    draw_bars(ax, list(values), lengths, PALETTE["slate"], 0.65, 0.14, decimals)
    ax.set_xlabel(ylabel)
    if min(lengths) < 0:
        ax.axvline(0, color="black", linewidth=1)
        ax.spines["left"].set_visible(False)
    return figure, ax


def draw_bars(
    ax: Axes,
    names: Sequence[str],
    lengths: Any,
    color: str,
    height: float,
    room: float,
    decimals: int = 2,
) -> None:
    """Draw horizontal bars, the first on top, with their numbers at the end."""
    drawn = ax.barh(range(len(names)), lengths, color=color, height=height)
    ax.bar_label(drawn, [number(length, decimals) for length in lengths], padding=4)
    ax.set_yticks(range(len(names)), list(names))
    ax.invert_yaxis()
    ax.margins(x=room)
    ax.tick_params(axis="y", length=0)


def training_curves(
    rows: Sequence[Mapping[str, float]],
    x: str = "step",
    ylabel: str = "loss",
    ax: Axes | None = None,
) -> tuple[Figure, Axes]:
    """Draw what a training logged.

    Args:
        rows: one mapping per logged step, such as `{"step": 10, "train_loss": 2.1}`,
            all with the same names.
        x: the name that says where a row stands; every other one is drawn.
        ylabel: name of the vertical axis.
        ax: axes to draw on; None makes a new figure.

    Raises:
        ValueError: if nothing was logged, or a row lacks what the first one has.
    """
    if not rows or any(row.keys() != rows[0].keys() for row in rows):
        raise ValueError("Expected rows of a log, all with the same names.")
    lines = {
        name.replace("_", " "): [row[name] for row in rows]
        for name in rows[0]
        if name != x
    }
    return line_curves([row[x] for row in rows], lines, x, ylabel, ax=ax)
