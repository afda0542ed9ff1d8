"""Other people's weights: the book's classes give the numbers of their own code."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel

from lib.attention import record_attention
from lib.decoding import generate, greedy_decode
from lib.model import Transformer
from lib.today import LanguageModel, read_pretrained
from tests.foreign_models import FAMILIES, foreign, saved, some_ids, some_lengths

SEEDS = range(20)
WRITERS = ("llama", "gpt2", "marian")
NEW = 12  # tokens to write


@pytest.fixture(autouse=True)
def the_same_numbers() -> None:
    torch.manual_seed(0)
    random.seed(0)


def sources(theirs: PreTrainedModel, rows: int = 3, length: int = 11) -> Tensor:
    """Draw source texts for a marian, whose padding is on the right."""
    pad = theirs.config.pad_token_id
    ids = some_ids(theirs, rows, length)
    ids[ids == pad] = 0
    return ids.where(some_lengths(rows, length, "right"), pad)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", FAMILIES)
@torch.no_grad()
def test_the_logits_are_theirs(family: str, seed: int, tmp_path: Path) -> None:
    theirs = foreign(family, seed)
    ours = read_pretrained(saved(theirs, tmp_path))
    assert ours.family == family
    if family == "marian":
        assert isinstance(ours, Transformer)
        src, pad = sources(theirs), theirs.config.pad_token_id
        tgt = torch.randint(ours.config.tgt_vocab_size, (3, 7))
        tgt[:, 0] = tgt[:, 3] = pad  # it begins so, and it may stand anywhere
        given = {"input_ids": src, "attention_mask": (src != pad).long()}
        wanted = theirs(**given, decoder_input_ids=tgt).logits
        torch.testing.assert_close(ours(src, tgt), wanted, atol=1e-4, rtol=0)
        return
    assert isinstance(ours, LanguageModel)
    ids = some_ids(theirs, 3, 11)
    torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=1e-4, rtol=0)
    for side in ("left", "right"):
        real = some_lengths(3, 11, side)
        wanted = theirs(ids, attention_mask=real.long()).logits
        found = ours(ids, real)
        torch.testing.assert_close(found[real], wanted[real], atol=1e-4, rtol=0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", ["llama", "gpt2", "bert"])
@torch.no_grad()
def test_each_head_looks_where_theirs_does(
    family: str, seed: int, tmp_path: Path
) -> None:
    theirs = foreign(family, seed)
    ours = read_pretrained(saved(theirs, tmp_path))
    ids = some_ids(theirs, 2, 9)
    with record_attention(ours) as weights:
        ours(ids)
    theirs.set_attn_implementation("eager")
    wanted = theirs(ids, output_attentions=True).attentions
    assert len(weights) == len(wanted)
    for found, each in zip(weights.values(), wanted, strict=True):
        torch.testing.assert_close(found, each, atol=1e-4, rtol=0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", WRITERS)
def test_the_greedy_text_is_theirs_with_the_cache(
    family: str, seed: int, tmp_path: Path
) -> None:
    theirs = foreign(family, seed)
    if seed % 2:  # each of several ids ends a text
        settings, size = theirs.generation_config, theirs.config.vocab_size
        settings.eos_token_id = random.sample(range(size), size // 5)
    ours = read_pretrained(saved(theirs, tmp_path))
    told: Any = ours.end_id
    assert told == theirs.generation_config.eos_token_id
    ends = told if isinstance(told, list) else [told]
    how: dict[str, Any] = {"max_new_tokens": NEW, "do_sample": False, "use_cache": True}
    if isinstance(ours, Transformer):
        src, pad = sources(theirs), theirs.config.pad_token_id
        # As a translator of the book, theirs is never to write its pad.
        how |= {"attention_mask": (src != pad).long(), "bad_words_ids": [[pad]]}
        wanted = write(theirs, src, **how)[:, 1:].tolist()
        found = greedy_decode(ours, src, pad, told, NEW, cached=True).tolist()
    else:
        ids, real = some_ids(theirs, 3, 9), some_lengths(3, 9, "left")
        how |= {"attention_mask": real.long(), "pad_token_id": ends[0]}
        wanted = write(theirs, ids, **how)[:, 9:].tolist()
        prompts = [row[seen].tolist() for row, seen in zip(ids, real, strict=True)]
        found = generate(ours, prompts, told, NEW, cached=True)
    assert [until(ends, row) for row in found] == [until(ends, row) for row in wanted]


def write(theirs: PreTrainedModel, ids: Tensor, **how: Any) -> Tensor:
    """Let them write on; to the type checker, what they have is no function."""
    wrote: Tensor = getattr(theirs, "generate")(ids, **how)  # noqa: B009
    return wrote


def until(ends: list[int], row: list[int]) -> list[int]:
    """Return what was written, its end included, without the padding behind it."""
    return row[: next((n for n, each in enumerate(row, 1) if each in ends), None)]
