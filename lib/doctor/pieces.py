"""Norms, positions and feed-forward blocks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved
from lib.doctor.meeting import NAMES, SIZE, failure, plain, signature
from lib.doctor.owed import SELF, parts, soundness
from lib.doctor.report import Report


def _centered(x: Tensor) -> Tensor:
    return x - x.mean(-1, keepdim=True)


def _variance(x: Tensor, less: int = 0) -> Tensor:
    return x.var(-1, correction=less, keepdim=True)


def _square(x: Tensor) -> Tensor:
    return x.square().mean(-1, keepdim=True)


NORMS: dict[str, Callable[[Tensor, float], Tensor]] = {
    "norm_layer": lambda x, e: _centered(x) / (_variance(x) + e).sqrt(),
    "norm_unbiased": lambda x, e: _centered(x) / (_variance(x, 1) + e).sqrt(),
    "norm_outside": lambda x, e: _centered(x) / (_variance(x).sqrt() + e),
    "norm_both": lambda x, e: _centered(x) / (_variance(x, 1).sqrt() + e),
    "norm_no_root": lambda x, e: _centered(x) / (_variance(x) + e),
    "norm_uncentered": lambda x, e: x / (_variance(x) + e).sqrt(),
    "norm_rms": lambda x, e: x / (_square(x) + e).sqrt(),
    "norm_rms_outside": lambda x, e: x / (_square(x).sqrt() + e),
    "norm_scale": lambda x, e: x / (x.norm(dim=-1, keepdim=True) + e),
}


def examine_norm(piece: Piece, report: Report) -> None:
    """Examine a norm: its formula, whose numbers it looks at, its gain.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.settle()
    x = piece.some(QUERIES)
    louder = torch.cat([x[:, :1], 9 * x[:, 1:] + 3], dim=1)
    heard = moved(piece(x)[:, :1], piece(louder)[:, :1]).any()
    if heard and piece.layout != "channels":  # as in a group norm of convolutions
        report.add("norm_neighbors", words=QUERIES - 1)
    own = [p for part in parts(piece.target) for p in part.parameters(recurse=False)]
    for p in own:
        p.data = torch.ones_like(p)

    def fits(key: str, eps: float, size: float) -> bool:
        """Its gain and shift are ones, or stand for 1 + gain."""
        out, normed = piece(size * x), NORMS[key](size * x, eps)
        ways = (normed, normed + 1, 2 * normed, 2 * normed + 1)
        return any(not moved(out, found).any() for found in ways)

    known = [v for v in vars(piece.target).values() if isinstance(v, float)]
    for key, eps in itertools.product(NORMS, [*known, 1e-5, 1e-6, 1e-8, 1e-12, 1e-3]):
        if fits(key, eps, 1.0) and fits(key, eps, 0.003):
            report.add(key, eps=eps, less=piece.width - 1, wide=piece.width)
            if key in [*NORMS][:6] and any(p.numel() == 1 for p in own):
                report.add("one_gain", wide=piece.width)
            break
    else:
        report.add("norm_strange")
    soundness(piece, x, None, report)


# Exponents of a pair of columns i of D: those of the sine and of the cosine.
WAVES: dict[str, Callable[[Tensor, int], tuple[Tensor, Tensor]]] = {
    "waves": lambda i, wide: (2 * i / wide, 2 * i / wide),
    "waves_to_the_end": lambda i, wide: (i / (wide / 2 - 1), i / (wide / 2 - 1)),
    "waves_doubled": lambda i, wide: (4 * i / wide, 4 * i / wide),
    "waves_apart": lambda i, wide: (2 * i / wide, (2 * i + 1) / wide),
    "waves_apart_twice": lambda i, wide: (2 * i / wide, (2 * i + 2) / wide),
    "waves_doubled_apart": lambda i, wide: (4 * i / wide, (4 * i + 2) / wide),
    "waves_multiplied": lambda i, wide: (-2 * i / wide, -2 * i / wide),
}


def examine_positions(piece: Piece, report: Report) -> None:
    """Examine positions: a module that adds or turns, or a function that lists them.

    Raises:
        NotMetError: if it cannot be called.
    """
    if isinstance(piece.target, nn.Module):
        piece.settle()
        table = _table(piece, report)
        if table is None:
            return
    else:
        sizes = {"longest": 40, "width": SIZE["width"]}
        named = signature(piece.run)
        given = {n: sizes.get(NAMES.get(plain(n), ""), 1) for n in named}
        table = piece.run(**given).squeeze().double()
    for key, base, first in itertools.product(WAVES, (1e4, 1e3, 1e2, 1e5), (0, 1)):
        if _is_wave(table, key, base, first):
            report.add(key)
            if base != 1e4 or first:
                report.add("waves_other", base=f"{base:.0f}", first=first)
            return
    learned = [p for part in parts(piece.target) for p in part.parameters()]
    has = any(p.shape[-1:] == table.shape[-1:] for p in learned)
    report.add("positions_learned" if has else "positions_strange")


def _is_wave(table: Tensor, key: str, base: float, first: int) -> bool:
    place = torch.arange(len(table), dtype=torch.float64)[:, None] + first
    pair = torch.arange(table.size(1) // 2, dtype=torch.float64)
    slow = WAVES[key](pair, table.size(1))
    sine, cosine = (place / base ** slow[0]).sin(), (place / base ** slow[1]).cos()
    pairs = ((sine, cosine), (cosine, sine))
    ways = [torch.stack(p, -1).flatten(1) for p in pairs]
    ways += [torch.cat(p, -1) for p in pairs]
    return any((w - table).abs().max() < 1e-3 for w in ways)


def _table(piece: Piece, report: Report) -> Tensor | None:
    """What stands at each place, (places, D), where it is added and not the same."""
    x = piece.some(QUERIES)
    at = piece(0 * x)
    if not at.any() and moved(piece(x), x).any():
        _turned(piece, report)
        return None
    times = ((piece(x) - at) / x).median()
    if moved(piece(x) - at, times * x).any():
        report.add("positions_strange")
        return None
    report.add("positions_times", times=f"{float(times):.2f}")
    if not moved(at, at[:, :1].expand_as(at)).any():
        if moved(at, at[:1].expand_as(at)).any():
            piece.layout = "sequence"
            report.add("positions_first")
        else:
            owns = piece.target.state_dict()
            report.add("positions_same" if at.any() or owns else "positions_none")
            return None
    for name, value in vars(piece.target).items():
        if isinstance(value, Tensor):
            report.add("no_buffer", name=name)
    x = torch.zeros(BATCH, SIZE["longest"] + 9, piece.width)
    try:
        long = piece(x)
        return long[0, :40].detach().double()
    except Exception as error:
        if not isinstance(error, ValueError):
            report.add("too_long", why=failure(error))
        elif "it returns" in str(error):
            report.add("too_long_cut", given=x.size(1))
    return piece(x[:, :40])[0].detach().double()


def _turned(piece: Piece, report: Report) -> None:
    """Rotary positions: what two vectors say of each other tells their distance."""
    q, k = (piece.some(1, seed).expand(-1, 9, -1) for seed in (1, 2))
    queries = piece(q, k)
    piece.nth = 1
    keys = piece(q, k) if "key" in piece.roles else piece(k)
    said = queries @ keys.mT
    rotary = re.search("rot|rope", type(piece.target).__name__.lower())
    if not moved(said[:, 1:, 1:], said[:, :-1, :-1]).any():
        report.add("turned")
    else:
        off = f"{float(said[0, 0, 1]):.3f}", f"{float(said[0, 7, 8]):.3f}"
        report.add("turned_apart" if rotary else "positions_strange", off=off)


def examine_feed_forward(piece: Piece, report: Report) -> None:
    """Examine a feed-forward block: each word alone, and not linear.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.settle()
    x, y = piece.some(QUERIES), piece.some(QUERIES, 2)
    zero = piece(0 * x)
    if not moved(piece(x) + piece(y), piece(x + y) + zero).any():
        report.add("ff_linear")
    elif not moved(piece(x.abs() * -1), zero).any():
        report.add("ff_first")
    elif (piece(x) >= 0).all() and (piece(y) >= 0).all():
        report.add("ff_last")
    reach = piece.reach(x, None) & ~SELF
    report.add("ff_neighbors" if reach.any() else "ff_tried")
    soundness(piece, x, None, report)
