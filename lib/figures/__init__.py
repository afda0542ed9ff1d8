"""Everything the book draws; importing it applies the house style.

Each function takes numbers (tensors, arrays or lists) and labels, and returns the
figure and its axes. None of them shows the figure: end a cell with `plt.show()`.
"""

from lib.figures.architecture import decoder_layer, encoder_layer, transformer_diagram
from lib.figures.arrows import arrows
from lib.figures.curves import bars, gradient_norms, line_curves, training_curves
from lib.figures.decoding import search_tree
from lib.figures.diagrams import (
    attention_block,
    multi_head_block,
    pipeline,
    residual_block,
)
from lib.figures.heatmaps import attention_grid, attention_map, mask_map, value_map
from lib.figures.interactive import interactive
from lib.figures.lookup import table_lookup
from lib.figures.model_map import MAP_PIECES, model_map
from lib.figures.steps import attention_steps, role_tables
from lib.figures.style import DIVERGING, PALETTE, ROLES, SEQUENTIAL, apply_style
from lib.figures.tokens import batch_of_tokens, causal_steps, teacher_forcing
from lib.figures.waves import clock, clock_faces, position_waves

apply_style()

__all__ = [
    "DIVERGING",
    "MAP_PIECES",
    "PALETTE",
    "ROLES",
    "SEQUENTIAL",
    "apply_style",
    "arrows",
    "attention_block",
    "attention_grid",
    "attention_map",
    "attention_steps",
    "bars",
    "batch_of_tokens",
    "causal_steps",
    "clock",
    "clock_faces",
    "decoder_layer",
    "encoder_layer",
    "gradient_norms",
    "interactive",
    "line_curves",
    "mask_map",
    "model_map",
    "multi_head_block",
    "pipeline",
    "position_waves",
    "residual_block",
    "role_tables",
    "search_tree",
    "table_lookup",
    "teacher_forcing",
    "training_curves",
    "transformer_diagram",
    "value_map",
]
