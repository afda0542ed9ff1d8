"""Attention: its numbers beside the right ones, and beside those of known slips."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from lib.doctor.calling import Piece, heads_of, moved, written, written_ways
from lib.doctor.meeting import quietly, undisturbed
from lib.doctor.owed import masks, padded, pattern, seeing


class Way(NamedTuple):
    """One way to compute attention; each setting but the first is a slip."""

    split: str = "apart"
    merge: str = "apart"
    scale: str = "√d_k"
    over: int = -1
    hide: str = "mask_fits"


# The size that scores are divided by, and its power.
ROOTS = {
    "√d_k": ("d_k", 0.5),
    "√d_model": ("d_model", 0.5),
    "d_k": ("d_k", 1),
    "d_model": ("d_model", 1),
    "nothing": ("d_k", 0),
    "1/√d_k": ("d_k", -0.5),
    "the root of the length": ("length", 0.5),
}
OVER = {-2: "queries", 1: "heads", 0: "batch"}
RIGHT = [Way(s, m) for s in ("apart", "dealt") for m in ("apart", "dealt")]
WRONG = {
    **{Way(s, "reshape"): "merge" for s in ("apart", "dealt")},
    **{Way("reshape", m): "split" for m in ("apart", "reshape")},
    **{Way(scale=scale): "scale" for scale in ROOTS if scale != "√d_k"},
    **{Way(over=over): "over" for over in OVER},
    Way(over=9): "no_softmax",
}
HIDES = [Way(hide=hide) for hide in ("mask_zero", "mask_after", "mask_turned")]


class Level:
    """A module whose projections all hand on what they get.

    Then nobody needs to know which matrix is which: the answers are plain attention of
    the vectors themselves, cut into heads.
    """

    def __init__(self, piece: Piece, fused: str) -> None:
        wide = piece.width
        self.heads, self.kept, self.shared, self.several = piece.heads, wide, "", False
        seen: dict[str, int] = {}
        for name, p in piece.module.named_parameters():
            if p.dim() < 2 or (p.numel() <= wide and len({*p.shape}) > 1):
                p.data = torch.zeros_like(p)  # a bias, whatever its shape
            elif wide in p.shape:
                group = re.sub(r"\d+", "#", name)
                p.data = self._matrix(p, wide, fused, seen.setdefault(group, 0))
                seen[group] += 1
            elif p.shape[0] == p.shape[1]:
                p.data = torch.eye(len(p))
                self.shared = "" if "." in name.rpartition(".")[0] else name

    def _matrix(self, p: Tensor, wide: int, fused: str, place: int) -> Tensor:
        axis = 1 if p.shape[1] == wide else list(p.shape).index(wide)
        others = [side for i, side in enumerate(p.shape) if i != axis]
        eye, n = torch.eye(wide), p.numel() // wide
        if n < wide:
            begin = place * n % wide
            eye = eye[:, begin : begin + n]
            part = self.heads == 1 or n % (wide // self.heads) == 0
            self.kept = n if part and not place else wide
        elif (times := n // wide) > 1:
            self.several = True
            by_head = eye.unflatten(1, (self.heads, 1, -1)).expand(-1, -1, times, -1)
            ways = {
                "below": eye.repeat(1, times),
                "by head": by_head.flatten(1),
                "in turn": eye.repeat_interleave(times, 1),
            }
            eye = ways[fused]
        return eye.reshape(wide, *others).movedim(0, axis).contiguous()


def attend(piece: Piece, look: Tensor, way: Way, level: Level) -> Tensor:
    """Attention of vectors that nothing projects, in the right way or in another."""
    x, kept, heads = piece.x, level.kept, piece.heads
    wide = x.size(-1)
    if heads == 1:  # one that looks at a part of the vector
        x = x[..., :kept]
    groups = heads * kept // wide if heads > 1 else 1
    q, k = (
        _split(x, heads, way.split),
        _split(piece.seen[..., :kept], groups, way.split),
    )
    k = k.repeat_interleave(heads // groups, 1)
    look = look[:, None].mT if way.hide == "mask_turned" else look[:, None]
    size, power = ROOTS[way.scale]
    sizes = {"d_k": q.size(-1), "d_model": wide, "length": k.size(2)}
    scores = q @ k.mT / sizes[size] ** power
    if way.hide != "mask_after":
        scores = scores.masked_fill(~look, 0.0 if way.hide == "mask_zero" else -1e9)
    weights = scores if way.over == 9 else scores.softmax(way.over)
    out = (weights * look if way.hide == "mask_after" else weights) @ k
    if way.merge == "reshape":
        return out.reshape(len(out), out.size(2), -1)
    order = (0, 2, 1, 3) if way.merge == "apart" else (0, 2, 3, 1)
    return out.permute(order).flatten(-2)


def _split(x: Tensor, heads: int, split: str) -> Tensor:
    if split == "reshape":
        return x.reshape(len(x), heads, x.size(1), -1)
    if split == "dealt":
        return x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def levels(piece: Piece) -> Iterator[Level]:
    """Level the module in each way that its matrices may lie in."""
    for heads in heads_of(piece):
        piece.heads = heads
        for fused in ("below", "by head", "in turn"):
            with undisturbed(piece.target):
                yield (level := Level(piece, fused))
            if not level.several:
                break


def way_of(
    piece: Piece, level: Level, out: Tensor, look: Tensor, ways: Iterable[Way]
) -> Way | None:
    """The first way whose numbers these are."""
    for way in ways:
        known = quietly(lambda: attend(piece, look, way, level))  # noqa: B023
        fits = known is not None and known.shape == out.shape
        if fits and not moved(known, out).any():
            return way
    return None


def formula(piece: Piece) -> None:
    """Compare: with the right ones first, then with those of slips."""
    every = seeing(piece)
    for ways, level in ((w, lev) for w in (RIGHT, WRONG) for lev in levels(piece)):
        out = piece()
        for look in (every, every.tril()):
            if way := way_of(piece, level, out, look, ways):
                right = attend(piece, look, Way(), level)
                _tell(piece, way, level, out, right)
                return
    piece.tell("numbers_strange")


def slip(piece: Piece, name: str) -> tuple[str, dict[str, str]] | None:
    """The known slip that a mask's numbers are those of, and how it is written."""
    every = seeing(piece)
    looks = (every.tril(1), padded(every))
    ways = [*itertools.product(looks, written_ways())]
    for level, (look, form) in ((lev, w) for lev in levels(piece) for w in ways):
        mask = {name: written(look, form, piece.heads)}
        out = quietly(lambda: piece(**mask))  # noqa: B023
        said = mask[name] is not None and out is not None
        if said and (way := way_of(piece, level, out, look, HIDES)):
            return way.hide, {"meaning": form[0], "shape": form[1]}
    return None


def examine_attention(piece: Piece) -> None:
    """Examine attention of any make."""
    formula(piece)
    masks(piece, slip)
    pattern(piece)


def _tell(piece: Piece, way: Way, level: Level, out: Tensor, right: Tensor) -> None:
    if level.shared:
        shape = tuple(piece.target.get_parameter(level.shared).shape)
        piece.tell("shared", name=level.shared, shape=shape)
    key = WRONG.get(way, "numbers")
    if way.scale == "nothing" and piece.report.starts_small:
        key = "unscaled"
    got, wanted = (
        "[" + ", ".join(f"{v:.3f}" for v in t[0, 1, :3].tolist()) + ", …]"
        for t in (out, right)
    )
    piece.tell(key, got=got, right=wanted, scale=way.scale, over=OVER.get(way.over))
