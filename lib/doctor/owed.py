"""What every piece owes: who sees whom, both modes, gradients, its input."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.calling import Piece, moved
from lib.doctor.meeting import failure
from lib.doctor.report import Report


def pattern(reach: Tensor, report: Report, must: bool = False) -> None:
    """Tell who sees whom, and whether that is a slip; one that must not see ahead."""
    sees = reach.any(0)
    ahead, before = sees.triu(1), sees.tril(-1)
    if ahead.any() and (must or not before.any() or not ahead.triu(2).any()):
        t, s = ahead.nonzero()[0].tolist()
        one = "sees_future" if ahead.triu(2).any() else "sees_next"
        report.add("upside_down" if not before.any() else one, s=s, t=t)
    elif before.any() and not ahead.any():
        report.add("causal")


def soundness(piece: Piece, x: Tensor, memory: Tensor | None, report: Report) -> None:
    """What every piece owes: both modes, a batch of one, gradients, its input."""
    module = piece.target
    out = piece(x, memory)
    if moved(out, again := piece(x, memory)).any():
        report.add("restless", off=float((out - again).abs().max()))
        return
    other = torch.cat([x[:1], piece.some(x.size(1), 3)[1:]])
    if moved(out, piece(other, memory))[0].any():
        report.add("batch_mixed")
    if piece.changed:
        report.add("changes_input")
    unused(module, lambda: piece(x, memory), report)
    if isinstance(module, nn.Module):
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


def unused(module: Any, run: Any, report: Report) -> None:
    """A matrix that gets no gradient, beside others that do, serves nothing."""
    out = run()
    if not isinstance(module, nn.Module) or not out.requires_grad:
        return
    module.zero_grad()
    out.square().sum().backward()
    dead = [n for n, p in module.named_parameters() if p.dim() > 1 and p.grad is None]
    for full in dead:
        owner = full.removesuffix(".weight").rpartition(".")[0]
        beside = module.get_submodule(owner).parameters()
        alive = any(p.grad is not None for p in beside if p.dim() > 1)
        one = module.get_submodule(full.rpartition(".")[0])
        alive = alive and not isinstance(one, nn.Embedding)
        report.add(
            "unused" if alive else "unused_part", name=full.removesuffix(".weight")
        )
    if not dead:
        report.add("gradients")
