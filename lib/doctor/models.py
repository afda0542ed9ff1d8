"""Layers, stacks of them, and whole models from ids to logits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.attention import mask_of
from lib.doctor.calling import (
    BATCH,
    QUERIES,
    SEEN,
    Piece,
    moved,
)
from lib.doctor.meeting import (
    SIZE,
    failure,
    guess,
    quietly,
    signature,
    undisturbed,
)
from lib.doctor.owed import pattern, soundness
from lib.doctor.report import Report


def start(module: nn.Module, report: Report) -> None:
    """What only weights that nobody has touched tell: how large, and whether equal."""
    report.started = {
        n: float(p.std()) for n, p in module.named_parameters() if p.dim() > 1
    }
    for name, stack in module.named_modules():
        alike = len({type(layer) for layer in stack.children()}) == 1
        if (
            not isinstance(stack, nn.ModuleList | nn.Sequential)
            or len(stack) < 2
            or not alike
        ):
            continue
        first, second = (dict(layer.named_parameters()) for layer in [*stack][:2])
        big = [n for n, p in first.items() if p.dim() > 1 and n in second]
        if big and all(torch.equal(first[n], second[n]) for n in big):
            owner = (
                module.get_submodule(name.rpartition(".")[0]) if "." in name else module
            )
            theirs = type(owner).__module__.startswith("torch.")
            same = all(first[n] is second[n] for n in big)
            key = (
                "one_layer" if same else "starts_equal_nn" if theirs else "starts_equal"
            )
            report.add(key, name=name, matrix=big[0])


def inside(module: nn.Module, *kinds: str) -> Iterator[tuple[str, nn.Module]]:
    """The pieces of some kinds that somebody wrote; of several alike, the first."""
    seen: set[type] = set()
    for name, part in module.named_modules():
        own = type(part)
        if part is module or own in seen or own.__module__.startswith("torch."):
            continue
        if quietly(lambda: guess(part)) in kinds:  # noqa: B023
            seen.add(own)
            yield name, part


def examine_layer(piece: Piece, report: Report) -> None:
    """Examine an encoder or decoder layer, or a stack of them.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.heads = SIZE["heads"]
    piece.settle()
    x = piece.some(QUERIES)
    memory = _memory_of(piece, x, report)
    for name in piece.masks:
        mask_of(piece, name, x, memory, report)
    pattern(piece.reach(x, memory), report)
    _residuals(piece, x, memory, report)
    soundness(piece, x, memory, report)


def _memory_of(piece: Piece, x: Tensor, report: Report) -> Tensor | None:
    """Words of the source, more of them than of the target, if it looks at any."""
    if "memory" not in piece.roles:
        return None
    memory, name = piece.some(SEEN, 2), piece.roles["memory"]
    try:
        out = piece(x, memory)
    except Exception as error:
        kept = piece.of_memory
        piece.of_memory = {mask: not of for mask, of in kept.items()}
        out = quietly(lambda: piece(x, memory))
        if out is None:
            piece.of_memory = kept
            if not piece.optional:
                report.add("lengths_differ", why=failure(error))
            return None if piece.optional else piece.some(QUERIES, 2)
    if not moved(out, piece(x, piece.others(memory))).any():
        if piece.optional:
            return None
        report.add("memory_unread", name=name)
    report.add("lengths")
    return memory


def _residuals(piece: Piece, x: Tensor, memory: Any, report: Report) -> None:
    """What is left where attention, or feed-forward, or both add nothing."""
    attention = {
        p
        for _, m in piece.target.named_modules()
        if _attends(m)
        for p in m.parameters()
    }
    if not attention:
        return
    wide = {p for p in piece.target.parameters() if p.dim() > 1}
    both = attention & wide, wide - attention
    for silent, key in (
        (both[0], "no_residual_attention"),
        (wide, "no_residual"),
        (both[1], "residual_past"),
    ):
        with undisturbed(piece.target):
            for p in silent:
                p.data = torch.zeros_like(p)
            out, turned = piece(x, memory), piece(x.flip(1), memory)
            reach = piece.reach(x, memory)
        lost = not moved(out + 1, turned + 1).any()
        if key == "residual_past":
            lost = not (reach & ~torch.eye(QUERIES, dtype=torch.bool)).any()
        if silent and lost:
            report.add(key)
            return
        if key == "no_residual":
            off = out - x
            report.add(
                "pre_norm"
                if not moved(off, off[:, :1].expand_as(off)).any()
                else "post_norm"
            )


def _attends(module: nn.Module) -> bool:
    return quietly(lambda: guess(module)) == "attention"


class Model(Piece):
    """A whole model as one call, `model(tgt, src)` or `model(ids)`, to logits."""

    def __init__(self, target: Any, call: Any = None) -> None:
        tables = (m for m in target.modules() if isinstance(m, nn.Embedding))
        self.words = min(
            (t.num_embeddings for t in tables if t.num_embeddings > 7), default=9
        )
        super().__init__(target, call)
        self.heads = SIZE["heads"]
        self.writes = "memory" in self.roles

    def some(self, length: int, seed: int = 1) -> Tensor:
        """A batch of ids, none of the first three, which may mean something."""
        generator = torch.Generator().manual_seed(seed)
        return torch.randint(3, self.words, (BATCH, length), generator=generator)

    def others(self, x: Tensor) -> Tensor:
        """The next ids."""
        return 3 + (x - 2) % (self.words - 3)

    def pick(self, out: Any, like: Tensor) -> Tensor:
        """The logits among all that a model returns."""
        return super().pick(out, like[..., None])


def examine_model(piece: Model, report: Report) -> None:
    """Examine a whole model: what moves its logits, and what they are.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.settle()
    x = piece.some(QUERIES)
    memory = _memory_of(piece, x, report)
    for name in piece.masks:
        mask_of(piece, name, x, memory, report)
    known = all(piece.of_memory[m] or m in piece.open for m in piece.masks)
    pattern(piece.reach(x, memory), report, must=piece.writes and known)
    _logits(piece, x, memory, report)
    _source(piece, x, memory, report)
    _padding(piece, x, memory, report)
    soundness(piece, x, memory, report)


def _logits(piece: Model, x: Tensor, memory: Any, report: Report) -> None:
    out = piece(x, memory)
    if (out >= 0).all() and (out.sum(-1) - 1).abs().max() < 1e-3:
        report.add("probabilities")
    elif out.logsumexp(-1).abs().max() < 1e-3:
        report.add("log_probabilities")
    tables = [m for m in piece.target.modules() if isinstance(m, nn.Embedding)]
    seen: dict[int, int] = {}

    def see(table: nn.Module, given: tuple[Tensor, ...], _: Any) -> None:
        if isinstance(given[0], Tensor):
            long = given[0].size(0 if piece.layout == "sequence" else -1)
            seen.setdefault(long, int(str(table.num_embeddings)))

    hooks = [table.register_forward_hook(see) for table in tables]
    piece(x, memory)
    for hook in hooks:
        hook.remove()
    source, target = seen.get(SEEN), seen.get(QUERIES)
    if out.size(-1) not in (target, piece.width) and out.size(-1) == source:
        report.add("wrong_vocabulary", source=source, target=target)
    every = [id(p) for _, p in piece.target.named_parameters(remove_duplicate=False)]
    if any(every.count(id(t.weight)) > 1 for t in tables):
        report.add("tied")


def _source(piece: Model, x: Tensor, memory: Any, report: Report) -> None:
    """Every word counts, and so does its place."""
    if (
        memory is not None
        and moved(piece(x, memory), piece(x, piece.others(memory))).any()
    ):
        turned = memory[:, [1, 0, *range(2, memory.size(1))]]
        if not moved(piece(x, memory), piece(x, turned)).any():
            report.add("source_order")
    turned = x[:, [1, 0, *range(2, x.size(1))]]
    if not moved(piece(x, memory), piece(turned, memory))[:, -1].any():
        report.add("target_order")


def _padding(piece: Model, x: Tensor, memory: Any, report: Report) -> None:
    """The id of padding is the one that, put behind the source, moves nothing."""
    outside = any(piece.of_memory[m] or m not in piece.open for m in piece.masks)
    if outside or not piece.writes:
        return
    source = x if memory is None else memory
    out = piece(x, memory)
    ids = range(piece.words) if piece.words < 99 else [*range(5), piece.words - 1]
    tables = [m for m in piece.target.modules() if isinstance(m, nn.Embedding)]
    for pad in sorted(
        {*ids, *(t.padding_idx for t in tables if t.padding_idx is not None)}
    ):
        behind = torch.full((BATCH, 2), pad)
        longer = torch.cat([source, behind], dim=1)
        after = piece(longer) if memory is None else piece(x, longer)
        if not moved(out, after[:, : out.size(1)]).any():
            report.add("padding_tried", pad=pad)
            return
    known = [t.padding_idx for t in tables if t.padding_idx is not None]
    names = [*vars(piece.target), *signature(type(piece.target))]
    told = bool(known) or any("pad" in name.lower() for name in names)
    report.add("padding_heard" if told else "padding_unknown")
