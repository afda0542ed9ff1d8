"""Writing on: prompts of any length in one batch, cached or not, greedy or drawn."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.decoding import beam_search, generate, greedy_decode
from lib.decoding.cache import CachedTextScorer, can_be_cached
from lib.speed import fuse
from lib.today import LanguageConfig, LanguageModel, modernize
from tests.lib.test_sampling import numbers
from tests.lib.test_today_modernize import CHANGES, LLAMA
from tests.refusals import refuses
from tests.strategies import pad, randomize, tiny_model

PROMPTS = st.lists(
    st.lists(st.integers(0, 10), min_size=1, max_size=6), min_size=1, max_size=4
)
EVERY_CHANGE = [{}, *CHANGES.values(), LLAMA]


def restless(seed: int = 0, changes: dict[str, Any] | None = None) -> LanguageModel:
    """Return a model whose numbers are large enough to prefer some tokens."""
    sizes = {"d_model": 16, "n_heads": 4, "n_layers": 2, "d_ff": 24, "max_len": 12}
    model = LanguageModel(LanguageConfig(11, **sizes))
    model = modernize(model, **(changes or {}))
    randomize(model, seed)
    return model


@torch.no_grad()
def by_hand(model: LanguageModel, prompt: list[int], eos: int, most: int) -> list[int]:
    """Write greedily with the model alone, one text at a time."""
    model.eval()
    ids = list(prompt)
    while len(ids) - len(prompt) < most and (ids[-1] != eos or len(ids) == len(prompt)):
        if len(ids) > model.config.max_len:
            break
        ids.append(int(model(torch.tensor([ids]))[0, -1].argmax()))
    return ids[len(prompt) :]


@pytest.mark.parametrize("changes", EVERY_CHANGE, ids=str)
@settings(max_examples=8)
@given(prompts=PROMPTS, seed=st.integers(0, 9), most=st.integers(1, 8))
def test_prompts_of_unequal_length_are_written_on_as_each_alone(
    changes: dict[str, Any], prompts: list[list[int]], seed: int, most: int
) -> None:
    model = restless(seed, changes)
    expected = [by_hand(model, prompt, 2, most) for prompt in prompts]
    for cached in (True, False):
        assert generate(model, prompts, 2, most, cached=cached) == expected
    assert generate(fuse(model), prompts, 2, most) == expected
    for one_word in ({"top_k": 1}, {"top_p": 1e-6}):
        how: Any = {"temperature": 2.0, "generator": numbers(seed), **one_word}
        assert generate(model, prompts, 2, most, **how) == expected


def test_an_end_in_the_prompt_ends_nothing_and_a_written_one_does() -> None:
    model = restless()
    model.output_proj.bias.data[2] = 1e6  # it always wants to end
    assert generate(model, [[3, 2, 4, 2], [5]], eos_id=2) == [[2], [2]]
    assert generate(model, [[3]], max_new=3) == [[2, 2, 2]]  # nothing ends
    assert generate(model, [[3]], eos_id=2, never=[2], max_new=3)[0].count(2) == 0
    assert generate(model, []) == []


def test_a_text_may_fill_all_positions() -> None:
    (written,) = generate(restless(), [[1, 4, 5]])
    assert len(written) == 12 - 3 + 1  # the last token is never read
    (alone,) = generate(restless(), [[1] * 12])
    assert len(alone) == 1


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_the_cache_shrinks_with_the_heads_of_keys(kv_heads: int) -> None:
    model = modernize(restless(), kv_heads=kv_heads)
    scorer = CachedTextScorer(model, torch.tensor([[1], [2]]))
    for _ in range(3):
        scorer.step(torch.tensor([1, 2]))
    sizes = [(part.keys.numel(), part.values.numel()) for part in scorer.own]
    room, d_head = 16, 4
    assert sizes == [(2 * kv_heads * room * d_head,) * 2] * 2


@pytest.mark.parametrize("changes", EVERY_CHANGE[1:], ids=str)
@torch.no_grad()
def test_a_translator_of_today_writes_the_same_with_the_cache(
    changes: dict[str, Any],
) -> None:
    for seed in range(3):
        plain = tiny_model(seed=seed, d_model=16, n_heads=4, max_len=14)
        model = modernize(plain, **changes)
        randomize(model, seed)
        assert can_be_cached(model)
        src = pad([[3, 4, 5], [6], [7, 8, 9, 3]])
        texts = [greedy_decode(model, src, 1, 2, 9, cached=c) for c in (True, False)]
        assert torch.equal(*texts)
        found = [beam_search(model, src, 1, 2, 3, max_len=9, cached=c) for c in (1, 0)]
        for (ours,), (theirs,) in zip(*found, strict=True):
            assert ours.ids == theirs.ids
            assert ours.score == pytest.approx(theirs.score, abs=1e-4)


def test_a_piece_of_the_readers_own_is_written_with_but_not_cached() -> None:
    model = restless()
    expected = generate(model, [[3, 4]], max_new=4)
    model.encoder.layers[0].register_forward_hook(lambda *_: None)
    assert generate(model, [[3, 4]], max_new=4) == expected
    refuses(lambda: generate(model, [[3]], cached=True), "decode it with cached=False")


def test_what_cannot_be_written_is_refused() -> None:
    model = restless()
    for prompts, how, sentence in (
        ([[1], []], {}, "from 1 to 12 tokens, .* but prompt 1 has 0"),
        ([[1] * 13], {}, "but prompt 0 has 13"),
        ([[1]], {"max_new": 0}, "max_new must be at least 1"),
        ([[1]], {"temperature": 0.5}, "give a generator of random numbers"),
        ([[1]], {"temperature": -1.0, "generator": numbers()}, "temperature must be"),
        ([[11]], {}, "Token ids must lie between 0 and 10"),
    ):
        refuses(partial(generate, model, prompts, **how), sentence)
    both_ways = LanguageModel(LanguageConfig(11, d_model=8, n_heads=2, causal=False))
    refuses(lambda: generate(both_ways, [[1]]), "can fill gaps, but not write on")
