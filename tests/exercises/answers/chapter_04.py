"""Right and wrong answers to the exercises of chapter 4."""

import math

import torch

from lib.checks import chapter_04 as check
from lib.masks import causal_mask, padding_mask


def window(length, width, back=0, ahead=0):
    place = torch.arange(length)
    behind = place[:, None] - place[None, :]
    return (behind >= -ahead) & (behind < width + back)


def columns(ids, pad):
    return (ids != pad)[:, None, None, :]


def past(ids, diagonal=0):
    return torch.ones(ids.size(1), ids.size(1)).tril(diagonal).bool()


def both(ids, pad):
    return columns(ids, pad) & past(ids)


def rows(ids, pad):
    return columns(ids, pad).transpose(-2, -1)


def with_lib(ids, pad):
    return padding_mask(ids, pad) & causal_mask(ids.size(1))


def filled_with(low, axis=-1):
    """An answer to 4.3 that fills with this number, and zeros at the end."""

    def answer(scores, mask):
        weights = scores.masked_fill(~mask, low).softmax(axis)
        return weights.masked_fill(~mask, 0.0)

    return answer


def by_type(scores, mask):
    """A number for each type, but not the lowest."""
    low = -1e9 if scores.dtype == torch.float32 else -5e4
    return filled_with(low)(scores, mask)


def along(axis):
    """An answer to 4.3 whose softmax runs along a fixed axis."""

    def answer(scores, mask):
        lowest = torch.finfo(scores.dtype).min
        return filled_with(lowest, axis)(scores, mask)

    return answer


def by_hand(scores, mask):
    """Right, though it calls no softmax at all."""
    lowest = torch.finfo(scores.dtype).min
    low = scores.masked_fill(~mask, lowest)
    powers = (low - low.amax(-1, keepdim=True)).exp() * mask
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-6)


def softly(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)


def infinity(scores, mask):
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


def added_infinity(scores, mask):
    low = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return (scores + low).softmax(dim=-1).nan_to_num(0.0)


def pair(ids, pad):
    return ~causal_mask(ids.size(1)), ids == pad


STUBS = [(check.looking_ahead, ["A", ...])]

RIGHT = [
    (check.window_mask, window),
    (check.decoder_mask, both),
    (check.decoder_mask, lambda ids, pad: both(ids, pad).tolist()),
    (check.window_mask, lambda n, w: window(n, w).tolist()),
    (check.masked_softmax, by_hand),
    (check.masked_softmax, softly),
    (check.masked_softmax, lambda s, m: infinity(s, m).masked_fill(~m, 0.0)),
    (check.for_pytorch, pair),
    (check.for_pytorch, lambda ids, pad: list(pair(ids, pad))),
    (check.looking_ahead, {"B", "C", "E"}),
    (check.looking_ahead, ["E", "C", "B"]),
    (check.looking_ahead, frozenset("BCE")),
    (check.looking_ahead, dict.fromkeys("BCE").keys()),
]

WRONG = [
    (check.window_mask, lambda n, w: ~window(n, w), "inverted"),
    (check.window_mask, lambda n, w: window(n, w, back=1), "One too wide"),
    (check.window_mask, lambda n, w: window(n, w, back=-1), "One too narrow"),
    (check.window_mask, lambda n, w: window(n, w, back=1, ahead=-1), "see itself"),
    (check.window_mask, lambda n, w: window(n, w).T, "looks ahead"),
    (check.window_mask, lambda n, w: window(n, w, ahead=w - 1), "into the future too"),
    (check.window_mask, lambda n, w: causal_mask(n), "cut off what lies too far"),
    (check.window_mask, lambda n, w: window(n, w).float(), "should be boolean"),
    (
        check.window_mask,
        lambda n, w: window(n, w)[None],
        "should have the shape (6, 6)",
    ),
    (
        check.window_mask,
        lambda n, w: window(n, 3),
        "window_mask(4, 1) is off in 5 of 16 places",
    ),
    (check.window_mask, lambda n, w: window(n, w) & False, "Nothing is open here"),
    (check.decoder_mask, with_lib, "calls causal_mask or padding_mask"),
    (check.decoder_mask, padding_mask, "calls causal_mask or padding_mask"),
    (check.decoder_mask, lambda ids, pad: ~both(ids, pad), "inverted"),
    (check.decoder_mask, lambda ids, pad: both(ids, pad)[:, 0], "axis for the heads"),
    (check.decoder_mask, lambda ids, pad: past(ids), "one mask for all"),
    (check.decoder_mask, columns, "padding mask alone"),
    (check.decoder_mask, rows, "marks padding in the rows"),
    (
        check.decoder_mask,
        lambda ids, pad: both(ids, pad).transpose(0, 1),
        "heads comes second",
    ),
    (check.decoder_mask, lambda ids, pad: columns(ids, pad) | past(ids), "not with |"),
    (check.decoder_mask, lambda ids, pad: columns(ids, pad) & past(ids).T, "use tril"),
    (
        check.decoder_mask,
        lambda ids, pad: columns(ids, pad) & ~past(ids),
        "The future is open and the past is closed.",
    ),
    (
        check.decoder_mask,
        lambda ids, pad: columns(ids, pad) & past(ids, 1),
        "one token ahead",
    ),
    (check.decoder_mask, lambda ids, pad: both(ids, pad).tril(-1), "keep the diagonal"),
    (
        check.decoder_mask,
        lambda ids, pad: both(ids, pad) & rows(ids, pad),
        "block columns only",
    ),
    (
        check.decoder_mask,
        lambda ids, pad: rows(ids, pad) & past(ids),
        "its columns are open",
    ),
    (
        check.decoder_mask,
        lambda ids, pad: ~columns(ids, pad) & past(ids),
        "Only padding is open",
    ),
    (check.decoder_mask, lambda ids, pad: both(ids, 0), "Token 0 was taken"),
    (
        check.decoder_mask,
        lambda ids, pad: past(ids).expand(len(ids), 1, -1, -1),
        "No padding is blocked",
    ),
    (
        check.decoder_mask,
        lambda ids, pad: columns(ids, pad).expand(-1, 1, ids.size(1), -1),
        "future is open",
    ),
    (check.decoder_mask, lambda ids, pad: both(ids, pad).int(), "should be boolean"),
    (check.decoder_mask, lambda ids, pad: both(ids, pad) & False, "is off in"),
    (check.masked_softmax, filled_with(-100), "the open keys lose their shares"),
    (check.masked_softmax, filled_with(-1e4), "the open keys lose their shares"),
    (check.masked_softmax, by_type, "the open keys lose their shares"),
    (check.masked_softmax, along(1), "along the last axis"),
    (
        check.masked_softmax,
        lambda s, m: s.softmax(-1).masked_fill(~m, 0.0),
        "after the softmax only",
    ),
    (check.masked_softmax, lambda s, m: softly(s, ~m), "read backward"),
    (check.masked_softmax, lambda s, m: s.softmax(-1), "had no effect"),
    (check.masked_softmax, lambda s, m: (s * m).softmax(-1), "A score of 0 still"),
    (
        check.masked_softmax,
        lambda s, m: s.masked_fill(~m, -1e9).softmax(0),
        "down the columns",
    ),
    (check.masked_softmax, infinity, "gives NaN in float32"),
    (
        check.masked_softmax,
        lambda s, m: s.masked_fill(~m, -1e4).softmax(-1),
        "hands out shares in float32",
    ),
    (
        check.masked_softmax,
        lambda s, m: s.masked_fill(~m, -1e9).softmax(-1).masked_fill(~m, 0.0),
        "cannot hold the number",
    ),
    (check.masked_softmax, lambda s, m: softly(s.float(), m), "float16"),
    (check.masked_softmax, added_infinity, "the gradient is not finite"),
    (check.masked_softmax, lambda s, m: s @ s, "stopped with RuntimeError"),
    (check.for_pytorch, lambda ids, pad: pair(ids, pad)[0], "should return the pair"),
    (check.for_pytorch, lambda ids, pad: pair(ids, pad)[::-1], "wrong order"),
    (
        check.for_pytorch,
        lambda ids, pad: (~both(ids, pad), ids == pad),
        "joins the masks itself",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (causal_mask(ids.size(1)), ids == pad),
        "turn it around",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (causal_mask(ids.size(1)).T, ids == pad),
        "blocks the diagonal",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (~causal_mask(ids.size(1)).T, ids == pad),
        "blocks the past",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (pair(ids, pad)[0].float(), ids == pad),
        "tgt_mask should be boolean",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (pair(ids, pad)[0], ~padding_mask(ids, pad)),
        "leave out the axes",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (pair(ids, pad)[0], ids != pad),
        "True marks the padding",
    ),
    (
        check.for_pytorch,
        lambda ids, pad: (pair(ids, pad)[0], ids == 0),
        "Token 0 was taken",
    ),
    (check.looking_ahead, {"A", "B", "C", "E"}, "A is honest"),
    (check.looking_ahead, {"B", "C", "D", "E"}, "D is honest"),
    (check.looking_ahead, {"C", "E"}, "a single token ahead"),
    (check.looking_ahead, {"B", "E"}, "mixed afterwards"),
    (check.looking_ahead, {"B", "C"}, "a dozen tokens"),
    (check.for_pytorch, lambda ids, pad: (pair(ids, pad)[0], ids < 0), "No padding is"),
    (check.looking_ahead, "BCE", "should be a set of names"),
    (check.looking_ahead, {"X"}, "should be a set of names"),
    (check.looking_ahead, 3, "should be a set of names"),
]
