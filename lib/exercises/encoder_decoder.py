"""The exercises of chapter 8: shapes, what is visible, copies, a decoder layer."""

import copy
import itertools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.exercises.record import Cases, Draw, case, exercise, that
from lib.layers import DecoderLayer, EncoderLayer
from lib.masks import causal_mask
from lib.model import Decoder, Encoder

Shape = tuple[int, ...]


def _shapes(b: int, h: int, s: int, t: int) -> tuple[Shape, Shape, Shape]:
    return (b, h, s, s), (b, h, t, t), (b, h, t, s)


@exercise(
    "Rows are queries, columns are keys; only in the cross-attention do they come from "
    "two sentences.",
    right=_shapes,
)
def weight_shapes(draw: Draw) -> Cases:
    """`weight_shapes(B, H, S, T)`: the weights of the three attentions."""
    yield case(2, 4, 5, 6)
    yield case(1, 8, 3, 3)
    yield case(*draw.sample(range(2, 40), 4))


weight_shapes.slips = {
    "The cross-attention is the wrong way round: the decoder asks, so its rows are "
    "target positions, and its columns source words.": (
        lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, s, t))
    ),
    "The two self-attentions are exchanged: the encoder reads the source, with S "
    "tokens.": lambda b, h, s, t: ((b, h, t, t), (b, h, s, s), (b, h, t, s)),
    "The keys of the cross-attention come from the memory, so there are S of them and "
    "not T.": lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, t, t)),
    "The queries of the cross-attention come from the decoder, so there are T of them "
    "and not S.": lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, s, s)),
    "The heads are missing: each head has weights of its own, so H stands behind B.": (
        lambda b, h, s, t: ((b, s, s), (b, t, t), (b, t, s))
    ),
    "The batch is missing: each sentence has weights of its own, so B stands first.": (
        lambda b, h, s, t: ((h, s, s), (h, t, t), (h, t, s))
    ),
}

Run = Callable[[Tensor], Tensor]


def _config(norm_first: bool = False) -> TransformerConfig:
    """Two layers of width 16, without dropout."""
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 2, "d_ff": 32, "dropout": 0.0}
    vocabularies = {"src_vocab_size": 9, "tgt_vocab_size": 9}
    return TransformerConfig.from_dict(
        vocabularies | sizes | {"norm_first": norm_first}
    )


def _decoder(norm_first: bool = False) -> Run:
    """A decoder with the causal mask: no output depends on a later input."""
    decoder, memory = Decoder(_config(norm_first)), torch.randn(1, 3, 16)
    return lambda x: decoder(x, memory, causal_mask(x.size(1)))


def _one_number(x: Tensor) -> Tensor:
    """A running sum that stands in one of the 16 numbers of each output."""
    return F.pad(x.sum(dim=-1, keepdim=True).cumsum(dim=1), (0, 15))


def _moves(run: Run, x: Tensor, how: str = "amax", alike: bool = False) -> Tensor:
    """How far each output (row) moves when each input (column) is changed."""
    before, columns = run(x), []
    for place in range(x.size(1)):
        changed = x.clone()
        changed[:, place] += 1 if alike else 1 + torch.randn(x.size(-1))
        distance = (run(changed) - before).abs()
        columns.append(getattr(distance, how)(dim=-1)[0])
    return torch.stack(columns, dim=1)


def _visible(run: Run, x: Tensor, **how: Any) -> Tensor:
    return _moves(run, x, **how) > 1e-5


def _keeps_changing(run: Run, x: Tensor) -> Tensor:
    """Forgets to start from a fresh clone for each input."""
    before, changed, columns = run(x), x.clone(), []
    for place in range(x.size(1)):
        changed[:, place] += 1 + torch.randn(x.size(-1))
        columns.append((run(changed) - before).abs().amax(dim=-1)[0] > 1e-5)
    return torch.stack(columns, dim=1)


_NOT_BOOLEAN = (
    "visible should return a boolean matrix, but its dtype is torch.float32: compare "
    "the movement with a small number such as 1e-5."
)


def _asked(answer: Any, run: Run, x: Tensor) -> Any:
    found = answer(run, x)
    floating = isinstance(found, Tensor) and found.is_floating_point()
    sentence = _NOT_BOOLEAN.replace("torch.float32", str(getattr(found, "dtype", "")))
    that(not floating or found.dim() != 2, sentence)
    return found


@exercise(
    "You can now read the mask of any model from outside, without its code.",
    right=_visible,
)
def visible(draw: Draw) -> Cases:
    """`visible(run, x)`: which output depends on which input."""
    x = torch.randn(1, 5, 16)
    encoder = Encoder(_config())
    runs: dict[str, Run] = {
        "visible(decoder, x)": _decoder(),
        "visible(encoder, x)": lambda x: encoder(x),
        "visible of a running sum": lambda x: x.cumsum(dim=1),
        "visible of a run that moves one number in each output": _one_number,
        "visible of a pre-norm decoder": _decoder(norm_first=True),
    }
    for what, run in runs.items():
        yield case(run, x, what=what, use=_asked)
    length = draw.randint(3, 7)
    sees = draw.ids(0, 1, length, length).float() + torch.eye(length)
    x = draw.normal(1, length, draw.randint(2, 6))
    yield case(lambda x: sees @ x, x, what="visible of another run", use=_asked)


visible.slips = {
    "Drop the batch: the result has shape (T, T).": lambda run, x: _visible(run, x)[
        None
    ],
    _NOT_BOOLEAN: _moves,
    "The matrix is transposed: output i is the row, the input j that you changed is "
    "the column.": lambda run, x: _visible(run, x).T,
    "You found only the diagonal: after changing input j, compare all outputs and not "
    "only output j.": lambda run, x: torch.eye(x.size(1)).bool(),
    "Everything seems visible: change one input at a time, in a fresh clone of x for "
    "each.": [lambda run, x: torch.ones(x.size(1), x.size(1)).bool(), _keeps_changing],
    "Nothing moves: run the changed vectors, and compare with the run of the unchanged "
    "ones.": lambda run, x: _visible(lambda changed: run(x), x),
    "The matrix is inverted: True stands for an output that does move.": (
        lambda run, x: ~_visible(run, x)
    ),
    "Count a word's own output too: the diagonal is visible.": (
        lambda run, x: _visible(run, x) & ~torch.eye(x.size(1)).bool()
    ),
    "One number that moves is enough for an output to have moved: take the largest "
    "difference (amax), not the smallest.": lambda run, x: _visible(run, x, how="amin"),
    "Nothing moved, because a layer norm takes away what is added to all numbers of a "
    "word alike: change input j by random numbers.": (
        lambda run, x: _visible(run, x, alike=True)
    ),
}


def _fresh(
    layer: nn.Module,
    n: int,
    redraw: Callable[[Tensor], Any] = nn.init.xavier_uniform_,
    drawn: Callable[[str, Tensor], bool] = lambda name, one: one.dim() > 1,
) -> list[nn.Module]:
    """Deep copies, with these of their parameters drawn anew."""
    layers = [copy.deepcopy(layer) for _ in range(n)]
    for one in layers:
        for name, parameter in one.named_parameters():
            if drawn(name, parameter):
                redraw(parameter)
    return layers


def _drawn_anew(parameter: Tensor) -> None:
    draw = nn.init.xavier_uniform_ if parameter.dim() > 1 else nn.init.normal_
    draw(parameter)


def _spoils_the_given(layer: nn.Module, n: int) -> list[nn.Module]:
    copies = _fresh(layer, n)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()
    return copies


_SAME = (
    "Two layers still hold the same matrix {}: draw every parameter with more than one "
    "dimension anew."
)
_VECTOR = "The vector {} was drawn anew: leave biases and norms alone."
_TOGETHER = (
    "One and the same layer stands in the list several times: training one of them "
    "would train them all, so copy it with copy.deepcopy."
)
_GIVEN = (
    "The given layer was changed or put into the list: draw new matrices for its "
    "copies only."
)
_CLONES = (
    "These are clones: a deep copy takes the numbers over too, so draw the matrices of "
    "each copy anew."
)


def _matrices(layer: nn.Module) -> dict[str, Tensor]:
    return {name: p for name, p in layer.named_parameters() if p.dim() > 1}


def _expect_different(layers: list[nn.Module]) -> None:
    """Demand that no two layers hold the same matrix."""
    clones = False
    for first, second in itertools.combinations(map(_matrices, layers), 2):
        same = [name for name in first if torch.equal(first[name], second[name])]
        that(len(same) in (0, len(first)), _SAME.format(same[0] if same else ""))
        clones |= bool(same)
    that(not clones, _CLONES)


def _expect_kept(layer: nn.Module, layers: list[nn.Module]) -> None:
    """Demand that vectors are left alone, and that matrices follow Xavier's rule."""
    named = [pair for one in layers for pair in one.named_parameters()]
    for name, parameter in named:
        if parameter.dim() == 1:
            kept = torch.equal(parameter, layer.get_parameter(name))
            that(kept, _VECTOR.format(name))
            continue
        bound = math.sqrt(6 / sum(parameter.shape))
        largest = parameter.abs().max().item()
        that(
            0.7 * bound < largest <= bound,
            f"The matrix {name} does not follow Xavier's rule: its largest number "
            f"should be just under {bound:.3f}, but is {largest:.3f}.",
        )


def _are_fresh(answer: Any, layer: nn.Module, n: int) -> bool:
    layer = copy.deepcopy(layer)
    before = copy.deepcopy(layer.state_dict())
    layers = list(answer(layer, n))
    sentence = f"fresh_copies(layer, {n}) should return {n} layers, but returned "
    that(len(layers) == n, f"{sentence}{len(layers)}.")
    for one in layers:
        kind, wanted = type(one).__name__, type(layer).__name__
        sentence = f"Each copy should be an {wanted} like the given one, but one is a "
        that(kind == wanted, f"{sentence}{kind}.")
    that(len(set(layers)) == n, _TOGETHER)
    kept = all(torch.equal(before[k], v) for k, v in layer.state_dict().items())
    that(kept and layer not in layers, _GIVEN)
    _expect_different([layer, *layers])
    _expect_kept(layer, layers)
    return True


@exercise(
    "Six layers of one build, and each may now learn something of its own.",
    right=_fresh,
)
def fresh_copies(draw: Draw) -> Cases:
    """`fresh_copies(layer, n)`: copied in build, but not in numbers."""
    layer = EncoderLayer(_config())
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            # Norms as after some training, so that drawing them anew shows.
            if "norm" in name:
                parameter.add_(0.5)
    yield case(layer, 3, use=_are_fresh)
    width, count = draw.randint(4, 9), draw.randint(2, 4)
    linear = nn.Linear(width, 2 * width)
    other = nn.Sequential(linear, nn.LayerNorm(2 * width))
    yield case(other, count, use=_are_fresh)


fresh_copies.slips = {
    _TOGETHER: [
        lambda layer, n: [copy.deepcopy(layer)] * n,
        lambda layer, n: [layer] * n,
    ],
    _GIVEN: [lambda layer, n: [layer, *_fresh(layer, n - 1)], _spoils_the_given],
    _CLONES: lambda layer, n: [copy.deepcopy(layer) for _ in range(n)],
    _SAME.format("self_attention.query_proj.weight"): (
        lambda layer, n: _fresh(layer, n, drawn=lambda name, _: "inner.weight" in name)
    ),
    _VECTOR.format("self_attention.query_proj.bias"): (
        lambda layer, n: _fresh(layer, n, _drawn_anew, lambda *_: True)
    ),
}


def _size(n_layers: int, r: float) -> float:
    return math.sqrt(1 + 2 * n_layers * r**2)


@exercise(
    "At right angles, vectors grow with the root of the depth. A pre-norm stack grows, "
    "too, which is why it ends in one more norm.",
    right=_size,
    atol=1e-6,
)
def expected_size(draw: Draw) -> Cases:
    """`expected_size(n_layers, r)`: how long pre-norm vectors get."""
    for n_layers, r in ((24, 0.5), (6, 0.3), (1, 1.0)):
        yield case(n_layers, r)
    yield case(draw.randint(1, 30), draw.uniform(0.1, 3.0))


expected_size.slips = {
    "That counts one sublayer for each layer, but an encoder layer has two: attention "
    "and feed-forward.": lambda n, r: math.sqrt(1 + n * r**2),
    "That counts three sublayers for each layer, as in a decoder; an encoder layer has "
    "two.": lambda n, r: math.sqrt(1 + 3 * n * r**2),
    "That adds the sizes, as if all vectors pointed the same way; at a right angle the "
    "squares add up.": lambda n, r: 1 + 2 * n * r,
    "That is the square of the size: take the root.": lambda n, r: 1 + 2 * n * r**2,
    "Square r too: under the root stand squares of sizes.": (
        lambda n, r: math.sqrt(1 + 2 * n * r)
    ),
    "The vector that enters is missing: its size 1 counts too.": (
        lambda n, r: math.sqrt(2 * n * r**2)
    ),
}


def _own(layer: DecoderLayer, x: Tensor, mask: Tensor | None) -> Tensor:
    attend, around = layer.self_attention, layer.self_attention_residual
    return around(x, lambda y: attend(y, y, y, mask)[0])


def _cross(
    layer: DecoderLayer, x: Tensor, memory: Tensor, mask: Tensor | None
) -> Tensor:
    attend, around = layer.cross_attention, layer.cross_attention_residual
    return around(x, lambda y: attend(y, memory, memory, mask)[0])


def _within(layer: DecoderLayer, x: Tensor, mask: Tensor) -> Tensor:
    attend, around = layer.cross_attention, layer.cross_attention_residual
    return around(x, lambda y: attend(y, y, y, mask)[0])


def _think(layer: DecoderLayer, x: Tensor) -> Tensor:
    return layer.feed_forward_residual(x, layer.feed_forward)


def _bare(layer: DecoderLayer, x: Tensor, m: Tensor, t: Tensor, s: Tensor) -> Tensor:
    x = layer.self_attention(x, x, x, t)[0]
    return layer.feed_forward(layer.cross_attention(x, m, m, s)[0])


def _one_residual(
    layer: DecoderLayer, x: Tensor, m: Tensor, t: Tensor, s: Tensor
) -> Tensor:
    around, attend = layer.self_attention_residual, layer.cross_attention
    x = around(_own(layer, x, t), lambda y: attend(y, m, m, s)[0])
    return around(x, layer.feed_forward)


def _turned_round(
    layer: DecoderLayer, x: Tensor, m: Tensor, t: Tensor, s: Tensor
) -> Tensor:
    x = _own(layer, x, t)
    around, attend = layer.cross_attention_residual, layer.cross_attention
    return _think(layer, around(m, lambda y: attend(y, x, x)[0]))


def _decoder_forward(
    layer: DecoderLayer,
    x: Tensor,
    memory: Tensor,
    tgt_mask: Tensor | None,
    src_mask: Tensor | None,
) -> Tensor:
    x = _own(layer, x, tgt_mask)
    return _think(layer, _cross(layer, x, memory, src_mask))


@torch.no_grad()
def _layer(norm_first: bool) -> DecoderLayer:
    layer = DecoderLayer(_config(norm_first))
    for parameter in layer.parameters():  # norms that have learned something
        parameter.add_(0.2 * torch.randn_like(parameter))
    return layer


@exercise(
    "Self-attention, cross-attention, feed-forward: a decoder layer.",
    right=_decoder_forward,
)
def decoder_forward(draw: Draw) -> Cases:
    """`decoder_forward(layer, x, memory, ...)`: the three sublayers in order."""
    vectors = [(torch.randn(2, 4, 16), torch.randn(2, 3, 16))]
    lengths = draw.randint(2, 6), draw.randint(2, 6)
    vectors += [(draw.normal(2, lengths[0], 16), draw.normal(2, lengths[1], 16))]
    for x, memory in vectors:
        src_mask = torch.ones(2, 1, 1, memory.size(1), dtype=torch.bool)
        src_mask[1, ..., -1] = False
        for norm_first in (False, True):
            what = f"decoder_forward for a layer with norm_first={norm_first}"
            masks = causal_mask(x.size(1)), src_mask
            yield case(_layer(norm_first), x, memory, *masks, what=what)


decoder_forward.slips = {
    "The output is as long as the source: the queries of the cross-attention come from "
    "the decoder, keys and values from the memory.": _turned_round,
    "The self-attention has no mask: give it tgt_mask.": (
        lambda a, x, m, t, s: _decoder_forward(a, x, m, None, s)
    ),
    "The cross-attention has no mask: it gets src_mask.": (
        lambda a, x, m, t, s: _decoder_forward(a, x, m, t, None)
    ),
    "Neither attention has its mask: tgt_mask for the first, src_mask for the "
    "second.": lambda a, x, m, t, s: _decoder_forward(a, x, m, None, None),
    "The memory is read first: a decoder layer first looks at its own words.": (
        lambda a, x, m, t, s: _think(a, _own(a, _cross(a, x, m, s), t))
    ),
    "The memory is never read: the cross-attention is missing.": (
        lambda a, x, m, t, s: _think(a, _own(a, x, t))
    ),
    "The self-attention is missing.": (
        lambda a, x, m, t, s: _think(a, _cross(a, x, m, s))
    ),
    "The feed-forward block is missing.": (
        lambda a, x, m, t, s: _cross(a, _own(a, x, t), m, s)
    ),
    "The cross-attention reads the decoder's own words: its keys and values are the "
    "memory.": lambda a, x, m, t, s: _think(a, _within(a, _own(a, x, t), t)),
    "The residuals are missing: each sublayer stands inside its own.": _bare,
    "One residual serves all three sublayers: each has its own, because each norm has "
    "learned numbers of its own.": _one_residual,
}
