"""What every piece owes: keys from outside, masks, who sees whom, both modes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.calling import (
    BATCH,
    QUERIES,
    SEEN,
    Form,
    Piece,
    moved,
    written,
    written_ways,
)
from lib.doctor.meeting import failure, guess, quietly
from lib.doctor.report import Report

SELF = torch.eye(QUERIES, dtype=torch.bool)


def outside(piece: Piece, x: Tensor, report: Report) -> Tensor | None:
    """What is looked at from outside, longer than the queries; None if nothing is."""
    if not {"key", "memory"} & set(piece.roles):
        return None
    memory, attends = piece.some(SEEN, 2), report.kind == "attention"
    try:
        out = piece(x, memory)
    except Exception as error:
        guessed, why = piece.of_memory, failure(error)
        piece.of_memory = {mask: not of for mask, of in guessed.items()}
        out = quietly(lambda: piece(x, memory))
        if out is None:
            piece.of_memory = guessed
            sizes = {str(BATCH * SEEN * piece.width), str(QUERIES)}
            cut = attends and sizes <= {*re.findall(r"\d+", why)}
            if piece.needs_memory or "key" in piece.roles:
                key = "keys_as_queries" if attends else "lengths_differ"
                report.add("keys_cut" if cut else key, why=why)
            return piece.some(QUERIES, 2) if piece.needs_memory else None
    other = piece.others(memory)
    changed = {
        "memory": (other, None),
        "key": (other, memory),
        "value": (memory, other),
    }
    for role, name in piece.roles.items():
        if role != "x" and not moved(out, piece(x, *changed[role])).any():
            if role == "memory" and not piece.needs_memory:
                return None
            report.add("unread" if attends else "memory_unread", name=name)
    report.add("lengths")
    return memory


def masks(
    piece: Piece,
    x: Tensor,
    memory: Tensor | None,
    report: Report,
    slip: Callable[[str], tuple[str, dict[str, str]] | None] | None = None,
) -> None:
    """Find how each mask is written, and tell it; one without effect is a fault."""
    for name, of in [*piece.of_memory.items()]:
        if of and memory is None and "memory" in piece.roles:
            continue  # of words that it is not handed
        both = memory is not None and report.kind != "attention"
        sources = [of, not of] if both else [memory is not None]
        keys: list[str] = []
        for of_memory in sources:
            key, form = _fitting(piece, name, x, memory, of_memory)
            keys.append(key)
            if form:
                piece.of_memory[name] = of_memory
                if name in piece.open or piece.writes:
                    piece.open[name] = form
                report.add(key, name=name, meaning=form[0], shape=form[1])
                report.add("mask_tried", name=name)
                if report.kind == "attention" and "T" in form[1]:
                    _blind_row(piece, name, x, memory, form, report)
                break
        else:
            ways = ("mask_mixed", "mask_strange", "mask_inert", "mask_refused")
            key = next(key for key in ways if key in keys)
            known = slip(name) if slip and key == "mask_strange" else None
            key, values = known or (key, {})
            report.add(key, name=name, **values)


def _fitting(
    piece: Piece, name: str, x: Tensor, memory: Tensor | None, of_memory: bool
) -> tuple[str, Form | None]:
    """What a mask comes to, a key of the sentences; and its form, if one fits."""
    long = memory.size(1) if of_memory and memory is not None else x.size(1)
    causal = torch.arange(long) <= torch.arange(x.size(1))[:, None] + of_memory
    behind, mixes = padded(x, long), list[bool]()
    base, ran, inert = quietly(lambda: piece(x, memory)), 0, True
    for form in written_ways():
        mixed = False
        for look in (behind, causal.expand(BATCH, -1, -1)):
            mask = {name: written(look, form, piece.heads)}
            out = quietly(lambda: piece(x, memory, **mask))  # noqa: B023
            if mask[name] is None or out is None:
                continue
            judged = torch.ones_like(look)
            if not of_memory:  # a word is a query too, and nobody reads padding's
                judged = ~torch.eye(long, dtype=torch.bool) & look.any(1)[:, :, None]
            inert = inert and base is not None and not moved(base, out).any()
            if look is behind and "B," in form[1]:  # the second row gets the first's
                mask_2 = {name: written(look[:1].expand_as(look), form, piece.heads)}
                other = quietly(lambda: piece(x, memory, **mask_2))  # noqa: B023
                both = (out, out if other is None else other)
                mixed = bool(moved(*(o[:1].nan_to_num() for o in both)).any())
                mixes.append(mixed)
            if not mixed and all(
                (column == look[:, :, s])[judged[:, :, s]].all()
                for s, column in enumerate(piece.columns(x, memory, of_memory, **mask))
            ):
                return "mask_fits", form
            ran += 1
    if mixes and all(mixes) and piece.apart():
        return "mask_mixed", None
    return ("mask_inert" if inert else "mask_strange") if ran else "mask_refused", None


def padded(x: Tensor, long: int) -> Tensor:
    """A mask of padding behind the words; the rows of a batch end apart."""
    ends = torch.tensor([long - 2, long - 1])[:, None, None]
    return (torch.arange(long) < ends).expand(BATCH, x.size(1), long)


def _blind_row(
    piece: Piece, name: str, x: Tensor, memory: Any, form: Form, report: Report
) -> None:
    """A row that sees nothing."""
    look = torch.ones(BATCH, QUERIES, (x if memory is None else memory).size(1)).bool()
    look[:, 0] = False
    mask: Any = written(look, form, piece.heads)
    if piece(x, memory, **{name: mask}).isnan().any():
        report.add("blind_row")


def pattern(piece: Piece, x: Tensor, memory: Any, report: Report, must: bool) -> None:
    """Who sees whom among the queries, and whether that is a slip.

    Args:
        piece: what is examined.
        x: its queries.
        memory: what it looks at besides, if anything.
        report: what is written to.
        must: whether it must not see ahead.
    """
    sees = piece.reach(x, memory).any(0)
    ahead, before = sees.triu(1), sees.tril(-1)
    cross = report.kind == "attention" and memory is not None
    if cross and (sees & ~SELF).any():
        t, s = (sees & ~SELF).nonzero()[0].tolist()
        report.add("query_alone", s=s, t=t)
    elif cross:
        report.add("query_tried")
    elif not before.any() and not ahead.any():
        if report.kind != "model" and any(map(attends, parts(piece.target))):
            report.add("sees_itself")
    elif ahead.any() and (must or not before.any() or not ahead.triu(2).any()):
        t, s = ahead.nonzero()[0].tolist()
        one = "sees_future" if ahead.triu(2).any() else "sees_next"
        report.add("upside_down" if not before.any() else one, s=s, t=t)
    elif not ahead.any():
        report.add("causal")


def parts(target: Any) -> list[nn.Module]:
    """A module and all that is in it."""
    return [*target.modules()] if isinstance(target, nn.Module) else []


def attends(module: nn.Module) -> bool:
    """Whether a module is attention, by its name."""
    return quietly(lambda: guess(module)) == "attention"


def soundness(piece: Piece, x: Tensor, memory: Any, report: Report) -> None:
    """Both modes, a batch of one, gradients, an input that stays as it is."""
    module, out = piece.target, piece(x, memory)
    if moved(out, again := piece(x, memory)).any():
        # All else was compared under random answers; a piece inside may be the cause.
        report.found = {k: v for k, v in report.found.items() if "restless" in k}
        if not report.found:
            report.add("restless", off=float((out - again).abs().max()))
        return
    given = [t for t in (x, memory) if t is not None]
    others = (torch.cat([t[:1], piece.others(t)[1:]]) for t in given)
    if moved(out, piece(*others))[0].any():
        report.add("batch_mixed")
    if piece.changed:
        report.add("changes_input")
    if not isinstance(module, nn.Module):
        return
    _unused(module, piece.returned, report)
    try:
        alone = piece(x[:1], None if memory is None else memory[:1])
        if moved(out[:1], alone).any():
            report.add("batch_of_one")
        module.train()
        piece(x, memory)
        report.add("modes")
    except Exception as error:
        report.add(
            "training" if module.training else "one_sentence", why=failure(error)
        )
    finally:
        module.eval()


def _unused(module: nn.Module, returned: list[Tensor], report: Report) -> None:
    """A matrix that gets no gradient, beside others that do, serves nothing."""
    module.zero_grad()
    sizes = [out.square().sum() for out in returned]
    quietly(lambda: torch.stack(sizes).sum().backward())
    every = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
    learned = {n: p.grad is not None for n, p in every if p.dim() > 1}
    for full in (n for n, got in learned.items() if not got and any(learned.values())):
        if layer := _idle(module, full, learned):
            report.add("unused_layer", name=layer)
            continue
        name = full.removesuffix(".weight")
        beside = [learned[n] for n in learned if n.startswith(name.rpartition(".")[0])]
        table = isinstance(module.get_submodule(full.rpartition(".")[0]), nn.Embedding)
        report.add("unused" if any(beside) and not table else "unused_part", name=name)
    if all(learned.values()):
        report.add("gradients")


def _idle(module: nn.Module, full: str, learned: dict[str, bool]) -> str:
    """The layer of a matrix, if nothing in it gets a gradient, as other layers do."""
    for number in re.finditer(r"\b\d+\.", full):
        layer, stack = full[: number.end()], full[: number.start()]
        own, beside = (
            any(got for n, got in learned.items() if n.startswith(start))
            for start in (layer, stack)
        )
        if beside and not own:
            part = module.get_submodule(layer[:-1])
            return layer[:-1] if any(map(attends, parts(part)[1:])) else ""
    return ""
