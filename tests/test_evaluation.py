"""How good the translations are."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from lib.evaluation import bleu, chrf, exact_match
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


WRITTEN = ["El perro muerde al hombre.", "¡Vamos a casa ahora!", "Me gusta el coche."]
ANSWERS = [
    ["El perro muerde al hombre.", "El perro ha mordido al hombre."],
    ["Vamos a casa."],
    ["Me gusta el auto.", "Me gusta mucho el coche.", "El coche me gusta."],
]


class TestSacrebleu:
    """The scores are sacreBLEU's, however many references each sentence has."""

    def columns(self) -> list[list[str | None]]:
        return [
            ["El perro muerde al hombre.", "Vamos a casa.", "Me gusta el auto."],
            ["El perro ha mordido al hombre.", None, "Me gusta mucho el coche."],
            [None, None, "El coche me gusta."],
        ]

    @pytest.mark.parametrize(
        ("ours", "theirs"), [(bleu, sacrebleu.BLEU), (chrf, sacrebleu.CHRF)]
    )
    def test_several_references_count_as_sacrebleu_counts_them(
        self, ours: Any, theirs: Any
    ) -> None:
        expected = theirs().corpus_score(WRITTEN, self.columns()).score
        assert ours(WRITTEN, ANSWERS).value == pytest.approx(expected)
        first = [right[0] for right in ANSWERS]
        single = theirs().corpus_score(WRITTEN, [first]).score
        assert ours(WRITTEN, first).value == pytest.approx(single)
        assert single != pytest.approx(expected)

    @pytest.mark.parametrize("ours", [bleu, chrf])
    def test_the_order_of_the_references_does_not_count(self, ours: Any) -> None:
        turned = [right[::-1] for right in ANSWERS]
        assert ours(WRITTEN, turned).value == pytest.approx(
            ours(WRITTEN, ANSWERS).value
        )

    def test_the_signature_says_how_it_was_computed(self) -> None:
        def fields(score: Any) -> dict[str, str]:
            return dict(part.split(":") for part in score.signature.split("|"))

        found = fields(bleu(WRITTEN, ANSWERS))
        assert found["nrefs"] == "var"
        assert found["case"] == "mixed"
        assert found["tok"] == "13a"
        assert found["version"] == sacrebleu.__version__
        assert fields(bleu(WRITTEN, [right[0] for right in ANSWERS]))["nrefs"] == "1"
        two = [right[:1] * 2 for right in ANSWERS]
        assert fields(bleu(WRITTEN, two))["nrefs"] == "2"
        found = fields(chrf(WRITTEN, ANSWERS))
        assert (found["nrefs"], found["case"]) == ("var", "mixed")
        assert (found["nc"], found["nw"]) == ("6", "0")

    @pytest.mark.parametrize("ours", [bleu, chrf])
    def test_capitals_and_marks_count(self, ours: Any) -> None:
        right = ["¿Dónde está el perro de Ana?"]
        assert ours(right, right).value == pytest.approx(100)
        for other in ("¿dónde está el perro de ana?", "Dónde está el perro de Ana"):
            assert ours([other], right).value < 99

    @pytest.mark.parametrize("ours", [bleu, chrf])
    def test_what_cannot_be_scored_is_refused(self, ours: Any) -> None:
        with pytest.raises(ValueError, match="Sentence 1 has no reference"):
            ours(["a", "b"], ["a", []])
        with pytest.raises(ValueError, match="2 predictions and 1 references"):
            ours(["a", "b"], ["a"])
        with pytest.raises(ValueError, match="nothing to score"):
            ours([], [])
        with pytest.raises(TypeError, match="predictions must be a list"):
            ours("a", ["a"])
