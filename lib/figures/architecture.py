"""Diagrams of the layers and of the whole model, bottom to top as in the paper."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.config import TransformerConfig
from lib.figures.sketch import Box, Point, Sketch, shape_text

GAP = 0.34  # inches between boxes: room for one line of text beside the arrow
HEIGHT = 0.36
Size = int | str


class Column:
    """A stack of boxes that grows upwards, with the shape beside each arrow.

    Args:
        sketch: the sheet to draw on.
        x: the middle of the column, in inches.
        label: the side of the labels, "left" or "right"; residual connections run
            on the other one.
        shape: what is written on the arrows.
    """

    def __init__(self, sketch: Sketch, x: float, label: str, shape: str) -> None:
        self.sketch, self.x, self.label, self.shape = sketch, x, label, shape
        self.width = 1.96
        self.loop = x + (self.width / 2 + 0.2) * (1 if label == "left" else -1)
        self.top: Point = (x, 0.0)

    def start(self, text: str) -> None:
        """Write what goes in at the bottom."""
        self.sketch.text(self.top, text)
        self.top = (self.x, self.top[1] + 0.13)

    def box(self, text: str, kind: str, shape: str = "", gap: float = GAP) -> Box:
        """Add a box on top, with an arrow from what stands below."""
        height = HEIGHT + 0.2 * text.count("\n")
        y = self.top[1] + gap + height / 2
        box = self.sketch.box(self.x, y, text, kind, self.width, height)
        if gap:
            self.arrow(box.bottom, shape)
        self.top = box.top
        return box

    def arrow(self, end: Point, shape: str = "") -> None:
        """Lead an arrow from the top of the column to a point."""
        self.sketch.arrow(self.top, end, shape or self.shape, self.label)

    def sublayer(self, text: str, kind: str, norm_first: bool, mask: str = "") -> Box:
        """Add a sublayer, the connection that leads around it, dropout and norm."""
        branch = (self.x, self.top[1] + 0.1)
        gap = GAP + 0.1
        if norm_first:
            self.box("layer norm", "norm", gap=gap)
            gap = GAP
        if mask:  # it stands directly below the attention that it belongs to
            self.box(mask, "mask", gap=gap)
            gap = 0.0
        inner = self.box(text, kind, gap=gap)
        self._dropout()
        if norm_first:
            joint = self.sketch.plus(self.x, self.top[1] + GAP + 0.13)
            self.arrow(joint.bottom)
            self.top = joint.top
        else:
            joint = self.box("add, layer norm", "norm")
        end = joint.left if self.label == "right" else joint.right
        self.sketch.path([branch, (self.loop, branch[1]), (self.loop, end[1]), end])
        return inner

    def _dropout(self) -> None:
        """Write beside the next arrow, opposite its shape, that numbers are dropped."""
        way = -1 if self.label == "right" else 1
        place = (self.x + 0.09 * way, self.top[1] + GAP / 2)
        self.sketch.text(place, "dropout", "left" if way > 0 else "right")

    def end(self, text: str, shape: str = "") -> None:
        """Lead an arrow out at the top, to what comes out."""
        self.arrow((self.x, self.top[1] + GAP), shape)
        self.sketch.text((self.x, self.top[1] + GAP + 0.13), text)


def _encoder_sublayers(
    column: Column, config: TransformerConfig, src_mask: str
) -> None:
    attention = f"self-attention\n{_heads(config)}"
    column.sublayer(attention, "attention", config.norm_first, src_mask)
    column.sublayer(_feed_forward(config), "feed_forward", config.norm_first)


def _decoder_sublayers(
    column: Column, config: TransformerConfig, src_mask: str, tgt_mask: str
) -> Box:
    """Add the three sublayers of a decoder layer; give the cross-attention's box."""
    own = f"masked self-attention\n{_heads(config)}"
    cross = f"cross-attention\n{_heads(config)}"
    column.sublayer(own, "attention", config.norm_first, tgt_mask)
    inner = column.sublayer(cross, "attention", config.norm_first, src_mask)
    column.sublayer(_feed_forward(config), "feed_forward", config.norm_first)
    return inner


def _src_mask(b: Size, s: Size) -> str:
    return f"source mask: padding\n{shape_text(b, 1, 1, s)}"


def _tgt_mask(b: Size, t: Size) -> str:
    return f"padding and future\n{shape_text(b, 1, t, t)}"


def _heads(config: TransformerConfig) -> str:
    plural = "s" if config.n_heads > 1 else ""
    return f"{config.n_heads} head{plural} of size {config.d_head}"


def _feed_forward(config: TransformerConfig) -> str:
    return f"feed-forward\n{config.d_model} → {config.d_ff} → {config.d_model}"


def encoder_layer(
    config: TransformerConfig,
    B: Size = "B",  # noqa: N803 - the book's letters for the sizes
    S: Size = "S",  # noqa: N803
) -> tuple[Figure, Axes]:
    """Draw one layer of the encoder (§3.1, Figure 1 left) with its shapes.

    Args:
        config: the sizes of the model.
        B: number of sentences, or its letter.
        S: length of the source in tokens, or its letter.
    """
    sketch = Sketch()
    column = Column(sketch, 0.0, "right", shape_text(B, S, config.d_model))
    column.start("x")
    _encoder_sublayers(column, config, _src_mask(B, S))
    column.end("output")
    return sketch.finish()


def decoder_layer(
    config: TransformerConfig,
    B: Size = "B",  # noqa: N803
    S: Size = "S",  # noqa: N803
    T: Size = "T",  # noqa: N803
) -> tuple[Figure, Axes]:
    """Draw one layer of the decoder (§3.1, Figure 1 right) with its shapes.

    Args:
        config: the sizes of the model.
        B: number of sentences, or its letter.
        S: length of the source in tokens, or its letter.
        T: length of the target in tokens, or its letter.
    """
    sketch = Sketch()
    column = Column(sketch, 0.0, "left", shape_text(B, T, config.d_model))
    column.start("x")
    cross = _decoder_sublayers(column, config, _src_mask(B, S), _tgt_mask(B, T))
    column.end("output")
    start = (cross.left[0] - 1.3, cross.y)
    sketch.arrow(start, cross.left, shape_text(B, S, config.d_model), "above")
    sketch.text((start[0] - 0.06, start[1]), "memory:\nkeys and\nvalues", "right")
    return sketch.finish()


def transformer_diagram(
    config: TransformerConfig,
    B: Size = "B",  # noqa: N803
    S: Size = "S",  # noqa: N803
    T: Size = "T",  # noqa: N803
) -> tuple[Figure, Axes]:
    """Draw the whole Transformer (§3, Figure 1) with shapes, masks and dropout.

    Args:
        config: the sizes of the model.
        B: number of sentences, or its letter.
        S: length of the source in tokens, or its letter.
        T: length of the target in tokens, or its letter.
    """
    sketch = Sketch()
    encoder = Column(sketch, 0.0, "right", shape_text(B, S, config.d_model))
    decoder = Column(sketch, 2.8, "left", shape_text(B, T, config.d_model))
    _inputs(encoder, "source ids", shape_text(B, S))
    _inputs(decoder, "target ids so far", shape_text(B, T))
    bottom = encoder.top[1] + 0.06
    _encoder_sublayers(encoder, config, _src_mask(B, S))
    _frame(encoder, bottom, f"encoder × {config.n_layers}")
    cross = _decoder_sublayers(decoder, config, _src_mask(B, S), _tgt_mask(B, T))
    _frame(decoder, bottom, f"decoder × {config.n_layers}")
    for column in (encoder, decoder) if config.norm_first else ():
        column.box("layer norm", "norm", gap=GAP + 0.1)
    _memory(sketch, encoder, cross)
    decoder.box("linear", "linear", gap=GAP + 0.1)
    decoder.end("logits", shape_text(B, T, config.tgt_vocab_size))
    return sketch.finish()


def _inputs(column: Column, name: str, shape: str) -> None:
    column.start(name)
    column.box("embedding × √D", "embedding", shape)
    column.box("add positions, dropout", "embedding")


def _frame(column: Column, bottom: float, name: str) -> None:
    """Frame what is repeated, with its name on the side without shapes."""
    half, inner = column.width / 2 + 0.32, column.width / 2 + 0.1
    top = column.top[1] + 0.08
    left, right = (half, inner) if column.label == "right" else (inner, half)
    column.sketch.frame(column.x - left, bottom, column.x + right, top)
    outside = -half if column.label == "right" else half
    place = (column.x + outside, top + 0.13)
    column.sketch.text(place, name, "left" if outside < 0 else "right")


def _memory(sketch: Sketch, encoder: Column, cross: Box) -> None:
    """Lead the memory from the encoder's top to the decoder's cross-attention."""
    out = (encoder.x, encoder.top[1] + GAP)
    between = (encoder.x + cross.x) / 2
    sketch.path([encoder.top, out, (between, out[1]), (between, cross.y), cross.left])
    sketch.text((encoder.x, out[1] + 0.15), f"memory {encoder.shape}")
