"""Pitfall 25: scores that compare with nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from lib.evaluation import Score, bleu
from lib.text import tokenize

Scorer = Callable[[Sequence[str], Sequence[str]], Score]

RIGHT = [
    f"¿Dónde está {who} de {whose}, {when}?"
    for who in ("el perro", "la casa", "el coche", "la carta")
    for whose in ("Ana", "Pablo", "mi hermano")
    for when in ("por favor", "señor Díaz", "si lo sabes")
]
"""A test part of 36 sentences."""


def bleu_of_tokens(predictions: Sequence[str], references: Sequence[str]) -> Score:
    """Compare what the model works with: tokens, in lower case, without the marks."""

    def spoil(sentence: str) -> str:
        return " ".join(t.lower() for t in tokenize(sentence) if t[0].isalnum())

    return bleu(list(map(spoil, predictions)), list(map(spoil, references)))


def bleu_of_a_handful(predictions: Sequence[str], references: Sequence[str]) -> Score:
    """Compare the first few sentences, because the rest takes so long."""
    return bleu(predictions[:8], references[:8])


def bleu_without_a_signature(
    predictions: Sequence[str], references: Sequence[str]
) -> Score:
    """Compute the mean of the sentences' scores, and do not say so."""
    each = [bleu([p], [r]).value for p, r in zip(predictions, references, strict=True)]
    return Score(sum(each) / len(each), "")


def property_a_capital_and_a_mark_cost_something(score: Scorer) -> None:
    careless = [text.replace("¿", "").replace("Díaz", "díaz") for text in RIGHT]
    value = score(careless, RIGHT).value
    assert value < 95, f"without ¿ and capitals it still gets {value:.0f}"


def property_every_sentence_counts(score: Scorer) -> None:
    for place in range(len(RIGHT)):
        written = list(RIGHT)
        written[place] = "No sé."
        value = score(written, RIGHT).value
        assert value < 99.9, f"sentence {place} is wrong, and the score is {value:.0f}"


def property_the_score_says_how_it_was_computed(score: Scorer) -> None:
    names = [part.split(":")[0] for part in score(RIGHT, RIGHT).signature.split("|")]
    assert {"nrefs", "case", "tok", "version"} <= set(names), "no signature"


def test_pitfall_25_scores_that_compare_with_nothing() -> None:
    """BLEU on a handful of sentences, on tokens in lower case, without a signature."""
    with pytest.raises(
        AssertionError, match="without ¿ and capitals it still gets 100"
    ):
        property_a_capital_and_a_mark_cost_something(bleu_of_tokens)
    with pytest.raises(
        AssertionError, match="sentence 8 is wrong, and the score is 100"
    ):
        property_every_sentence_counts(bleu_of_a_handful)
    with pytest.raises(AssertionError, match="no signature"):
        property_the_score_says_how_it_was_computed(bleu_without_a_signature)
    property_a_capital_and_a_mark_cost_something(bleu)
    property_every_sentence_counts(bleu)
    property_the_score_says_how_it_was_computed(bleu)
