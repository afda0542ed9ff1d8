"""Everything the book draws; importing it applies the house style.

Each function takes numbers (tensors, arrays or lists) and labels, and returns the
figure and its axes. None of them shows the figure: end a cell with `plt.show()`.
"""

from lib.figures.curves import bars, line_curves, training_curves
from lib.figures.heatmaps import (
    attention_map,
    attention_steps,
    mask_map,
    role_tables,
    value_map,
)
from lib.figures.interactive import Drawing, drawing, interactive
from lib.figures.style import DIVERGING, PALETTE, ROLES, SEQUENTIAL, apply_style
from lib.figures.tree import search_tree
from lib.figures.vectors import arrows, clock, clock_faces

apply_style()

__all__ = [
    "DIVERGING",
    "PALETTE",
    "ROLES",
    "SEQUENTIAL",
    "Drawing",
    "apply_style",
    "arrows",
    "attention_map",
    "attention_steps",
    "bars",
    "clock",
    "clock_faces",
    "drawing",
    "interactive",
    "line_curves",
    "mask_map",
    "role_tables",
    "search_tree",
    "training_curves",
    "value_map",
]
