"""Lines, bars and circles: what changes over steps, positions, depth or angle."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lib.figures.cells import number
from lib.figures.style import (
    CYCLE,
    LINE_STYLES,
    MARKERS,
    PALETTE,
    WIDTH,
    Array,
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
    labels: str = "legend",
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
        labels: "legend", or "direct" for names at the right end of the lines.

    Raises:
        ValueError: if a line has not one value per point of `x`.
    """
    places = as_array(x, "x", 1)
    lines = {name: as_array(y, f"values of {name!r}", 1) for name, y in series.items()}
    for name, y in lines.items():
        if len(y) != len(places):
            raise ValueError(
                f"Expected {len(places)} values for {name!r}, one for each point of "
                f"x, but got {len(y)}."
            )
    if labels not in ("legend", "direct"):
        raise ValueError(f'Expected labels "legend" or "direct", but got {labels!r}.')
    figure, ax = canvas(ax, WIDTH, 3.6, title)
    _draw(ax, {name: (places, y) for name, y in lines.items()}, xlabel, ylabel)
    if logx:
        ax.set_xscale("log")
    if logy:
        ax.set_yscale("log")
    if labels == "direct":
        _names_at_end(ax, places, lines)
    elif len(lines) > 1:
        ax.legend(handlelength=3.0)
    return figure, ax


def _draw(
    ax: Axes, lines: Mapping[str, tuple[Array, Array]], xlabel: str, ylabel: str
) -> None:
    """Draw each line from where its points stand and how high they are."""
    for index, (name, (x, y)) in enumerate(lines.items()):
        ax.plot(
            x,
            y,
            label=name,
            color=PALETTE[CYCLE[index % len(CYCLE)]],
            linestyle=LINE_STYLES[index % len(LINE_STYLES)],
            marker=MARKERS[index % len(MARKERS)] if len(x) <= FEW else None,
        )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(True, axis="y", linewidth=0.8)
    ax.set_axisbelow(True)


def _names_at_end(ax: Axes, x: Array, lines: Mapping[str, Array]) -> None:
    """Write each name at the right end of its line, moved apart where they meet."""
    low, high = ax.get_ylim()
    to_screen = ax.transData.transform
    gap = 15.0 * ax.figure.dpi / 72
    order = sorted(lines, key=lambda name: float(lines[name][-1]))
    last = -np.inf
    for name in order:
        point = float(np.clip(lines[name][-1], low, high))
        pixel = max(to_screen((x[-1], point))[1], last + gap)
        last = pixel
        shift = (pixel - to_screen((x[-1], point))[1]) * 72 / ax.figure.dpi
        ax.annotate(
            name,
            (float(x[-1]), point),
            xytext=(8, shift),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
        )


def bars(
    values: Mapping[str, float],
    ylabel: str = "",
    title: str | None = None,
    decimals: int = 2,
    ax: Axes | None = None,
) -> tuple[Figure, Axes]:
    """Draw one horizontal bar per name, with its number at the end.

    Args:
        values: the length of each bar by name, top to bottom.
        ylabel: what the lengths measure, with the unit.
        title: title above the bars.
        decimals: digits after the point.
        ax: axes to draw on; None makes a new figure.

    Raises:
        ValueError: if there are no values.
    """
    if not values:
        raise ValueError("Expected at least one value to draw a bar for, but got none.")
    lengths = [float(value) for value in values.values()]
    figure, ax = canvas(ax, WIDTH, 0.42 * len(values) + 1.1, title)
    drawn = ax.barh(list(values), lengths, color=PALETTE["blue"], height=0.65)
    written = [number(length, decimals) for length in lengths]
    ax.bar_label(drawn, written, padding=4)
    ax.margins(x=0.14)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(ylabel)
    if min(lengths) < 0:
        ax.axvline(0, color="black", linewidth=1)
        ax.spines["left"].set_visible(False)
    return figure, ax


def training_curves(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[str] | None = None,
    x: str = "step",
    ylabel: str = "loss",
    logy: bool = False,
    title: str | None = None,
    ax: Axes | None = None,
) -> tuple[Figure, Axes]:
    """Draw what a training logged; a row may lack some of the metrics.

    Args:
        rows: one mapping per logged step, such as `{"step": 10, "train_loss": 2.1}`.
        metrics: the names to draw; None: every one but `x`.
        x: the name that says where a row stands.
        ylabel: name of the vertical axis.
        logy: use a logarithmic vertical axis.
        title: title above the lines.
        ax: axes to draw on; None makes a new figure.

    Raises:
        ValueError: if a metric stands in no row.
    """
    if metrics is None:
        metrics = list(dict.fromkeys(key for row in rows for key in row if key != x))
    found = {m: [(r[x], r[m]) for r in rows if r.get(m) is not None] for m in metrics}
    for metric, points in found.items():
        if not points:
            raise ValueError(
                f"Expected the metric {metric!r} in a row of the log, but none has it."
            )
    if not found:
        raise ValueError("Expected at least one logged row, but got none.")
    figure, ax = canvas(ax, WIDTH, 3.6, title)
    lines = {m.replace("_", " "): np.array(p, dtype=float).T for m, p in found.items()}
    _draw(ax, {name: (line[0], line[1]) for name, line in lines.items()}, x, ylabel)
    if logy:
        ax.set_yscale("log")
    if len(found) > 1:
        ax.legend(handlelength=3.0)
    return figure, ax


def gradient_norms(
    norms: Mapping[str, Any],
    ylabel: str = "gradient norm",
    title: str | None = None,
    ax: Axes | None = None,
) -> tuple[Figure, Axes]:
    """Draw how large the gradient is in each layer, one line per kind of network.

    Args:
        norms: for each network its norms, from the first layer to the last.
        ylabel: name of the vertical axis (logarithmic).
        title: title above the lines.
        ax: axes to draw on; None makes a new figure.

    Raises:
        ValueError: if the networks have different depths.
    """
    depth = max((len(values) for values in norms.values()), default=0)
    layers = np.arange(1, depth + 1)
    figure, ax = line_curves(
        layers, norms, "layer (1 is next to the input)", ylabel, False, True, title, ax
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure, ax
