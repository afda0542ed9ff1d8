"""Functions: masks, what the decoder is fed, losses and accuracies."""

from __future__ import annotations

import inspect
import itertools
import re
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lib.doctor.meeting import (
    CALLED,
    NAMES,
    SIZE,
    failure,
    module_of,
    plain,
    quietly,
    signature,
)
from lib.doctor.report import NotMetError, Report

PAD, LONG, WORDS = 1, 6, SIZE["target"]
# Two sentences from <sos> 2 to <eos> 3 in other words, the second one padded.
IDS = torch.tensor([[2, 24, 25, 26, 27, 3], [2, 28, 29, 3, PAD, PAD]])


def padding(function: Any) -> int | None:
    """The id of padding that a function asks for, or knows by itself; None: neither."""
    if any(NAMES.get(plain(n)) == "pad" for n in signature(function, called=True)):
        return PAD
    inner = getattr(function, "forward", function)
    known = quietly(lambda: dict(inspect.getclosurevars(inner).globals)) or {}
    for part in module_of(function).modules():
        known |= vars(part)
    pads = (v for n, v in known.items() if NAMES.get(plain(n)) == "pad")
    return next((v for v in pads if isinstance(v, int)), None)


def tried(function: Any, ways: list[list[Any]], **known: Any) -> Any:
    """Call a function in the first of several ways that it takes.

    Args:
        function: whose arguments are filled in by their names, and else in their order.
        ways: what to hand over in order.
        **known: what arguments get that are of a size in the table of names.

    Raises:
        NotMetError: if it takes none.
    """
    why = ""
    for way in ways:
        waiting, given = list(way), dict[str, Any]()
        for name, p in signature(function, called=True).items():
            size = NAMES.get(plain(name), "")
            if re.search("^len(gth)?s$", plain(name)):
                given[name] = (IDS != PAD).sum(1)
            elif plain(name) in CALLED["labels"] and size != "pad" and waiting:
                given[name] = waiting.pop()
            elif size in known:
                given[name] = known[size]
            elif waiting and p.default is p.empty:
                given[name] = waiting.pop(0)
        try:
            return function(**given)
        except Exception as error:
            why = why or failure(error)
    raise NotMetError(
        f"It took nothing of what is usual: {why} Write the call: --call 'lambda …: "
        "…', in a notebook call=…"
    )


def examine_mask(function: Any, report: Report) -> None:
    """Examine a function that makes masks: of the future, of padding, or of both.

    Raises:
        NotMetError: if it cannot be called.
    """
    known = padding(function)
    for pad in (0, PAD, 10) if known is None else (known,):
        ids = torch.where(IDS == PAD, pad, IDS)
        ways: list[list[Any]] = [[ids], [LONG], [ids, ids[:, :4]], [LONG, LONG]]
        out = tried(function, ways, pad=pad, device="cpu", longest=LONG)
        made = Report("")
        for mask in [out] if isinstance(out, Tensor) else [*out]:
            _judge_mask(torch.as_tensor(mask), ids != pad, made)
        if known is not None or not made.faults:
            break
    report.found |= made.found


def _judge_mask(mask: Tensor, real: Tensor, report: Report) -> None:
    long, shape = mask.shape[-1], tuple(mask.shape)
    if long == 1:
        report.add("mask_rows", shape=shape)
        return
    keys, queries = real[:, None, :long], real[:, :long, None]
    every = torch.ones(1, long, long).bool()
    causal = every.tril()
    added = mask.is_floating_point() and (mask < 0).any()
    look = mask > -1e3 if added else mask.bool()
    look = look.reshape(-1, *look.shape[-2:]) if mask.dim() > 2 else look[None]
    if mask.dim() == 2 and mask.size(0) != long:
        look = look[0][:, None]
    known = {
        "mask_causal": causal,
        "mask_padding": keys,
        "mask_both": keys & causal,
        "mask_blind": keys & causal & queries,
        "mask_blind ": keys & queries,
        "mask_upside_down": every.triu(),
        "mask_ahead": every.tril(1),
        "mask_or": keys | causal,
        "mask_rows": queries & every,
        "mask_everything": every,
    }
    for (key, wanted), says in itertools.product(known.items(), ("look", "hide")):
        got = look if says == "look" else ~look
        sides = zip(got.shape, wanted.shape, strict=True)
        fits = all(a in (1, b) for a, b in sides) and got.size(1) >= wanted.size(1)
        if fits and (got == wanted).all():
            row = look[0, 0].int().tolist()
            report.add(key.strip(), meaning=says, row=row, shape=shape)
            return
    report.add("mask_unknown")


def examine_collate(function: Any, report: Report) -> None:
    """Examine what makes the decoder's input and its answers from target sentences.

    Raises:
        NotMetError: if it cannot be called.
    """
    rows = [row[row != PAD] for row in IDS]
    lists = [row.tolist() for row in rows]
    pairs = [[(row + 8, row) for row in rows], [([34, 35], row) for row in lists]]
    sides = [IDS + 8, IDS]
    alone = ([way] for way in (rows, lists, rows[0], lists[0]))
    ways: list[list[Any]] = [[IDS], *([pair] for pair in pairs), sides, *alone]
    out = tried(function, ways, pad=PAD, start=2, end=3, device="cpu")
    words, found = lists[0][1:-1], []
    parts = out.values() if isinstance(out, dict) else [out] if _is_ids(out) else out
    for part in parts:
        tensor = quietly(lambda: torch.as_tensor(part))  # noqa: B023
        if tensor is not None and _is_ids(tensor) and 0 < tensor.dim() < 3:
            rows = torch.atleast_2d(tensor)
            lines = (row.tolist() for row in [*rows, *rows.T])
            found += [line for line in lines if len({*words} & {*line}) > 2][:1]
    if len(found) < 2:
        report.add("shift_elsewhere")
        return
    fed, wanted = found[-2:]
    steps = {
        words.index(b) - words.index(a)
        for a, b in zip(fed, wanted, strict=False)
        if {a, b} <= {*words}
    }
    names = {
        (0,): "no_shift",
        (1,): "shift_tried",
        (-1,): "shift_back",
        (2,): "shift_two",
    }
    report.add(names.get((*steps,), "shift_strange"), fed=fed, wanted=wanted)
    if steps == {1} and wanted[len(fed) - 1 :] == words[-1:]:
        report.add("end_cut", wanted=wanted)


def _is_ids(thing: Any) -> bool:
    return torch.is_tensor(thing) and thing.dtype == torch.long


def examine_measure(function: Any, report: Report) -> None:
    """Examine a loss or an accuracy: what padding and a sure answer are worth.

    Raises:
        NotMetError: if it cannot be called.
    """
    known = padding(function)
    torch.manual_seed(0)
    logits = torch.randn(2, 4, WORDS)
    labels = torch.tensor([[12, 5, 6, 7], [8, 9, 13, 10]])
    logits[0, 0, 12] = logits[1, 2, 13] = 9.0  # two of eight are right
    pad = 0 if known is None else known
    sizes = {"pad": pad, "smoothing": 0.1, "target": WORDS, "source": WORDS}

    def measure(x: Tensor, y: Tensor) -> Tensor:
        usual = [[x, y], [x.flatten(0, 1), y.flatten()], [x.transpose(1, 2), y]]
        ways = [*usual, *(way[::-1] for way in usual)]  # as in Keras, labels first
        out = tried(function, ways, **sizes)
        return torch.as_tensor(out[0] if isinstance(out, tuple) else out).float().sum()

    def longer(pad: int) -> float:
        behind = torch.full((2, 5), pad)
        both = torch.cat([logits, _sure(behind)], dim=1), torch.cat([labels, behind], 1)
        return float(quietly(lambda: measure(*both)) or torch.inf)

    value, silent = float(measure(logits, labels)), list[int]()
    if report.kind == "loss":
        silent = _loss(measure, logits, labels, report)
    pads = [*silent, 0, PAD, 2, 3, -100] if known is None else [known]
    pad = next((p for p in pads if abs(longer(p) - value) < 1e-3), pads[0])
    if silent and pad not in [*silent, -100]:
        report.add("wrong_padding", silent=silent[0], pad=pad)
    before, after = f"{value:.3f}", f"{longer(pad):.3f}"
    key = "padding_not_known" if known is None else "padding_counted"
    key = "padding_dilutes" if pad in silent else key
    key = "padding_measured" if before == after else key
    report.add(key, what=report.kind, before=before, after=after)


def _sure(labels: Tensor) -> Tensor:
    """Logits that leave no doubt of these labels."""
    return 9 * F.one_hot(labels.clamp_min(0), WORDS).float()


def _loss(measure: Any, logits: Tensor, labels: Tensor, report: Report) -> list[int]:
    """Tell a loss by its value; return the labels from which nothing is learned."""
    value, flat, y = measure(logits, labels), logits.flatten(0, 1), labels.flatten()
    right = F.cross_entropy(flat, y)
    known = {
        "loss_fits": right,
        "loss_twice": F.cross_entropy(flat.softmax(-1), y),
        "loss_no_log": F.nll_loss(flat.softmax(-1), y),
        "loss_of_logs": F.nll_loss(flat, y),
    }
    for (key, number), times in itertools.product(known.items(), (1, 8, 4, 2)):
        if abs(value - times * number) < 1e-4 * abs(value):
            report.add(key, value=f"{value:.3f}", right=f"{right:.3f}")
            break
    if (sure := float(measure(_sure(labels), labels))) >= value:
        report.add("sure_costs", sure=f"{sure:.2f}", value=f"{value:.2f}")
    silent = []
    for word in range(WORDS):
        x, y = torch.zeros(2, 4, WORDS, requires_grad=True), labels.clone()
        y[0, 1] = word
        measure(x, y).backward()
        if x.grad is None or not x.grad[0, 1].any():
            silent.append(word)
    return silent
