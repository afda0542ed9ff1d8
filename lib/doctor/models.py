"""Layers, stacks of them, and whole models from ids to logits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lib.doctor.calling import BATCH, QUERIES, Piece, moved
from lib.doctor.meeting import guess, quietly, signature, undisturbed
from lib.doctor.owed import SELF, attends, masks, pattern
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
        # What two layers share is one matrix, and no copy.
        big = [n for n, p in first.items() if p.dim() > 1 and p is not second.get(n, p)]
        if big and all(torch.equal(first[n], second[n]) for n in big):
            owner = module.get_submodule(name.rpartition(".")[0])
            theirs = type(owner).__module__.startswith("torch.")
            key = "starts_equal_nn" if theirs else "starts_equal"
            report.add(key, name=name, matrix=big[0])


def inside(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """The pieces that somebody wrote; of several alike, the first."""
    seen: set[type] = {type(module)}
    for name, part in module.named_modules():
        own, kinds = type(part), ("attention", "norm", "positions", "feed-forward")
        theirs = own.__module__.startswith("torch.") or own in seen
        if not theirs and quietly(lambda: guess(part)) in kinds:  # noqa: B023
            seen.add(own)
            yield name, part


def examine_layer(piece: Piece) -> None:
    """Examine an encoder or decoder layer, or a stack of them."""
    masks(piece)
    if piece().size(1) == QUERIES:  # and not one answer for all words
        pattern(piece)
        _residuals(piece)


def _residuals(piece: Piece) -> None:
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
            out, turned, reach = piece(), piece(piece.x.flip(1)), piece.reach()
        lost = not moved(out + 1, turned + 1).any()
        if key == "residual_past":
            lost = not (reach & ~SELF).any()
        if silent and lost:
            piece.tell(key)
            return
        if key == "no_residual":
            off = out - piece.x
            pre = not moved(off, off[:, :1].expand_as(off)).any()
            piece.tell("pre_norm" if pre else "post_norm")


class Model(Piece):
    """A whole model as one call, `model(tgt, src)` or `model(ids)`, to logits."""

    def __init__(self, target: Any, report: Report, call: Any = None) -> None:
        self.tables = [m for m in target.modules() if isinstance(m, nn.Embedding)]
        super().__init__(target, report, call)
        sizes = sorted({t.num_embeddings for t in self.tables})
        few = [n for n in sizes if n < 8]  # bases, or sides that a word may be of
        self.widths = [*sizes[len(few) :][:1], *few[::-1]] or [9]  # of its vocabulary
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


def examine_model(piece: Model) -> None:
    """Examine a whole model: what moves its logits, and what they are."""
    masks(piece)
    out = piece()
    if out.size(1) == QUERIES:
        known = all(of or m in piece.open for m, of in piece.of_memory.items())
        pattern(piece, must=piece.writes and known)
        _order(piece)
    if (out >= 0).all() and (out.sum(-1) - 1).abs().max() < 1e-3:
        piece.tell("probabilities")
    elif out.logsumexp(-1).abs().max() < 1e-3:
        piece.tell("log_probabilities")
    every = [id(p) for _, p in piece.target.named_parameters(remove_duplicate=False)]
    if any(every.count(id(t.weight)) > 1 for t in piece.tables):
        piece.tell("tied")
    outside_masks = any(of or m not in piece.open for m, of in piece.of_memory.items())
    if piece.writes and not outside_masks:
        _padding(piece, out)
    elif piece.memory is None:
        _only_padding(piece)


def _order(piece: Model) -> None:
    """Every word's place counts."""
    asked = [("target_order", "x", slice(-1, None))]
    if piece.memory is not None:
        asked = [("source_order", "memory", slice(None)), *asked]
    for key, role, told_at in asked:
        words = getattr(piece, role)
        first, rest, out = words[:, :2], words[:, 2:], piece()[:, told_at]
        read, told = (
            moved(out, piece(**{role: torch.cat([other, rest], 1)})[:, told_at]).any()
            for other in (piece.others(first), first.flip(1))
        )
        if read and not told:
            piece.tell("batch_turned" if piece.layout == "sequence" else key)


def _longer(words: Tensor, pad: int) -> Tensor:
    """Sentences with two words of padding behind them."""
    return torch.cat([words, torch.full((BATCH, 2), pad)], dim=1)


def _only_padding(piece: Model) -> None:
    """With padding behind them, words have to be read as before."""
    x = piece.x
    other = torch.cat([x[:, :1], piece.others(x)[:, 1:]], dim=1)
    for pad in {0, 1, *(t.padding_idx or 0 for t in piece.tables)}:
        pairs = ((x, other), (_longer(x, pad), _longer(other, pad)))
        heard = [moved(piece(a), piece(b))[:, 0].any() for a, b in pairs]
        if heard == [True, False]:
            piece.tell("padding_alone", pad=pad)


def _padding(piece: Model, out: Tensor) -> None:
    """The id of padding is the one that, put behind the source, moves nothing."""
    role = "x" if piece.memory is None else "memory"
    known = {t.padding_idx for t in piece.tables if t.padding_idx is not None}
    few = {*range(min(piece.width, 99)), piece.width - 1}
    for pad in sorted(known | few):
        after = piece(**{role: _longer(piece.seen, pad)})
        if not moved(out, after[:, : out.size(1)]).any():
            piece.tell("padding_tried", pad=pad)
            return
    names = [*vars(piece.target), *signature(type(piece.target))]
    told = bool(known) or any("pad" in name.lower() for name in names)
    piece.tell("padding_heard" if told else "padding_unknown")
