"""Diagrams of tokens in rows: a padded batch, what a decoder is fed, what it sees."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.figures.sketch import FILLS, LINE, Sketch, text_width
from lib.figures.style import MAX_WIDTH, PHONE_WIDTH

PAD = "<pad>"
CELL = 0.4  # inches: the height of a token's cell
ARROW = 0.45  # inches: the length of an arrow to the next word


def batch_of_tokens(
    sentences: Sequence[Sequence[str]], ids: Sequence[Sequence[int]] | None = None
) -> tuple[Figure, Axes]:
    """Draw sentences as the rows of one batch, with padding where they end.

    Args:
        sentences: the tokens of each sentence; shorter ones are padded.
        ids: the token ids to write below the tokens, padded already.

    Raises:
        ValueError: if there is no sentence, or the ids do not fit the tokens.
    """
    if not sentences or not any(sentences) or isinstance(sentences[0], str):
        raise ValueError(
            f"Expected a list of sentences, each a list of tokens, but got "
            f"{list(sentences)!r}."
        )
    length = max(len(sentence) for sentence in sentences)
    rows = [[*s, *[PAD] * (length - len(s))] for s in sentences]
    texts = rows
    if ids is not None:
        found = [len(row) for row in ids]
        if found != [length] * len(rows):
            raise ValueError(
                f"Expected {len(rows)} rows of {length} ids, padding included, but "
                f"got rows of the lengths {found}."
            )
        pairs = zip(rows, ids, strict=True)
        texts = [[f"{t}\n{i}" for t, i in zip(r, n, strict=True)] for r, n in pairs]
    edges = _edges(texts, 0.0)
    sketch, height = Sketch(), CELL if ids is None else 1.5 * CELL
    for index, row in enumerate(texts):
        y = -index * (height + 0.08)
        pads = [token == PAD for token in rows[index]]
        _row(sketch, row, edges, y, height, pads)
    bottom = -(len(rows) - 1) * (height + 0.08) - height / 2
    sizes = f"B = {len(rows)} sentences, S = {length} tokens: shape {len(rows), length}"
    sketch.text((edges[-1] / 2, bottom - 0.2), sizes)
    return sketch.finish()


def teacher_forcing(
    tokens: Sequence[str],
    sos_token: str = "<sos>",
    eos_token: str = "<eos>",
    shifted: bool = True,
) -> tuple[Figure, Axes]:
    """Draw what the decoder is fed in training, and what it has to answer (§3.1).

    Args:
        tokens: the words of the target sentence.
        sos_token: how the start is written.
        eos_token: how the end is written.
        shifted: False draws the mistake: the input is the answer itself.

    Raises:
        ValueError: if there are no tokens, or too many to stay readable.
    """
    if not tokens or isinstance(tokens, str):
        raise ValueError(f"Expected a list of target tokens, but got {tokens!r}.")
    answers = [*tokens, eos_token]
    inputs = [sos_token, *tokens] if shifted else answers
    edges = _edges([answers, inputs], text_width("decoder input") + 0.1)
    sketch, high, low = Sketch(), 1.15, 0.0
    fill = "embedding" if shifted else "mistake"
    _row(sketch, answers, edges, high, CELL, [False] * len(answers), "softmax")
    _row(sketch, inputs, edges, low, CELL, [False] * len(inputs), fill)
    sketch.text((edges[0] - 0.1, high), "target", "right")
    sketch.text((edges[0] - 0.1, low), "decoder input", "right")
    middles = [(a + b) / 2 for a, b in itertools.pairwise(edges)]
    for step, x in enumerate(middles):
        sketch.path([(x, low + CELL / 2), (x, high - CELL / 2)])
        if shifted and step:
            ends = (middles[step - 1] + 0.08, x - 0.08)
            heights = (high - CELL / 2, low + CELL / 2)
            sketch.ax.plot(ends, heights, color=LINE, linestyle=":", linewidth=1.4)
    told = (
        "Arrow: what the step must answer.\nDotted: the same word, one step later."
        if shifted
        else "The leak: each step is fed the very word\nthat it must answer."
    )
    sketch.text(((edges[0] + edges[-1]) / 2, low - CELL / 2 - 0.3), told)
    return sketch.finish()


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
    right = edges[-1] + ARROW
    wide = right + max(text_width(token) for token in [*tokens, following])
    if wide > PHONE_WIDTH:
        raise ValueError(
            f"Expected tokens that fit into {PHONE_WIDTH} inches, but {len(tokens)} of "
            f"them take {wide:.1f}; draw a shorter sentence."
        )
    sketch = Sketch()
    sketch.text((edges[-1] / 2, CELL), "these words are seen")
    sketch.text((right, CELL), "next word", "left")
    for row, answer in enumerate([*tokens[1:], following]):
        y = -CELL * row
        for column, token in enumerate(tokens):
            corner = (edges[column] + 0.02, y - CELL / 2 + 0.02)
            size = edges[column + 1] - edges[column] - 0.04, CELL - 0.04
            if row >= column:
                sketch.cell(corner, *size, token, FILLS["embedding"])
            else:
                sketch.cell(
                    corner, *size, "", "#FFFFFF", edgecolor="#9A9A9A", hatch="////"
                )
        sketch.arrow((edges[-1] + 0.08, y), (right - 0.08, y))
        sketch.text((right, y), answer, "left")
    return sketch.finish()


def _edges(rows: Sequence[Sequence[str]], left: float) -> list[float]:
    """Where the columns begin and end, each as wide as its longest text needs."""
    edges = [left]
    for column in zip(*rows, strict=True):
        edges.append(edges[-1] + max(0.45, *(text_width(t) + 0.2 for t in column)))
    if edges[-1] > MAX_WIDTH - 0.3:
        raise ValueError(
            f"Expected tokens that fit into {MAX_WIDTH} inches, but {len(edges) - 1} "
            f"columns take {edges[-1]:.1f}; draw a shorter sentence."
        )
    return edges


def _row(
    sketch: Sketch,
    texts: Sequence[str],
    edges: Sequence[float],
    y: float,
    height: float,
    pads: Sequence[bool],
    kind: str = "embedding",
) -> None:
    """Draw one row of cells; padding is white and dashed."""
    for index, text in enumerate(texts):
        left, width = edges[index], edges[index + 1] - edges[index]
        corner = (left + 0.02, y - height / 2)
        pad = {"edgecolor": "#8C8C8C", "linestyle": "--"} if pads[index] else {}
        fill = "#FFFFFF" if pads[index] else FILLS[kind]
        sketch.cell(corner, width - 0.04, height, text, fill, **pad)
    sketch.cover((edges[0], y - height / 2), (edges[-1], y + height / 2))
