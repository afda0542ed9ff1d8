"""Sentence pairs as batches: the shift, the padding, the lengths."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lib import corpora
from lib.text import (
    EOS,
    PAD,
    SOS,
    UNK,
    Batch,
    ParallelDataset,
    TokenBatchSampler,
    Vocabulary,
    collate,
)
from lib.training.data import TranslationData
from tests.refusals import Call, each_refusal, refuses

PAIRS = corpora.load("phrases").splits["train"]
ENGLISH, SPANISH = (Vocabulary.build(side) for side in zip(*PAIRS, strict=True))
LENGTHS = st.lists(st.integers(1, 20), max_size=40)


# --- ParallelDataset ------------------------------------------------------------------


def test_sentences_become_ids_with_their_ends() -> None:
    data = ParallelDataset(PAIRS, ENGLISH, SPANISH)
    assert len(data) == len(PAIRS)
    for number, (english, spanish) in enumerate(PAIRS):
        src, tgt = data[number]
        assert src.tolist() == [*ENGLISH.encode(english), ENGLISH.eos_id]
        assert tgt[0] == SPANISH.sos_id
        assert tgt[-1] == SPANISH.eos_id
        assert src.dtype == tgt.dtype == torch.int64
        assert SPANISH.decode(tgt) == spanish
        assert data.lengths()[number] == max(len(src), len(tgt))


@pytest.mark.parametrize("pair", [("", "ir"), ("to go", ""), ("to go", " \n")])
def test_an_empty_side_is_refused_by_its_number(pair: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="Pair 1 has an empty side") as error:
        ParallelDataset([("lets go", "vamos"), pair], ENGLISH, SPANISH)
    assert repr(pair) in str(error.value)


# --- collate --------------------------------------------------------------------------

IDS = st.lists(st.integers(3, 20), min_size=1, max_size=6)


@given(
    sentences=st.lists(st.tuples(IDS, IDS), min_size=1, max_size=5),
    pad_id=st.sampled_from([0, 25]),
)
def test_in_and_out_are_the_same_target_shifted_by_one(
    sentences: list[tuple[list[int], list[int]]], pad_id: int
) -> None:
    pairs = [
        (torch.tensor([*src, 2]), torch.tensor([1, *tgt, 2])) for src, tgt in sentences
    ]
    batch = collate(pairs, pad_id)
    assert isinstance(batch, Batch)
    assert batch.tgt_in.shape == batch.tgt_out.shape
    assert torch.equal(batch.tgt_in[:, 1:], batch.tgt_out[:, :-1])
    for row, (src, tgt) in enumerate(sentences):
        assert without(batch.src[row], pad_id) == [*src, 2]
        assert batch.tgt_in[row, : len(tgt) + 1].tolist() == [1, *tgt]
        assert without(batch.tgt_out[row], pad_id) == [*tgt, 2]
    # No wider than its longest sentence.
    assert batch.src.size(1) == max(len(src) for src, _ in pairs)
    assert batch.tgt_in.size(1) == max(len(tgt) for _, tgt in pairs) - 1


def without(ids: Tensor, pad_id: int) -> list[int]:
    """Return the ids before the padding, which must all stand at the end."""
    real = (ids != pad_id).sum()
    assert (ids[real:] == pad_id).all()
    kept: list[int] = ids[:real].tolist()
    return kept


# --- TokenBatchSampler ----------------------------------------------------------------


@given(
    lengths=LENGTHS, max_tokens=st.integers(20, 60), seed=st.none() | st.integers(0, 9)
)
def test_every_sentence_stands_in_one_batch_that_is_not_too_large(
    lengths: list[int], max_tokens: int, seed: int | None
) -> None:
    sampler = TokenBatchSampler(lengths, max_tokens, seed)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert batch
        assert len(batch) * max(lengths[i] for i in batch) <= max_tokens
    assert list(TokenBatchSampler(lengths, max_tokens, seed)) == batches


@given(lengths=LENGTHS, seed=st.none() | st.integers(0, 9))
def test_batches_hold_sentences_of_similar_length(
    lengths: list[int], seed: int | None
) -> None:
    batches = list(TokenBatchSampler(lengths, 40, seed))
    spans = sorted(
        (min(lengths[i] for i in batch), max(lengths[i] for i in batch))
        for batch in batches
    )
    # Sorted by length, no batch begins before the one before it ends.
    for (_, longest), (shortest, _) in itertools.pairwise(spans):
        assert shortest >= longest
    if seed is None:
        order = [lengths[i] for batch in batches for i in batch]
        assert order == sorted(order)


def test_a_seed_mixes_short_batches_with_long_ones_each_in_its_way() -> None:
    lengths = [length for length in range(1, 21) for _ in range(4)]
    orders = [
        [lengths[batch[0]] for batch in TokenBatchSampler(lengths, 80, seed)]
        for seed in (None, 0, 1)
    ]
    assert orders[0] == sorted(orders[0])
    assert orders[0] != orders[1] != orders[2] != orders[0]


OTHER = Vocabulary(["vamos"], specials=(SOS, PAD, EOS, UNK))


@each_refusal(
    (
        lambda: ParallelDataset([("lets go", "vamos")], ENGLISH, OTHER),
        "source pads with 0 and the target with 1",
    ),
    (lambda: collate([], pad_id=0), "at least one sentence pair"),
    (lambda: TokenBatchSampler([4, 31], 30), r"31 tokens .* max_tokens = 30"),
)
def test_what_makes_no_batch_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


def test_a_sentence_may_fill_a_batch() -> None:
    assert list(TokenBatchSampler([30], max_tokens=30)) == [[0]]
    assert list(TokenBatchSampler([], max_tokens=30)) == []


# --- TranslationData ------------------------------------------------------------------


def data(seed: int = 0) -> TranslationData:
    splits = {"train": PAIRS, "validation": PAIRS[:3]}
    return TranslationData(splits, ENGLISH, SPANISH, max_tokens=30, seed=seed)


def test_an_epoch_shows_every_pair_once_in_batches_as_large_as_asked() -> None:
    batches = list(data().train_dataloader())
    assert all(b.src.numel() <= 30 >= b.tgt_in.numel() for b in batches)
    sources = [ENGLISH.decode(row) for batch in batches for row in batch.src]
    assert sorted(sources) == sorted(english for english, _ in PAIRS)
    held_out = data().val_dataloader()
    targets = [SPANISH.decode(row) for batch in held_out for row in batch.tgt_out]
    assert sorted(targets) == sorted(spanish for _, spanish in PAIRS[:3])


def test_the_same_seed_gives_the_same_batches() -> None:
    def order(seed: int) -> list[list[list[int]]]:
        return [batch.src.tolist() for batch in data(seed).train_dataloader()]

    assert order(0) == order(0)
    assert len({str(order(seed)) for seed in range(6)}) > 1
    # Validation is not shuffled at all.
    first, second = data(0).val_dataloader(), data(1).val_dataloader()
    for one, other in zip(first, second, strict=True):
        assert torch.equal(one.src, other.src)


@pytest.mark.parametrize("missing", ["train", "validation"])
def test_a_missing_or_empty_part_is_refused_by_name(missing: str) -> None:
    splits = {"train": PAIRS, "validation": PAIRS}
    for broken in (
        {name: pairs for name, pairs in splits.items() if name != missing},
        {**splits, missing: ()},
    ):
        with pytest.raises(ValueError, match=f"part '{missing}'"):
            TranslationData(broken, ENGLISH, SPANISH, max_tokens=30, seed=0)
