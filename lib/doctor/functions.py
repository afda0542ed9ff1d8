"""Functions: masks, what the decoder is fed, losses and accuracies."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lib.doctor.meeting import CALLED, NAMES, SIZE, failure, plain, quietly, signature
from lib.doctor.report import NotMetError, Report

PAD, LONG, WORDS = 1, 6, SIZE["target"]
# Two sentences from <sos> 2 to <eos> 3 in other words, the second one padded.
IDS = torch.tensor([[2, 4, 5, 6, 7, 3], [2, 8, 9, 3, PAD, PAD]])


def padding(function: Any) -> int | None:
    """The id of padding that a function asks for, or knows by itself; None: neither."""
    if any(NAMES.get(plain(n)) == "pad" for n in signature(function, called=True)):
        return PAD
    parts = (
        [vars(m) for m in function.modules()] if isinstance(function, nn.Module) else []
    )
    inner = getattr(function, "forward", function)
    code, space = getattr(inner, "__code__", None), getattr(inner, "__globals__", {})
    parts.append({n: space.get(n) for n in (code.co_names if code else ())})
    for name, value in (item for part in parts for item in part.items()):
        if NAMES.get(plain(name)) == "pad" and isinstance(value, int) and value >= 0:
            return value
    return None


def tried(function: Any, ways: list[list[Any]], **known: Any) -> tuple[int, Any]:
    """Call a function in the first of several ways that it takes.

    Args:
        function: whose arguments are filled in by their names, and else in their order.
        ways: what to hand over in order.
        **known: what arguments get that are of a size in the table of names.

    Raises:
        NotMetError: if it takes none.
    """
    why = ""
    for number, way in enumerate(ways):
        waiting, given = list(way), dict[str, Any]()
        for name, p in signature(function, called=True).items():
            size = NAMES.get(plain(name), "")
            if plain(name) in CALLED["labels"] and size != "pad" and len(waiting) > 0:
                given[name] = waiting.pop()
            elif size in known:
                given[name] = known[size]
            elif waiting and p.default is p.empty:
                given[name] = waiting.pop(0)
        try:
            return number, function(**given)
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
        _, out = tried(function, ways, pad=pad, device="cpu", longest=LONG)
        made = Report("")
        for mask in [out] if isinstance(out, Tensor) else [*out]:
            _judge_mask(torch.as_tensor(mask), ids != pad, made)
        if known is not None or not made.faults:
            break
    report.findings += made.findings


def _judge_mask(mask: Tensor, real: Tensor, report: Report) -> None:
    long = mask.shape[-1]
    real, every = real[:, :long], torch.ones(1, long, long).bool()
    if long == 1:
        report.add("mask_rows", shape=tuple(mask.shape))
        return
    added = mask.is_floating_point() and (mask < 0).any()
    look = mask > -1e3 if added else mask.bool()
    look = look.reshape(-1, *look.shape[-2:]) if mask.dim() > 2 else look[None]
    if mask.dim() == 2 and mask.size(0) != long:
        look = look[0][:, None]
    keys, queries, causal = real[:, None], real[:, :, None], every.tril()
    known = {
        "mask_causal": causal,
        "mask_padding": keys,
        "mask_both": keys & causal,
        "mask_blind": keys & causal & queries,
        "mask_blind ": keys & queries,
        "mask_upside_down": every.triu(),
        "mask_not_itself": causal & ~torch.eye(long).bool(),
        "mask_ahead": every.tril(1),
        "mask_or": keys | causal,
        "mask_rows": queries & every,
        "mask_everything": every,
    }
    for (key, wanted), says in itertools.product(known.items(), ("look", "hide")):
        got = look if says == "look" else ~look
        if len(got) in (1, len(wanted)) and got.shape[1] in (1, wanted.shape[1]):
            got = got.expand(len(wanted), *got.shape[1:])
            if (got == wanted).all():
                row, shape = look[0, 0].int().tolist(), tuple(mask.shape)
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
    pairs = [[(row + 20, row) for row in rows], [([24, 25], row) for row in lists]]
    ways: list[list[Any]] = [
        [IDS],
        *([p] for p in pairs),
        [IDS + 20, IDS],
        [rows],
        [lists],
        [rows[0]],
        [lists[0]],
    ]
    _, out = tried(function, ways, pad=PAD, start=2, end=3, device="cpu")
    values = (
        out.values()
        if isinstance(out, dict)
        else [out]
        if isinstance(out, Tensor)
        else out
    )
    found = []
    for value in values:
        tensor = quietly(lambda: torch.as_tensor(value))  # noqa: B023
        if tensor is not None and 0 < tensor.dim() < 3 and tensor.dtype == torch.long:
            first = (
                tensor
                if tensor.dim() == 1
                else tensor[0]
                if len(tensor) == 2
                else tensor[:, 0]
            )
            found.append([word for word in first.tolist() if word != PAD])
    full = rows[0].tolist()
    targets = [row for row in found if len(row) > 3 and {*row} <= {*full}]
    if len(targets) < 2:
        report.add("shift_elsewhere")
        return
    fed, wanted = targets[0], targets[1]
    answers = dict(zip(fed, wanted, strict=False))
    steps = {full.index(b) - full.index(a) for a, b in answers.items()}
    names = {0: "no_shift", 1: "shift_tried", -1: "shift_back", 2: "shift_two"}
    key = names.get(min(steps), "shift_strange") if len(steps) == 1 else "shift_strange"
    report.add(key, fed=fed, wanted=wanted)
    if steps == {1} and 3 not in wanted:
        report.add("end_cut", wanted=wanted)


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
    sizes = {"pad": known or 0, "smoothing": 0.1, "target": WORDS, "source": WORDS}
    forms: list[Callable[[Tensor, Tensor], list[Tensor]]] = [
        lambda x, y: [x, y],
        lambda x, y: [x.flatten(0, 1), y.flatten()],
        lambda x, y: [x.transpose(1, 2), y],
    ]
    form, _ = tried(function, [f(logits, labels) for f in forms], **sizes)

    def measure(x: Tensor, y: Tensor) -> Tensor:
        out = tried(function, [forms[form](x, y)], **sizes)[1]
        return torch.as_tensor(out[0] if isinstance(out, tuple) else out).float().mean()

    def longer(pad: int) -> float:
        sure = 9 * F.one_hot(torch.full((2, 5), pad), WORDS).float()
        padded = torch.cat([logits, sure], dim=1), F.pad(labels, (0, 5), value=pad)
        return float(measure(*padded))

    value = float(measure(logits, labels))
    silent = _silent(measure, labels) if report.kind == "loss" else []
    pads = [*silent, 0, PAD, 2, 3] if known is None else [known]
    pad = next((p for p in pads if abs(longer(p) - value) < 1e-3), pads[0])
    if report.kind == "loss":
        _loss(measure, logits, labels, report)
        if silent and pad not in silent:
            report.add("wrong_padding", silent=silent[0], pad=pad)
    told = {"before": f"{value:.3f}", "after": f"{longer(pad):.3f}"}
    key = "padding_not_known" if known is None else "padding_counted"
    key = "padding_dilutes" if pad in silent else key
    key = "padding_measured" if told["before"] == told["after"] else key
    report.add(key, what=report.kind, **told)


def _silent(measure: Any, labels: Tensor) -> list[int]:
    """The labels from which nothing is learned."""
    found = []
    for word in range(WORDS):
        x, y = torch.zeros(2, 4, WORDS, requires_grad=True), labels.clone()
        y[0, 1] = word
        measure(x, y).backward()
        if x.grad is None or not x.grad[0, 1].any():
            found.append(word)
    return found


def _loss(measure: Any, logits: Tensor, labels: Tensor, report: Report) -> None:
    value, flat, y = (
        float(measure(logits, labels)),
        logits.flatten(0, 1),
        labels.flatten(),
    )
    right = float(F.cross_entropy(flat, y))
    known = {
        "loss_fits": right,
        "loss_twice": float(F.cross_entropy(flat.softmax(-1), y)),
        "loss_no_log": float(F.nll_loss(flat.softmax(-1), y)),
        "loss_of_logs": float(F.nll_loss(flat, y)),
    }
    for (key, number), times in itertools.product(known.items(), (1, 8, 4)):
        if abs(value - times * number) < 1e-4 * abs(value):
            report.add(key, value=f"{value:.3f}", right=f"{right:.3f}")
            break
    sure = float(measure(4 * F.one_hot(labels, WORDS).float(), labels))
    if sure >= value:
        report.add("sure_costs", sure=f"{sure:.2f}", value=f"{value:.2f}")
