"""Norms, positions and feed-forward blocks."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved, vectors
from lib.doctor.meeting import SIZE, failure, signature
from lib.doctor.owed import soundness
from lib.doctor.report import NotMetError, Report


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
    x = vectors(QUERIES, piece.width)
    louder = torch.cat([x[:, :1], 9 * x[:, 1:] + 3], dim=1)
    if moved(piece(x)[:, :1], piece(louder)[:, :1]).any():
        report.add("norm_neighbors", words=QUERIES - 1)
    is_module = isinstance(piece.target, nn.Module)
    own = list(piece.target.parameters()) if is_module else []
    for p in own:
        p.data = torch.ones_like(p)
    known = [v for v in vars(piece.target).values() if isinstance(v, float)]
    for key, eps in itertools.product(NORMS, [*known, 1e-5, 1e-6, 1e-8, 1e-12, 1e-3]):
        if all(_is_norm(piece, key, eps, size * x) for size in (1.0, 0.003)):
            report.add(key, eps=eps, less=piece.width - 1, wide=piece.width)
            if key in [*NORMS][:6] and any(p.numel() == 1 for p in own):
                report.add("one_gain", wide=piece.width)
            break
    else:
        report.add("norm_strange")
    soundness(piece, x, None, report)


def _is_norm(piece: Piece, key: str, eps: float, x: Tensor) -> bool:
    """Whether it is this norm; its gain and shift are ones, or stand for 1 + gain."""
    out, normed = piece(x), NORMS[key](x, eps)
    likely = (normed, normed + 1, 2 * normed, 2 * normed + 1)
    return any(not moved(out, found).any() for found in likely)


# Exponents of a pair of columns i of D: those of the sine and of the cosine.
WAVES: dict[str, Callable[[Tensor, int], tuple[Tensor, Tensor]]] = {
    "waves": lambda i, wide: (2 * i / wide, 2 * i / wide),
    "waves_to_the_end": lambda i, wide: (i / (wide / 2 - 1), i / (wide / 2 - 1)),
    "waves_doubled": lambda i, wide: (4 * i / wide, 4 * i / wide),
    "waves_doubled_apart": lambda i, wide: (4 * i / wide, (4 * i + 2) / wide),
    "waves_apart": lambda i, wide: (2 * i / wide, (2 * i + 1) / wide),
    "waves_apart_twice": lambda i, wide: (2 * i / wide, (2 * i + 2) / wide),
    "waves_halved": lambda i, wide: (i / wide, i / wide),
    "waves_multiplied": lambda i, wide: (-2 * i / wide, -2 * i / wide),
}


def examine_positions(piece: Piece, report: Report) -> None:
    """Examine positions, a module that adds them or a function that lists them.

    Raises:
        NotMetError: if it cannot be called.
    """
    table = _table(piece, report)
    if table is None:
        return
    same = not moved(table[None, :1].expand(1, len(table), -1), table[None])[0].any()
    if same:
        owns = {*piece.target.state_dict()} or None
        report.add("positions_same" if table.any() or owns else "positions_none")
        return
    names = [n for n, v in vars(piece.target).items() if isinstance(v, Tensor)]
    if names:
        report.add("no_buffer", name=names[0])
    for key, base, first in itertools.product(WAVES, (1e4, 1e3, 1e2, 1e5), (0, 1)):
        if _is_wave(table, key, base, first):
            report.add(key)
            if base != 1e4 or first:
                report.add("waves_other", base=f"{base:.0f}", first=first)
            return
    learned = isinstance(piece.target, nn.Module) and any(
        p.shape[-1:] == table.shape[-1:] for p in piece.target.parameters()
    )
    report.add("positions_learned" if learned else "positions_strange")


def _is_wave(table: Tensor, key: str, base: float, first: int) -> bool:
    place = torch.arange(len(table), dtype=torch.float64)[:, None] + first
    pair = torch.arange(table.size(1) // 2, dtype=torch.float64)
    slow = WAVES[key](pair, table.size(1))
    sine, cosine = (place / base ** slow[0]).sin(), (place / base ** slow[1]).cos()
    ways = [torch.stack(p, -1).flatten(1) for p in ((sine, cosine), (cosine, sine))]
    ways += [torch.cat(p, -1) for p in ((sine, cosine), (cosine, sine))]
    return any((w - table).abs().max() < 1e-3 for w in ways)


def _table(piece: Piece, report: Report) -> Tensor | None:
    """What stands at each place: (places, D), once it is clear where it is added."""
    wide, long = SIZE["width"], 40
    if not isinstance(piece.target, nn.Module):
        sizes = {"longest": long, "width": wide}
        return _of_function(piece, sizes)
    sides = [b.shape[-1] for b in (*piece.target.buffers(), *piece.target.parameters())]
    wide = sides[0] if sides and sides[0] > 1 else wide

    def run(x: Tensor) -> Tensor:
        out = piece.run(x)
        out = out[0] if isinstance(out, tuple) else out
        if out.shape[1:] == x.shape[1:] or out.dim() < 3:
            return out.expand_as(x)
        return out

    x = vectors(QUERIES, wide)
    try:
        plain, out = run(torch.zeros_like(x)), run(x.clone())
    except Exception as error:
        raise NotMetError(
            f"Vectors of shape {tuple(x.shape)} could not be handed to it: "
            f"{failure(error)}"
        ) from error
    times = ((out - plain) / x).median()
    if moved(out - plain, times * x).any():
        report.add("positions_strange")
        return None
    report.add("positions_times", times=f"{float(times):.2f}")
    over = [
        (plain - plain.select(d, 0).unsqueeze(d)).abs().max() > 1e-4 for d in (0, 1)
    ]
    first = bool(over[0] and not over[1])
    if first:
        report.add("positions_first")
    zeros = torch.zeros(long, 1, wide) if first else torch.zeros(1, long, wide)
    _too_long(run, first, report)
    return (run(zeros).transpose(0, 1) if first else run(zeros))[0].detach().double()


def _too_long(run: Any, first: bool, report: Report) -> None:
    x = torch.zeros(BATCH, SIZE["longest"] + 9, SIZE["width"])
    x = x.transpose(0, 1) if first else x
    try:
        out = run(x)
    except ValueError:
        return
    except Exception as error:
        report.add("too_long", why=failure(error))
        return
    if out.shape != x.shape:
        report.add("too_long_cut", given=x.size(1), got=out.size(1))


def _of_function(piece: Piece, sizes: dict[str, int]) -> Tensor:
    from lib.doctor.meeting import NAMES, plain

    given = {n: sizes.get(NAMES.get(plain(n), ""), 1) for n in signature(piece.run)}
    out = piece.run(**given)
    return out.squeeze().double()


def examine_feed_forward(piece: Piece, report: Report) -> None:
    """Examine a feed-forward block: each word alone, and not linear.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.settle()
    x, y = vectors(QUERIES, piece.width), vectors(QUERIES, piece.width, 2)
    zero = piece(0 * x)
    if not moved(piece(x) + piece(y), piece(x + y) + zero).any():
        report.add("ff_linear")
    elif not moved(piece(x.abs() * -1), zero).any():
        report.add("ff_first")
    elif (piece(x) >= 0).all() and (piece(y) >= 0).all():
        report.add("ff_last")
    reach = piece.reach(x, None) & ~torch.eye(QUERIES, dtype=torch.bool)
    report.add("ff_neighbors" if reach.any() else "ff_tried")
    soundness(piece, x, None, report)
