"""Right answers that a check could take for wrong: of another form, or of another way.

One stands here only where the record reads its form, or lets the answer try something
out. Lists, arrays and tensors of the same numbers are told apart for no exercise;
`test_checks.py` tests that once for all.
"""

import math
from typing import Any

import numpy as np
import torch
from torch import nn

OTHER_FORMS: dict[str, list[Any]] = {
    "positions.knows_order": [torch.tensor],
    "attention.look_back": [lambda pair: [rows.numpy() for rows in pair]],
    "masks.for_pytorch": [list],
    "masks.looking_ahead": [sorted],
    "smallest.shift": [np.array, torch.tensor],
    "heads.pack": [list],
    "transformer.same_alone": [torch.tensor],
    "first_translator.leaks": [np.bool_],
    "corpus.leaks": [sorted],
    "corpus.next_merge": [list],
    "training.paper_rate": [torch.tensor],
    "training.clip": [tuple],
    "training.global_loss": [torch.tensor],
    "training.early_stop": [list],
    "decoding.grow": [lambda beam: [list(pair) for pair in beam]],
    "decoding.nucleus": [lambda got: {w: torch.tensor(s) for w, s in got.items()}],
    "decoding.beam_step": [
        lambda beams: [[[*ids, torch.tensor(s)] for *ids, s in beam] for beam in beams]
    ],
    "inside.align": [lambda pairs: zip(*zip(*pairs, strict=True), strict=True)],
    "families.one_text": [lambda pair: tuple(map(tuple, pair))],
    "families.perplexity": [torch.tensor],
    "adapting.eight_bits": [lambda found: [found[0].to(torch.int8), found[1]]],
}
"""What turns that which the record calls right into another form of it."""


class EmbeddedPositions(nn.Module):
    """Learns its rows in a module of PyTorch's."""

    def __init__(self, d_model, max_len):
        super().__init__()
        self.rows = nn.Embedding(max_len, d_model)

    def forward(self, x):
        return x + self.rows(torch.arange(x.size(1)))


def softmax_by_rows(x):
    """Has a helper that bears the forbidden name."""

    def softmax(row):
        powers = (row - row.max()).exp()
        return powers / powers.sum()

    rows = x.reshape(-1, x.size(-1))
    return torch.stack([softmax(row) for row in rows]).view(x.shape)


def without_softmax(scores, mask):
    """Adds up float16 with what rounding that brings."""
    low = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    powers = (low - low.amax(-1, keepdim=True)).exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-6)


def from_infinity(scores, mask):
    """Makes NaN on the way, in rows of which nothing is left."""
    return scores.masked_fill(~mask, -math.inf).softmax(-1).masked_fill(~mask, 0.0)


def write_a_tensor(next_scores, sos_id, eos_id, max_len):
    """Asks with a tensor for the next scores."""
    written = torch.tensor([sos_id])
    for _ in range(max_len):
        best = next_scores(written).argmax()
        if best == eos_id:
            break
        written = torch.cat([written, best[None]])
    return written[1:]


def visible_from_gradients(run, x):
    """Changes no input: an output depends on one if a gradient flows."""
    x = x.clone().requires_grad_()
    weights = torch.randn(x.size(-1))
    rows = [
        torch.autograd.grad(out @ weights, x, retain_graph=True)[0] for out in run(x)[0]
    ]
    return torch.stack([row[0].abs().amax(dim=-1) > 1e-9 for row in rows])


def leaks_among_suffixes(run, target, vocab_size):
    """Lets all words from t on change, and demands that not a digit moves."""
    for t in range(len(target)):
        changed = target.clone()
        changed[t:] = (changed[t:] + 1) % vocab_size
        if (run(changed)[: t + 1] != run(target)[: t + 1]).any():
            return True
    return False


def join_pieces(scores, values, size):
    """Takes the softmax of each piece, and then one of the pieces."""
    pieces = scores.split(size)
    shares = torch.stack([piece.logsumexp(0) for piece in pieces]).softmax(0)
    pairs = zip(pieces, values.split(size), strict=True)
    return shares @ torch.stack([piece.softmax(0) @ part for piece, part in pairs])


def family(run, ids):
    """Changes all later tokens at once, and by far."""
    whole = run(ids)
    for length in range(1, len(ids)):
        changed = torch.cat([ids[:length], ids[length:] * 2 + 1])
        if not torch.allclose(whole[:length], run(changed)[:length]):
            return "encoder"
    return "decoder"


OTHER_WAYS: dict[str, list[Any]] = {
    "positions.learned_positions": [EmbeddedPositions],
    "attention.softmax": [
        softmax_by_rows,
        lambda x: (x - x.logsumexp(-1, keepdim=True)).exp(),
    ],
    "masks.masked_softmax": [without_softmax, from_infinity],
    "smallest.write_greedily": [write_a_tensor],
    "layers.is_pre_norm": [
        lambda block: bool((block(torch.ones(1, 1, 8), torch.zeros_like) == 1).all())
    ],
    "encoder_decoder.visible": [visible_from_gradients],
    "first_translator.leaks": [leaks_among_suffixes],
    "speed.attend_in_pieces": [join_pieces],
    "families.family": [family],
}
