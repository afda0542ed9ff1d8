"""Attention: its numbers beside the right ones, and beside those of known slips."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved, written, written_ways
from lib.doctor.meeting import NAMES, plain, quietly, undisturbed
from lib.doctor.owed import masks, outside, padded, pattern, soundness
from lib.doctor.report import Report


class Way(NamedTuple):
    """One way to compute attention; each setting but the first is a slip."""

    split: str = "apart"
    merge: str = "apart"
    scale: str = "√d_k"
    over: int = -1
    hide: str = "mask_fits"


ROOTS = {
    "√d_k": lambda d, wide, long: math.sqrt(d),
    "√d_model": lambda d, wide, long: math.sqrt(wide),
    "d_k": lambda d, wide, long: d,
    "d_model": lambda d, wide, long: wide,
    "nothing": lambda d, wide, long: 1.0,
    "1/√d_k": lambda d, wide, long: 1 / math.sqrt(d),
    "the root of the length": lambda d, wide, long: math.sqrt(long),
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

    def __init__(self, module: Any, wide: int, heads: int, fused: str) -> None:
        self.heads, self.kept, self.shared, self.several = heads, wide, "", False
        seen: dict[str, int] = {}
        parameters = module.named_parameters() if isinstance(module, nn.Module) else ()
        for name, p in parameters:
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


def attend(x: Tensor, kv: Tensor, look: Tensor, way: Way, level: Level) -> Tensor:
    """Attention of vectors that nothing projects, in the right way or in another."""
    wide, heads, kept = x.size(-1), level.heads, level.kept
    if heads == 1:  # one that looks at a part of the vector
        x = x[..., :kept]
    groups = heads * kept // wide if heads > 1 else 1
    q, k = _split(x, heads, way.split), _split(kv[..., :kept], groups, way.split)
    k = k.repeat_interleave(heads // groups, 1)
    look = look[:, None].mT if way.hide == "mask_turned" else look[:, None]
    scores = q @ k.mT / ROOTS[way.scale](q.size(-1), wide, kv.size(1))
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


def heads_of(piece: Piece) -> list[int]:
    """How many heads a module says that it has; else all that the width can have."""
    named: list[tuple[str, Any]] = []
    for owner in (piece.target, getattr(piece.target, "config", None)):
        named += [*getattr(owner, "__dict__", {}).items()]
    named += getattr(piece.target, "_modules", {}).items()
    for name, value in named:
        if NAMES.get(plain(name)) == "heads" and isinstance(value, int | nn.ModuleList):
            return [value if isinstance(value, int) else len(value)]
    every = [h for h in range(piece.width, 0, -1) if piece.width % h == 0]
    return every if isinstance(piece.target, nn.Module) else [1]


class Numbers:
    """What a stranger's attention gives, beside what it might."""

    def __init__(self, piece: Piece, memory: Tensor | None) -> None:
        self.piece, self.memory = piece, memory
        self.x = piece.some(QUERIES)
        self.kv = self.x if memory is None else memory
        self.every = torch.ones(BATCH, QUERIES, self.kv.size(1), dtype=torch.bool)

    def levels(self) -> Iterator[Level]:
        """Level the module in each way that its matrices may lie in."""
        piece = self.piece
        for heads in heads_of(piece):
            for fused in ("below", "by head", "in turn"):
                with undisturbed(piece.target):
                    piece.heads = heads
                    yield (found := Level(piece.target, piece.width, heads, fused))
                if not found.several:
                    break

    def way(
        self, level: Level, out: Tensor, look: Tensor, ways: Iterable[Way]
    ) -> Way | None:
        """The first way whose numbers these are."""
        for way in ways:
            known = quietly(lambda: attend(self.x, self.kv, look, way, level))  # noqa: B023
            fits = known is not None and known.shape == out.shape
            if fits and not moved(known, out).any():
                return way
        return None

    def formula(self, report: Report) -> None:
        """Compare: with the right ones first, then with those of slips."""
        looks = (self.every, self.every.tril())
        for ways, level in ((w, lev) for w in (RIGHT, WRONG) for lev in self.levels()):
            out = self.piece(self.x, self.memory)
            for look in looks:
                if found := self.way(level, out, look, ways):
                    right = attend(self.x, self.kv, look, Way(), level)
                    _tell(found, level, out, right, self.piece, report)
                    return
        report.add("numbers_strange")

    def slip(self, name: str) -> tuple[str, dict[str, str]] | None:
        """The known slip that a mask's numbers are those of, and how it is written."""
        looks = (self.every.tril(1), padded(self.x, self.kv.size(1)))
        ways = [*itertools.product(looks, written_ways())]
        for level, (look, form) in ((lev, w) for lev in self.levels() for w in ways):
            mask = {name: written(look, form, self.piece.heads)}
            out = quietly(lambda: self.piece(self.x, self.memory, **mask))  # noqa: B023
            said = mask[name] is not None and out is not None
            if said and (found := self.way(level, out, look, HIDES)):
                return found.hide, {"meaning": form[0], "shape": form[1]}
        return None


def examine_attention(piece: Piece, report: Report) -> None:
    """Examine attention of any make.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.heads = heads_of(piece)[0]
    piece.settle()
    x = piece.some(QUERIES)
    memory = outside(piece, x, report)
    numbers = Numbers(piece, memory)
    numbers.formula(report)
    masks(piece, x, memory, report, numbers.slip)
    pattern(piece, x, memory, report, must=False)
    soundness(piece, x, memory, report)


def _tell(
    way: Way, level: Level, out: Tensor, right: Tensor, piece: Piece, report: Report
) -> None:
    if level.shared:
        shape = tuple(piece.target.get_parameter(level.shared).shape)
        report.add("shared", name=level.shared, shape=shape)
    key = WRONG.get(way, "numbers")
    if way.scale == "nothing" and report.starts_small:
        key = "unscaled"
    got, wanted = (
        "[" + ", ".join(f"{v:.3f}" for v in t[0, 1, :3].tolist()) + ", …]"
        for t in (out, right)
    )
    report.add(key, got=got, right=wanted, scale=way.scale, over=OVER.get(way.over))
