"""Pitfalls 21, 22, 23 and 26: what goes wrong before the training begins."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
import torch

from lib.corpora import normalize
from lib.corpora.corpus import split_by_source
from lib.text import TokenBatchSampler, Vocabulary, collate
from lib.text.subwords import SubwordVocabulary

Pair = tuple[str, str]
Splits = dict[str, list[Pair]]
Splitter = Callable[[Sequence[Pair]], Splits]

PAIRS = [
    (f"Ana has {number} cats{mark}", f"Ana tiene {number} gatos{mark}")
    for number in range(2, 22)
    for mark in (".", "!")
]
"""Forty pairs: each source stands twice, with a period and with an exclamation mark."""

# --- 21 -------------------------------------------------------------------------------


def split_by_pair(pairs: Sequence[Pair]) -> Splits:
    shuffled = random.Random(0).sample(list(pairs), len(pairs))
    return {"train": shuffled[8:], "validation": shuffled[4:8], "test": shuffled[:4]}


def property_no_source_stands_in_two_parts(split: Splitter) -> None:
    place: dict[str, str] = {}
    for name, part in split(PAIRS).items():
        for source, _ in part:
            other = place.setdefault(normalize(source), name)
            assert other == name, f"{source!r} stands in {other} and in {name}"


def test_pitfall_21_same_source_in_train_and_test() -> None:
    """The exam asks what was learned by heart: wonderful scores."""
    with pytest.raises(AssertionError, match=r"stands in .* and in"):
        property_no_source_stands_in_two_parts(split_by_pair)
    property_no_source_stands_in_two_parts(split_by_source)


# --- 22 -------------------------------------------------------------------------------


def split_drawn_again(pairs: Sequence[Pair]) -> Splits:
    keys = sorted({normalize(source) for source, _ in pairs})
    random.shuffle(keys)  # without a seed: another draw in every call
    held_out = set(keys[:2])
    parts: Splits = {"train": [], "test": []}
    for pair in pairs:
        parts["test" if normalize(pair[0]) in held_out else "train"].append(pair)
    return parts


def property_the_split_follows_from_the_data_alone(split: Splitter) -> None:
    first = {name: sorted(part) for name, part in split(PAIRS).items()}
    for seed in range(3):
        random.seed(seed)  # whatever was drawn before
        mixed = random.Random(seed).sample(PAIRS, len(PAIRS))
        again = {name: sorted(part) for name, part in split(mixed).items()}
        assert again == first, "the same pairs were divided in two ways"


def test_pitfall_22_split_drawn_again_at_inference() -> None:
    """What is called unseen today was trained on yesterday."""
    with pytest.raises(AssertionError, match="divided in two ways"):
        property_the_split_follows_from_the_data_alone(split_drawn_again)
    property_the_split_follows_from_the_data_alone(split_by_source)


# --- 23 -------------------------------------------------------------------------------

Builder = Callable[[Splits], Vocabulary]


def words_of_all_parts(splits: Splits) -> Vocabulary:
    return Vocabulary.build(source for part in splits.values() for source, _ in part)


def words_of_training(splits: Splits) -> Vocabulary:
    return Vocabulary.build(source for source, _ in splits["train"])


def pieces_of_all_parts(splits: Splits) -> Vocabulary:
    return SubwordVocabulary.build((s for part in splits.values() for s, _ in part), 90)


def pieces_of_training(splits: Splits) -> Vocabulary:
    return SubwordVocabulary.build((source for source, _ in splits["train"]), 90)


def property_the_test_part_changes_nothing(build: Builder) -> None:
    splits = split_by_source(PAIRS)
    other = {**splits, "test": [("Zebras graze quietly.", "Las cebras pacen.")] * 50}
    same = build(splits).tokens == build(other).tokens
    assert same, "another test part gives another vocabulary"


def test_pitfall_23_tokenizer_fitted_on_the_test_part_too() -> None:
    """No word of the exam is unknown, which life will not keep."""
    for wrong in (words_of_all_parts, pieces_of_all_parts):
        with pytest.raises(AssertionError, match="another vocabulary"):
            property_the_test_part_changes_nothing(wrong)
    for right in (words_of_training, pieces_of_training):
        property_the_test_part_changes_nothing(right)


# --- 26 -------------------------------------------------------------------------------

Batcher = Callable[[list[int]], list[torch.Tensor]]


def rows(lengths: Sequence[int]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(torch.ones(n, dtype=torch.long),) * 2 for n in lengths]  # type: ignore[misc]


def all_to_one_length(lengths: list[int]) -> list[torch.Tensor]:
    batches = [lengths[i : i + 8] for i in range(0, len(lengths), 8)]
    made = [collate(rows(batch), pad_id=0).src for batch in batches]
    return [torch.nn.functional.pad(src, (0, 350 - src.size(1))) for src in made]


def by_token_count(lengths: list[int]) -> list[torch.Tensor]:
    batches = TokenBatchSampler(lengths, max_tokens=400, seed=0)
    return [collate(rows([lengths[i] for i in batch]), 0).src for batch in batches]


def property_little_is_padding(make: Batcher) -> None:
    draw = random.Random(0)
    lengths = [min(3 + int(draw.expovariate(1 / 6)), 40) for _ in range(600)]
    batches = make(lengths)
    assert sum(len(batch) for batch in batches) == len(lengths)
    empty = sum(int((batch == 0).sum()) for batch in batches)
    share = empty / sum(batch.numel() for batch in batches)
    assert share < 0.1, f"{share:.0%} of the positions hold padding"


def test_pitfall_26_everything_padded_to_one_length() -> None:
    """It trains, and nearly all of the arithmetic is spent on nothing."""
    with pytest.raises(AssertionError, match="98% of the positions hold padding"):
        property_little_is_padding(all_to_one_length)
    property_little_is_padding(by_token_count)
