"""The causal mask as a staircase: what each position sees, and what it must say."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.sketch import FILLS, Sketch, text_width
from lib.figures.style import PHONE_WIDTH

ROW = 0.4  # inches
GAP = 0.45  # inches for the arrows


def causal_steps(tokens: Sequence[str], following: str) -> tuple[Figure, Axes]:
    """Draw which words each position of a decoder sees, and its next word (§3.2.3).

    Args:
        tokens: what the decoder is fed, the start token first.
        following: the token after the last one.

    Raises:
        ValueError: if there are no tokens, or too many to stay readable.
    """
    if isinstance(tokens, str) or not tokens:
        raise ValueError(f"Expected a list of tokens, but got {tokens!r}.")
    edges = [0.0]
    for token in tokens:
        edges.append(edges[-1] + max(0.45, text_width(token) + 0.16))
    right = edges[-1] + GAP
    wide = right + max(text_width(token) for token in [*tokens, following])
    if wide > PHONE_WIDTH:
        raise ValueError(
            f"Expected tokens that fit into {PHONE_WIDTH} inches, but {len(tokens)} of "
            f"them take {wide:.1f}; draw a shorter sentence."
        )
    sketch = Sketch()
    sketch.text((edges[-1] / 2, ROW), "these words are seen")
    sketch.text((right, ROW), "next word", "left")
    for row, answer in enumerate([*tokens[1:], following]):
        y = -ROW * row
        for column, token in enumerate(tokens):
            corner = (edges[column] + 0.02, y - ROW / 2 + 0.02)
            width, height = edges[column + 1] - edges[column] - 0.04, ROW - 0.04
            fill = FILLS["embedding"] if row >= column else "#FFFFFF"
            hidden = {} if row >= column else {"edgecolor": "#9A9A9A", "hatch": "////"}
            sketch.cell(corner, width, height, fill, **hidden)
            if row >= column:
                middle = (edges[column] + edges[column + 1]) / 2
                sketch.text((middle, y), token)
        sketch.arrow((edges[-1] + 0.08, y), (right - 0.08, y))
        sketch.text((right, y), answer, "left")
    return sketch.finish()
