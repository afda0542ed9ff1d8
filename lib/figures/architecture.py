"""Diagrams of the layers and of the whole model, bottom to top as in the paper."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.config import TransformerConfig
from lib.figures.column import Column
from lib.figures.sketch import Box, Sketch, shape_text

GAP = 0.34  # inches between boxes: room for one line of text beside the arrow
Size = int | str


class _Layers(Column):
    """A column of layers, with the shape beside each arrow."""

    def __init__(self, sketch: Sketch, x: float, label: str, shape: str) -> None:
        super().__init__(sketch, (x, 0.0), 1.96, 0.36, GAP, shape, label)

    def sublayer(self, text: str, kind: str, norm_first: bool, mask: str = "") -> Box:
        """Add a sublayer, the connection that leads around it, dropout and norm."""
        branch = self.top[1] + 0.1
        gap = GAP + 0.1
        if norm_first:
            self.box("layer norm", "norm", gap=gap)
            gap = GAP
        if mask:  # it stands directly below the attention that it belongs to
            self.box(mask, "mask", gap=gap)
            gap = 0.0
        inner = self.box(text, kind, gap=gap)
        self._dropout()
        joint = self.plus() if norm_first else self.box("add, layer norm", "norm")
        self.around(branch, joint, self.width / 2 + 0.2)
        return inner

    def _dropout(self) -> None:
        """Write beside the next arrow, opposite its shape, that numbers are dropped."""
        place = (self.x + 0.09 * self.outward, self.top[1] + GAP / 2)
        self.sketch.text(place, "dropout", "left" if self.outward > 0 else "right")

    def frame(self, bottom: float, name: str) -> None:
        """Frame what is repeated, with its name on the side without shapes."""
        half, inner = self.width / 2 + 0.32, self.width / 2 + 0.1
        top = self.top[1] + 0.08
        left, right = (half, inner) if self.outward < 0 else (inner, half)
        self.sketch.frame(self.x - left, bottom, self.x + right, top)
        place = (self.x + half * self.outward, top + 0.13)
        self.sketch.text(place, name, "left" if self.outward < 0 else "right")


def _encoder_sublayers(
    column: _Layers, config: TransformerConfig, src_mask: str
) -> None:
    attention = f"self-attention\n{_heads(config)}"
    column.sublayer(attention, "attention", config.norm_first, src_mask)
    column.sublayer(_feed_forward(config), "feed_forward", config.norm_first)


def _decoder_sublayers(
    column: _Layers, config: TransformerConfig, src_mask: str, tgt_mask: str
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
    column = _Layers(sketch, 0.0, "right", shape_text(B, S, config.d_model))
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
    column = _Layers(sketch, 0.0, "left", shape_text(B, T, config.d_model))
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
    encoder = _Layers(sketch, 0.0, "right", shape_text(B, S, config.d_model))
    decoder = _Layers(sketch, 2.8, "left", shape_text(B, T, config.d_model))
    _inputs(encoder, "source ids", shape_text(B, S))
    _inputs(decoder, "target ids so far", shape_text(B, T))
    bottom = encoder.top[1] + 0.06
    _encoder_sublayers(encoder, config, _src_mask(B, S))
    encoder.frame(bottom, f"encoder × {config.n_layers}")
    cross = _decoder_sublayers(decoder, config, _src_mask(B, S), _tgt_mask(B, T))
    decoder.frame(bottom, f"decoder × {config.n_layers}")
    for column in (encoder, decoder) if config.norm_first else ():
        column.box("layer norm", "norm", gap=GAP + 0.1)
    _memory(sketch, encoder, cross)
    decoder.box("linear", "linear", gap=GAP + 0.1)
    decoder.end("logits", shape_text(B, T, config.tgt_vocab_size))
    return sketch.finish()


def _inputs(column: _Layers, name: str, shape: str) -> None:
    column.start(name)
    column.box("embedding × √D", "embedding", shape)
    column.box("add positions, dropout", "position")


def _memory(sketch: Sketch, encoder: _Layers, cross: Box) -> None:
    """Lead the memory from the encoder's top to the decoder's cross-attention."""
    out = (encoder.x, encoder.top[1] + GAP)
    between = (encoder.x + cross.x) / 2
    sketch.path([encoder.top, out, (between, out[1]), (between, cross.y), cross.left])
    sketch.text((encoder.x, out[1] + 0.15), f"memory {encoder.shape}")
