"""One plain call for whatever takes vectors: what names cannot tell, trials do."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.meeting import CALLED, SIZE, failure, plain, signature
from lib.doctor.report import NotMetError

BATCH, QUERIES, SEEN = 2, 5, 7  # B, T, S

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
# Its shape: made from (B, T, S). What is equal in all rows is said by one of them.
SHAPES: dict[str, Callable[[Tensor, int], Tensor]] = {
    "(B, T, S)": lambda m, h: m,
    "(B, 1, T, S)": lambda m, h: m[:, None],
    "(B, H, T, S)": lambda m, h: m[:, None].expand(-1, h, -1, -1),
    "(B·H, T, S)": lambda m, h: m.repeat_interleave(h, 0),
    "(T, S)": lambda m, h: m[0],
    "(1, T, S)": lambda m, h: m[:1],
    "(1, 1, T, S)": lambda m, h: m[None, :1],
    "(B, S)": lambda m, h: m[:, 0],
    "(B, 1, S)": lambda m, h: m[:, :1],
    "(B, 1, 1, S)": lambda m, h: m[:, None, :1],
}


class Piece:
    """A stranger's module as one call, `piece(x, memory, mask=…)`, batch first."""

    def __init__(self, target: Any, call: Any = None) -> None:
        self.target, self.run = target, call or target
        self.layout, self.heads, self.width = "batch", 1, width_of(target)
        self.open: dict[str, Any] = {}  # required masks, and how they are written
        self.of_memory: dict[str, bool] = {}  # whether a mask hides memory
        self.roles: dict[str, str] = {}
        self.masks: list[str] = []
        self.changed = False
        self.writes = False  # whether what comes later has to be hidden
        for name, parameter in signature(self.run, called=True).items():
            self._assign(name, parameter.default is parameter.empty)
        first = plain(self.roles.get("x", ""))
        if re.search("^(src|source|enc)", first) and "memory" in self.roles:
            self.roles["x"], self.roles["memory"] = (
                self.roles["memory"],
                self.roles["x"],
            )

    def _assign(self, name: str, required: bool) -> None:
        known, roles = plain(name), self.roles
        role = next((r for r, names in CALLED.items() if known in names), "")
        if re.search("mask|^(valid)?len(gth)?s?$", known):
            self.masks.append(name)
            self.of_memory[name] = bool(re.search("src|mem|enc|cross", known))
            if required:
                self.open[name] = None
        elif role in ("key", "value"):
            roles[role] = name
        elif role == "query" or ("x" not in roles and required):
            roles["x"] = name
        elif "x" in roles and "memory" not in roles and (required or role == "memory"):
            roles["memory"] = name
            self.optional = not required
        elif required:
            raise NotMetError(
                f"It is called with `{name}`, a name that says nothing here. Write the "
                "call: --call 'lambda x, mask: piece(x, …)', in a notebook call=…"
            )

    def __call__(
        self, x: Tensor, memory: Tensor | None = None, value: Any = None, **masks: Any
    ) -> Tensor:
        """Call it in its own layout, and find the output among what it returns."""
        seen, roles = x if memory is None else memory, self.roles
        given = {"x": x, "key": seen, "value": seen if value is None else value}
        given |= {} if memory is None else {"memory": memory}
        turn = self._turn
        handed = {
            name: turn(given[role]).clone()
            for role, name in roles.items()
            if role in given
        }
        kept = {name: tensor.clone() for name, tensor in handed.items()}
        for name, how in self.open.items():
            of_memory = self.of_memory[name] and memory is not None
            long = (seen if of_memory or "key" in roles else x).size(1)
            look = torch.ones(len(x), x.size(1), long, dtype=torch.bool)
            if self.writes and how and "T" in how[1] and not of_memory:
                look = look.tril()
            masks.setdefault(name, how and written(look, how, self.heads))
        if self.layout == "one by one":
            rows = [
                self.pick(
                    self.run(**{n: t[i] for n, t in handed.items()}, **masks), x[i]
                )
                for i in range(len(x))
            ]
            return torch.stack(rows)
        out = self.pick(self.run(**handed, **masks), turn(x))
        self.changed |= any(not torch.equal(handed[n], t) for n, t in kept.items())
        return turn(out, back=True)

    def some(self, length: int, seed: int = 1) -> Tensor:
        """A batch of what it reads, the same for the same seed."""
        return vectors(length, self.width, seed)

    def others(self, x: Tensor) -> Tensor:
        """As many others, none of which is the same."""
        return vectors(x.size(1), x.size(-1), 9)

    def pick(self, out: Any, like: Tensor) -> Tensor:
        """The output among all that a module returns: as many vectors as queries.

        Raises:
            ValueError: if there is none.
        """
        out = [*out.values()] if isinstance(out, dict) else out
        parts = [out] if isinstance(out, Tensor) else [*out]
        found = [p for p in parts if isinstance(p, Tensor) and p.is_floating_point()]
        same = [p for p in found if p.shape == like.shape]
        close = [p for p in found if p.shape[:-1] == like.shape[: p.dim() - 1]]
        for part in same + [p for p in close if p.dim() > 1]:
            return part
        shapes = ", ".join(str(tuple(p.shape)) for p in found) or type(out).__name__
        raise ValueError(f"for a shape of {tuple(like.shape)} it returns {shapes}")

    def _turn(self, x: Tensor, back: bool = False) -> Tensor:
        if self.layout == "sequence":
            return x.transpose(0, 1)
        if self.layout == "heads":
            return x[:, 0] if back else x[:, None]
        return x

    @property
    def needs_memory(self) -> bool:
        """Whether it cannot be called with its own words alone."""
        return "memory" in self.roles and not self.optional

    def settle(self) -> None:
        """Find the layout that runs and keeps the sentences of a batch apart.

        Raises:
            NotMetError: if it runs in none.
        """
        if "x" not in self.roles:
            raise NotMetError("It is called with nothing that could be vectors.")
        first, ran = "", list[tuple[str, Any]]()
        for layout in ("batch", "sequence", "heads", "one by one"):
            for opened in self._openings():
                self.layout, self.open = layout, opened
                try:
                    if self._apart():
                        return
                except Exception as error:
                    first = first or failure(error)
                    continue
                ran.append((layout, opened))
        if not ran:
            raise NotMetError(
                f"Vectors of shape ({BATCH}, {QUERIES}, {self.width}) could not be "
                f"handed to it: {first} Write the call: --call "
                "'lambda x, mask: piece(x, mask)', in a notebook call=…"
            )
        self.layout, self.open = ran[0]

    def _openings(self) -> Iterator[dict[str, Any]]:
        yield self.open
        if self.open:
            for how in itertools.product(MEANINGS, SHAPES):
                yield dict.fromkeys(self.open, how)

    def _apart(self) -> bool:
        x = self.some(QUERIES)
        other = torch.cat([x[:1], self.some(QUERIES, 3)[1:]])
        memory = (x, other) if self.needs_memory else (None, None)
        return not moved(self(x, memory[0]), self(other, memory[1]))[0].any()

    def reach(
        self, x: Tensor, memory: Tensor | None, of_memory: bool = False, **masks: Any
    ) -> Tensor:
        """Which answer moves with which word or memory: (B, T, S), True = it moves."""
        return torch.stack([*self.columns(x, memory, of_memory, **masks)], dim=-1)

    def columns(
        self, x: Tensor, memory: Tensor | None, of_memory: bool, **masks: Any
    ) -> Iterator[Tensor]:
        """Exchange one word after the other, and tell which answers move: (B, T)."""
        out = self(x, memory, **masks)
        source = memory if of_memory and memory is not None else x
        for place in range(source.size(1)):
            other = source.clone()
            other[:, place] = self.others(source)[:, place]
            given = (x, other) if source is memory else (other, memory)
            yield moved(out, self(*given, **masks))


def written(look: Tensor, how: tuple[str, str], heads: int) -> Any:
    """A mask in one of the conventions, or None where that one cannot say it."""
    meaning, shape = how
    alike = look if "T" in shape else look[:, :1]
    alike = alike if "B" in shape else alike[:1]
    ends = look.sum(-1, keepdim=True) > torch.arange(look.size(-1))
    unsaid = meaning == "lengths" and (shape != "(B, S)" or (ends != look).any())
    if unsaid or (look != alike).any():
        return None
    return MEANINGS[meaning](SHAPES[shape](look, heads))


def vectors(length: int, width: int, seed: int = 1) -> Tensor:
    """A batch of random vectors, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(BATCH, length, width, generator=generator)


def moved(before: Tensor, after: Tensor) -> Tensor:
    """Which of the answers moved by more than rounding; (B, T, D) to (B, T)."""
    spread = before.std().clamp_min(1e-6)
    return ~((after - before).abs().amax(-1) < 2e-4 * spread)  # NaN counts as moved


def width_of(target: Any) -> int:
    """The width that a module was built with."""
    if not isinstance(target, nn.Module):
        return SIZE["width"]
    shapes = [p.shape for p in target.parameters()]
    sides = [side for shape in shapes for side in shape if side > 1]
    if SIZE["width"] in sides or not sides:
        return SIZE["width"]
    for name in ("d_model", "embed_dim", "hidden_size", "dim", "embed_size", "n_embd"):
        if getattr(target, name, None) in sides:
            return getattr(target, name)
    inputs = [m.in_features for m in target.modules() if isinstance(m, nn.Linear)]
    return inputs[0] if inputs else max(sides, key=sides.count)


def fitting_mask(
    piece: Piece, name: str, x: Tensor, memory: Tensor | None, of_memory: bool
) -> tuple[str, tuple[str, str] | None]:
    """Find by trials how a mask is to be written.

    Returns:
        What it came to, a key of the sentences; and its meaning and shape, if it fits.
    """
    long = memory.size(1) if of_memory and memory is not None else x.size(1)
    causal = torch.arange(long) <= torch.arange(x.size(1))[:, None] + of_memory
    ends = torch.tensor([long - 2, long - 1])[:, None, None]
    padded = (torch.arange(long) < ends).expand(BATCH, x.size(1), long)
    patterns = causal.expand(BATCH, -1, -1), padded
    base, ran, inert = None, 0, True
    with contextlib.suppress(Exception):
        base = piece(x, memory)
    for meaning, shape, look in itertools.product(MEANINGS, SHAPES, patterns):
        mask = {name: written(look, (meaning, shape), piece.heads)}
        if mask[name] is None:
            continue
        judged = torch.ones_like(look)
        if not of_memory:  # a word is a query too, and nobody reads padding's answers
            judged = ~torch.eye(long, dtype=torch.bool) & look.any(1)[:, :, None]
        try:
            out = piece(x, memory, **mask)
            inert = inert and base is not None and not moved(base, out).any()
            if all(
                (column == look[:, :, s])[judged[:, :, s]].all()
                for s, column in enumerate(piece.columns(x, memory, of_memory, **mask))
            ):
                return "mask_fits", (meaning, shape)
        except Exception:  # not in this form
            continue
        ran += 1
    return ("mask_inert" if inert else "mask_strange") if ran else "mask_refused", None
