"""Figures: the right labels in the right order, readable, and none over another."""

import itertools
import math
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

mpl.use("agg")

import matplotlib.pyplot as plt

from lib import figures
from lib.figures import heatmaps, style
from lib.positions import sinusoidal_encoding
from tests.refusals import Call, each_refusal, refuses

SPANISH = ["<sos>", "¿", "Le", "gustan", "los", "niños", "pequeños", "?", "<eos>"]
ENGLISH = ["Does", "he", "like", "small", "children", "?"]


def weights(*shape: int) -> torch.Tensor:
    """Attention weights that ask for gradients, as those of a model do."""
    generator = torch.Generator().manual_seed(0)
    scores = 2 * torch.randn(shape, generator=generator)
    return torch.softmax(scores, dim=-1).requires_grad_()


LOG = [{"step": s, "train_loss": 3 / (s + 1)} for s in range(40)]

Draw = Callable[[], tuple[Figure, object]]
DRAWN: dict[str, Draw] = {
    "attention": lambda: figures.attention_map(
        weights(9, 6), SPANISH, ENGLISH, title="Cross-attention"
    ),
    "attention, one cell": lambda: figures.attention_map([[1.0]], ["go"], ["ir"]),
    "attention, longest": lambda: figures.attention_map(
        weights(27, 27), SPANISH * 3, SPANISH * 3
    ),
    "mask": lambda: figures.mask_map(
        torch.ones(9, 9).tril().bool(), SPANISH, SPANISH, title="Causal mask"
    ),
    "mask, small": lambda: figures.mask_map([[True, False]], ["a"], ["b", "<pad>"]),
    "values": lambda: figures.value_map(
        [[0.5, -1.0, 12.5], [-0.001, -math.inf, math.nan]],
        ["the", "dog"],
        ["x", "y", "z"],
        title="Scores",
        decimals=1,
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
    "bars": lambda: figures.bars({"one": 1, "minus": -0.5}, "dot product"),
    "training": lambda: figures.training_curves(LOG),
    "clock": lambda: figures.clock(sinusoidal_encoding(7, 4)[:, 0:2], shift=2),
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
    "search tree": lambda: figures.search_tree(
        {"A": 0.6, "B": 0.4, "A A": 0.3, "A B": 0.3, "B A": 0.04}, kept=["A", "A B"]
    ),
}


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Whatever a test draws with is gone after it."""
    figures.apply_style()
    yield
    plt.close("all")


@pytest.fixture(params=DRAWN, scope="module")
def drawn(request: pytest.FixtureRequest) -> Figure:
    """One of the figures, drawn with warnings (a missing glyph is one) as errors."""
    figures.apply_style()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure, _ = DRAWN[request.param]()
        figure.canvas.draw()
    assert plt.get_fignums() == [figure.number]  # type: ignore[attr-defined]
    plt.close(figure)  # pyplot forgets it; its texts can still be measured
    return figure


def texts(figure: Figure) -> list[Text]:
    """Each text that the figure really shows: no labels of ticks beyond the axes."""
    hidden: list[Text] = []
    for ax in figure.axes:
        both: list[Any] = [ax.xaxis, ax.yaxis]
        for axis in both:
            drawn = axis._update_ticks() if ax.axison else []
            ticks = {*axis.get_major_ticks(), *axis.get_minor_ticks()} - {*drawn}
            hidden += [text for tick in ticks for text in (tick.label1, tick.label2)]
    found = [t for t in figure.findobj(Text) if t.get_text().strip()]
    return [t for t in found if t.get_visible() and t not in hidden]


def test_every_text_is_large_enough_and_inside_the_figure(drawn: Figure) -> None:
    assert drawn.get_figwidth() <= style.MAX_WIDTH
    assert texts(drawn)
    for text in texts(drawn):
        assert float(text.get_fontsize()) >= 11
        corners = text.get_window_extent().corners()
        assert drawn.bbox.padded(1).count_contains(corners) == 4, text


def test_no_text_covers_another(drawn: Figure) -> None:
    upright = [t for t in texts(drawn) if t.get_rotation() in (0, 90)]
    for one, other in itertools.combinations(upright, 2):
        if one.get_text() == other.get_text() and one.axes is not other.axes:
            continue  # a shared axis draws the same label at the same place
        first, second = one.get_window_extent(), other.get_window_extent()
        assert not first.padded(-0.5).overlaps(second.padded(-0.5)), (one, other)


def test_leaning_names_keep_apart(drawn: Figure) -> None:
    line = drawn.dpi * 11 / 72  # the height of a line of text in pixels
    for ax in drawn.axes:
        leaning = [t for t in ax.get_xticklabels() if t.get_rotation() == 45]
        for one, other in itertools.pairwise(t for t in leaning if t in texts(drawn)):
            gap = other.get_window_extent().x1 - one.get_window_extent().x1
            assert gap * math.sin(math.pi / 4) > 0.9 * line, one


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
    assert np.allclose(values_of(ax.collections[0]).reshape(9, 6), matrix.detach())
    assert ax.texts[5].get_text() == f"{matrix[0, 5]:.2f}"
    assert len(figure.axes) == 1  # numbers, so no scale


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


@pytest.mark.parametrize("shape", [(1, 3), (1, 1, 3), (1, 1, 1, 3)])
def test_mask_map_takes_the_shapes_that_masks_have(shape: tuple[int, ...]) -> None:
    mask = torch.tensor([True, True, False]).reshape(shape)
    figure, ax = figures.mask_map(mask, ["a", "b"], ["x", "y", "z"])
    filled = values_of(ax.collections[0]).reshape(2, 3)
    hatched = ~np.ma.getmaskarray(values_of(ax.collections[1])).reshape(2, 3)
    assert filled.tolist() == [[1, 1, 0], [1, 1, 0]]
    assert np.array_equal(hatched, filled == 0)
    assert ax.collections[1].get_hatch()
    told = [text.get_text() for text in figure.legends[0].get_texts()]
    assert told == ["may be attended to", "blocked"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("arrows", ["query", "key 1", "key 2"]),
        ("bars", ["1.00", "−0.50"]),
        ("values", ["0.5", "−1.0", "12.5", "0.0", "−∞", "NaN"]),
        (
            "search tree",
            [
                *("<sos>", "A\n0.60", "B\n0.40", "A\n0.30", "B\n0.30", "A\n0.04"),
                *("0.60", "0.40", "0.50", "0.50", "0.10"),  # on the arrows
            ],
        ),
    ],
)
def test_what_is_drawn_is_named(name: str, words: list[str]) -> None:
    figure, _ = DRAWN[name]()
    found = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(filter(None, found)) == sorted(words)


def test_lines_differ_without_color() -> None:
    _, ax = DRAWN["lines"]()
    assert ax.get_xscale() == ax.get_yscale() == "log"  # type: ignore[attr-defined]
    looks = {(line.get_linestyle(), line.get_marker()) for line in ax.lines}  # type: ignore[attr-defined]
    assert len(looks) == 7


def test_clock_puts_cosine_across_and_a_shift_leads_from_tip_to_tip() -> None:
    tips = sinusoidal_encoding(9, 2).flip(1).double().numpy()  # cosine, sine
    _, ax = figures.clock(tips[:, ::-1], shift=2)
    assert np.allclose(ax.lines[2].get_xydata(), tips)
    arrows = [text for text in ax.texts if isinstance(text, Annotation)]
    assert len(arrows) == 3
    for start, arrow in enumerate(arrows):
        ends = (arrow.get_position(), arrow.xy)
        assert np.allclose(ends, tips[[start, start + 2]])


def test_hands_that_lie_on_one_another_share_their_name() -> None:
    _, axes = figures.clock_faces([0, 1, 2, 44], {"fast": 1.0, "slow": 0.01})
    names = [[t.get_text() for t in ax.texts] for ax in axes]
    assert names == [["0, 44", "1", "2"], ["0, 1, 2", "44"]]


def test_the_last_row_of_the_steps_is_the_weighted_sum() -> None:
    weight, value = torch.tensor([0.75, 0.25]), torch.tensor([[4.0, 0.0], [0.0, -8.0]])
    _, axes = figures.attention_steps("a", ["b", "c"], [1, 0], weight, value)
    written = [t.get_text() for t in axes[2].texts]
    assert written[-2:] == [f"{3:.2f}", "−2.00"]


@each_refusal(
    (lambda: figures.attention_map(weights(2, 3), "a", ["b"] * 3), "2 queries.*got"),
    (lambda: figures.mask_map(torch.ones(1, 1), ["a"], ["b"]), "boolean.*float"),
    (lambda: figures.value_map([1.0, 2.0]), r"2 axes.*\(2,\)"),
    (lambda: figures.value_map(np.ones((0, 2))), "at least one number"),
    (lambda: figures.value_map([[1.0]], ["a", "b"]), "1 row labels.*got 2"),
    (lambda: figures.line_curves([1, 2], {"y": [1]}, "x", "y"), "2 values for 'y'.*1"),
    (
        lambda: figures.line_curves([1], {"y": [1]}, "x", "y", mistakes=["z"]),
        r"mistakes of \['y'\], but got 'z'",
    ),
    (lambda: figures.bars({}), "at least one value"),
    (lambda: figures.training_curves([{"a": 1}, {"b": 1}]), "the same names"),
    (lambda: figures.clock(np.ones((3, 4))), "two columns.*got 4"),
    (lambda: figures.clock(np.ones((3, 2)), shift=3), "1 to 2.*got 3"),
    (lambda: figures.arrows({"dog": (1, 2, 3)}), "two numbers.*'dog'"),
    (lambda: figures.arrows({}), "one vector or more"),
    (lambda: figures.clock_faces([], {"fast": 1.0}), "at least one position"),
    (lambda: figures.attention_steps("a", ["b"], [1, 2], [1], [[1]]), "2 keys"),
    (lambda: figures.search_tree({"A B": 0.5}), "'A' has no probability"),
)
def test_bad_input_is_named_in_one_sentence(call: Call, words: str) -> None:
    assert refuses(call, words).endswith(".")
    assert not plt.get_fignums()  # no half-drawn figure is left behind


def test_weights_are_darker_the_larger_they_are() -> None:
    shades = [style.luminance(style.SEQUENTIAL(x)) for x in np.linspace(0, 1, 50)]
    assert all(a > b for a, b in itertools.pairwise(shades))
    assert shades[0] == 1
    assert shades[-1] < 0.02


def contrast(one: object, other: object) -> float:
    dark, light = sorted([style.luminance(one), style.luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def test_signs_and_masks_read_in_gray() -> None:
    assert style.luminance(style.DIVERGING(0.5)) > 0.97
    assert contrast(style.DIVERGING(0.0), style.DIVERGING(1.0)) > 3
    assert contrast(heatmaps.ATTENDED, heatmaps.BLOCKED) > 4.5


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


@pytest.mark.parametrize("cmap", [style.SEQUENTIAL, style.DIVERGING])
def test_numbers_read_on_every_color(cmap: mpl.colors.Colormap) -> None:
    for color in cmap(np.linspace(0, 1, 256)):
        assert contrast(style.ink_on(color), color) >= 4.5


def test_importing_the_figures_sets_the_style_and_needs_no_notebook() -> None:
    code = (
        "import sys; sys.modules.update(bertviz=None, IPython=None);"
        "import matplotlib as mpl; mpl.use('agg'); from lib import figures;"
        "print(mpl.rcParams['font.family'], mpl.rcParams['font.size'])"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "['DejaVu Sans'] 11.0"
