"""Sentence pairs as batches: the shift, the padding, the lengths."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

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
from lib.training import TrainingSettings
from lib.training.data import TranslationData
from tests.refusals import Call, each_refusal, refuses

PAIRS = corpora.load("phrases").splits["train"]
ENGLISH, SPANISH = (Vocabulary.build(side) for side in zip(*PAIRS, strict=True))
LENGTHS = st.lists(st.integers(1, 20), max_size=40)


# --- ParallelDataset ------------------------------------------------------------------


def test_sentences_become_ids_with_their_ends() -> None:
    data = ParallelDataset(PAIRS, ENGLISH, SPANISH)
    for (english, spanish), (src, tgt), length in zip(
        PAIRS, data, data.lengths(), strict=True
    ):
        assert src.tolist() == [*ENGLISH.encode(english), ENGLISH.eos_id]
        ends = SPANISH.sos_id, SPANISH.eos_id
        assert tgt.tolist() == [ends[0], *SPANISH.encode(spanish), ends[1]]
        assert length == max(len(src), len(tgt))


def test_pairs_may_come_one_by_one() -> None:
    assert len(ParallelDataset(iter(PAIRS), ENGLISH, SPANISH)) == len(PAIRS)
    splits = {"train": iter(PAIRS), "validation": iter(PAIRS)}
    found = TranslationData(splits, ENGLISH, SPANISH, TrainingSettings())
    assert len(found.train_set) == len(PAIRS)


def test_what_is_encoded_is_not_encoded_again() -> None:
    encoded = ParallelDataset(PAIRS, ENGLISH, SPANISH)
    splits = {"train": encoded, "validation": encoded}
    found = TranslationData(splits, ENGLISH, SPANISH, TrainingSettings())
    assert found.train_set is encoded


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        *((pair, "has an empty side: ") for pair in (("", "ir"), ("to go", " \n"))),
        *(
            (pair, "must be two sentences, but it is ")
            for pair in ("ab", ("a", "b", "a"), ("a", None), (b"a", b"b"))
        ),
    ],
)
def test_what_is_no_pair_is_refused_by_its_number(pair: Any, words: str) -> None:
    shown = re.escape(f"Pair 1 {words}{pair!r}")
    refuses(lambda: ParallelDataset([PAIRS[0], pair], ENGLISH, SPANISH), shown)


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
def test_batches_hold_each_sentence_once_beside_others_of_similar_length(
    lengths: list[int], max_tokens: int, seed: int | None
) -> None:
    sampler = TokenBatchSampler(lengths, max_tokens, seed)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    assert list(TokenBatchSampler(lengths, max_tokens, seed)) == batches
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    found = [[lengths[i] for i in batch] for batch in batches]
    assert all(len(batch) * max(batch) <= max_tokens for batch in found)
    # Sorted by length, no batch begins before the one before it ends.
    spans = sorted((min(batch), max(batch)) for batch in found)
    for (_, longest), (shortest, _) in itertools.pairwise(spans):
        assert shortest >= longest
    if seed is None:
        order = [length for batch in found for length in batch]
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


# --- TranslationData ------------------------------------------------------------------


def data(seed: int = 0) -> TranslationData:
    splits = {"train": PAIRS, "validation": PAIRS[:3]}
    settings = TrainingSettings(max_tokens=30, seed=seed)
    return TranslationData(splits, ENGLISH, SPANISH, settings)


def test_an_epoch_shows_every_pair_once_in_batches_as_large_as_asked() -> None:
    batches = list(data().train_dataloader())
    assert all(b.src.numel() <= 30 >= b.tgt_in.numel() for b in batches)
    sources = [ENGLISH.decode(row) for batch in batches for row in batch.src]
    assert sorted(sources) == sorted(english for english, _ in PAIRS)
    held_out = data().val_dataloader()
    targets = [SPANISH.decode(row) for batch in held_out for row in batch.tgt_out]
    assert sorted(targets) == sorted(spanish for _, spanish in PAIRS[:3])


def test_seed_and_epoch_decide_the_order_of_training() -> None:
    def order(seed: int, epoch: int) -> list[list[int]]:
        part = data(seed)
        part.trainer = SimpleNamespace(current_epoch=epoch)  # type: ignore[assignment]
        batches: Any = part.train_dataloader().batch_sampler
        return list(batches)

    assert order(0, 0) == order(0, 0)
    assert len({str(order(seed, 0)) for seed in range(6)}) > 1
    assert len({str(order(0, epoch)) for epoch in range(6)}) > 1
    # Validation is not shuffled at all.
    first, second = data(0).val_dataloader(), data(1).val_dataloader()
    for one, other in zip(first, second, strict=True):
        assert torch.equal(one.src, other.src)


@pytest.mark.parametrize("missing", ["train", "validation"])
def test_a_missing_or_empty_part_is_refused_by_name(missing: str) -> None:
    splits = {"train": PAIRS, "validation": PAIRS, missing: iter(())}
    without = {name: pairs for name, pairs in splits.items() if name != missing}
    for broken in (splits, without):
        with pytest.raises(ValueError, match=f"no sentences in its part '{missing}'"):
            TranslationData(broken, ENGLISH, SPANISH, TrainingSettings())


@pytest.mark.parametrize("pair", [("a b a", "b"), ("a", "b a b")])
def test_a_sentence_without_a_place_is_shown_or_left_out(pair: tuple[str, str]) -> None:
    words, splits = (
        Vocabulary(["a", "b"]),
        {"train": [("a", "b")], "validation": [pair]},
    )
    # Three words, and <eos> behind or <sos> in front.
    enough, short = (TrainingSettings(max_len=size) for size in (4, 3))
    found = TranslationData(splits, words, words, enough)
    shown = f"{re.escape(repr(pair))} needs 4 positions"
    refuses(lambda: TranslationData(splits, words, words, short), shown)
    assert [len(found.validation_set.fitting(size)) for size in (3, 4)] == [0, 1]
