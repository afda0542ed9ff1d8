"""How good the translations are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.evaluation import exact_match
from tests.strategies import FEW


@FEW
@given(right=st.integers(0, 10), wrong=st.integers(0, 10))
def test_the_score_is_the_share_of_right_sentences(right: int, wrong: int) -> None:
    references = [f"sentence {number}" for number in range(right + wrong)]
    predictions = [*references[:right], *(f"{text}." for text in references[right:])]
    if references:
        assert exact_match(predictions, references) == right / (right + wrong)
    else:
        with pytest.raises(ValueError, match="nothing to score"):
            exact_match(predictions, references)


def test_every_letter_counts() -> None:
    assert exact_match(["vamos"], ["vamos"]) == 1.0
    for other in ("Vamos", "vamos.", " vamos", "vámos", ""):
        assert exact_match([other], ["vamos"]) == 0.0


def test_sentences_that_come_again_count_again() -> None:
    assert exact_match(["ir", "ir", "ir", "no"], ["ir", "ir", "va", "va"]) == 0.5


def test_the_order_counts() -> None:
    assert exact_match(["ir", "vamos"], ["vamos", "ir"]) == 0.0


def test_lists_of_other_lengths_are_refused_by_both_numbers() -> None:
    with pytest.raises(ValueError, match="2 predictions and 3 references"):
        exact_match(["a", "b"], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("predictions", "references", "name"),
    [("vamos", ["vamos"], "predictions"), (["vamos"], "vamos", "references")],
)
def test_a_single_string_is_refused(
    predictions: Any, references: Any, name: str
) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a list.*'vamos'"):
        exact_match(predictions, references)
