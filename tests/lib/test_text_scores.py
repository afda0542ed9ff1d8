"""Perplexity and bits for each character, against a sum by hand."""

from __future__ import annotations

import math

import pytest
import torch

from lib.evaluation import score_texts
from lib.text import Vocabulary
from lib.today import LanguageConfig, LanguageModel
from tests.strategies import randomize

WORDS = Vocabulary(["one", "two", "three"])
TEXTS = ["one two", "three", "two two one three", "one"]


def model(**sizes: int) -> LanguageModel:
    config = LanguageConfig(len(WORDS), d_model=8, n_heads=2, n_layers=2, **sizes)
    whole = LanguageModel(config)
    randomize(whole)
    return whole


@torch.no_grad()
def test_it_is_the_sum_over_all_tokens_and_ends() -> None:
    whole = model().eval()
    nats, tokens = 0.0, 0
    for text in TEXTS:
        ids = [WORDS.sos_id, *WORDS.encode(text), WORDS.eos_id]
        for place in range(1, len(ids)):
            scores = whole(torch.tensor([ids[:place]]))[0, -1]
            nats -= float(scores.log_softmax(dim=-1)[ids[place]])
            tokens += 1
    found = score_texts(whole.train(), WORDS, TEXTS)
    assert whole.training
    assert found.tokens == tokens == 12
    assert found.characters == sum(map(len, TEXTS)) + 4
    assert found.perplexity == pytest.approx(math.exp(nats / tokens), rel=1e-5)
    bits = nats / math.log(2) / found.characters
    assert found.bits_per_character == pytest.approx(bits, rel=1e-5)


def test_a_model_that_knows_nothing_hesitates_among_all() -> None:
    whole = model()
    for weight in whole.parameters():
        weight.data.zero_()
    assert score_texts(whole, WORDS, TEXTS).perplexity == pytest.approx(len(WORDS))


def test_what_is_too_long_is_counted_and_left_out() -> None:
    found = score_texts(model(max_len=3), WORDS, TEXTS)
    assert (found.texts, found.unread) == (3, 1)
    with pytest.raises(ValueError, match="no text that the model can read"):
        score_texts(model(max_len=2), WORDS, TEXTS[2:3])
