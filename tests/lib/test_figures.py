"""Figures: the right labels in the right order, readable, and none over another."""

import functools
import inspect
import io
import itertools
import math
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

mpl.use("agg")

import matplotlib.pyplot as plt

from lib import figures
from lib.config import TransformerConfig
from lib.figures import heatmaps, sketch, style
from lib.positions import sinusoidal_encoding

SPANISH = ["<sos>", "¿", "Le", "gustan", "los", "niños", "pequeños", "?", "<eos>"]
ENGLISH = ["Does", "he", "like", "small", "children", "?"]
BASE = TransformerConfig(10_000, 12_000)
TINY = TransformerConfig(9, 11, d_model=8, n_heads=1, n_layers=2, d_ff=16)
PRE_NORM = TransformerConfig(9, 11, d_model=8, n_heads=2, d_ff=16, norm_first=True)


def weights(*shape: int) -> torch.Tensor:
    """Attention weights that ask for gradients, as those of a model do."""
    generator = torch.Generator().manual_seed(0)
    scores = 2 * torch.randn(shape, generator=generator)
    return torch.softmax(scores, dim=-1).requires_grad_()


LOG = [{"step": s, "train_loss": 3 / (s + 1)} for s in range(40)]
LOG += [{"step": 10, "validation_loss": 1.0}, {"step": 20, "validation_loss": 0.5}]

Draw = Callable[[], tuple[Figure, object]]
DRAWN: dict[str, Draw] = {
    "attention": lambda: figures.attention_map(
        weights(9, 6), SPANISH, ENGLISH, title="Cross-attention"
    ),
    "attention, one cell": lambda: figures.attention_map([[1.0]], ["go"], ["ir"]),
    "attention, long": lambda: figures.attention_map(
        weights(18, 18), SPANISH * 2, SPANISH * 2
    ),
    "attention, longest": lambda: figures.attention_map(
        weights(27, 27), SPANISH * 3, SPANISH * 3
    ),
    "heads, 1": lambda: figures.attention_grid(weights(1, 9, 6), SPANISH, ENGLISH),
    "heads, 2": lambda: figures.attention_grid(weights(2, 9, 6), SPANISH, ENGLISH),
    "heads, 3": lambda: figures.attention_grid(weights(3, 6, 6), ENGLISH, ENGLISH),
    "heads, 8": lambda: figures.attention_grid(weights(8, 9, 6), SPANISH, ENGLISH),
    "heads, 8 wide": lambda: figures.attention_grid(weights(8, 9, 9), SPANISH, SPANISH),
    "mask": lambda: figures.mask_map(
        torch.ones(9, 9).tril().bool(), SPANISH, SPANISH, title="Causal mask"
    ),
    "causal steps": lambda: figures.causal_steps(SPANISH[:5], "niños"),
    "mask, small": lambda: figures.mask_map([[True, False]], ["a"], ["b", "<pad>"]),
    "values": lambda: figures.value_map(
        [[0.5, -1.0, 12.25], [0.0, -math.inf, math.nan]],
        ["the", "dog"],
        ["x", "y", "z"],
        title="Scores",
    ),
    "values, wide numbers": lambda: figures.value_map(100 * torch.ones(2, 9)),
    "values, 128": lambda: figures.value_map(
        sinusoidal_encoding(100, 128), xlabel="dimension", ylabel="position"
    ),
    "lines": lambda: figures.line_curves(
        range(1, 8),
        {f"d = {d}": np.arange(1, 8) ** d for d in range(7)},
        "step",
        "value",
        logx=True,
        logy=True,
        title="Powers",
    ),
    "lines, many points": lambda: figures.line_curves(
        torch.arange(50), {"sine": torch.arange(50).sin()}, "position", "value"
    ),
    "bars": lambda: figures.bars({"one": 1, "minus": -0.5}, "dot product", "Products"),
    "training": lambda: figures.training_curves(LOG),
    "gradients": lambda: figures.gradient_norms(
        {"plain": [10.0**-i for i in range(12)], "residual": torch.ones(12)}
    ),
    "waves": lambda: figures.position_waves(sinusoidal_encoding(100, 8)),
    "waves, one pair": lambda: figures.position_waves(sinusoidal_encoding(9, 2)),
    "clock": lambda: figures.clock(sinusoidal_encoding(30, 4)[:, 2:4], shift=9),
    "arrows": lambda: figures.arrows(
        {"query": (1, 1), "key 1": (1, 2), "key 2": (-1, 0)}, {"query": "query"}
    ),
    "clock faces": lambda: figures.clock_faces([0, 1, 44], {"fast": 1, "slow": 0.01}),
    "roles": lambda: figures.role_tables(
        ["dog", "bites"],
        {
            "queries": ("query", [[-2, 0], [1, 1]], ["noun", "first"]),
            "values": ("value", [[3, 0], [-1, -1]], ["animal", "person"]),
        },
    ),
    "steps": lambda: figures.attention_steps(
        "bites", ["dog", "man"], [2.1, -0.7], [0.94, 0.06], [[3, 0], [0, 3]]
    ),
    "table lookup": lambda: figures.table_lookup(
        ["dog", "bites"], [1, 2], torch.eye(3)[:, :2], ["the", "dog", "bites"]
    ),
    "pipeline": lambda: figures.pipeline(
        ["split\ninto words", "look up"],
        ["a sentence", "(B, T)", "(B, T, D)"],
        ["plain", "embedding"],
    ),
    "pipeline, kinds": lambda: figures.pipeline(["one", "two"], ["x"]),
    "attention block": lambda: figures.attention_block(d_v=128),
    "attention block, letters": lambda: figures.attention_block(masked=False),
    "heads block": lambda: figures.multi_head_block(16, 1024),
    "head block": lambda: figures.multi_head_block(1, 2),
    "residual": lambda: figures.residual_block(False),
    "residual, pre": lambda: figures.residual_block(True),
    "encoder": lambda: figures.encoder_layer(BASE, 64, 100),
    "decoder": lambda: figures.decoder_layer(PRE_NORM, 64, 100, 100),
    "model": lambda: figures.transformer_diagram(BASE, 64, 100, 100),
    "model, letters": lambda: figures.transformer_diagram(TINY),
    "map": lambda: figures.model_map(["residuals", "feed-forward"]),
    "map of everything": lambda: figures.model_map(),
    "model, pre": lambda: figures.transformer_diagram(PRE_NORM, 2, 7, 6),
    "batch": lambda: figures.batch_of_tokens([ENGLISH, ["Yes", "."]]),
    "search tree": lambda: figures.search_tree(
        {"A": 0.6, "B": 0.4, "A A": 0.3, "A B": 0.3, "B A": 0.04}, kept=["A", "A B"]
    ),
    "batch, ids": lambda: figures.batch_of_tokens(
        [["go", "<eos>"], ["<eos>"]], ids=[[4, 2], [2, 0]]
    ),
    "forcing": lambda: figures.teacher_forcing(["Le", "gustan", "los", "niños"]),
    "leak": lambda: figures.teacher_forcing(["vamos"], shifted=False),
}
DIAGRAMS = list(DRAWN)[list(DRAWN).index("table lookup") :]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Whatever a test draws with is gone after it."""
    figures.apply_style()
    yield
    plt.close("all")


@functools.cache
def rendered(name: str) -> Figure:
    """Draw one of the figures, with warnings (a missing glyph is one) as errors."""
    figures.apply_style()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure, _ = DRAWN[name]()
        figure.canvas.draw()
    plt.close(figure)  # pyplot forgets it; its texts can still be measured
    return figure


def texts(figure: Figure) -> list[Text]:
    """Each text that the figure really shows."""
    hidden = [a for axes in figure.axes for a in _not_drawn(axes)]
    found = [t for t in figure.findobj(Text) if t.get_text().strip()]
    return [t for t in found if t.get_visible() and t not in hidden]


def _not_drawn(axes: mpl.axes.Axes) -> list[mpl.artist.Artist]:
    """The texts of a hidden panel, and the labels of ticks beyond the axes."""
    if not axes.get_visible():
        return list(axes.findobj(Text))
    hidden: list[mpl.artist.Artist] = []
    both: list[Any] = [axes.xaxis, axes.yaxis]
    for axis in both:
        drawn = axis._update_ticks() if axes.axison else []
        for tick in [*axis.majorTicks, *axis.minorTicks]:
            if tick not in drawn:
                hidden += [tick.label1, tick.label2]
    return hidden


def box_of(artist: Text | Patch) -> Bbox:
    return artist.get_window_extent()


@pytest.mark.parametrize("name", DRAWN)
def test_every_text_is_large_enough_and_inside_the_figure(name: str) -> None:
    figure = rendered(name)
    assert figure.get_figwidth() <= style.MAX_WIDTH
    assert texts(figure)
    for text in texts(figure):
        assert float(text.get_fontsize()) >= 11
        box = box_of(text)
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= figure.bbox.x1 + 1, text
        assert box.y1 <= figure.bbox.y1 + 1, text


@pytest.mark.parametrize("name", DRAWN)
def test_no_text_covers_another(name: str) -> None:
    upright = [t for t in texts(rendered(name)) if t.get_rotation() in (0, 90)]
    for one, other in itertools.combinations(upright, 2):
        if one.get_text() == other.get_text() and one.axes is not other.axes:
            continue  # a shared axis draws the same label at the same place
        shared = Bbox.intersection(box_of(one), box_of(other))
        if shared is not None:
            small = shared.width < 1 or shared.height < 1
            assert small, (one.get_text(), other.get_text())


@pytest.mark.parametrize("name", DRAWN)
def test_leaning_names_keep_apart(name: str) -> None:
    figure = rendered(name)
    line = figure.dpi * 11 / 72  # the height of a line of text in pixels
    for ax in figure.axes:
        leaning = [t for t in ax.get_xticklabels() if t.get_rotation() == 45]
        for one, other in itertools.pairwise(t for t in leaning if t in texts(figure)):
            gap = box_of(other).x1 - box_of(one).x1
            assert gap * math.sin(math.pi / 4) > 0.9 * line, one


def boxes(figure: Figure) -> list[Patch]:
    """The boxes of a diagram, without the dashed frames around several of them."""
    found = figure.axes[0].patches
    kinds = (FancyBboxPatch, Rectangle)
    return [p for p in found if isinstance(p, kinds) and p.get_zorder() > 0]


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_text_lies_within_its_box_or_outside_all_boxes(name: str) -> None:
    figure = rendered(name)
    outlines = [box_of(box) for box in boxes(figure)]
    for text in texts(figure):
        inside = box_of(text)
        met = [o for o in outlines if Bbox.intersection(inside, o) is not None]
        around = [o for o in met if _holds(o, inside)]
        assert around or not met, text


def _holds(outer: Bbox, inner: Bbox) -> bool:
    (x0, y0), (x1, y1) = outer.p0, outer.p1
    return bool(x0 < inner.x0 and inner.x1 < x1 and y0 < inner.y0 and inner.y1 < y1)


def ends(head: Any) -> Any:
    """Where an arrow begins and ends (matplotlib has no public name for it)."""
    return np.asarray(head._posA_posB)


@pytest.mark.parametrize("name", DIAGRAMS)
def test_no_line_crosses_a_text(name: str) -> None:
    figure = rendered(name)
    ax = figure.axes[0]
    lines = [np.asarray(line.get_xydata()) for line in ax.lines]
    heads = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    lines += [ends(head) for head in heads]
    assert lines or name.startswith("batch")
    shares = np.linspace(0, 1, 200)[:, None]
    for line in lines:
        for start, end in itertools.pairwise(line):
            points = ax.transData.transform(start + shares * (end - start))
            if np.ptp(points, axis=0).max() < 30:
                continue  # the bars of a plus sign
            for text in texts(figure):
                x0, y0, x1, y1 = box_of(text).extents
                within = (points > [x0, y0]) & (points < [x1, y1])
                assert not within.all(axis=1).any(), text


@pytest.mark.parametrize("name", DRAWN)
def test_one_figure_is_made_and_closes(name: str) -> None:
    before = plt.get_fignums()
    figure, _ = DRAWN[name]()
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close(figure)
    assert plt.get_fignums() == before


def pixels(name: str) -> bytes:
    file = io.BytesIO()
    DRAWN[name]()[0].savefig(file, format="raw")
    return file.getvalue()


@pytest.mark.parametrize("name", ["heads, 3", "lines", "model"])
def test_drawing_twice_gives_the_same_picture(name: str) -> None:
    assert pixels(name) == pixels(name)


def values_of(collection: Any) -> Any:
    """The numbers behind the colors of a heat map."""
    return collection.get_array()


def labels(axis: mpl.axis.Axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def test_attention_map_has_queries_as_rows_and_keys_as_columns() -> None:
    matrix = weights(9, 6)
    figure, ax = figures.attention_map(matrix, SPANISH, ENGLISH)
    assert labels(ax.yaxis) == SPANISH
    assert labels(ax.xaxis) == ENGLISH
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("queries", "keys")
    assert ax.yaxis_inverted()  # the first query stands on top
    cells = values_of(ax.collections[0])
    assert np.allclose(cells.reshape(9, 6), matrix.detach())
    assert ax.texts[5].get_text() == f"{matrix[0, 5]:.2f}"
    assert len(figure.axes) == 1  # numbers, so no scale


def test_every_token_of_a_long_sentence_is_named() -> None:
    ax = rendered("attention, longest").axes[0]
    assert labels(ax.xaxis) == labels(ax.yaxis) == SPANISH * 3


def test_attention_map_draws_on_given_axes() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    for ax in (left, right):
        given_back = figures.attention_map([[1.0]], ["a"], ["b"], ax, colorbar=False)
        assert given_back == (figure, ax)
    assert plt.get_fignums() == [figure.number]


@settings(max_examples=8)
@given(rows=st.integers(1, 30), columns=st.integers(1, 30))
def test_value_map_has_one_cell_per_number(rows: int, columns: int) -> None:
    matrix = np.arange(rows * columns, dtype=float).reshape(rows, columns)
    figure, ax = figures.value_map(matrix)
    assert np.array_equal(values_of(ax.collections[0]).ravel(), matrix.ravel())
    numbered = columns <= 9 and rows <= 18
    assert len(ax.texts) == (matrix.size if numbered else 0)
    assert len(figure.axes) == (1 if numbered else 2)
    plt.close(figure)


def test_value_map_centers_signed_colors_on_zero() -> None:
    _, ax = figures.value_map([[-1.0, 3.0]])
    mesh = ax.collections[0]
    assert mesh.get_clim() == (-3, 3)
    assert mesh.get_cmap() is style.DIVERGING
    _, ax = figures.value_map([[1.0, 3.0]])
    assert ax.collections[0].get_clim() == (0, 3)
    assert ax.collections[0].get_cmap() is style.SEQUENTIAL


def test_value_map_names_what_is_not_finite() -> None:
    _, ax = figures.value_map([[-math.inf, math.inf, math.nan, -0.001]])
    assert [t.get_text() for t in ax.texts] == ["−∞", "∞", "NaN", "0.00"]


@pytest.mark.parametrize("shape", [(3,), (1, 3), (1, 1, 3), (1, 1, 1, 3)])
def test_mask_map_takes_the_shapes_that_masks_have(shape: tuple[int, ...]) -> None:
    mask = torch.tensor([True, True, False]).reshape(shape)
    if len(shape) == 1:
        with pytest.raises(ValueError, match=r"shape \(3,\)"):
            figures.mask_map(mask, ["a", "b"], ["x", "y", "z"])
        return
    figure, ax = figures.mask_map(mask, ["a", "b"], ["x", "y", "z"])
    filled = values_of(ax.collections[0]).reshape(2, 3)
    hatched = ~np.ma.getmaskarray(values_of(ax.collections[1])).reshape(2, 3)
    assert filled.tolist() == [[1, 1, 0], [1, 1, 0]]
    assert np.array_equal(hatched, filled == 0)
    assert ax.collections[1].get_hatch()
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["may be attended to", "blocked"]


WRITTEN: list[tuple[Draw, list[str]]] = [
    (lambda: figures.arrows({"dog": (0.9, 0.8), "bites": (-1, 1)}), ["dog", "bites"]),
    (lambda: figures.bars({"greedy": 0.5, "beam": 0.75}), ["0.50", "0.75"]),
    (
        lambda: figures.value_map([[1.0, -0.5], [0.0, 0.25]], decimals=1),
        ["1.0", "−0.5", "0.0", "0.2"],
    ),
    (
        lambda: figures.pipeline(["tokenize", "look up"], ["5 tokens"]),
        ["tokenize", "look up", "5 tokens"],
    ),
    (
        lambda: figures.residual_block(norm_first=True),
        ["x", "layer norm", "sublayer", "dropout", "output", *["(B, T, D)"] * 5],
    ),
    (
        lambda: figures.search_tree({"A": 0.6, "B": 0.4, "A B": 0.3}, kept=["A"]),
        ["<sos>", "A\n0.60", "B\n0.40", "B\n0.30", "0.60", "0.40", "0.50"],
    ),
]


@pytest.mark.parametrize(("draw", "texts"), WRITTEN)
def test_what_is_drawn_is_named(draw: Draw, texts: list[str]) -> None:
    figure, _ = draw()
    found = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(filter(None, found)) == sorted(texts)


def test_gradients_are_compared_by_their_powers_of_ten() -> None:
    _, ax = figures.gradient_norms({"plain": [1e-6, 1.0], "residual": [1.0, 1.0]})
    assert ax.get_yscale() == "log"


def test_each_position_sees_the_words_up_to_itself_and_says_the_next() -> None:
    _, ax = figures.causal_steps(["<sos>", "ir", "a"], "casa")
    found = [t.get_text() for t in ax.texts][2:]
    assert found == ["<sos>", "ir", "<sos>", "ir", "a", "<sos>", "ir", "a", "casa"]


def test_lines_differ_without_color() -> None:
    _, ax = DRAWN["lines"]()
    assert ax.get_xscale() == ax.get_yscale() == "log"  # type: ignore[attr-defined]
    looks = {(line.get_linestyle(), line.get_marker()) for line in ax.lines}  # type: ignore[attr-defined]
    assert len(looks) == 7


def test_training_curves_leave_out_what_a_row_lacks() -> None:
    _, ax = figures.training_curves(LOG)
    train, validation = ax.lines
    assert train.get_label() == "train loss"
    assert np.array_equal(validation.get_xydata(), [[10, 1.0], [20, 0.5]])


def test_clock_puts_cosine_across_and_sine_up() -> None:
    pair = sinusoidal_encoding(4, 2)
    _, ax = figures.clock(pair)
    points = ax.lines[2].get_xydata()
    assert np.allclose(points, pair.flip(1))


def test_a_shift_leads_from_tip_to_tip() -> None:
    pair = sinusoidal_encoding(9, 2).flip(1).double().numpy()  # cosine, sine
    _, ax = figures.clock(pair[:, ::-1], shift=2)
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == 3
    for start, arrow in enumerate(arrows):
        ends = np.array(arrow._posA_posB)  # type: ignore[attr-defined]  # no getter
        assert np.allclose(ends, pair[[start, start + 2]])


def test_hands_that_lie_on_one_another_share_their_name() -> None:
    _, axes = figures.clock_faces([0, 1, 2, 44], {"fast": 1.0, "slow": 0.01})
    names = [[t.get_text() for t in ax.texts] for ax in axes]
    assert names == [["0, 44", "1", "2"], ["0, 1, 2", "44"]]


def test_a_table_lookup_gives_the_rows_of_the_ids() -> None:
    table = [[0.3, 0.0], [0.9, 0.8], [-0.7, 0.6]]
    _, ax = figures.table_lookup(["b", "a"], [2, 1], table, ["x", "a", "b"])
    written = [t.get_text() for t in ax.texts]
    tail = written[written.index("b: 2") :]
    assert [t for t in tail if ":" not in t] == ["−0.7", "0.6", "0.9", "0.8"]


def test_the_last_row_of_the_steps_is_the_weighted_sum() -> None:
    weight, value = torch.tensor([0.75, 0.25]), torch.tensor([[4.0, 0.0], [0.0, -8.0]])
    _, axes = figures.attention_steps("a", ["b", "c"], [1, 0], weight, value)
    written = [t.get_text() for t in axes[2].texts]
    assert written[-2:] == [f"{3:.2f}", "−2.00"]


def shapes(name: str) -> list[str]:
    return [t.get_text() for t in texts(rendered(name)) if t.get_text()[0] == "("]


def test_the_model_has_its_real_shape_on_each_arrow() -> None:
    figure = rendered("model")
    found = [t.get_text() for t in texts(figure)]
    # source: ids, embedding, and 4 arrows in the layer; target: ids, 1, 6 and linear
    assert found.count("(64, 100)") == 2
    assert found.count("(64, 100, 512)") == 1 + 4 + 1 + 6 + 1
    assert found.count("memory (64, 100, 512)") == 1
    assert found.count("(64, 100, 12000)") == 1
    assert "encoder × 6" in found
    assert "decoder × 6" in found
    assert found.count("8 heads of size 64") == 0  # it stands below each name
    assert sum("8 heads of size 64" in text for text in found) == 3


def test_the_model_shows_the_order_of_its_norms() -> None:
    after = [t.get_text() for t in texts(rendered("model"))]
    before = [t.get_text() for t in texts(rendered("model, pre"))]
    assert after.count("add, layer norm") == 5
    assert after.count("layer norm") == 0
    assert before.count("add, layer norm") == 0
    assert before.count("layer norm") == 5 + 2  # and one after each stack


def test_the_model_shows_its_masks_and_where_numbers_are_dropped() -> None:
    for name in ("model", "model, pre"):
        found = [t.get_text() for t in texts(rendered(name))]
        assert found.count("dropout") == 5
        assert found.count("add positions, dropout") == 2
    found = [t.get_text() for t in texts(rendered("model"))]
    assert found.count("source mask: padding\n(64, 1, 1, 100)") == 2
    assert found.count("padding and future\n(64, 1, 100, 100)") == 1


@pytest.mark.parametrize(
    ("mark", "filled"),
    [("embedding", 2), ("masks", 3), ("residuals", 5), ("encoder", 5), ("model", 21)],
)
def test_the_map_fills_what_is_marked(mark: str, filled: int) -> None:
    figure, _ = figures.model_map(mark)
    bold = [box for box in boxes(figure) if box.get_linewidth() > 2]
    assert len(bold) == filled


def test_the_memory_reaches_the_cross_attention() -> None:
    ax = rendered("model").axes[0]
    cross = next(t for t in ax.texts if t.get_text().startswith("cross-attention"))
    tips = [ends(p)[1] for p in ax.patches if isinstance(p, FancyArrowPatch)]
    arriving = [end for end in tips if np.isclose(end[1], cross.get_position()[1])]
    assert len(arriving) == 1
    assert arriving[0][0] < cross.get_position()[0]


def test_many_heads_split_and_come_back() -> None:
    found = shapes("heads block")
    assert found.count("(B, T, 1024)") == 2 + 2  # the query, and what comes out
    assert found.count("(B, S, 1024)") == 4  # the key and the value
    assert found.count("(B, 16, T, 64)") == 1 + 1
    assert found.count("(B, 16, S, 64)") == 2


def test_batch_pads_the_shorter_sentence() -> None:
    figure, ax = figures.batch_of_tokens([["lets", "go", "!"], ["go"]])
    found = [t.get_text() for t in ax.texts]
    assert found[:6] == ["lets", "go", "!", "go", "<pad>", "<pad>"]
    dashed = [p.get_linestyle() == "--" for p in boxes(figure)]
    assert dashed == [False] * 4 + [True] * 2


def test_teacher_forcing_shifts_and_the_leak_does_not() -> None:
    _, ax = figures.teacher_forcing(["ir", "vamos"])
    found = [t.get_text() for t in ax.texts]
    assert found[:6] == ["ir", "vamos", "<eos>", "<sos>", "ir", "vamos"]
    _, ax = figures.teacher_forcing(["ir", "vamos"], shifted=False)
    found = [t.get_text() for t in ax.texts]
    assert found[:6] == ["ir", "vamos", "<eos>"] * 2


BAD: list[tuple[Callable[[], object], str]] = [
    (
        lambda: figures.attention_map(weights(2, 3), ["a"], ["b"] * 3),
        "2 queries.*got 1",
    ),
    (lambda: figures.attention_map(weights(2, 3), ["a"] * 2, ["b"]), "3 keys.*got 1"),
    (lambda: figures.attention_map(weights(2, 3), "ab", ["b"] * 3), "2 queries"),
    (
        lambda: figures.attention_map(weights(1, 2, 3), ["a"] * 2, ["b"] * 3),
        r"2 axes.*\(1, 2, 3\)",
    ),
    (lambda: figures.attention_grid(weights(2, 3), ["a"] * 2, ["b"] * 3), "3 axes"),
    (
        lambda: figures.attention_grid(weights(2, 1, 1), ["a"], ["b"], ["one"]),
        "2 titles.*got 1",
    ),
    (lambda: figures.mask_map(torch.ones(1, 1), ["a"], ["b"]), "boolean.*float"),
    (
        lambda: figures.mask_map(torch.ones(2, 2).bool(), ["a"] * 3, ["b"] * 2),
        "2 queries.*got 3",
    ),
    (lambda: figures.causal_steps([], "go"), r"list of tokens, but got \[\]"),
    (lambda: figures.causal_steps(SPANISH, "."), "9 of them.*shorter"),
    (lambda: figures.value_map([1.0, 2.0]), r"2 axes.*\(2,\)"),
    (lambda: figures.value_map(np.ones((0, 2))), "at least one number"),
    (lambda: figures.value_map([[1.0]], ["a", "b"]), "1 row labels.*got 2"),
    (lambda: figures.line_curves([1, 2], {"y": [1]}, "x", "y"), "2 values for 'y'.*1"),
    (
        lambda: figures.line_curves([1], {"y": [1]}, "x", "y", mistakes=["z"]),
        r"mistakes of \['y'\], but got 'z'",
    ),
    (lambda: figures.bars({}), "at least one value"),
    (lambda: figures.training_curves([{"step": 1, "b": None}]), "'b'"),
    (lambda: figures.training_curves([]), "at least one logged row"),
    (lambda: figures.gradient_norms({"a": [1, 2], "b": [1]}), "2 values for 'b'"),
    (lambda: figures.position_waves(np.ones((3, 3))), "even number.*got 3"),
    (lambda: figures.position_waves(np.ones((3, 4)), [2]), "0 to 1.*pair 2"),
    (lambda: figures.position_waves(np.ones((3, 4)), []), "at least one pair"),
    (lambda: figures.clock(np.ones((3, 4))), "two columns.*got 4"),
    (lambda: figures.arrows({}), "at least one vector"),
    (lambda: figures.arrows({"dog": (1, 2, 3)}), "'dog', but got 3"),
    (lambda: figures.clock_faces([], {"fast": 1.0}), "at least one position"),
    (lambda: figures.table_lookup(["a"], [3], [[1.0]], ["a"]), "0 to 0.*got the id 3"),
    (lambda: figures.role_tables(["a"], {"t": ("verb", [[1]], ["x"])}), "got 'verb'"),
    (lambda: figures.attention_steps("a", ["b"], [1, 2], [1], [[1]]), "2 keys"),
    (lambda: figures.clock(np.ones((3, 2)), shift=3), "1 to 2.*got 3"),
    (lambda: figures.model_map("heads"), "tokens, .*got 'heads'"),
    (lambda: figures.pipeline(["a", "b"], ["x", "y"]), "1 or 3 shapes.*got 2"),
    (lambda: figures.pipeline(["a"], [], ["plain"] * 2), "1 kinds.*got 2"),
    (lambda: figures.pipeline(["a"], [], ["fancy"]), "attention, .*'fancy'"),
    (lambda: figures.multi_head_block(3, 8), "3 does not divide 8"),
    (lambda: figures.search_tree({"A B": 0.5}), "'A' has no probability"),
    (lambda: figures.search_tree({"A": 0.5}, kept=["B"]), "'B' has no probability"),
    (lambda: figures.batch_of_tokens([]), "list of sentences"),
    (lambda: figures.batch_of_tokens(["go"]), "list of sentences"),
    (lambda: figures.batch_of_tokens([["a", "b"]], ids=[[1]]), "1 rows of 2 ids"),
    (lambda: figures.teacher_forcing([]), "list of target tokens"),
    (lambda: figures.teacher_forcing(SPANISH * 3), "28 columns.*shorter"),
]


@pytest.mark.parametrize(("draw", "sentence"), BAD)
def test_bad_input_is_named_in_one_sentence(
    draw: Callable[[], object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        draw()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    assert not plt.get_fignums()  # no half-drawn figure is left behind


def test_weights_are_darker_the_larger_they_are() -> None:
    shades = [style.luminance(style.SEQUENTIAL(x)) for x in np.linspace(0, 1, 50)]
    assert all(a > b for a, b in itertools.pairwise(shades))
    assert shades[0] == 1
    assert shades[-1] < 0.02


def contrast(one: object, other: object) -> float:
    dark, light = sorted([style.luminance(one), style.luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_signs_have_a_white_zero_and_ends_that_differ_in_gray() -> None:
    assert style.luminance(style.DIVERGING(0.5)) > 0.97
    assert contrast(style.DIVERGING(0.0), style.DIVERGING(1.0)) > 3


def test_no_line_has_the_color_of_a_role_but_a_mistake() -> None:
    lines = {name: [0, 1] for name in "abcdefg"}
    _, ax = figures.line_curves([0, 1], lines, "x", "y", mistakes=["b"])
    colors = [line.get_color() for line in ax.lines]
    assert colors[1] == style.ROLES["mistake"]
    assert not {*colors[:1], *colors[2:]} & set(style.ROLES.values())


def test_neighboring_lines_differ_in_gray() -> None:
    shades = [style.luminance(style.PALETTE[name]) for name in style.CYCLE]
    assert all(abs(a - b) > 0.05 for a, b in itertools.pairwise(shades))
    assert len(set(shades)) == len(shades)
    assert all(contrast(style.PALETTE[name], "white") > 2 for name in style.CYCLE)


def test_a_mask_reads_in_gray() -> None:
    assert contrast(heatmaps.ATTENDED, heatmaps.BLOCKED) > 4.5


@pytest.mark.parametrize("cmap", [style.SEQUENTIAL, style.DIVERGING])
def test_numbers_read_on_every_color(cmap: mpl.colors.Colormap) -> None:
    for color in cmap(np.linspace(0, 1, 256)):
        assert contrast(style.ink_on(color), color) >= 4.5


def test_text_reads_on_every_box() -> None:
    assert all(contrast("black", fill) > 12 for fill in sketch.FILLS.values())


def test_importing_the_figures_sets_the_style() -> None:
    code = (
        "import matplotlib as mpl; mpl.use('agg'); from lib import figures; "
        "print(mpl.rcParams['font.family'], mpl.rcParams['font.size'])"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "['DejaVu Sans'] 11.0"


def test_every_figure_is_drawn_here() -> None:
    functions = {n for n in figures.__all__ if inspect.isfunction(vars(figures)[n])}
    here = set(re.findall(r"figures\.(\w+)\(", Path(__file__).read_text("utf-8")))
    assert functions - here == {"interactive"}  # it has files of its own
