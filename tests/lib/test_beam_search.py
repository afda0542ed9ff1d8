"""Beam search: what it finds, what its scores mean, and what it leaves alone."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.decoding import beam_search, greedy_decode, length_norm
from lib.model import Transformer
from tests.lib.test_decoding import EOS, SOS, SOURCES, restless, scripted
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import pad

PENALTIES = st.sampled_from([0.0, 0.6, 1.0, 2.0])


def log_probability(model: Transformer, source: list[int], ids: list[int]) -> float:
    """Feed the model its translation, and add up what it says to each word."""
    tgt = torch.tensor([[SOS, *ids[:-1]]])
    logits = model(torch.tensor([source]), tgt)[0].detach()
    logits[:, [model.config.pad_id, SOS]] = -torch.inf  # never written
    steps = logits.log_softmax(dim=-1)
    return float(sum(steps[place, word] for place, word in enumerate(ids)))


@given(
    sources=SOURCES, seed=st.integers(0, 30), max_len=st.integers(1, 9),
    penalty=PENALTIES,
)  # fmt: skip
def test_a_beam_of_one_is_greedy(
    sources: list[list[int]], seed: int, max_len: int, penalty: float
) -> None:
    model, src = restless(seed), pad(sources)
    found = beam_search(model, src, SOS, EOS, 1, penalty, max_len=max_len)
    written = greedy_decode(model, src, SOS, EOS, max_len)
    assert pad([best.ids for (best,) in found]).tolist() == written.tolist()


@given(sources=SOURCES, seed=st.integers(0, 30), size=st.integers(1, 5))
def test_the_cache_changes_nothing(
    sources: list[list[int]], seed: int, size: int
) -> None:
    task = restless(seed), pad(sources), SOS, EOS
    kept, again = (
        beam_search(*task, size, n_best=size, max_len=8, cached=cached)
        for cached in (True, False)
    )
    for one, other in zip(kept, again, strict=True):
        assert [h.ids for h in one] == [h.ids for h in other]
        assert [h.score for h in one] == pytest.approx([h.score for h in other])
    greedy = [greedy_decode(*task, 8, cached=cached) for cached in (True, False)]
    assert torch.equal(*greedy)


def every_sentence(words: list[int], max_len: int) -> list[list[int]]:
    """List all that can be written: up to <eos>, or to the limit without it."""
    texts = [
        list(choice)
        for length in range(max_len + 1)
        for choice in itertools.product(words, repeat=length)
    ]
    return [text if len(text) == max_len else [*text, EOS] for text in texts]


@given(seed=st.integers(0, 200), penalty=PENALTIES, n_best=st.integers(1, 3))
def test_a_beam_wide_enough_finds_the_best_of_all(
    seed: int, penalty: float, n_best: int
) -> None:
    # Two words, and five beginnings kept: no more than four are ever open.
    model = restless(seed, tgt_vocab_size=5)
    source = [3, 4, 5]
    found = beam_search(model, pad([source]), SOS, EOS, 5, penalty, n_best, max_len=3)

    def score(ids: list[int]) -> float:
        return log_probability(model, source, ids) / length_norm(len(ids), penalty)

    ranked = sorted(every_sentence([3, 4], max_len=3), key=score, reverse=True)
    assert [h.ids for h in found[0]] == ranked[:n_best]


@given(
    sources=SOURCES, seed=st.integers(0, 30), size=st.integers(1, 5), penalty=PENALTIES
)
def test_scores_are_the_models_own_and_the_list_is_sorted(
    sources: list[list[int]], seed: int, size: int, penalty: float
) -> None:
    model = restless(seed)
    found = beam_search(model, pad(sources), SOS, EOS, size, penalty, size, max_len=8)
    for source, hypotheses in zip(sources, found, strict=True):
        assert len(hypotheses) == size
        assert len({tuple(h.ids) for h in hypotheses}) == size
        scores = [h.score for h in hypotheses]
        assert scores == sorted(scores, reverse=True)
        for ids, score in hypotheses:
            assert not {model.config.pad_id, SOS} & set(ids)
            assert EOS not in ids[:-1]
            assert ids[-1] == EOS or len(ids) == 8
            total = log_probability(model, source, ids)
            assert score == pytest.approx(
                total / length_norm(len(ids), penalty), abs=1e-4
            )


@given(sources=SOURCES, seed=st.integers(0, 30), size=st.integers(1, 4))
def test_each_sentence_is_searched_as_if_alone(
    sources: list[list[int]], seed: int, size: int
) -> None:
    model = restless(seed)
    together = beam_search(model, pad(sources), SOS, EOS, size, n_best=size, max_len=8)
    for source, found in zip(sources, together, strict=True):
        alone = beam_search(
            model, pad([source]), SOS, EOS, size, n_best=size, max_len=8
        )
        assert [h.ids for h in alone[0]] == [h.ids for h in found]


def test_a_finished_sentence_is_not_touched_again() -> None:
    model = scripted([EOS, 9], [5, 6, 7, 8, 9, EOS])
    found = beam_search(model, torch.tensor([[3], [4]]), SOS, EOS, 1)
    assert [best.ids for (best,) in found] == [[EOS], [5, 6, 7, 8, 9, EOS]]
    rows = [rows for rows, _ in model.read]
    assert rows == [2, 1, 1, 1, 1, 1]  # it is no longer in the batch


def test_a_penalty_favors_longer_translations() -> None:
    lengths = []
    for penalty in (0.0, 1.0, 3.0):
        found = [
            beam_search(restless(seed), pad([[3, 4]]), SOS, EOS, 4, penalty, max_len=12)
            for seed in range(12)
        ]
        lengths.append(sum(len(best.ids) for ((best,),) in found))
    assert lengths[0] < lengths[1] < lengths[2]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_obstacle(dtype: torch.dtype) -> None:
    model = restless(max_len=40).to(dtype)
    found = beam_search(model, pad([[3, 4, 5], [6]]), SOS, EOS, 3, n_best=3, max_len=8)
    assert [len(hypotheses) for hypotheses in found] == [3, 3]
    assert all(-100 < h.score < 0 for hypotheses in found for h in hypotheses)


def test_no_sentences_give_none_back() -> None:
    none = torch.ones(0, 3, dtype=torch.long)
    assert beam_search(restless(), none, SOS, EOS) == []


def searched(**changes: float) -> object:
    return beam_search(restless(), pad([[3, 4]]), SOS, EOS, **changes)


@each_refusal(
    (lambda: searched(beam_size=0), "beam_size must .* 1 and .* 13 tokens, .* is 0"),
    (lambda: searched(beam_size=14), "13 tokens, but it is 14"),
    (lambda: searched(n_best=0), "n_best must lie .* 1 and beam_size = 4, .* is 0"),
    (lambda: searched(n_best=5), "beam_size = 4, but it is 5"),
    (lambda: searched(length_penalty=-0.1), r"must not be below 0, but is -0\.1"),
    (lambda: searched(max_len=41), "40 positions, but it is 41"),
)
def test_a_size_that_cannot_be_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
