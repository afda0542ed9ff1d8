"""Everything the book draws; importing it applies the house style.

Each function takes numbers (tensors, arrays or lists) and labels, and returns the
figure and its axes. None of them shows the figure: end a cell with `plt.show()`.
"""

from lib.figures.curves import bars, gradient_norms, line_curves, training_curves
from lib.figures.heatmaps import attention_grid, attention_map, mask_map, value_map
from lib.figures.style import DIVERGING, PALETTE, SEQUENTIAL, apply_style

apply_style()

__all__ = [
    "DIVERGING",
    "PALETTE",
    "SEQUENTIAL",
    "apply_style",
    "attention_grid",
    "attention_map",
    "bars",
    "gradient_norms",
    "line_curves",
    "mask_map",
    "training_curves",
    "value_map",
]
