"""Diagrams of the parts: steps as boxes, with the shape of the data on each arrow."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.column import Column
from lib.figures.sketch import FILLS, Box, Sketch, shape_text, text_width

GAP = 0.36  # inches between boxes: room for one line of text beside the arrow


def pipeline(
    steps: Sequence[str], shapes: Sequence[str], kinds: Sequence[str] | None = None
) -> tuple[Figure, Axes]:
    """Draw steps one below the other, with what flows between them.

    Args:
        steps: the text of each box.
        shapes: what is written on the arrows: one between each two boxes, or two
            more, for what goes into the first box and comes out of the last.
        kinds: what each box is, which gives its color: "plain", "linear",
            "attention", "norm", "feed_forward", "embedding", "softmax", "mask".

    Raises:
        ValueError: if the numbers of steps, shapes and kinds do not fit together.
    """
    if not steps or len(shapes) not in (len(steps) - 1, len(steps) + 1):
        raise ValueError(
            f"Expected {max(len(steps) - 1, 0)} or {len(steps) + 1} shapes for "
            f"{len(steps)} steps, but got {len(shapes)}."
        )
    if kinds is None:
        kinds = ["plain"] * len(steps)
    if len(kinds) != len(steps):
        raise ValueError(
            f"Expected {len(steps)} kinds, one for each step, but got {len(kinds)}."
        )
    for kind in kinds:
        if kind not in FILLS:
            raise ValueError(
                f"Expected a kind of step ({', '.join(FILLS)}), but got {kind!r}."
            )
    width = max(text_width(step) for step in steps) + 0.4
    heights = [0.2 * (1 + step.count("\n")) + 0.2 for step in steps]
    sketch, boxes, y = Sketch(), list[Box](), 0.0
    for step, kind, height in zip(steps, kinds, heights, strict=True):
        boxes.append(sketch.box(0, y - height / 2, step, kind, width, height))
        y -= height + GAP
    starts, ends = [box.bottom for box in boxes], [box.top for box in boxes]
    if len(shapes) > len(steps):
        starts.insert(0, (0, ends[0][1] + GAP))
        ends.append((0, starts[-1][1] - GAP))
    else:
        ends = ends[1:]
    for start, end, shape in zip(starts, ends, shapes, strict=False):
        sketch.arrow(start, end, shape)
    return sketch.finish()


def attention_block(d_v: int | str = "d_k", masked: bool = True) -> tuple[Figure, Axes]:
    """Draw the steps of scaled dot-product attention (§3.2.1, Figure 2 left).

    Args:
        d_v: size of a value, or its letter; that of a key is d_k.
        masked: draw the mask too.
    """
    middle = [("scale: divide by √d_k", "linear")]
    middle += [("mask: blocked scores become −∞", "mask")] if masked else []
    middle += [("softmax over the keys", "softmax")]
    sketch = Sketch()
    x, wide = 1.75, 2.9
    for place, name in ((0.85, "queries"), (2.65, "keys"), (4.4, "values")):
        sketch.text((place, 0.2), name)
    y = 0.36 + GAP + 0.2
    dots = sketch.box(
        x, y, "dot product of each query\nwith each key", "attention", wide, 0.6
    )
    y = dots.bottom[1]
    sketch.arrow((0.85, 0.34), (0.85, y), "(T, d_k)")
    sketch.arrow((2.65, 0.34), (2.65, y), "(S, d_k)")
    column = Column(sketch, dots.top, wide, 0.38, GAP, "(T, S)")
    for text, kind in middle:
        column.box(text, kind)
    total = sketch.box(
        2.95,
        column.top[1] + GAP + 0.19,
        "weighted sum of the values",
        "attention",
        3.7,
        0.38,
    )
    column.arrow((x, total.bottom[1]))
    sketch.arrow((4.4, 0.34), (4.4, total.bottom[1]), shape_text("S", d_v))
    sketch.arrow(total.top, (total.x, total.top[1] + GAP), shape_text("T", d_v))
    sketch.text((total.x, total.top[1] + GAP + 0.13), "output")
    return sketch.finish()


def multi_head_block(n_heads: int, d_model: int) -> tuple[Figure, Axes]:
    """Draw multi-head attention (§3.2.2, Figure 2 right): split, attend, put back.

    Args:
        n_heads: number of heads, H.
        d_model: size of a token's vector, D.

    Raises:
        ValueError: if the heads do not divide `d_model`.
    """
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(
            f"n_heads must divide d_model, but {n_heads} does not divide {d_model}."
        )
    d_k = d_model // n_heads
    sketch = Sketch()
    middle = 2.75
    columns = ((0.95, "query", "T"), (middle, "key", "S"), (4.55, "value", "S"))
    for x, name, length in columns:
        sketch.text((x, 0.2), name)
        linear = sketch.box(x, 0.91, "linear", "linear", 1.3, 0.38)
        split = sketch.box(x, 1.65, "split into heads", "plain", 1.55, 0.38)
        sketch.arrow((x, 0.34), linear.bottom, shape_text("B", length, d_model))
        sketch.arrow(linear.top, split.bottom, shape_text("B", length, d_model))
        sketch.arrow(split.top, (x, 2.2), shape_text("B", n_heads, length, d_k))
    for index in range(min(n_heads, 3) - 1, 0, -1):  # one sheet behind the other
        place = (middle + 0.07 * index, 2.5 + 0.07 * index)
        sketch.box(*place, "", "attention", 5.1, 0.6)
    side = "1 head" if n_heads == 1 else f"{n_heads} heads side by side"
    heads = f"scaled dot-product attention,\n{side}"
    attend = sketch.box(middle, 2.5, heads, "attention", 5.1, 0.6)
    merge = sketch.box(
        middle, 3.55, "put the heads back:\ntranspose, then reshape", "plain", 2.6, 0.6
    )
    linear = sketch.box(middle, 4.45, "linear", "linear", 1.3, 0.38)
    start = (middle, attend.top[1] + 0.07 * (min(n_heads, 3) - 1))
    sketch.arrow(start, merge.bottom, shape_text("B", n_heads, "T", d_k))
    sketch.arrow(merge.top, linear.bottom, shape_text("B", "T", d_model))
    sketch.arrow(linear.top, (middle, 5.1), shape_text("B", "T", d_model))
    sketch.text((middle, 5.24), "output")
    return sketch.finish()


def residual_block(norm_first: bool) -> tuple[Figure, Axes]:
    """Draw a residual connection (§3.1) with the norm after or before the sublayer.

    Args:
        norm_first: False for the paper's order, True for pre-norm.
    """
    column = Column(Sketch(), (1.3, 0.2), 1.6, 0.38, GAP, "(B, T, D)")
    column.start("x", 0.14)
    branch, gap = column.top[1] + 0.12, 0.5
    if norm_first:
        column.box("layer norm", "norm", gap=gap)
        gap = GAP
    column.box("sublayer", "attention", gap=gap)
    column.box("dropout", "plain")
    joint = column.plus()
    around = column.x + column.width / 2 + 0.22
    corners = [(column.x, branch), (around, branch), (around, joint.y), joint.right]
    column.sketch.path(corners)
    if not norm_first:
        column.box("layer norm", "norm")
    column.end("output")
    return column.sketch.finish()
