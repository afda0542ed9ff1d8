"""Beam search: what it finds, what its scores mean, and what it leaves alone."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.decoding import Hypothesis, beam_search, length_norm
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


def by_hand(
    model: Transformer, source: list[int], ends: list[int], size: int, penalty: float,
    max_len: int,
) -> list[Hypothesis]:  # fmt: skip
    """Search for one sentence with the whole model at each step."""
    going: list[tuple[list[int], float]] = [([], 0.0)]
    ended: list[tuple[list[int], float]] = []
    while going and len(ended) < size:
        grown = []
        for ids, total in going:
            tgt = torch.tensor([[SOS, *ids]])
            logits = model(torch.tensor([source]), tgt)[0, -1].detach()
            logits[[model.config.pad_id, SOS]] = -torch.inf  # never written
            steps = logits.log_softmax(dim=-1).tolist()
            grown += [([*ids, word], total + step) for word, step in enumerate(steps)]
        grown.sort(key=lambda found: -found[1])
        ended += [found for found in grown[:size] if found[0][-1] in ends]
        going = [found for found in grown if found[0][-1] not in ends][:size]
        if len(going[0][0]) == max_len:
            ended, going = ended + going, []
    found = [Hypothesis(i, total / length_norm(len(i), penalty)) for i, total in ended]
    return sorted(found, key=lambda hypothesis: -hypothesis.score)[:size]


@given(
    sources=SOURCES, seed=st.integers(0, 30), size=st.integers(1, 5),
    penalty=PENALTIES, haste=st.sampled_from([0.0, 3.0]),
    more=st.sampled_from([[], [5], [5, 6, 7]]),
)  # fmt: skip
def test_each_sentence_of_a_batch_is_searched_as_by_hand(
    sources: list[list[int]], seed: int, size: int, penalty: float, haste: float,
    more: list[int],
) -> None:  # fmt: skip
    model = restless(seed)
    model.output_proj.bias.data[EOS] += haste  # some want to end soon
    ends = [EOS, *more]
    how = (SOS, ends if more else EOS, size, penalty, size, 6)
    kept, again = (beam_search(model, pad(sources), *how, c) for c in (True, False))
    for source, *found in zip(sources, kept, again, strict=True):
        expected = by_hand(model, source, ends, size, penalty, max_len=6)
        scores = pytest.approx([h.score for h in expected], abs=1e-4)
        for hypotheses in found:
            assert [h.ids for h in hypotheses] == [h.ids for h in expected]
            assert [h.score for h in hypotheses] == scores


def every_sentence(words: list[int], max_len: int) -> list[list[int]]:
    """List all that can be written: up to <eos>, or to the limit without it."""
    texts = [
        list(choice)
        for length in range(max_len + 1)
        for choice in itertools.product(words, repeat=length)
    ]
    return [text if len(text) == max_len else [*text, EOS] for text in texts]


@given(seed=st.integers(0, 200), penalty=PENALTIES, n_best=st.integers(1, 3))
@example(seed=6, penalty=1.0, n_best=3)  # the penalty at the limit is what counts
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
