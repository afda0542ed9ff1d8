"""Right and wrong answers to the exercises of chapter 1."""

import math

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from lib.checks import chapter_01 as check
from lib.text import EOS, SOS, tokenize


def frame(vocabulary, sentence):
    return [vocabulary.sos_id, *vocabulary.encode(sentence), vocabulary.eos_id]


def lookup(token_ids, table):
    return F.one_hot(token_ids, num_classes=table.size(0)).float() @ table


def cosine(a, b):
    return a @ b / (a.norm() * b.norm())


def pad_batch(sequences, pad_id):
    longest = max(map(len, sequences))
    return torch.tensor([[*s, *[pad_id] * (longest - len(s))] for s in sequences])


def padded(sequences, pad_id, **options):
    return pad_sequence(
        [torch.tensor(s) for s in sequences], padding_value=pad_id, **options
    )


def share(token_ids, pad_id):
    return (token_ids == pad_id).float().mean()


def filled(sequences, pad_id):
    batch = torch.full((len(sequences), max(map(len, sequences))), pad_id)
    for row, sequence in zip(batch, sequences, strict=True):
        row[: len(sequence)] = torch.tensor(sequence)
    return batch


RIGHT = [
    (check.frame, frame),
    (check.frame, lambda v, s: torch.tensor([v.sos_id, *v.encode(s), v.eos_id])),
    (check.lookup, lookup),
    (check.lookup, lambda ids, table: table[ids]),
    (check.cosine, cosine),
    (check.cosine, lambda a, b: F.cosine_similarity(a, b, dim=0).item()),
    (check.pad_batch, pad_batch),
    (check.pad_batch, filled),
    (check.padding_share, share),
    (check.padding_share, lambda x, pad: int((x == pad).sum()) / x.numel()),
]

WRONG = [
    (
        check.pad_batch,
        lambda s, pad_id: padded(s, pad_id, batch_first=True),
        "calls pad_sequence",
    ),
    (check.frame, lambda v, s: v.encode(s), "The frame is missing"),
    (check.frame, lambda v, s: frame(v, s)[:-1], "The end is missing"),
    (check.frame, lambda v, s: frame(v, s)[1:], "The start is missing"),
    (check.frame, lambda v, s: [v.eos_id, *v.encode(s), v.sos_id], "are exchanged"),
    (check.frame, lambda v, s: [SOS, *tokenize(s), EOS], "These are tokens"),
    (check.frame, lambda v, s: [v.sos_id, v.encode(s), v.eos_id], "inside the list"),
    (check.frame, lambda v, s: v.encode(f"{SOS} {s} {EOS}"), "through the tokenizer"),
    (check.frame, lambda v, s: [1, *v.encode(s), 2], "are fixed"),
    (check.frame, lambda v, s: [9], "should be [1, 4, 5, 6, 7, 2]"),
    (
        check.lookup,
        lambda ids, table: F.one_hot(ids, num_classes=5).float(),
        "multiply them by the table",
    ),
    (check.lookup, lambda ids, table: lookup(ids, table).sum(dim=1), "are added up"),
    (check.lookup, lambda ids, table: lookup(ids, table).flatten(0, 1), "run together"),
    (check.lookup, lambda ids, table: 2 * lookup(ids, table), "scaled by √D"),
    (check.lookup, lambda ids, table: F.one_hot(ids).float() @ table, "num_classes"),
    (
        check.lookup,
        lambda ids, table: F.one_hot(ids, num_classes=5) @ table,
        "stopped with RuntimeError",
    ),
    (check.lookup, lambda ids, table: 0 * lookup(ids, table), "is off in"),
    (check.cosine, lambda a, b: a @ b, "This is the dot product"),
    (check.cosine, lambda a, b: a @ b / a.norm(), "Only one of the lengths"),
    (check.cosine, lambda a, b: a @ b / b.norm(), "Only one of the lengths"),
    (check.cosine, lambda a, b: a @ b / (a @ a) / (b @ b), "lengths are squared"),
    (check.cosine, lambda a, b: a @ b / (a.norm() + b.norm()), "lengths are added"),
    (check.cosine, lambda a, b: a @ b / math.sqrt(len(a)), "divides by √D"),
    (check.cosine, lambda a, b: cosine(a, b).acos(), "This is the angle"),
    (check.cosine, lambda a, b: 1 - cosine(a, b), "one minus the cosine"),
    (check.cosine, lambda a, b: (a - b).norm(), "the distance between"),
    (check.cosine, lambda a, b: a * b / (a.norm() * b.norm()), "not added up"),
    (check.cosine, lambda a, b: 0.5, "should be 0.96, but is 0.5"),
    (check.cosine, lambda a, b: cosine(a, b).abs(), "its opposite"),
    (check.pad_batch, lambda s, pad_id: filled(s, pad_id).T, "Rows and columns"),
    (
        check.pad_batch,
        lambda s, pad_id: torch.tensor([row[: min(map(len, s))] for row in s]),
        "cut to the shortest",
    ),
    (
        check.pad_batch,
        lambda s, pad_id: F.pad(pad_batch(s, pad_id), (0, 2), value=pad_id),
        "more padding than needed",
    ),
    (check.pad_batch, lambda s, pad_id: pad_batch(s, 0), "filled up with 0"),
    (
        check.pad_batch,
        lambda s, pad_id: pad_batch([r[::-1] for r in s], pad_id).flip(1),
        "stands in front",
    ),
    (check.pad_batch, lambda s, pad_id: pad_batch(s, pad_id).float(), "whole numbers"),
    (check.pad_batch, lambda s, pad_id: pad_batch(s, pad_id).tolist(), "be a tensor"),
    (check.pad_batch, lambda s, pad_id: pad_batch(s, 7), "should be"),
    (check.padding_share, lambda x, pad: 1 - share(x, pad), "share of the words"),
    (check.padding_share, lambda x, pad: (x == pad).sum(), "This is the count"),
    (check.padding_share, lambda x, pad: 100 * share(x, pad), "These are percent"),
    (
        check.padding_share,
        lambda x, pad: (x == pad).sum() / x.size(0),
        "the padding of a sentence",
    ),
    (
        check.padding_share,
        lambda x, pad: (x == pad).sum() / x.size(1),
        "the length of one sentence",
    ),
    (
        check.padding_share,
        lambda x, pad: (x == pad).sum() / (x != pad).sum(),
        "padding for each word",
    ),
    (check.padding_share, lambda x, pad: share(x, 0), "counts the id 0"),
    (
        check.padding_share,
        lambda x, pad: (x == pad).float().mean(dim=1),
        "one share for each sentence",
    ),
    (check.padding_share, lambda x, pad: 0.7, "should be 0.6, but is 0.7"),
    (check.padding_share, lambda x, pad: max(0.6, share(x, pad)), "without padding"),
]
