"""One plain call for whatever takes vectors: what names cannot tell, trials do."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.meeting import CALLED, NAMES, SIZE, failure, module_of, plain, signature
from lib.doctor.report import NotMetError, Report

BATCH, QUERIES, SEEN = 2, 5, 7  # B, T, S
Form = tuple[str, str]  # how a mask is written: its meaning and its shape

# What a mask's numbers may mean: made from True = may be looked at.
MEANINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "True = look": lambda look: look,
    "True = hide": lambda look: ~look,
    "1 = look": lambda look: look.float(),
    "1 = hide": lambda look: (~look).float(),
    "a whole 1 = look": lambda look: look.long(),
    "a whole 1 = hide": lambda look: (~look).long(),
    "−∞ = hide, added": lambda look: torch.zeros(look.shape).masked_fill(~look, -1e9),
    "lengths": lambda look: look.sum(-1),
}
# Its shape. What is equal in all rows is said by one of them.
SHAPES = (
    "(B, T, S)",
    "(B, 1, T, S)",
    "(B, H, T, S)",
    "(B·H, T, S)",
    "(T, S)",
    "(1, T, S)",
    "(1, 1, T, S)",
    "(B, S)",
    "(B, 1, S)",
    "(B, 1, 1, S)",
)


class Piece:
    """A stranger's module as one call, `piece(x, memory, mask=…)`, batch first.

    What is not handed over is its own: queries `x`, and `memory` where it looks at any.
    """

    def __init__(self, target: Any, report: Report, call: Any = None) -> None:
        self.target, self.run = target, call or target
        self.module = module_of(target)
        self.report, self.tell, self.kind = report, report.add, report.kind
        self.layout = "batch"
        self.widths = widths_of(self.module)
        self.width = self.widths[0]
        self.heads = SIZE["heads"]
        if self.kind == "attention":
            self.heads = heads_of(self)[0]
        self.memory: Tensor | None = None
        self.open: dict[str, Form | None] = {}  # masks that have to be handed over
        self.of_memory: dict[str, bool] = {}  # whether a mask hides memory
        self.changed = False
        self.writes = False  # whether what comes later has to be hidden
        self.roles = self._roles()

    @property
    def x(self) -> Tensor:
        """Its queries, the same at each look."""
        return self.some(QUERIES)

    @property
    def seen(self) -> Tensor:
        """What it looks at: the memory if there is one, else its queries."""
        return self.x if self.memory is None else self.memory

    def _roles(self) -> dict[str, str]:
        roles: dict[str, str] = {}
        others: dict[str, bool] = {}  # names of words, and whether they are required
        for name, parameter in signature(self.run, called=True).items():
            known, needed = plain(name), parameter.default is parameter.empty
            role = next((r for r, names in CALLED.items() if known in names), "")
            if re.search("mask|len(gth)?s?$", known):
                self.of_memory[name] = bool(re.search("src|mem|enc|cross", known))
                if needed:
                    self.open[name] = None
            elif role in ("key", "value"):
                roles[role] = name
            elif role == "query" or needed or (role == "memory" and others):
                others[name] = needed
        source = "^(src|source|enc|mem)"
        first = [n for n in others if re.search(source, plain(n))]
        second = [n for n in others if plain(n) in CALLED["memory"]]
        self.needs_memory = False
        if len(others) > 1:
            roles["memory"] = (first or second or [*others])[-1]
            self.needs_memory = others.pop(roles["memory"])
        if len(others) != 1:
            raise NotMetError(
                f"What it is called with, {', '.join(others) or 'nothing'}, says "
                "nothing here. Write the call: --call 'lambda x, mask: piece(x, …)', "
                "in a notebook call=…"
            )
        return {"x": others.popitem()[0], **roles}

    def __call__(
        self,
        x: Tensor | None = None,
        memory: Tensor | None = None,
        value: Tensor | None = None,
        **masks: Any,
    ) -> Tensor:
        """Call it in its own layout, and find the output among what it returns."""
        x = self.x if x is None else x
        memory = self.memory if memory is None else memory
        seen = x if memory is None else memory
        given = {"x": x, "key": seen, "value": seen if value is None else value}
        given |= {} if memory is None else {"memory": memory}
        roles = [(name, given[r]) for r, name in self.roles.items() if r in given]
        handed = {name: self.turn(tensor).clone() for name, tensor in roles}
        for name, how in self.open.items():
            of_memory = self.of_memory[name] and memory is not None
            long = (seen if of_memory or "key" in self.roles else x).size(1)
            look = torch.ones(len(x), x.size(1), long, dtype=torch.bool)
            if self.writes and how and "T" in how[1] and not of_memory:
                look = look.tril()
            masks.setdefault(name, how and written(look, how, self.heads))
        out = self.pick(self.run(**handed, **masks), self.turn(x))
        for name, tensor in roles:
            self.changed |= not torch.equal(handed[name], self.turn(tensor))
        return self.turn(out, back=True)

    def some(self, length: int, seed: int = 1) -> Tensor:
        """A batch of what it reads, the same for the same seed."""
        generator = torch.Generator().manual_seed(seed)
        return torch.randn(BATCH, length, self.width, generator=generator)

    def others(self, x: Tensor) -> Tensor:
        """As many others, none of which is the same."""
        return self.some(x.size(1), 9)

    def pick(self, out: Any, like: Tensor) -> Tensor:
        """The output among all that a module returns: as many vectors as queries.

        Raises:
            ValueError: if there is none.
        """
        out = vars(out) if dataclasses.is_dataclass(out) else out
        out = out.values() if isinstance(out, dict) else out
        parts = [out] if isinstance(out, Tensor) else [*out]
        found = [p for p in parts if isinstance(p, Tensor) and p.is_floating_point()]
        self.returned = found
        same = [p for p in found if p.shape == like.shape]
        wide = [p for p in found if p.shape[-2:] == like.shape[-2:]]
        same = same or [
            p.expand(like.shape) for p in wide if p.dim() == 2 or p.size(0) == 1
        ]
        rows = self.turn(like, back=True).shape[:1]
        close = [
            self.turn(p[:, None]) if p.dim() == 2 else p  # one answer for all words
            for p in found
            if p.shape[:-1] in (rows, like.shape[:-1]) and p.dim() > 1
        ]
        for part in same + close:
            return part
        shapes = ", ".join(str(tuple(p.shape)) for p in found) or type(out).__name__
        raise ValueError(f"for a shape of {tuple(like.shape)} it returns {shapes}")

    def turn(self, x: Tensor, back: bool = False) -> Tensor:
        """Batch first to its own layout, or back."""
        if self.layout == "heads":
            return x[:, 0] if back else x[:, None]
        if self.layout == "channels":
            return x.mT if x.dim() > 2 else x
        return x.transpose(0, 1) if self.layout == "sequence" else x

    def settle(self) -> None:
        """Find the width and the layout that run and keep sentences apart.

        Raises:
            NotMetError: if it runs in none.
        """
        why, ran = "", list[tuple[Any, ...]]()
        forms = [self.open]
        if self.open:
            forms += [dict.fromkeys(self.open, f) for f in written_ways()]
        layouts = ("batch", "sequence", "heads", "channels")
        for way in itertools.product(self.widths, layouts, forms):
            self.width, self.layout, self.open = way
            try:
                if self.apart():
                    return
                ran.append(way)
            except Exception as error:
                why = why or failure(error)
        if not ran:
            raise NotMetError(
                f"Vectors of shape ({BATCH}, {QUERIES}, {self.widths[0]}) could not be "
                f"handed to it: {why} Write the call: --call 'lambda x, mask: piece(x, "
                "mask)', in a notebook call=…"
            )
        self.width, self.layout, self.open = ran[0]

    def apart(self) -> bool:
        """Whether one row of a batch moves no other."""
        x = self.x
        other = torch.cat([x[:1], self.some(QUERIES, 3)[1:]])
        memory = (x, other) if self.needs_memory else (None, None)
        return not moved(self(x, memory[0]), self(other, memory[1]))[0].any()

    def reach(self) -> Tensor:
        """Which answer moves with which word: (B, T, S), True = it moves."""
        return torch.stack([*self.columns("x")], dim=-1)

    def columns(self, role: str, **masks: Any) -> Iterator[Tensor]:
        """Exchange one word after the other, and tell which answers move: (B, T)."""
        out, source = self(**masks), getattr(self, role)
        for place in range(source.size(1)):
            other = source.clone()
            other[:, place] = self.others(source)[:, place]
            yield moved(out, self(**{role: other}, **masks))


def written_ways() -> Iterator[Form]:
    """All the ways in which a mask may be written."""
    return itertools.product(MEANINGS, SHAPES)


def written(look: Tensor, how: Form, heads: int) -> Any:
    """A mask in one of the conventions, or None where that one cannot say it."""
    meaning, shape = how
    alike = look if "T" in shape else look[:, :1]
    alike = alike if "B" in shape else alike[:1]
    ends = look.sum(-1, keepdim=True) > torch.arange(look.size(-1))
    unsaid = meaning == "lengths" and (shape != "(B, S)" or (ends != look).any())
    if unsaid or (look != alike).any():
        return None
    if "H" in shape:
        alike = alike[:, None].expand(-1, heads, -1, -1)
    sides = {"1": 1, "H": heads, "B·H": heads * len(look)}
    sides |= zip("BTS", look.shape, strict=True)
    size = [sides[side] for side in shape.strip("()").split(", ")]
    return MEANINGS[meaning](alike.reshape(size))


def moved(before: Tensor, after: Tensor) -> Tensor:
    """Which of the answers moved by more than rounding; (B, T, D) to (B, T)."""
    spread = before.std().clamp_min(1e-6)
    return ~((after - before).abs().amax(-1) < 2e-4 * spread)  # NaN counts as moved


def widths_of(module: nn.Module) -> list[int]:
    """The widths that a module may have, the likeliest first."""
    tensors = [*module.parameters(), *module.buffers()]
    sides = [side for t in tensors for side in reversed(t.shape) if side > 1]
    usual = [SIZE["width"]] if SIZE["width"] in sides or not sides else []
    return [*dict.fromkeys([*usual, *sides])][:8]


def heads_of(piece: Piece) -> list[int]:
    """How many heads a module says that it has; else all that the width can have."""
    module = piece.module
    config = getattr(getattr(module, "config", None), "__dict__", {})
    for name, value in {**vars(module), **config, **module._modules}.items():
        if NAMES.get(plain(name)) == "heads" and isinstance(value, int | nn.ModuleList):
            return [value if isinstance(value, int) else len(value)]
    every = [h for h in range(piece.width, 0, -1) if piece.width % h == 0]
    return every if module is piece.target else [1]
