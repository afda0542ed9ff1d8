"""Norms, positions and feed-forward blocks."""

from __future__ import annotations

import itertools
import re

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved
from lib.doctor.meeting import NAMES, SIZE, failure, plain, signature
from lib.doctor.owed import SELF

# Of a norm: whether the mean is subtracted; what is taken off D in the variance, None
# where the plain mean of squares divides; and where ε stands.
NORMS: dict[str, tuple[bool, int | None, str]] = {
    "norm_layer": (True, 0, "inside"),
    "norm_unbiased": (True, 1, "inside"),
    "norm_outside": (True, 0, "outside"),
    "norm_both": (True, 1, "outside"),
    "norm_no_root": (True, 0, "no root"),
    "norm_uncentered": (False, 0, "inside"),
    "norm_rms": (False, None, "inside"),
    "norm_rms_outside": (False, None, "outside"),
}


def _normed(x: Tensor, key: str, eps: float) -> Tensor:
    centered, less, place = NORMS[key]
    spread = x.square().mean(-1, keepdim=True)
    if less is not None:
        spread = x.var(-1, correction=less, keepdim=True)
    size = spread.sqrt() + eps if place == "outside" else (spread + eps).sqrt()
    if place == "no root":
        size = spread + eps
    return (x - x.mean(-1, keepdim=True) if centered else x) / size


def examine_norm(piece: Piece) -> None:
    """Examine a norm: its formula, whose numbers it looks at, its gain."""
    x = piece.x
    louder = torch.cat([x[:, :1], 9 * x[:, 1:] + 3], dim=1)
    heard = moved(piece()[:, :1], piece(louder)[:, :1]).any()
    if heard and piece.layout != "channels":  # as in a group norm of convolutions
        piece.tell("norm_neighbors", words=QUERIES - 1)
    own = [*piece.module.parameters()]
    for p in own:
        p.data = torch.ones_like(p)

    def fits(key: str, eps: float, size: float) -> bool:
        """Its gain and shift are ones, or stand for 1 + gain."""
        out, normed = piece(size * x), _normed(size * x, key, eps)
        ways = (normed, normed + 1, 2 * normed, 2 * normed + 1)
        return any(not moved(out, found).any() for found in ways)

    known = [v for v in vars(piece.target).values() if isinstance(v, float)]
    for key, eps in itertools.product(NORMS, [*known, 1e-5, 1e-6, 1e-8, 1e-12, 1e-3]):
        if fits(key, eps, 1.0) and fits(key, eps, 0.003):
            piece.tell(key, eps=eps, less=piece.width - 1, wide=piece.width)
            if NORMS[key][1] is not None and any(p.numel() == 1 for p in own):
                piece.tell("one_gain", wide=piece.width)
            return
    piece.tell("norm_strange")


# Exponents of the pair i of D columns are (speed · i) / (D - less) for the sine, with
# `apart` added to speed · i for the cosine.
WAVES = {
    "waves": (2, 0, 0),
    "waves_to_the_end": (2, 0, 2),
    "waves_doubled": (4, 0, 0),
    "waves_apart": (2, 1, 0),
    "waves_apart_twice": (2, 2, 0),
    "waves_doubled_apart": (4, 2, 0),
    "waves_multiplied": (-2, 0, 0),
}


def examine_positions(piece: Piece) -> None:
    """Examine positions: a module that adds or turns, or a function that lists them.

    Raises:
        NotMetError: if it cannot be called.
    """
    if isinstance(piece.target, nn.Module):
        piece.settle()
        table = _table(piece)
        if table is None:
            return
    else:
        sizes = {"longest": 40, "width": SIZE["width"]}
        named = signature(piece.run)
        given = {n: sizes.get(NAMES.get(plain(n), ""), 1) for n in named}
        table = piece.run(**given).squeeze().double()
    for key, base, first in itertools.product(WAVES, (1e4, 1e3, 1e2, 1e5), (0, 1)):
        if _is_wave(table, key, base, first):
            piece.tell(key)
            if base != 1e4 or first:
                piece.tell("waves_other", base=f"{base:.0f}", first=first)
            return
    has = any(p.shape[-1:] == table.shape[-1:] for p in piece.module.parameters())
    piece.tell("positions_learned" if has else "positions_strange")


def _is_wave(table: Tensor, key: str, base: float, first: int) -> bool:
    speed, apart, less = WAVES[key]
    place = torch.arange(len(table), dtype=torch.float64)[:, None] + first
    index = speed * torch.arange(table.size(1) // 2, dtype=torch.float64)
    sine, cosine = (
        wave(place / base ** (exponent / (table.size(1) - less)))
        for wave, exponent in ((torch.sin, index), (torch.cos, index + apart))
    )
    pairs = ((sine, cosine), (cosine, sine))
    ways = [torch.stack(p, -1).flatten(1) for p in pairs]
    ways += [torch.cat(p, -1) for p in pairs]
    return any((w - table).abs().max() < 1e-3 for w in ways)


def _table(piece: Piece) -> Tensor | None:
    """What stands at each place, (places, D), where it is added and not the same."""
    x = piece.x
    at = piece(0 * x)
    if not at.any() and moved(piece(), x).any():
        _turned(piece)
        return None
    times = ((piece() - at) / x).median()
    if moved(piece() - at, times * x).any():
        piece.tell("positions_strange")
        return None
    piece.tell("positions_times", times=f"{float(times):.2f}")
    if not moved(at, at[:, :1].expand_as(at)).any():
        if moved(at, at[:1].expand_as(at)).any():
            piece.layout = "sequence"
            piece.tell("positions_first")
        else:
            owns = piece.target.state_dict()
            piece.tell("positions_same" if at.any() or owns else "positions_none")
            return None
    for name, value in vars(piece.target).items():
        if isinstance(value, Tensor):
            piece.tell("no_buffer", name=name)
    x = torch.zeros(BATCH, SIZE["longest"] + 9, piece.width)
    try:
        return piece(x)[0, :40].detach().double()
    except Exception as error:
        if not isinstance(error, ValueError):
            piece.tell("too_long", why=failure(error))
        elif "it returns" in str(error):
            piece.tell("too_long_cut", given=x.size(1))
    return piece(x[:, :40])[0].detach().double()


def _turned(piece: Piece) -> None:
    """Rotary positions: what two vectors say of each other tells their distance."""
    q, k = (piece.some(1, seed).expand(-1, 9, -1) for seed in (1, 2))
    queries = piece(q, k)
    both = "key" in piece.roles
    keys = piece.turn(piece.returned[1], back=True) if both else piece(k)
    said = queries @ keys.mT
    rotary = re.search("rot|rope", type(piece.target).__name__.lower())
    if not moved(said[:, 1:, 1:], said[:, :-1, :-1]).any():
        piece.tell("turned")
    else:
        off = f"{float(said[0, 0, 1]):.3f}", f"{float(said[0, 7, 8]):.3f}"
        piece.tell("turned_apart" if rotary else "positions_strange", off=off)


def examine_feed_forward(piece: Piece) -> None:
    """Examine a feed-forward block: each word alone, and not linear."""
    x, y = piece.x, piece.some(QUERIES, 2)
    zero = piece(0 * x)
    if not moved(piece() + piece(y), piece(x + y) + zero).any():
        piece.tell("ff_linear")
    elif not moved(piece(x.abs() * -1), zero).any():
        piece.tell("ff_first")
    elif (piece() >= 0).all() and (piece(y) >= 0).all():
        piece.tell("ff_last")
    piece.tell("ff_neighbors" if (piece.reach() & ~SELF).any() else "ff_tried")
