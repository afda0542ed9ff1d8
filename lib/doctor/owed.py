"""What every piece owes: keys from outside, masks, who sees whom, both modes."""

from __future__ import annotations

import re
from collections.abc import Callable

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

SELF = torch.eye(QUERIES, dtype=torch.bool)
Slip = Callable[[Piece, str], tuple[str, dict[str, str]] | None]


def outside(piece: Piece) -> None:
    """Find what is looked at from outside, longer than the queries, if anything is."""
    if not {"key", "memory"} & set(piece.roles):
        return
    attends = piece.kind == "attention"
    memory = piece.memory = piece.some(SEEN, 2)
    try:
        out = piece()
    except Exception as error:
        guessed, why = piece.of_memory, failure(error)
        piece.of_memory = {mask: not of for mask, of in guessed.items()}
        out = quietly(piece)
        if out is None:
            piece.of_memory = guessed
            sizes = {str(BATCH * SEEN * piece.width), str(QUERIES)}
            cut = attends and sizes <= {*re.findall(r"\d+", why)}
            if piece.needs_memory or "key" in piece.roles:
                key = "keys_as_queries" if attends else "lengths_differ"
                piece.tell("keys_cut" if cut else key, why=why)
            piece.memory = piece.some(QUERIES, 2) if piece.needs_memory else None
            return
    other = piece.others(memory)
    changed = {
        "memory": (other, None),
        "key": (other, memory),
        "value": (memory, other),
    }
    for role, name in piece.roles.items():
        if role != "x" and not moved(out, piece(None, *changed[role])).any():
            if role == "memory" and not piece.needs_memory:
                piece.memory = None
                return
            piece.tell("unread" if attends else "memory_unread", name=name)
    piece.tell("lengths")


def masks(piece: Piece, slip: Slip | None = None) -> None:
    """Find how each mask is written, and tell it; one without effect is a fault."""
    outer, attends = piece.memory is not None, piece.kind == "attention"
    for name, of in [*piece.of_memory.items()]:
        if of and not outer and "memory" in piece.roles:
            continue  # of words that it is not handed
        keys: list[str] = []
        for of_memory in [of, not of] if outer and not attends else [outer]:
            key, form = _fitting(piece, name, of_memory)
            keys.append(key)
            if form:
                piece.of_memory[name] = of_memory
                if name in piece.open or piece.writes:
                    piece.open[name] = form
                piece.tell(key, name=name, meaning=form[0], shape=form[1])
                piece.tell("mask_tried", name=name)
                if attends and "T" in form[1]:
                    _blind_row(piece, name, form)
                break
        else:
            ways = ("mask_mixed", "mask_strange", "mask_inert", "mask_refused")
            key = min(keys, key=ways.index)
            known = slip(piece, name) if slip and key == "mask_strange" else None
            key, values = known or (key, {})
            piece.tell(key, name=name, **values)


def _fitting(piece: Piece, name: str, of_memory: bool) -> tuple[str, Form | None]:
    """What a mask comes to, a key of the sentences; and its form, if one fits."""
    role = "memory" if of_memory else "x"
    every = torch.ones(BATCH, QUERIES, getattr(piece, role).size(1)).bool()
    behind, causal = padded(every), every.tril(int(of_memory))
    base, ran, inert, mixes = quietly(piece), False, True, list[bool]()
    for form in written_ways():
        mixed = False
        for look in (behind, causal):
            mask = {name: written(look, form, piece.heads)}
            out = quietly(lambda: piece(**mask))  # noqa: B023
            if mask[name] is None or out is None:
                continue
            judged = every
            if not of_memory:  # a word is a query too, and nobody reads padding's
                judged = ~SELF & look.any(1)[:, :, None]
            inert = inert and base is not None and not moved(base, out).any()
            if look is behind and "B," in form[1]:  # the second row gets the first's
                mask_2 = {name: written(look[:1].expand_as(look), form, piece.heads)}
                other = quietly(lambda: piece(**mask_2))  # noqa: B023
                both = (out, out if other is None else other)
                mixed = bool(moved(*(o[:1].nan_to_num() for o in both)).any())
                mixes.append(mixed)
            if not mixed and all(
                (column == look[:, :, s])[judged[:, :, s]].all()
                for s, column in enumerate(piece.columns(role, **mask))
            ):
                return "mask_fits", form
            ran = True
    if mixes and all(mixes) and piece.apart():
        return "mask_mixed", None
    return ("mask_inert" if inert else "mask_strange") if ran else "mask_refused", None


def seeing(piece: Piece) -> Tensor:
    """Every query sees all that is looked at: (B, T, S)."""
    return torch.ones(BATCH, QUERIES, piece.seen.size(1), dtype=torch.bool)


def padded(every: Tensor) -> Tensor:
    """Padding behind the words is not seen; the rows of a batch end apart."""
    long = every.size(-1)
    ends = torch.tensor([long - 2, long - 1])[:, None, None]
    return every & (torch.arange(long) < ends)


def _blind_row(piece: Piece, name: str, form: Form) -> None:
    """A row that sees nothing."""
    look = seeing(piece)
    look[:, 0] = False
    if piece(**{name: written(look, form, piece.heads)}).isnan().any():
        piece.tell("blind_row")


def pattern(piece: Piece, must: bool = False) -> None:
    """Tell who sees whom among the queries, a slip where it `must` not see ahead."""
    sees = piece.reach().any(0)
    ahead, before = sees.triu(1), sees.tril(-1)
    cross = piece.kind == "attention" and piece.memory is not None
    if cross and (sees & ~SELF).any():
        t, s = (sees & ~SELF).nonzero()[0].tolist()
        piece.tell("query_alone", s=s, t=t)
    elif cross:
        piece.tell("query_tried")
    elif not before.any() and not ahead.any():
        if piece.kind != "model" and any(map(attends, piece.module.modules())):
            piece.tell("sees_itself")
    elif ahead.any() and (must or not before.any() or not ahead.triu(2).any()):
        t, s = ahead.nonzero()[0].tolist()
        one = "sees_future" if ahead.triu(2).any() else "sees_next"
        piece.tell("upside_down" if not before.any() else one, s=s, t=t)
    elif not ahead.any():
        piece.tell("causal")


def attends(module: nn.Module) -> bool:
    """Whether a module is attention, by its name."""
    return quietly(lambda: guess(module)) == "attention"


def soundness(piece: Piece) -> None:
    """Both modes, a batch of one, gradients, an input that stays as it is."""
    module, report, out = piece.module, piece.report, piece()
    if moved(out, again := piece()).any():
        # All else was compared under random answers; a piece inside may be the cause.
        report.found = {k: v for k, v in report.found.items() if "restless" in k}
        if not report.found:
            piece.tell("restless", off=float((out - again).abs().max()))
        return
    given = [piece.x] if piece.memory is None else [piece.x, piece.memory]
    others = (torch.cat([t[:1], piece.others(t)[1:]]) for t in given)
    if moved(out, piece(*others))[0].any():
        piece.tell("batch_mixed")
    if piece.changed:
        piece.tell("changes_input")
    if module is not piece.target:
        return
    _unused(piece)
    try:
        if moved(out[:1], piece(*(t[:1] for t in given))).any():
            piece.tell("batch_of_one")
        module.train()
        piece()
        piece.tell("modes")
    except Exception as error:
        piece.tell(
            "training" if module.training else "one_sentence", why=failure(error)
        )
    finally:
        module.eval()


def _unused(piece: Piece) -> None:
    """A matrix that gets no gradient, beside others that do, serves nothing."""
    module = piece.module
    module.zero_grad()
    sizes = [out.square().sum() for out in piece.returned]
    quietly(lambda: torch.stack(sizes).sum().backward())
    every = [(n, p) for n, p in module.named_parameters() if p.requires_grad]
    learned = {n for n, p in every if p.dim() > 1 and p.grad is not None}
    silent = [n for n, p in every if p.dim() > 1 and p.grad is None]
    for full in silent if learned else ():
        name = full.removesuffix(".weight")
        idle = _idle(name, learned)
        inside = [*module.get_submodule(idle).modules()][1:] if idle != name else []
        if idle[-1].isdecimal() and any(map(attends, inside)):
            piece.tell("unused_layer", name=idle)
            continue
        table = isinstance(module.get_submodule(full.rpartition(".")[0]), nn.Embedding)
        piece.tell("unused" if idle == name and not table else "unused_part", name=name)
    if not silent:
        piece.tell("gradients")


def _idle(name: str, learned: set[str]) -> str:
    """The largest part around a matrix in which nothing gets a gradient."""
    steps = name.split(".")
    owners = [".".join(steps[:end]) for end in range(1, len(steps))]
    active = {owner for owner in owners for n in learned if n.startswith(f"{owner}.")}
    return next((owner for owner in owners if owner not in active), name)
