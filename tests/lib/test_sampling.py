"""Sampling: what is drawn how often, what is left out, and that neighbors are not."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lib.decoding import greedy_decode, sample
from lib.decoding.sampling import draw
from tests.lib.test_decoding import EOS, SOS, SOURCES, restless
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import pad

SHARES = torch.tensor([0.05, 0.5, 0.15, 0.3])
SRC = pad([[3, 4, 5], [6], [9, 8, 7, 6], [10, 10]])


def numbers(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def written(src: Tensor = SRC, seed: int = 0, **how) -> list[list[int]]:
    return sample(restless(), src, SOS, EOS, numbers(seed), max_len=8, **how).tolist()


def counted(draws: int = 20_000, top_k: int | None = None, top_p: float = 1.0):
    """How often each of four words is drawn."""
    scores = SHARES.log().expand(draws, -1)
    words = draw(scores, torch.rand(draws, generator=numbers()), top_k, top_p)
    return torch.bincount(words, minlength=4) / draws


@given(sources=SOURCES, seed=st.integers(0, 9), max_len=st.integers(1, 8))
def test_what_leaves_one_word_writes_what_greedy_does(
    sources: list[list[int]], seed: int, max_len: int
) -> None:
    task = restless(seed), pad(sources), SOS, EOS
    greedy = greedy_decode(*task, max_len)
    for how in ({"temperature": 0}, {"top_k": 1}, {"top_p": 1e-6}):
        assert torch.equal(sample(*task, numbers(), **how, max_len=max_len), greedy)


def test_a_word_comes_as_often_as_its_probability_says() -> None:
    torch.testing.assert_close(counted(), SHARES, atol=0.015, rtol=0)


def test_the_unlikely_are_left_out_and_the_others_share_what_they_had() -> None:
    two = torch.tensor([0.0, 0.5, 0.0, 0.3]) / 0.8
    for kept in (counted(top_k=2), counted(top_p=0.6), counted(top_p=0.79)):
        assert kept[[0, 2]].tolist() == [0, 0]
        torch.testing.assert_close(kept, two, atol=0.015, rtol=0)
    assert counted(top_p=0.81)[0] == 0 < counted(top_p=0.81)[2]
    assert counted(top_p=0.49)[1] == 1


def test_the_ends_of_the_interval_draw_a_word_that_is_kept() -> None:
    ends = torch.tensor([0.0, 1 - 2**-24])
    assert draw(SHARES.log().expand(2, -1), ends, 2, 1.0).tolist() == [1, 3]


def test_cool_is_nearer_to_greedy_and_warm_is_further_away() -> None:
    src = torch.tensor([[3, 4, 5]]).expand(200, -1)
    kinds = [len({*map(tuple, written(src, temperature=t))}) for t in (0.2, 1.0, 5.0)]
    assert kinds[0] < kinds[1] < kinds[2]


def test_one_seed_gives_the_same_again_and_another_does_not() -> None:
    assert written() == written()
    assert written() != written(seed=1)


def test_the_words_of_a_sentence_do_not_depend_on_its_neighbors() -> None:
    """Nor on when they end, though the finished ones leave the batch."""
    alone = [[9, 8, 7, 6]] * 4
    for seed in range(10):
        among = written(pad([*alone[:3], [3]]), seed)
        first = [[w for w in row if w] for row in written(pad(alone), seed)[:3]]
        assert [[w for w in row if w] for row in among[:3]] == first


@pytest.mark.parametrize("temperature", [0.5, 10.0])
def test_padding_and_the_start_are_never_drawn(temperature: float) -> None:
    for row in written(SRC.repeat(50, 1), temperature=temperature):
        words = row[: row.index(EOS) + 1] if EOS in row else row
        assert not {0, SOS} & {*words}


@each_refusal(
    (lambda: written(temperature=-1.0), r"temperature must be 0 or more .* is -1\.0"),
    (lambda: written(temperature=float("nan")), "temperature .* it is nan"),
    (lambda: written(top_k=0), "top_k must be at least 1, or None, but it is 0"),
    (lambda: written(top_p=0.0), r"top_p must be above 0 .* it is 0\.0"),
    (lambda: written(top_p=1.5), r"top_p must be above 0 .* it is 1\.5"),
)
def test_a_setting_that_cannot_be_is_refused(call: Call, words: str) -> None:
    refuses(call, words)
