"""Right and wrong answers to the exercises of chapter 7."""

import copy
import math

import torch
from torch import nn

from lib.checks import chapter_07 as check


def shapes(b, h, s, t):
    return (b, h, s, s), (b, h, t, t), (b, h, t, s)


def moves(run, x):
    """How far each output (row) moves when each input (column) is changed."""
    before = run(x)
    columns = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] += 1 + torch.randn(x.size(-1))
        columns.append((run(changed) - before).abs().amax(dim=-1)[0])
    return torch.stack(columns, dim=1)


def visible(run, x):
    return moves(run, x) > 1e-5


def visible_from_gradients(run, x):
    """Another right way: an output depends on an input if a gradient flows."""
    x = x.clone().requires_grad_()
    weights = torch.randn(x.size(-1))
    rows = [
        torch.autograd.grad(out @ weights, x, retain_graph=True)[0] for out in run(x)[0]
    ]
    return torch.stack([row[0].abs().amax(dim=-1) > 1e-9 for row in rows])


def keeps_changing(run, x):
    """Forgets to start from a fresh clone for each input."""
    before, changed = run(x), x.clone()
    columns = []
    for j in range(x.size(1)):
        changed[:, j] += 1 + torch.randn(x.size(-1))
        columns.append((run(changed) - before).abs().amax(dim=-1)[0] > 1e-5)
    return torch.stack(columns, dim=1)


def fresh(layer, n, redraw=nn.init.xavier_uniform_, chosen=lambda p: p.dim() > 1):
    layers = [copy.deepcopy(layer) for _ in range(n)]
    for new in layers:
        for parameter in new.parameters():
            if chosen(parameter):
                redraw(parameter)
    return layers


def spoils_the_given(layer, n):
    copies = fresh(layer, n)
    with torch.no_grad():
        layer.feed_forward.inner.weight.zero_()
    return copies


def draws_a_vector(layer, n):
    copies = fresh(layer, n)
    for one in copies:
        nn.init.normal_(one.feed_forward.inner.bias)
    return copies


def draws_one_matrix(layer, n):
    copies = [copy.deepcopy(layer) for _ in range(n)]
    for one in copies:
        nn.init.xavier_uniform_(one.feed_forward.inner.weight)
    return copies


def with_ones(run, x):
    """Adds 1 to every number of a word, which a layer norm takes away again."""
    before = run(x)
    columns = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] += 1
        columns.append((run(changed) - before).abs().amax(dim=-1)[0] > 1e-5)
    return torch.stack(columns, dim=1)


def all_numbers_moved(run, x):
    before = run(x)
    columns = []
    for j in range(x.size(1)):
        changed = x.clone()
        changed[:, j] += 1 + torch.randn(x.size(-1))
        columns.append((run(changed) - before).abs().amin(dim=-1)[0] > 1e-5)
    return torch.stack(columns, dim=1)


def own(layer, x, mask, part="self_attention"):
    attend = getattr(layer, part)
    around = getattr(layer, f"{part}_residual")
    return around(x, lambda y: attend(y, y, y, mask)[0])


def cross(layer, x, memory, mask):
    around = layer.cross_attention_residual
    return around(x, lambda y: layer.cross_attention(y, memory, memory, mask)[0])


def think(layer, x):
    return layer.feed_forward_residual(x, layer.feed_forward)


def decoder_forward(layer, x, memory, tgt_mask, src_mask):
    x = own(layer, x, tgt_mask)
    return think(layer, cross(layer, x, memory, src_mask))


def turned_round(layer, x, memory, tgt_mask, src_mask):
    x = own(layer, x, tgt_mask)
    around, attend = layer.cross_attention_residual, layer.cross_attention
    return think(layer, around(memory, lambda y: attend(y, x, x)[0]))


def without_residuals(layer, x, memory, tgt_mask, src_mask):
    x = layer.self_attention(x, x, x, tgt_mask)[0]
    return layer.feed_forward(layer.cross_attention(x, memory, memory, src_mask)[0])


def with_one_residual(layer, x, memory, tgt_mask, src_mask):
    around, attend = layer.self_attention_residual, layer.cross_attention
    x = own(layer, x, tgt_mask)
    x = around(x, lambda y: attend(y, memory, memory, src_mask)[0])
    return around(x, layer.feed_forward)


def keeps_the_weights(layer, x, memory, tgt_mask, src_mask):
    return own(layer, x, tgt_mask) + layer.cross_attention(x, memory, memory, src_mask)


def size(n_layers, r):
    return math.sqrt(1 + 2 * n_layers * r**2)


RIGHT = [
    (check.weight_shapes, shapes),
    (check.weight_shapes, lambda *a: [list(one) for one in shapes(*a)]),
    (check.visible, visible),
    (check.visible, visible_from_gradients),
    (check.fresh_copies, fresh),
    (check.fresh_copies, lambda layer, n: nn.ModuleList(fresh(layer, n))),
    (check.decoder_forward, decoder_forward),
    (
        check.decoder_forward,
        lambda layer, x, memory, t, s: layer(x, memory, t, s),
    ),
    (check.expected_size, size),
    (check.expected_size, lambda n, r: torch.tensor(1 + 2 * n * r * r) ** 0.5),
]

WRONG = [
    (
        check.weight_shapes,
        lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, s, t)),
        "wrong way round",
    ),
    (
        check.weight_shapes,
        lambda b, h, s, t: ((b, h, t, t), (b, h, s, s), (b, h, t, s)),
        "exchanged",
    ),
    (
        check.weight_shapes,
        lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, t, t)),
        "keys of the cross-attention",
    ),
    (
        check.weight_shapes,
        lambda b, h, s, t: ((b, h, s, s), (b, h, t, t), (b, h, s, s)),
        "queries of the cross-attention",
    ),
    (
        check.weight_shapes,
        lambda b, h, s, t: ((b, s, s), (b, t, t), (b, t, s)),
        "heads are missing",
    ),
    (
        check.weight_shapes,
        lambda b, h, s, t: ((h, s, s), (h, t, t), (h, t, s)),
        "batch is missing",
    ),
    (check.weight_shapes, lambda b, h, s, t: (b, h, s, t), "should be"),
    (
        check.weight_shapes,
        lambda *_: ((2, 4, 5, 5), (2, 4, 6, 6), (2, 4, 6, 5)),
        "weight_shapes(1, 8, 3, 3)",
    ),
    (check.visible, lambda run, x: visible(run, x)[None], "Drop the batch"),
    (check.visible, moves, "boolean matrix"),
    (check.visible, lambda run, x: visible(run, x).T, "transposed"),
    (check.visible, lambda run, x: torch.eye(x.size(1)).bool(), "only the diagonal"),
    (check.visible, keeps_changing, "one input at a time"),
    (check.visible, lambda run, x: moves(lambda y: run(x), x) > 1e-5, "Nothing moves"),
    (check.visible, lambda run, x: ~visible(run, x), "inverted"),
    (
        check.visible,
        lambda run, x: visible(run, x) & ~torch.eye(x.size(1)).bool(),
        "own output",
    ),
    (
        check.visible,
        lambda run, x: torch.ones(x.size(1), x.size(1)).tril().bool(),
        "visible(encoder, x)",
    ),
    (check.visible, with_ones, "takes away what is added"),
    (check.visible, all_numbers_moved, "amax"),
    (check.fresh_copies, lambda layer, n: [copy.deepcopy(layer)] * n, "several times"),
    (check.fresh_copies, lambda layer, n: [layer] * n, "several times"),
    (
        check.fresh_copies,
        lambda layer, n: [copy.deepcopy(layer) for _ in range(n)],
        "clones",
    ),
    (check.fresh_copies, lambda layer, n: fresh(layer, n - 1), "should return 3"),
    (
        check.fresh_copies,
        lambda layer, n: [nn.Linear(2, 2) for _ in range(n)],
        "is a Linear",
    ),
    (
        check.fresh_copies,
        lambda layer, n: [layer, *fresh(layer, n - 1)],
        "given layer was changed",
    ),
    (check.fresh_copies, spoils_the_given, "given layer was changed"),
    (check.fresh_copies, draws_one_matrix, "still hold the same matrix"),
    (check.fresh_copies, draws_a_vector, "was drawn anew"),
    (
        check.fresh_copies,
        lambda layer, n: fresh(layer, n, nn.init.normal_),
        "Xavier's rule",
    ),
    (
        check.fresh_copies,
        lambda layer, n: fresh(layer, n, lambda p: nn.init.normal_(p, std=0.02)),
        "Xavier's rule",
    ),
    (check.expected_size, lambda n, r: math.sqrt(1 + n * r * r), "one sublayer"),
    (check.expected_size, lambda n, r: math.sqrt(1 + 3 * n * r * r), "decoder"),
    (check.expected_size, lambda n, r: 1 + 2 * n * r, "adds the sizes"),
    (check.expected_size, lambda n, r: 1 + 2 * n * r * r, "take the root"),
    (check.expected_size, lambda n, r: math.sqrt(1 + 2 * n * r), "Square r too"),
    (check.expected_size, lambda n, r: math.sqrt(2 * n * r * r), "that enters"),
    (check.expected_size, lambda n, r: 1.0, "should be"),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: decoder_forward(a, x, m, None, s),
        "self-attention has no mask",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: decoder_forward(a, x, m, t, None),
        "cross-attention has no mask",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: decoder_forward(a, x, m, None, None),
        "Neither attention",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: decoder_forward(a, x, m, s, t),
        "stopped with ValueError",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: think(a, own(a, cross(a, x, m, s), t)),
        "read first",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: think(a, own(a, x, t)),
        "never read",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: think(a, cross(a, x, m, s)),
        "self-attention is missing",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: cross(a, own(a, x, t), m, s),
        "feed-forward block is missing",
    ),
    (
        check.decoder_forward,
        lambda a, x, m, t, s: think(a, own(a, own(a, x, t), t, "cross_attention")),
        "own words: its keys",
    ),
    (check.decoder_forward, turned_round, "as long as the source"),
    (check.decoder_forward, without_residuals, "residuals are missing"),
    (check.decoder_forward, with_one_residual, "serves all three"),
    (check.decoder_forward, keeps_the_weights, "stopped with TypeError"),
    (check.decoder_forward, lambda a, x, m, t, s: x, "is off in"),
]
