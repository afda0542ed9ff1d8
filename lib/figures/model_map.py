"""A small map of the whole model, on which a chapter marks the piece it is about."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.column import Column
from lib.figures.sketch import Box, Sketch

MAP_PIECES = (
    "tokens",
    "embedding",
    "positions",
    "attention",
    "masks",
    "residuals",
    "feed-forward",
    "encoder",
    "decoder",
    "output",
    "next token",
)
"""What can be marked on the map; "model" stands for everything."""

GAP = 0.15  # inches between boxes
WIDTH = 1.86


def model_map(mark: str | Sequence[str] = "model") -> tuple[Figure, Axes]:
    """Draw the whole model (§3, Figure 1), one or more of its pieces marked.

    Args:
        mark: names out of `MAP_PIECES`, or "model" for all of them.

    Raises:
        ValueError: if a piece is not on the map.
    """
    marked = {mark} if isinstance(mark, str) else set(mark)
    for name in sorted(marked - {"model", *MAP_PIECES}):
        raise ValueError(
            f"Expected a piece of the model ({', '.join(MAP_PIECES)}, or model), but "
            f"got {name!r}."
        )
    sketch = Sketch()
    encoder = _Stack(sketch, 0.0, "encoder", marked)
    decoder = _Stack(sketch, 2.75, "decoder", marked)
    for stack, name in ((encoder, "source tokens"), (decoder, "target tokens so far")):
        stack.piece(name, "plain", "tokens", gap=0.0)
        stack.piece("embedding", "embedding", "embedding")
        stack.piece("add positions, dropout", "position", "positions")
        stack.open_frame()
    encoder.sublayer("self-attention", mask="mask: padding")
    encoder.sublayer("feed-forward")
    encoder.close_frame()
    decoder.sublayer("self-attention", mask="mask: padding, future")
    cross = decoder.sublayer("cross-attention", mask="mask: padding")
    decoder.sublayer("feed-forward")
    decoder.close_frame()
    _memory(sketch, encoder, cross)
    decoder.piece("linear", "linear", "output", gap=GAP + 0.2)
    decoder.piece("next token", "plain", "next token")
    return sketch.finish()


class _Stack(Column):
    """A column of the map; what is marked is filled and bold."""

    def __init__(self, sketch: Sketch, x: float, name: str, marked: set[str]) -> None:
        label = "right" if name == "encoder" else "left"  # residuals run outside
        super().__init__(sketch, (x, 0.0), WIDTH, 0.27, GAP, label=label)
        self.name, self.marked = name, marked
        self.bottom = 0.0
        self.inside = False

    def _shows(self, piece: str) -> bool:
        names = {piece, "model"} | ({self.name} if self.inside else set())
        return bool(names & self.marked)

    def piece(self, text: str, kind: str, piece: str, gap: float = GAP) -> Box:
        """Add a box on top, which stands for a piece that can be marked."""
        kind, line = (kind, 2.2) if self._shows(piece) else ("plain", 0.8)
        return self.box(text, kind, gap=gap, line=line)

    def sublayer(self, text: str, mask: str = "") -> Box:
        """Add a sublayer with its mask, its dropout, its residual and its norm."""
        branch = self.top[1] + 0.07
        gap = GAP + 0.08
        if mask:
            self.piece(mask, "mask", "masks", gap)
            gap = 0.0
        kind, piece = ("attention",) * 2 if mask else ("feed_forward", "feed-forward")
        inner = self.piece(text, kind, piece, gap)
        joint = self.piece("dropout, add, norm", "norm", "residuals")
        line = 2.2 if self._shows("residuals") else 1.2
        self.around(branch, joint, WIDTH / 2 + 0.16, line)
        return inner

    def open_frame(self) -> None:
        """Begin what is repeated."""
        self.inside = True
        self.bottom = self.top[1] + 0.03

    def close_frame(self) -> None:
        """Frame what is repeated, with its name above."""
        self.inside = False
        top = self.top[1] + 0.07
        wide, narrow = WIDTH / 2 + 0.26, WIDTH / 2 + 0.08
        left, right = (wide, narrow) if self.outward < 0 else (narrow, wide)
        self.sketch.frame(self.x - left, self.bottom, self.x + right, top)
        place = (self.x + self.outward * wide, top + 0.12)
        self.sketch.text(
            place, f"{self.name} × N", "left" if self.outward < 0 else "right"
        )


def _memory(sketch: Sketch, encoder: _Stack, cross: Box) -> None:
    """Lead the memory from the encoder's top to the decoder's cross-attention."""
    top = encoder.top
    out, between = top[1] + 0.3, (encoder.x + cross.x) / 2
    corners = [top, (top[0], out), (between, out), (between, cross.y), cross.left]
    sketch.path(corners)
    sketch.text((top[0], out + 0.12), "memory")
