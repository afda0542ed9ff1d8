"""The exercises of chapter 8: shapes, what is visible, copies, a decoder layer."""

import copy
import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lib.config import TransformerConfig
from lib.exercises.record import Cases, Draw, Parts, Without, case, exercise
from lib.layers import DecoderLayer, EncoderLayer
from lib.masks import causal_mask
from lib.model import Decoder, Encoder

Run = Callable[[Tensor], Tensor]


@exercise(lambda draw: [(2, 4, 5, 6), (1, 8, 3, 3), draw.sample(range(2, 40), 4)])
def weight_shapes(b: int, h: int, s: int, t: int) -> tuple[tuple[int, ...], ...]:
    """The weights of the encoder, of the decoder, and between them."""
    return (b, h, s, s), (b, h, t, t), (b, h, t, s)


_config = partial(
    TransformerConfig, 9, 9, d_model=16, n_heads=2, n_layers=2, d_ff=32, dropout=0.0
)


def _decoder(norm_first: bool = False) -> Run:
    """A decoder with the causal mask: no output depends on a later input."""
    decoder, memory = Decoder(_config(norm_first=norm_first)), torch.randn(1, 3, 16)
    return lambda x: decoder(x, memory, causal_mask(x.size(1)))


def _one_number(x: Tensor) -> Tensor:
    """A running sum that stands in one of the 16 numbers of each output."""
    return F.pad(-x.sum(dim=-1, keepdim=True).cumsum(dim=1), (0, 15))


def _runs(draw: Draw) -> Cases:
    x, encoder = torch.randn(1, 5, 16), Encoder(_config())
    yield case(_decoder(), x, what="visible(decoder, x)")
    yield case(lambda x: encoder(x), x, what="visible(encoder, x)")
    what = "visible of a run that moves one number in each output"
    yield case(_one_number, x, what=what)
    yield case(_decoder(norm_first=True), x, what="visible of a pre-norm decoder")
    sees = draw.ids(0, 1, 6, 6).float() + torch.eye(6)
    what = "visible of another run"
    yield case(lambda x: sees @ x, draw.normal(1, 6, 3), what=what)


@exercise(_runs)
def visible(run: Run, x: Tensor) -> Tensor:
    """Which output moves with which input."""
    before, columns = run(x), []
    for place in range(x.size(1)):
        changed = x.clone()  # (1, T, D)
        changed[:, place] += 1 + torch.randn(x.size(-1))
        distance = (run(changed) - before).abs()
        columns.append(distance.amax(dim=-1)[0] > 1e-5)  # (T)
    return torch.stack(columns, dim=1)  # (T, T)


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


def _layers(draw: Draw) -> Cases:
    torch.manual_seed(1)  # an answer that draws in the same way has the seed 0
    layer = EncoderLayer(_config())
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            # Norms as after some training, so that drawing them anew shows.
            if "norm" in name:
                parameter.add_(0.5)
    yield case(layer, 3, use=_facts)
    other = nn.Sequential(nn.Linear(draw.randint(4, 30), 9), nn.LayerNorm(9))
    yield case(other, 2, use=_facts)


@exercise(_layers)
def fresh_copies(layer: nn.Module, n: int) -> list[nn.Module]:
    """Copied in build, but not in numbers."""
    layers = [copy.deepcopy(layer) for _ in range(n)]
    for new in layers:
        for parameter in new.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
    return layers


@exercise(
    lambda draw: [(24, 0.5), (1, 1.0), (draw.randint(1, 30), draw.uniform(0.1, 3.0))],
    atol=1e-6,
)
def expected_size(n_layers: int, r: float) -> float:
    """How long pre-norm vectors get."""
    return math.sqrt(1 + 2 * n_layers * r**2)


@torch.no_grad()
def _layer(norm_first: bool) -> DecoderLayer:
    layer = DecoderLayer(_config(norm_first=norm_first))
    for parameter in layer.parameters():  # norms that have learned something
        parameter.add_(0.2 * torch.randn_like(parameter))

    def whole_layer(*given: Any, **named: Any) -> Tensor:  # a name to watch for
        return DecoderLayer.forward(layer, *given, **named)

    layer.forward = whole_layer  # type: ignore[method-assign]
    return layer


def _vectors(draw: Draw) -> Cases:
    for x, memory in (
        (torch.randn(2, 4, 16), torch.randn(2, 3, 16)),
        (draw.normal(2, 3, 16), draw.normal(2, 5, 16)),
    ):
        src_mask = torch.ones(2, 1, 1, memory.size(1), dtype=torch.bool)
        src_mask[1, ..., -1] = False
        for norm_first in (False, True):
            what = f"decoder_forward for a layer with norm_first={norm_first}"
            masks = causal_mask(x.size(1)), src_mask
            yield case(_layer(norm_first), x, memory, *masks, what=what)


@exercise(
    _vectors,
    without=Without(
        "This calls the layer itself: the task is to take its three steps yourself, "
        "each of them x = residual(x, sublayer).",
        like=lambda layer, *given: layer(*given),
        named={"whole_layer"},
    ),
)
def decoder_forward(
    layer: DecoderLayer, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor
) -> Tensor:
    """Three sublayers in their order, each inside its residual."""

    def listen(y: Tensor) -> Tensor:
        return layer.self_attention(y, y, y, tgt_mask)[0]

    def read(y: Tensor) -> Tensor:
        return layer.cross_attention(y, memory, memory, src_mask)[0]

    x = layer.self_attention_residual(x, listen)
    x = layer.cross_attention_residual(x, read)
    return layer.feed_forward_residual(x, layer.feed_forward)
