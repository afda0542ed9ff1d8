"""Attention: its numbers beside the right ones, and beside those of known slips."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lib.doctor.calling import (
    BATCH,
    MEANINGS,
    QUERIES,
    SEEN,
    SHAPES,
    Piece,
    fitting_mask,
    moved,
    vectors,
    written,
)
from lib.doctor.meeting import NAMES, failure, plain, quietly, undisturbed
from lib.doctor.owed import pattern, soundness
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
HIDES = ("mask_zero", "mask_after", "mask_turned")


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
            owner = module.get_submodule(name.rpartition(".")[0])
            if p.dim() < 2:
                if "norm" not in type(owner).__name__.lower():
                    p.data = torch.zeros_like(p)
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


def attend(
    x: Tensor, kv: Tensor, look: Tensor, way: Way, heads: int, kept: int
) -> Tensor:
    """Attention of vectors that nothing projects, in the right way or in another."""
    wide = x.size(-1)
    if heads == 1:  # one that looks at a part of the vector
        x, kv = x[..., :kept], kv[..., :kept]
    groups = heads * kept // wide if heads > 1 else 1
    q, k = _split(x, heads, way.split), _split(kv[..., :kept], groups, way.split)
    k = k.repeat_interleave(heads // groups, 1)
    d = q.size(-1)
    look = (
        look[:, None].transpose(-2, -1) if way.hide == "mask_turned" else look[:, None]
    )
    scores = q @ k.transpose(-2, -1) / ROOTS[way.scale](d, wide, kv.size(1))
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


class Numbers:
    """What a stranger's attention gives, beside what it might."""

    def __init__(self, piece: Piece, memory: Tensor | None) -> None:
        self.piece, self.memory = piece, memory
        self.x = vectors(QUERIES, piece.width)
        self.kv = self.x if memory is None else memory
        modules = piece.target.modules() if isinstance(piece.target, nn.Module) else ()
        self.counts = heads_of(piece)
        self.norms = [m for m in modules if "norm" in type(m).__name__.lower()]

    def levels(self) -> Iterator[Level]:
        """Level the module in each way that its matrices may lie in."""
        for heads in self.counts:
            for fused in ("below", "by head", "in turn"):
                with undisturbed(self.piece.target):
                    found = Level(self.piece.target, self.piece.width, heads, fused)
                    self.piece.heads = heads
                    yield found
                if not found.several:
                    break

    def way(self, found: Level, out: Tensor, look: Tensor, ways: Any) -> Way | None:
        """The first way whose numbers these are."""
        for way in ways:
            for guess in quietly(lambda: self.around(found, look, way)) or ():  # noqa: B023
                if guess.shape == out.shape and not moved(guess, out).any():
                    return way
        return None

    def around(self, found: Level, look: Tensor, way: Way) -> list[Tensor]:
        """Plainly, and with a residual and a norm around, as some have it."""
        rest = (look, way, found.heads, found.kept)
        out = attend(self.x, self.kv, *rest)
        around = [out, self.x + out] if out.shape == self.x.shape else [out]
        for norm in self.norms[:1]:
            normed = norm(self.x)
            kv = normed if self.memory is None else self.kv
            around += [norm(self.x + out), self.x + attend(normed, kv, *rest)]
        return around


def heads_of(piece: Piece) -> list[int]:
    """How many heads a module says that it has; else all that the width can have."""
    if not isinstance(piece.target, nn.Module):
        return [1]
    for name, value in [*vars(piece.target).items(), *piece.target.named_children()]:
        if NAMES.get(plain(name)) == "heads":
            if isinstance(value, int):
                return [value]
            if isinstance(value, nn.ModuleList):
                return [len(value)]
    config = getattr(piece.target, "config", None)
    for name in ("num_attention_heads", "n_head"):
        if isinstance(getattr(config, name, None), int):
            return [getattr(config, name)]
    return [h for h in range(piece.width, 0, -1) if piece.width % h == 0]


def examine_attention(piece: Piece, report: Report) -> None:
    """Examine attention of any make.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.heads = heads_of(piece)[0]
    piece.settle()
    memory = _outside(piece, report)
    numbers = Numbers(piece, memory)
    if not _formula(numbers, report):
        report.add("numbers_strange")
    for name in piece.masks:
        mask_of(piece, name, numbers.x, memory, report)
    _own_answer(piece, numbers.x, memory, report)
    soundness(piece, numbers.x, memory, report)


def _outside(piece: Piece, report: Report) -> Tensor | None:
    """Keys from outside, more of them than queries; None where none are taken."""
    if not {"key", "memory"} & set(piece.roles):
        return None
    x, memory = vectors(QUERIES, piece.width), vectors(SEEN, piece.width, 2)
    try:
        out = piece(x, memory)
    except Exception as error:
        sizes = re.findall(r"\d+", str(error))
        cut = str(BATCH * SEEN * piece.width) in sizes and str(QUERIES) in sizes
        if cut or "key" in piece.roles or piece.needs_memory:
            report.add("keys_cut" if cut else "keys_as_queries", why=failure(error))
        return x if piece.needs_memory else None
    back = memory.flip(1)
    others = {"memory": (back, None), "key": (back, memory), "value": (memory, back)}
    for role, name in piece.roles.items():
        if role != "x" and not moved(out, piece(x, *others[role])).any():
            if role == "memory" and not piece.needs_memory:
                return None
            report.add("unread", name=name)
    report.add("lengths")
    return memory


def mask_of(
    piece: Piece, name: str, x: Tensor, memory: Tensor | None, report: Report
) -> None:
    """Find a mask's convention, and tell it; a mask without effect is a fault."""
    if piece.of_memory[name] and memory is None and "memory" in piece.roles:
        return  # of words that it is not handed
    sources = [False] if memory is None else [True]
    if "memory" in piece.roles and memory is not None and report.kind != "attention":
        sources = sorted([True, False], key=lambda of: of != piece.of_memory[name])
    keys = []
    for of_memory in sources:
        key, how = fitting_mask(piece, name, x, memory, of_memory)
        keys.append(key)
        if how:
            piece.of_memory[name] = of_memory
            if name in piece.open or piece.writes:
                piece.open[name] = how
            report.add(key, name=name, meaning=how[0], shape=how[1])
            report.add("mask_tried", name=name)
            if report.kind == "attention" and "T" in how[1]:
                _corners(piece, name, x, memory, how, report)
            return
    for key in ("mask_strange", "mask_inert", "mask_refused"):
        if key in keys:
            alone = key == "mask_strange" and report.kind == "attention"
            slip, values = _slip_of(name, Numbers(piece, memory)) if alone else ("", {})
            report.add(slip or key, name=name, **values)
            return


def _corners(
    piece: Piece, name: str, x: Tensor, memory: Any, how: Any, report: Report
) -> None:
    """A row that sees nothing, and half precision, where −1e9 is no number."""
    look = torch.ones(BATCH, QUERIES, (x if memory is None else memory).size(1)).bool()
    look[:, 0] = False
    mask: Any = written(look, how, piece.heads)
    if piece(x, memory, **{name: mask}).isnan().any():
        report.add("blind_row")
    with undisturbed(piece.target):
        if isinstance(piece.target, nn.Module):
            piece.target.half()
        half: list[Any] = [None if t is None else t.half() for t in (x, memory)]
        mask = mask.half() if mask is not None and mask.is_floating_point() else mask
        try:
            piece(*half, **{name: mask})
        except RuntimeError as error:
            if "overflow" in str(error):
                report.add("half", why=failure(error))


def _slip_of(name: str, numbers: Numbers) -> tuple[str, dict[str, str]]:
    long = numbers.kv.size(1)
    look = torch.arange(long) <= torch.arange(QUERIES)[:, None] + 1
    look = look.expand(BATCH, -1, -1)
    ways = [Way(hide=hide) for hide in HIDES]
    for found in numbers.levels():
        for how in itertools.product(MEANINGS, SHAPES):
            mask = {name: written(look, how, numbers.piece.heads)}
            given = (numbers.x, numbers.memory)
            out = quietly(lambda: numbers.piece(*given, **mask))  # noqa: B023
            if mask[name] is None or out is None:
                continue
            if way := numbers.way(found, out, look, ways):
                return way.hide, {"meaning": how[0], "shape": how[1]}
    return "", {}


def _formula(numbers: Numbers, report: Report) -> bool:
    """Compare the numbers: with the right ones first, then with those of slips."""
    every = torch.ones(BATCH, QUERIES, numbers.kv.size(1), dtype=torch.bool)
    for ways in (RIGHT, WRONG):
        for found in numbers.levels():
            out = numbers.piece(numbers.x, numbers.memory)
            for look in (every, every.tril()):
                if way := numbers.way(found, out, look, ways):
                    right = numbers.around(found, look, Way())[0]
                    _tell(way, found, _few(out), _few(right), numbers.piece, report)
                    return True
    return False


def _tell(
    way: Way, found: Level, got: str, right: str, piece: Piece, report: Report
) -> None:
    if found.shared:
        shape = tuple(piece.target.get_parameter(found.shared).shape)
        report.add("shared", name=found.shared, shape=shape)
    key = WRONG.get(way, "numbers")
    if way.scale == "nothing" and _starts_small(report.started):
        key = "unscaled"
    over = OVER.get(way.over)
    report.add(key, got=got, right=right, scale=way.scale, over=over)


def _starts_small(started: dict[str, float]) -> bool:
    """Whether queries start smaller than keys, which takes the root's place."""
    q = [s for n, s in started.items() if re.search("q", n.lower())]
    k = [s for n, s in started.items() if re.search(r"k(_|e|$|\.)", n.lower())]
    return bool(q and k) and q[0] < 0.6 * k[0]


def _few(out: Tensor) -> str:
    return "[" + ", ".join(f"{v:.3f}" for v in out[0, 1, :3].tolist()) + ", …]"


def _own_answer(piece: Piece, x: Tensor, memory: Tensor | None, report: Report) -> None:
    """A query moves its own answer and no other; sentences keep apart."""
    reach = piece.reach(x, memory)
    if memory is None:
        pattern(reach, report)
    elif (others := reach & ~torch.eye(QUERIES, dtype=torch.bool)).any():
        _, t, s = others.nonzero()[0].tolist()
        report.add("query_alone", s=s, t=t)
    else:
        report.add("query_tried")
