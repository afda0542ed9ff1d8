"""The drawings: legible, true to the model, and described as in their chapters."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest
import torch
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Bbox
from torch import Tensor, nn

from book.tools.project.address import ROOT
from book.tools.site.pictures import alt_text
from lib import figures
from lib.attention import MultiHeadAttention, scaled_dot_product_attention
from lib.config import TransformerConfig
from lib.layers import DecoderLayer, EncoderLayer
from lib.masks import causal_mask, padding_mask
from lib.model import Transformer
from tests.book_sources import CHAPTERS, read
from tests.refusals import refuses

FOLDER = ROOT / "lib" / "figures" / "drawings"
NAMES = sorted(path.stem for path in FOLDER.glob("*.svg"))
LETTER = 15.3  # the size of the letters, in the units of the drawings
each_drawing = pytest.mark.parametrize("name", NAMES)
Element = ElementTree.Element


def root_of(name: str) -> Element:
    return ElementTree.fromstring(figures.drawing(name)._repr_svg_())


def found(root: Element, tag: str) -> list[Element]:
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def number(element: Element, name: str) -> float:
    return float(element.attrib[name])


def box_of_text(text: Element) -> Bbox:
    """Where a text stands, if its font is the widest of those that are named."""
    font = FontProperties(family="DejaVu Sans")
    width = TextPath((0, 0), text.text, LETTER, prop=font).get_extents().x1
    place = {"start": 0.0, "end": 1.0}.get(text.get("class", ""), 0.5)
    left, base = number(text, "x") - place * width, number(text, "y")
    return Bbox.from_extents(left, base - 0.75 * LETTER, left + width, base + 3)


def box_of_rect(rect: Element) -> Bbox:
    return Bbox.from_bounds(*(number(rect, n) for n in ("x", "y", "width", "height")))


def corners(path: Element) -> list[tuple[float, float]]:
    """The corners of a line made of M, L, H and V."""
    points: list[tuple[float, float]] = []
    for letter, numbers in re.findall(r"([MLHV])([\d. -]+)", path.attrib["d"]):
        values = [float(n) for n in numbers.split()]
        x, y = points[-1] if points else (0.0, 0.0)
        places = {"H": (values[0], y), "V": (x, values[0])}
        points.append(places.get(letter) or (values[0], values[1]))
    return points


@each_drawing
def test_texts_keep_inside_their_boxes_and_apart(name: str) -> None:
    root = root_of(name)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    rects = [box_of_rect(r) for r in found(root, "rect") if r.get("class") != "frame"]
    texts = [box_of_text(t) for t in found(root, "text")]
    for one, other in itertools.combinations(texts, 2):
        assert not one.overlaps(other)
    for text in texts:
        assert 0 < text.x0 < text.x1 < width
        assert 0 < text.y0 < text.y1 < height
        met = [rect for rect in rects if rect.overlaps(text)]
        assert all(rect.count_contains(text.corners()) == 4 for rect in met)


@each_drawing
def test_no_line_crosses_a_text(name: str) -> None:
    root = root_of(name)
    boxes = [(text.text, box_of_text(text)) for text in found(root, "text")]
    for path in found(root, "path"):
        if path.get("class") in ("arrow", "dots"):
            line = Path(corners(path))
            met = [text for text, box in boxes if line.intersects_bbox(box, False)]
            assert met == []


def used_in_chapters() -> dict[str, set[str]]:
    """The descriptions of each drawing, from the cells that show it."""
    described: dict[str, set[str]] = {}
    for path in CHAPTERS:
        for cell in read(path).cells:
            shown = re.search(r'figures\.drawing\(\s*"(\w+)"', cell.source)
            if cell.cell_type == "code" and shown:
                described.setdefault(shown[1], set()).add(alt_text(cell))
    return described


def test_every_drawing_is_shown_and_described_as_in_its_chapter() -> None:
    described = used_in_chapters()
    assert sorted(described) == NAMES
    maps = {"model_map", "model_strip"}  # each chapter says what it marks
    for name in set(NAMES) - maps:
        assert described[name] == {root_of(name).attrib["aria-label"]}


@each_drawing
def test_a_drawing_says_its_size_and_asks_for_no_other_file(name: str) -> None:
    text = figures.drawing(name)._repr_svg_()
    assert re.match(r'<svg [^>]*width="\d+" height="\d+" role="img"', text)
    assert not re.search(r"href|@import|http(?!://www\.w3\.org/2000/svg)", text)
    assert len(text) < 12_000


@pytest.mark.parametrize(
    ("mark", "filled"),
    [("embedding", 2), (["residuals", "feed-forward"], 5 + 2), ("model", 21)],
)
@pytest.mark.parametrize("name", ["model_map", "model_strip"])
def test_the_map_fills_what_is_marked(
    name: str, mark: str | list[str], filled: int
) -> None:
    root = ElementTree.fromstring(figures.drawing(name, mark)._repr_svg_())
    marked = [e for e in root.iter() if "marked" in e.get("class", "").split()]
    rects = {id(rect) for e in marked for rect in found(e, "rect")}
    frames = {id(r) for r in found(root, "rect") if r.get("class") == "frame"}
    assert len(rects - frames) == filled


def test_what_is_not_there_is_named() -> None:
    refuses(lambda: figures.drawing("map"), "no drawing 'map': there are attention, ")
    words = "no piece 'heads': it has model, tokens, "
    refuses(lambda: figures.drawing("model_map", mark="heads"), words)


# --- what is written on the arrows is what the model computes -----------------------

B, S, T = 2, 5, 6


def shapes_in(name: str) -> set[str]:
    """The shapes that a drawing shows, its letters as numbers."""
    written = " ".join(str(t.text) for t in found(root_of(name), "text"))
    for letter, size in {"B": B, "S": S, "T": T, "d_k": 3, "d_v": 7}.items():
        written = re.sub(rf"\b{letter}\b", str(size), written)
    return set(re.findall(r"\(\d+(?:, \d+)+\)", written))


def shapes_of(module: nn.Module, *inputs: Tensor) -> set[str]:
    """The shapes of all that goes into a module's parts and comes out of them."""
    seen: list[object] = []

    def look(part: nn.Module, given: tuple[object, ...], out: object) -> None:
        seen.extend([*given, *(out if isinstance(out, tuple) else [out])])

    for part in module.modules():
        part.register_forward_hook(look)
    module(*inputs)
    return {str(tuple(x.shape)) for x in seen if isinstance(x, Tensor)}


def test_the_shapes_of_the_model_are_those_of_the_model() -> None:
    config = TransformerConfig(1000, 1200, 64, n_heads=4, n_layers=2, d_ff=256)
    src, tgt = torch.ones(B, S, dtype=torch.long), torch.ones(B, T, dtype=torch.long)
    assert shapes_in("transformer") <= shapes_of(Transformer(config), src, tgt)
    drawn = [str(text.text) for text in found(root_of("transformer"), "text")]
    assert drawn.count("(2, 5, 64)") == 1 + 4  # embedded; in the layer
    assert drawn.count("(2, 6, 64)") == 1 + 6 + 1  # and out of it, to the linear map
    assert {"memory (2, 5, 64)", "encoder × 2", "decoder × 2"} <= set(drawn)
    assert drawn.count("4 heads of size 16") == 3
    assert drawn.count("64 → 256 → 64") == 2
    assert drawn.count("dropout") == drawn.count("add, layer norm") == 5


def test_the_shapes_of_the_layers_are_those_of_the_layers() -> None:
    config = TransformerConfig(20, 20, 64, n_heads=4, d_ff=256)
    x, memory = torch.ones(B, T, 64), torch.ones(B, S, 64)
    src_mask = padding_mask(torch.ones(B, S, dtype=torch.long), 0)
    tgt_mask = padding_mask(torch.ones(B, T, dtype=torch.long), 0) & causal_mask(T)
    encoder = shapes_of(EncoderLayer(config), memory, src_mask)
    assert shapes_in("encoder_layer") <= encoder
    decoder = shapes_of(DecoderLayer(config), x, memory, tgt_mask, src_mask)
    assert shapes_in("decoder_layer") <= decoder


def test_the_shapes_of_attention_are_those_of_attention() -> None:
    query, key, value = torch.ones(T, 3), torch.ones(S, 3), torch.ones(S, 7)
    results = scaled_dot_product_attention(query, key, value)
    tensors = (query, key, value, *results)
    assert shapes_in("attention") == {str(tuple(x.shape)) for x in tensors}
    heads = MultiHeadAttention(d_model=4, n_heads=2)
    query, key = torch.ones(B, T, 4), torch.ones(B, S, 4)
    split = [heads.split_heads(x) for x in (query, key)]
    computed = {str(tuple(x.shape)) for x in (query, key, *split)}
    assert shapes_in("multi_head") == computed


def test_the_numbers_of_the_batch_and_the_table_are_their_chapters() -> None:
    cells = read(ROOT / "book" / "01_words.ipynb").cells
    (batch,) = (c for c in cells if "padded = to_batch(four)" in c.source)
    (table,) = (c for c in cells if "table = torch.tensor(" in c.source)
    drawn = [str(t.text) for t in found(root_of("batch"), "text")]
    ids = re.findall(r"\d+", batch.outputs[0].text)
    assert [text for text in drawn if text.isdecimal()] == ids
    drawn = [str(t.text) for t in found(root_of("embedding_table"), "text")]
    drawn = [text.replace("−", "-") for text in drawn if "." in text]
    numbers = re.findall(r"-?\d\.\d", table.source)[:8]
    looked_up = numbers[2:]  # dog, bites, man
    assert sorted(drawn) == sorted(numbers + looked_up)
