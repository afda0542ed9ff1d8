"""The house style: colors that color-blind readers and printers can tell apart."""

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
import torch
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

Array = npt.NDArray[Any]

# First Okabe and Ito's palette (2008), made for all common kinds of color vision.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "black": "#000000",
    "green": "#009E73",
    "purple": "#CC79A7",
    "vermilion": "#D55E00",
    "sky": "#56B4E9",
    "gray": "#6E6E6E",
    # For lines and bars, whose colors have no role.
    "slate": "#3F4E63",
    "olive": "#8F8A00",
    "wine": "#7A1540",
    "steel": "#8797A8",
    "violet": "#5E45A3",
    "brown": "#7D4E22",
    "sand": "#B9A37A",
}
# What a strong color stands for, the same in every chapter.
ROLES = {
    "word": PALETTE["purple"],
    "position": PALETTE["sky"],
    "query": PALETTE["blue"],
    "key": PALETTE["orange"],
    "value": PALETTE["green"],
    "weight": PALETTE["black"],
    "mistake": PALETTE["vermilion"],
}
"""The color of each role: words and their vectors, positions, queries, keys, values,
attention weights, and what is wrong."""
# The order in which lines take their colors: none has a role, and neighbors differ in
# lightness too.
CYCLE = ("slate", "olive", "wine", "steel", "violet", "sand", "brown")
LINE_STYLES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

# From white to almost black, so that darkness alone tells a weight.
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "book_sequential", ["#FFFFFF", "#A9D5F0", "#3A93C8", "#00527F", "#001B2B"]
)
# Negative blue, zero white, positive orange; blue ends darker, for gray prints.
DIVERGING = LinearSegmentedColormap.from_list(
    "book_diverging", ["#00324E", "#0072B2", "#FFFFFF", "#F0A860", "#C46A10"]
)

WIDTH = 5.6
"""The usual width of a figure, in inches; none is wider than `MAX_WIDTH`."""
MAX_WIDTH = 7.0
PHONE_WIDTH = 5.7
"""Up to this width, text is at least 9 pixels high on a phone 390 pixels wide."""
FONT_SIZE = 11.0


def apply_style() -> None:
    """Set matplotlib's defaults to the house style (importing `lib.figures` does)."""
    mpl.rcParams.update(
        {
            "font.family": "DejaVu Sans",  # comes with matplotlib: never missing
            "font.size": FONT_SIZE,
            "axes.titlesize": 12.0,
            "legend.framealpha": 0.9,  # grid lines must not cross the names
            "legend.edgecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": cycler(color=[PALETTE[name] for name in CYCLE])
            + cycler(linestyle=LINE_STYLES),
            "lines.linewidth": 2.0,
            "grid.color": "#D9D9D9",
            "figure.figsize": (WIDTH, 3.6),
            "figure.dpi": 110.0,
            "figure.constrained_layout.use": True,
            "savefig.pad_inches": 0.12,
        }
    )


def shades(role: str) -> LinearSegmentedColormap:
    """Shades of a role's color for signed numbers: gray below zero, white at zero."""
    colors = [PALETTE["gray"], "#FFFFFF", ROLES[role]]
    return LinearSegmentedColormap.from_list(f"book_{role}", colors)


def luminance(color: Any) -> float:
    """Luminance of a color, from 0 (black) to 1 (white), as WCAG defines it."""
    rgb = np.array(mpl.colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return round(float(linear @ np.array([0.2126, 0.7152, 0.0722])), 6)


def ink_on(color: Any) -> str:
    """Black or white, whichever reads better on the color."""
    return "black" if luminance(color) > 0.18 else "white"


def _plain(values: Any) -> Array:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        values = values if values.dtype == torch.bool else values.double()
    return np.asarray(values)


def as_array(values: Any, name: str, ndim: int) -> Array:
    """Take a tensor, an array or nested lists; give an array with `ndim` axes.

    Args:
        values: the numbers; a tensor is detached and brought to the CPU.
        name: what they are called in an error message.
        ndim: how many axes are expected.

    Raises:
        ValueError: if there are more or fewer axes, or no numbers at all.
    """
    if isinstance(values, list | tuple):
        values = [_plain(part) for part in values]
    array = _plain(values)
    if array.ndim != ndim or array.size == 0:
        raise ValueError(
            f"Expected {name} with {ndim} axes and at least one number, but got the "
            f"shape {array.shape}; pick one sentence or one head with an index."
        )
    return array


def check_labels(
    labels: Sequence[str] | None, size: int, what: str, axis: str
) -> list[str] | None:
    """Give the labels as a list, one for each of `size` rows or columns; or None.

    Raises:
        ValueError: if their number differs from `size`.
    """
    if labels is None:
        return None
    if isinstance(labels, str) or len(labels) != size:
        raise ValueError(
            f"Expected {size} {what} for {size} {axis}, but got {len(labels)}: "
            f"{labels!r}; give one label for each."
        )
    return [str(label) for label in labels]


def zero_lines(ax: Axes) -> None:
    """Draw the two lines through zero, faintly and behind all else."""
    ax.axhline(0, color="#D9D9D9", linewidth=0.8, zorder=0)
    ax.axvline(0, color="#D9D9D9", linewidth=0.8, zorder=0)


def panels(
    count: int, width: float, height: float, **options: Any
) -> tuple[Figure, Array]:
    """Make a figure with so many axes, one below the other."""
    size = (width, height)
    figure, grid = plt.subplots(count, 1, figsize=size, squeeze=False, **options)
    return figure, grid.ravel()


def canvas(
    ax: Axes | None, width: float, height: float, title: str | None = None
) -> tuple[Figure, Axes]:
    """Give the axes to draw on, the caller's or those of a new figure, with a title."""
    if ax is None:
        _, ax = plt.subplots(figsize=(min(width, MAX_WIDTH), height))
    if title:
        ax.set_title(title)
    return ax.figure.figure, ax  # the whole figure, of which it may be a part
