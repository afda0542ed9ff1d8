"""The exercises of chapter 8: shapes, what is visible, copies, a decoder layer."""

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.exercises.record import Cases, Draw, Parts, case, exercise
from lib.layers import DecoderLayer, EncoderLayer
from lib.masks import causal_mask
from lib.model import Decoder, Encoder


@exercise(
    "Rows are queries, columns are keys; only in the cross-attention do they come from "
    "two sentences.",
    right=lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, t, s)),
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
    "Each sentence and each head has weights of its own: all shapes begin with B, H.": (
        lambda b, h, s, t: ((b, s, s), (b, t, t), (b, t, s))
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
    return F.pad(-x.sum(dim=-1, keepdim=True).cumsum(dim=1), (0, 15))


def _visible(
    run: Run, x: Tensor, how: str = "amax", alike: bool = False, fresh: bool = True
) -> Tensor:
    """What moves; the options make what people get wrong."""
    before, changed, columns = run(x), x.clone(), []
    for place in range(x.size(1)):
        changed = x.clone() if fresh else changed
        changed[:, place] += 1 if alike else 1 + torch.randn(x.size(-1))
        distance = (run(changed) - before).abs()
        columns.append(getattr(distance, how)(dim=-1)[0] > 1e-5)
    return torch.stack(columns, dim=1)


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
        "visible of a run that moves one number in each output": _one_number,
        "visible of a pre-norm decoder": _decoder(norm_first=True),
    }
    for what, run in runs.items():
        yield case(run, x, what=what)
    length = draw.randint(3, 7)
    sees = draw.ids(0, 1, length, length).float() + torch.eye(length)
    x = draw.normal(1, length, draw.randint(2, 6))
    yield case(lambda x: sees @ x, x, what="visible of another run")


visible.slips = {
    "The matrix is transposed: output i is the row, the input j that you changed is "
    "the column.": lambda run, x: _visible(run, x).T,
    "Everything seems visible: change one input at a time, in a fresh clone of x for "
    "each.": lambda run, x: _visible(run, x, fresh=False),
    "Nothing moves: run the changed vectors, and compare with the run of the unchanged "
    "ones.": lambda run, x: _visible(lambda changed: run(x), x),
    "One number that moves, up or down, is enough for an output to have moved: take "
    "the amax of abs().": lambda run, x: _visible(run, x, how="amin"),
    "Nothing moved, because a layer norm takes away what is added to all numbers of a "
    "word alike: change input j by random numbers.": (
        lambda run, x: _visible(run, x, alike=True)
    ),
}


def _fresh(layer: nn.Module, n: int, vectors: bool = False) -> list[nn.Module]:
    layers = [copy.deepcopy(layer) for _ in range(n)]
    for parameter in itertools.chain(*(one.parameters() for one in layers)):
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        elif vectors:
            nn.init.normal_(parameter)
    return layers


def _is_drawn(matrix: Tensor) -> bool:
    """Whether the largest of many numbers lies just within Xavier's bound."""
    bound = math.sqrt(6 / sum(matrix.shape))
    return 0.7 * bound < matrix.abs().max().item() <= bound


def _facts(answer: Any, layer: nn.Module, n: int) -> Parts:
    """What the copies hold, told of their parameters by name."""
    given = copy.deepcopy(layer)
    layers = list(answer(given, n))
    old, now, *new = (dict(one.named_parameters()) for one in (layer, given, *layers))
    matrices = [name for name in old if old[name].dim() > 1]
    vectors = [name for name in old if name not in matrices]

    def stays(name: str, one: dict[str, nn.Parameter]) -> bool:
        return torch.equal(one[name], old[name])

    def is_shared(name: str) -> bool:
        pairs = itertools.combinations([old, *new], 2)
        return any(torch.equal(one[name], other[name]) for one, other in pairs)

    shared = [name for name in matrices if is_shared(name)]
    kept = given not in layers and all(stays(name, now) for name in old)
    other = [name for name in vectors if not all(stays(name, one) for one in new)]
    odd = [name for name in matrices if not all(_is_drawn(one[name]) for one in new)]
    return Parts(
        {
            "The number of layers": len(layers),
            "The number of different layers": len(set(layers)),
            "That the given layer stays as it is, outside the list,": kept,
            "The list of matrices that two layers share": shared,
            "The list of vectors that have changed": other,
            "The list of matrices that do not follow Xavier's rule": odd,
        }
    )


@exercise(
    "Six layers of one build, and each may now learn something of its own.",
    right=_fresh,
)
def fresh_copies(draw: Draw) -> Cases:
    """`fresh_copies(layer, n)`: copied in build, but not in numbers."""
    torch.manual_seed(1)  # an answer that draws in the same way has the seed 0
    layer = EncoderLayer(_config())
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            # Norms as after some training, so that drawing them anew shows.
            if "norm" in name:
                parameter.add_(0.5)
    yield case(layer, 3, use=_facts)
    width, count = draw.randint(4, 9), draw.randint(2, 4)
    linear = nn.Linear(width, 2 * width)
    other = nn.Sequential(linear, nn.LayerNorm(2 * width))
    yield case(other, count, use=_facts)


fresh_copies.slips = {
    "One and the same layer stands in the list several times: training one of them "
    "would train them all, so copy it with copy.deepcopy.": (
        lambda layer, n: [copy.deepcopy(layer)] * n
    ),
    "The given layer was changed or put into the list: draw new matrices for its "
    "copies only.": lambda layer, n: [layer, *_fresh(layer, n - 1)],
    "These are clones: a deep copy takes the numbers over too, so draw the matrices of "
    "each copy anew.": lambda layer, n: [copy.deepcopy(layer) for _ in range(n)],
    "Vectors were drawn anew: leave biases and norms alone.": (
        lambda layer, n: _fresh(layer, n, vectors=True)
    ),
}


@exercise(
    "At right angles, vectors grow with the root of the depth. A pre-norm stack grows, "
    "too, which is why it ends in one more norm.",
    right=lambda n_layers, r: math.sqrt(1 + 2 * n_layers * r**2),
    atol=1e-6,
)
def expected_size(draw: Draw) -> Cases:
    """`expected_size(n_layers, r)`: how long pre-norm vectors get."""
    yield case(24, 0.5)
    yield case(1, 1.0)
    yield case(draw.randint(1, 30), draw.uniform(0.1, 3.0))


expected_size.slips = {
    "That counts one sublayer for each layer, but an encoder layer has two: attention "
    "and feed-forward.": lambda n, r: math.sqrt(1 + n * r**2),
    "That adds the sizes, as if all vectors pointed the same way; at a right angle the "
    "squares add up.": lambda n, r: 1 + 2 * n * r,
    "That is the square of the size: take the root.": lambda n, r: 1 + 2 * n * r**2,
    "The vector that enters is missing: its size 1 counts too.": (
        lambda n, r: math.sqrt(2 * n * r**2)
    ),
}

Step = tuple[nn.Module, Run]


def _steps(
    layer: DecoderLayer,
    memory: Tensor | None,
    tgt_mask: Tensor | None,
    src_mask: Tensor | None,
) -> list[Step]:
    """The residuals of a layer with their sublayers; without a memory x reads x."""

    def cross(y: Tensor) -> Tensor:
        read = y if memory is None else memory
        answer: Tensor = layer.cross_attention(y, read, read, src_mask)[0]
        return answer

    return [
        (
            layer.self_attention_residual,
            lambda y: layer.self_attention(y, y, y, tgt_mask)[0],
        ),
        (layer.cross_attention_residual, cross),
        (layer.feed_forward_residual, layer.feed_forward),
    ]


def _through(steps: Iterable[Step], x: Tensor) -> Tensor:
    for residual, sublayer in steps:
        x = residual(x, sublayer)
    return x


def _in_order(*order: int) -> Callable[..., Tensor]:
    """An answer with these of the three sublayers, in this order."""
    return lambda layer, x, m, t, s: _through(
        [_steps(layer, m, t, s)[place] for place in order], x
    )


def _reads_x(layer: DecoderLayer, x: Tensor, m: Tensor, t: Tensor, s: Tensor) -> Tensor:
    *attentions, last = _steps(layer, m, t, s)
    for residual, sublayer in attentions:
        x = residual(x, lambda y, x=x, f=sublayer: f(x))
    return _through([last], x)


def _bare(layer: DecoderLayer, x: Tensor, m: Tensor, t: Tensor, s: Tensor) -> Tensor:
    for _, sublayer in _steps(layer, m, t, s):
        x = sublayer(x)
    return x


@torch.no_grad()
def _layer(norm_first: bool) -> DecoderLayer:
    layer = DecoderLayer(_config(norm_first))
    for parameter in layer.parameters():  # norms that have learned something
        parameter.add_(0.2 * torch.randn_like(parameter))
    return layer


@exercise(
    "Self-attention, cross-attention, feed-forward: a decoder layer.",
    right=lambda layer, x, memory, tgt_mask, src_mask: layer(
        x, memory, tgt_mask, src_mask
    ),
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
    "The self-attention has no mask: give it tgt_mask.": (
        lambda layer, x, m, t, s: layer(x, m, None, s)
    ),
    "The cross-attention has no mask: it gets src_mask.": (
        lambda layer, x, m, t, s: layer(x, m, t, None)
    ),
    "The cross-attention reads the decoder's own words: its keys and values are the "
    "memory.": lambda layer, x, m, t, s: _through(_steps(layer, None, t, t), x),
    "A sublayer is missing or in the wrong place: self-attention, cross-attention, "
    "feed-forward.": [
        _in_order(1, 0, 2),
        _in_order(0, 1),
        _in_order(0, 2),
        _in_order(1, 2),
    ],
    "A sublayer reads x itself: give it what the residual hands it, which is normed in "
    "pre-norm.": _reads_x,
    "The residuals are missing: each sublayer stands inside its own.": _bare,
    "One residual serves all three sublayers: each has its own, because each norm has "
    "learned numbers of its own.": lambda layer, x, m, t, s: _through(
        [(layer.self_attention_residual, f) for _, f in _steps(layer, m, t, s)], x
    ),
}
