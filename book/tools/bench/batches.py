"""What the contenders train on: token ids in three kinds of batches."""

import torch
from torch import Tensor, nn

from book.tools.bench.models import EOS, SOS, Sizes
from lib.text import Batch, TokenBatchSampler, collate


def sentence_pairs(sizes: Sizes) -> list[tuple[Tensor, Tensor]]:
    """Draw token ids whose lengths are those of everyday sentences: nine or ten tokens.

    Measured on English and Spanish sentences of Tatoeba in sub-words: the lengths are
    log-normal, and a target differs from its source by a normal number of tokens that
    spreads with the root of the length.
    """
    random = torch.Generator().manual_seed(0)
    count, longest = sizes.sentences, min(60, sizes.padded_length)
    first, second = torch.randn(2, count, generator=random)
    src = (2.18 + 0.34 * first).exp().round().clamp(3, longest - 2)
    more = 0.6 + 0.6 * src.sqrt() * second
    tgt = (src + more).round().clamp(2, longest - 1).long()

    def draw(length: int) -> Tensor:
        return torch.randint(4, sizes.vocab_size, (length,), generator=random)

    sos, eos = torch.tensor([SOS]), torch.tensor([EOS])
    lengths = zip(src.long().tolist(), tgt.tolist(), strict=True)
    return [
        (torch.cat([draw(s - 1), eos]), torch.cat([sos, draw(t - 1), eos]))
        for s, t in lengths
    ]


def batches_by_length(sizes: Sizes) -> list[Batch]:
    """Group the pairs as the book trains: similar lengths, so many tokens a batch."""
    pairs = sentence_pairs(sizes)
    lengths = [max(len(src), len(tgt)) for src, tgt in pairs]
    sampler = TokenBatchSampler(lengths, sizes.max_tokens, seed=0)
    return [collate([pairs[i] for i in group], pad_id=0) for group in sampler]


def batches_as_they_come(sizes: Sizes) -> list[Batch]:
    """Group the pairs in the order in which they stand, as many tokens a batch."""
    groups: list[list[tuple[Tensor, Tensor]]] = [[]]
    for pair in sentence_pairs(sizes):
        group = [*groups[-1], pair]
        widest = max(len(side) for pair in group for side in pair)
        if len(group) * widest > sizes.max_tokens:
            groups.append([pair])
        else:
            groups[-1] = group
    return [collate(group, pad_id=0) for group in groups[:-1]]


def batches_of_one_length(sizes: Sizes) -> list[Batch]:
    """Pad every sentence to one length, a few sentences a batch."""
    pairs, size, length = sentence_pairs(sizes), sizes.padded_batch, sizes.padded_length

    def widen(ids: Tensor) -> Tensor:
        return nn.functional.pad(ids, (0, length - ids.size(1)))

    starts = range(0, len(pairs) - size, size)
    batches = (collate(pairs[start : start + size], pad_id=0) for start in starts)
    return [Batch(*map(widen, batch)) for batch in batches]


def padding_share(batches: list[Batch]) -> float:
    """Return the share of places, sources and targets, that hold padding."""
    sides = [side for batch in batches for side in (batch.src, batch.tgt_in)]
    empty = sum(int((side == 0).sum()) for side in sides)
    return empty / sum(side.numel() for side in sides)
