"""The doctor: take a class as it comes, and tell what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from lib.doctor.attention import examine_attention
from lib.doctor.calling import Piece
from lib.doctor.functions import examine_collate, examine_mask, examine_measure
from lib.doctor.meeting import (
    KINDS,
    build,
    failure,
    guess,
    quietly,
    reads_ids,
    shake,
    undisturbed,
)
from lib.doctor.models import Model, examine_layer, examine_model, inside, start
from lib.doctor.owed import outside, soundness
from lib.doctor.pieces import examine_feed_forward, examine_norm, examine_positions
from lib.doctor.report import NotMetError, Report

__all__ = ["built", "examine"]

PIECES: dict[str, Callable[[Any], None]] = {
    "attention": examine_attention,
    "norm": examine_norm,
    "feed-forward": examine_feed_forward,
    "layer": examine_layer,
    "model": examine_model,
}
FUNCTIONS: dict[str, Callable[[Any, Report], None]] = {
    "mask": examine_mask,
    "collate": examine_collate,
    "loss": examine_measure,
    "accuracy": examine_measure,
}


def examine(thing: Any, *, kind: str | None = None, call: Any = None) -> Report:
    """Examine a class, a function or a built model, and tell what is wrong with it.

    Args:
        thing: somebody's class, which is built by the names of its arguments; or a
            module that is built already; or a function.
        kind: what it is; guessed by its name if None.
        call: how it is called, where that cannot be guessed; its arguments are named
            as usual (``q, kv, mask``, or ``src, tgt``).

    Returns:
        A report: a table in a notebook, lines when printed; its ``status`` is 0 without
        a fault, 1 with one, 2 where it could not be built or called.

    Raises:
        ValueError: if there is no such kind.

    Example:
        >>> from lib.layers import LayerNorm
        >>> print(examine(LayerNorm).verdict)
        LayerNorm, norm: no fault was found.
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, but it is {kind!r}.")
    report = Report(getattr(thing, "__name__", type(thing).__name__))
    try:
        report.kind = kind or quietly(lambda: guess(thing)) or ""
        piece = built(thing, kind)
        report.kind = report.kind or quietly(lambda: guess(call)) or guess(piece)
        if kind is None and report.kind == "model" and not reads_ids(piece):
            report.kind = "layer"  # or several: what it is handed are vectors
        _examine(piece, report, call)
    except NotMetError as error:
        report.unmet = str(error)
    except Exception as error:
        report.unmet = f"It stopped while it was examined: {failure(error)}"
    return report


def built(thing: Any, kind: str | None = None) -> Any:
    """Build a class by the names of its arguments; anything else stays as it is.

    Args:
        thing: somebody's class, or a module or function.
        kind: what it is; None guesses.

    Returns:
        What can be examined.

    Raises:
        ValueError: if it cannot be built.

    Example:
        >>> from torch import nn
        >>> built(nn.LayerNorm).normalized_shape[0] > 1
        True
    """
    if not isinstance(thing, type):
        return thing
    return build(kind or quietly(lambda: guess(thing)) or "model", thing)


def _examine(thing: Any, report: Report, call: Any = None) -> None:
    with undisturbed(thing):
        if isinstance(thing, nn.Module):
            thing.eval()
            start(thing, report)
            if report.kind in ("layer", "model"):
                for name, part in inside(thing):
                    _part(name, part, report)
            shake(thing)
        if report.kind in FUNCTIONS:
            FUNCTIONS[report.kind](call or thing, report)
            return
        piece = (Model if report.kind == "model" else Piece)(thing, report, call)
        if report.kind == "positions":  # some of them are functions
            examine_positions(piece)
            return
        piece.settle()
        outside(piece)
        PIECES[report.kind](piece)
        soundness(piece)


def _part(name: str, part: nn.Module, report: Report) -> None:
    """Examine a piece of a model; only what is wrong with it is told."""
    own = Report(name, guess(part))
    try:
        _examine(part, own)
    except Exception:  # it takes what only its model hands it
        return
    for key, (level, text) in own.found.items():
        if level == "fault":
            report.found[f"{name} {key}"] = level, f"{name}: {text}"
