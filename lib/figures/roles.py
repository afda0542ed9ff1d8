"""What a strong color stands for, the same in every chapter."""

from __future__ import annotations

from matplotlib.colors import LinearSegmentedColormap

from lib.figures.style import PALETTE

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


def shades(role: str) -> LinearSegmentedColormap:
    """Shades of a role's color for signed numbers: gray below zero, white at zero."""
    if role not in ROLES:
        raise ValueError(f"Expected a role ({', '.join(ROLES)}), but got {role!r}.")
    colors = ["#6E6E6E", "#FFFFFF", ROLES[role]]
    return LinearSegmentedColormap.from_list(f"book_{role}", colors)
