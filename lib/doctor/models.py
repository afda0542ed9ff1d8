"""Layers, stacks of them, and whole models from ids to logits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved
from lib.doctor.meeting import SIZE, guess, quietly, signature, undisturbed
from lib.doctor.owed import SELF, attends, masks, outside, pattern, soundness
from lib.doctor.report import Report


def start(module: nn.Module, report: Report) -> None:
    """What only weights that nobody has touched tell: how large, and whether equal."""
    matrices = [(n, p) for n, p in module.named_parameters() if p.dim() > 1]
    q = [float(p.std()) for n, p in matrices if "q" in n.lower()]
    k = [float(p.std()) for n, p in matrices if re.search(r"k(_|e|$|\.)", n.lower())]
    report.starts_small = bool(q and k) and q[0] < 0.6 * k[0]
    for name, stack in module.named_modules():
        layers = [*stack.children()]
        listed = isinstance(stack, nn.ModuleList | nn.Sequential) and len(layers) > 1
        if not listed or len({type(layer) for layer in layers}) > 1:
            continue
        first, second = (dict(layer.named_parameters()) for layer in layers[:2])
        big = [n for n, p in first.items() if p.dim() > 1 and n in second]
        if big and all(torch.equal(first[n], second[n]) for n in big):
            owner = module.get_submodule(name.rpartition(".")[0])
            theirs = type(owner).__module__.startswith("torch.")
            same = all(first[n] is second[n] for n in big)
            key = "starts_equal_nn" if theirs else "starts_equal"
            report.add("one_layer" if same else key, name=name, matrix=big[0])


def inside(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The pieces that somebody wrote; of several alike, the first."""
    seen: set[type] = {type(module)}
    for name, part in module.named_modules():
        own, kinds = type(part), ("attention", "norm", "positions", "feed-forward")
        theirs = own.__module__.startswith("torch.") or own in seen
        if not theirs and quietly(lambda: guess(part)) in kinds:  # noqa: B023
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
    memory = outside(piece, x, report)
    masks(piece, x, memory, report)
    if piece(x, memory).size(1) == QUERIES:  # and not one answer for all words
        pattern(piece, x, memory, report, must=False)
        _residuals(piece, x, memory, report)
    soundness(piece, x, memory, report)


def _residuals(piece: Piece, x: Tensor, memory: Any, report: Report) -> None:
    """What is left where attention, or feed-forward, or both add nothing."""
    parts = [m for m in piece.target.modules() if attends(m)]
    wide = {p for p in piece.target.parameters() if p.dim() > 1}
    attention = wide & {p for part in parts for p in part.parameters()}
    if not attention:
        return
    for silent, key in (
        (attention, "no_residual_attention"),
        (wide, "no_residual"),
        (wide - attention, "residual_past"),
    ):
        with undisturbed(piece.target):
            for p in silent:
                p.data = torch.zeros_like(p)
            out, turned = piece(x, memory), piece(x.flip(1), memory)
            reach = piece.reach(x, memory)
        lost = not moved(out + 1, turned + 1).any()
        if key == "residual_past":
            lost = not (reach & ~SELF).any()
        if silent and lost:
            report.add(key)
            return
        if key == "no_residual":
            off = out - x
            pre = not moved(off, off[:, :1].expand_as(off)).any()
            report.add("pre_norm" if pre else "post_norm")


class Model(Piece):
    """A whole model as one call, `model(tgt, src)` or `model(ids)`, to logits."""

    def __init__(self, target: Any, call: Any = None) -> None:
        self.tables = [m for m in target.modules() if isinstance(m, nn.Embedding)]
        super().__init__(target, call)
        sizes = sorted({t.num_embeddings for t in self.tables})
        few = [n for n in sizes if n < 8]  # bases, or sides that a word may be of
        self.widths = [*sizes[len(few) :][:1], *few[::-1]] or [9]  # of its vocabulary
        self.heads = SIZE["heads"]
        self.writes = "memory" in self.roles

    def some(self, length: int, seed: int = 1) -> Tensor:
        """A batch of ids, none of the first three, which may mean something."""
        generator = torch.Generator().manual_seed(seed)
        least = min(3, self.width // 3)
        return torch.randint(least, self.width, (BATCH, length), generator=generator)

    def others(self, x: Tensor) -> Tensor:
        """The next ids."""
        least = min(3, self.width // 3)
        return least + (x - least + 1) % (self.width - least)

    def pick(self, out: Any, like: Tensor) -> Tensor:
        """The logits among all that a model returns, of words or of sentences."""
        return super().pick(out, like[..., None])


def examine_model(piece: Model, report: Report) -> None:
    """Examine a whole model: what moves its logits, and what they are.

    Raises:
        NotMetError: if it cannot be called.
    """
    piece.settle()
    x = piece.some(QUERIES)
    memory = outside(piece, x, report)
    masks(piece, x, memory, report)
    out = piece(x, memory)
    if out.size(1) == QUERIES:
        known = all(of or m in piece.open for m, of in piece.of_memory.items())
        pattern(piece, x, memory, report, must=piece.writes and known)
        _order(piece, x, memory, report)
    if (out >= 0).all() and (out.sum(-1) - 1).abs().max() < 1e-3:
        report.add("probabilities")
    elif out.logsumexp(-1).abs().max() < 1e-3:
        report.add("log_probabilities")
    every = [id(p) for _, p in piece.target.named_parameters(remove_duplicate=False)]
    if any(every.count(id(t.weight)) > 1 for t in piece.tables):
        report.add("tied")
    outside_masks = any(of or m not in piece.open for m, of in piece.of_memory.items())
    if piece.writes and not outside_masks:
        _padding(piece, x, memory, out, report)
    elif memory is None:
        _only_padding(piece, x, report)
    soundness(piece, x, memory, report)


def _order(piece: Model, x: Tensor, memory: Any, report: Report) -> None:
    """Every word's place counts."""
    asked = [("target_order", x, lambda words: piece(words, memory)[:, -1:])]
    if memory is not None:
        asked = [("source_order", memory, lambda words: piece(x, words)), *asked]
    for key, words, answer in asked:
        first, rest, out = words[:, :2], words[:, 2:], answer(words)
        read, told = (
            moved(out, answer(torch.cat([other, rest], dim=1))).any()
            for other in (piece.others(first), first.flip(1))
        )
        if read and not told:
            report.add("batch_turned" if piece.layout == "sequence" else key)


def _only_padding(piece: Model, x: Tensor, report: Report) -> None:
    """With padding behind them, words have to be read as before."""
    other = torch.cat([x[:, :1], piece.others(x)[:, 1:]], dim=1)
    for pad in {0, 1, *(t.padding_idx or 0 for t in piece.tables)}:
        behind = torch.full((BATCH, 2), pad)
        pairs = ((x, other), (torch.cat([t, behind], dim=1) for t in (x, other)))
        heard = [moved(piece(a), piece(b))[:, 0].any() for a, b in pairs]
        if heard == [True, False]:
            report.add("padding_alone", pad=pad)


def _padding(piece: Model, x: Tensor, memory: Any, out: Tensor, report: Report) -> None:
    """The id of padding is the one that, put behind the source, moves nothing."""
    source = x if memory is None else memory
    known = {t.padding_idx for t in piece.tables if t.padding_idx is not None}
    few = {*range(min(piece.width, 99)), piece.width - 1}
    for pad in sorted(known | few):
        longer = torch.cat([source, torch.full((BATCH, 2), pad)], dim=1)
        after = piece(longer) if memory is None else piece(x, longer)
        if not moved(out, after[:, : out.size(1)]).any():
            report.add("padding_tried", pad=pad)
            return
    names = [*vars(piece.target), *signature(type(piece.target))]
    told = bool(known) or any("pad" in name.lower() for name in names)
    report.add("padding_heard" if told else "padding_unknown")
