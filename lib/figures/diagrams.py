"""Diagrams of the parts: steps as boxes, with the shape of the data on each arrow."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.sketch import FILLS, Box, Sketch, shape_text, text_width

GAP = 0.36  # inches between boxes: room for one line of text beside the arrow
Size = int | str


def pipeline(
    steps: Sequence[str],
    shapes: Sequence[str],
    kinds: Sequence[str] | None = None,
    upwards: bool = False,
) -> tuple[Figure, Axes]:
    """Draw steps one after the other, with what flows between them.

    Args:
        steps: the text of each box.
        shapes: what is written on the arrows: one between each two boxes, or two
            more, for what goes into the first box and comes out of the last.
        kinds: what each box is, which gives its color: "plain", "linear",
            "attention", "norm", "feed_forward", "embedding", "softmax", "mask".
        upwards: let the data flow upwards, as in the paper, and not downwards.

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
    ends = len(shapes) > len(steps)
    width = max(text_width(step) for step in steps) + 0.4
    heights = [0.2 * (1 + step.count("\n")) + 0.2 for step in steps]
    sketch, boxes, y, way = Sketch(), list[Box](), 0.0, 1 if upwards else -1
    for step, kind, height in zip(steps, kinds, heights, strict=True):
        boxes.append(sketch.box(0, y + way * height / 2, step, kind, width, height))
        y += way * (height + GAP)
    _flow(sketch, boxes, shapes, upwards, ends)
    return sketch.finish()


def _flow(
    sketch: Sketch,
    boxes: Sequence[Box],
    shapes: Sequence[str],
    upwards: bool,
    ends: bool,
) -> None:
    way = 1 if upwards else -1
    leave = [box.top if upwards else box.bottom for box in boxes]
    enter = [box.bottom if upwards else box.top for box in boxes]
    if ends:
        leave.insert(0, (enter[0][0], enter[0][1] - way * GAP))
        enter.append((leave[-1][0], leave[-1][1] + way * GAP))
    else:
        enter = enter[1:]
    for start, end, shape in zip(leave, enter, shapes, strict=False):
        sketch.arrow(start, end, shape)


def attention_block(
    T: Size = "T",  # noqa: N803 - the book's letters for the sizes
    S: Size = "S",  # noqa: N803
    d_k: Size = "d_k",
    d_v: Size | None = None,
    masked: bool = True,
) -> tuple[Figure, Axes]:
    """Draw the steps of scaled dot-product attention (§3.2.1, Figure 2 left).

    Args:
        T: number of queries, or its letter.
        S: number of keys, or its letter.
        d_k: size of a query and of a key.
        d_v: size of a value; None: the same as `d_k`.
        masked: draw the mask too.
    """
    d_v = d_k if d_v is None else d_v
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
    sketch.arrow((0.85, 0.34), (0.85, y), shape_text(T, d_k))
    sketch.arrow((2.65, 0.34), (2.65, y), shape_text(S, d_k))
    last, scores = dots, shape_text(T, S)
    for text, kind in middle:
        box = sketch.box(x, last.top[1] + GAP + 0.19, text, kind, wide, 0.38)
        sketch.arrow(last.top, box.bottom, scores)
        last = box
    total = sketch.box(
        2.95,
        last.top[1] + GAP + 0.19,
        "weighted sum of the values",
        "attention",
        3.7,
        0.38,
    )
    sketch.arrow(last.top, (x, total.bottom[1]), scores)
    sketch.arrow((4.4, 0.34), (4.4, total.bottom[1]), shape_text(S, d_v))
    sketch.arrow(total.top, (total.x, total.top[1] + GAP), shape_text(T, d_v))
    sketch.text((total.x, total.top[1] + GAP + 0.13), "output")
    return sketch.finish()


def multi_head_block(
    n_heads: int,
    d_model: int,
    B: Size = "B",  # noqa: N803
    T: Size = "T",  # noqa: N803
    S: Size = "S",  # noqa: N803
) -> tuple[Figure, Axes]:
    """Draw multi-head attention (§3.2.2, Figure 2 right): split, attend, put back.

    Args:
        n_heads: number of heads, H.
        d_model: size of a token's vector, D.
        B: number of sentences, or its letter.
        T: number of queries, or its letter.
        S: number of keys, or its letter.

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
    columns = ((0.95, "query", T), (middle, "key", S), (4.55, "value", S))
    for x, name, length in columns:
        sketch.text((x, 0.2), name)
        linear = sketch.box(x, 0.91, "linear", "linear", 1.3, 0.38)
        split = sketch.box(x, 1.65, "split into heads", "plain", 1.55, 0.38)
        sketch.arrow((x, 0.34), linear.bottom, shape_text(B, length, d_model))
        sketch.arrow(linear.top, split.bottom, shape_text(B, length, d_model))
        sketch.arrow(split.top, (x, 2.2), shape_text(B, n_heads, length, d_k))
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
    sketch.arrow(start, merge.bottom, shape_text(B, n_heads, T, d_k))
    sketch.arrow(merge.top, linear.bottom, shape_text(B, T, d_model))
    sketch.arrow(linear.top, (middle, 5.1), shape_text(B, T, d_model))
    sketch.text((middle, 5.24), "output")
    return sketch.finish()


def residual_block(
    norm_first: bool, sublayer: str = "sublayer", shape: str = "(B, T, D)"
) -> tuple[Figure, Axes]:
    """Draw a residual connection (§3.1) with the norm after or before the sublayer.

    Args:
        norm_first: False for the paper's order, True for pre-norm.
        sublayer: what the connection leads around.
        shape: the shape of the data, the same on each arrow.
    """
    names = [(sublayer, "attention"), ("dropout", "plain")]
    norm = ("layer norm", "norm")
    before = [norm, *names] if norm_first else names
    width = max(1.6, text_width(sublayer) + 0.3)
    sketch = Sketch()
    x = width / 2 + 0.5
    sketch.text((x, 0.2), "x")
    last = (x, 0.34)
    for index, (name, kind) in enumerate(before):
        gap = 0.5 if index == 0 else GAP
        box = sketch.box(x, last[1] + gap + 0.19, name, kind, width, 0.38)
        sketch.arrow(last, box.bottom, shape)
        last = box.top
    plus = sketch.plus(x, last[1] + GAP + 0.13)
    sketch.arrow(last, plus.bottom, shape)
    around = x + max(width / 2, text_width(shape) + 0.09) + 0.22
    sketch.path([(x, 0.46), (around, 0.46), (around, plus.y), plus.right])
    last = plus.top
    if not norm_first:
        box = sketch.box(x, last[1] + GAP + 0.19, *norm, width, 0.38)
        sketch.arrow(last, box.bottom, shape)
        last = box.top
    sketch.arrow(last, (x, last[1] + GAP), shape)
    sketch.text((x, last[1] + GAP + 0.13), "output")
    return sketch.finish()
