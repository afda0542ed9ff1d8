"""How good the translations are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.significance import PairedTest

from lib.evaluation import (
    bleu,
    bleu_interval,
    bleu_of_counts,
    chrf,
    exact_match,
    paired_bootstrap,
    sentence_counts,
)


@given(right=st.integers(0, 10), wrong=st.integers(0, 10))
def test_the_score_is_the_share_of_right_sentences(right: int, wrong: int) -> None:
    references = [f"sentence {number}" for number in range(right + wrong)]
    predictions = [*references[:right], *(f"{text}." for text in references[right:])]
    if references:
        assert exact_match(predictions, references) == right / (right + wrong)
    else:
        with pytest.raises(ValueError, match="nothing to score"):
            exact_match(predictions, references)


def test_every_letter_counts_and_so_does_the_order() -> None:
    for other in ("Vamos", "vamos.", " vamos", "vámos", ""):
        assert exact_match([other, "ir"], ["vamos", "ir"]) == 0.5
    assert exact_match(["ir", "vamos"], ["vamos", "ir"]) == 0.0


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
            parts = score.signature.removeprefix("chrF2|").split("|")
            return dict(part.split(":") for part in parts)

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
        # sacreBLEU has the β of chrF in its name, and in no other place.
        name = sacrebleu.CHRF().corpus_score(WRITTEN, self.columns()).name
        assert chrf(WRITTEN, ANSWERS).signature.split("|")[0] == name == "chrF2"

    @pytest.mark.parametrize("tokenizer", ["13a", "intl", "char", "zh", "none"])
    def test_the_tokenizer_can_be_chosen(self, tokenizer: str) -> None:
        found = bleu(WRITTEN, ANSWERS, tokenizer)
        metric = sacrebleu.BLEU(tokenize=tokenizer)
        assert found.value == metric.corpus_score(WRITTEN, self.columns()).score
        assert f"|tok:{tokenizer}|" in found.signature

    def test_an_unknown_tokenizer_is_refused(self) -> None:
        with pytest.raises(ValueError, match=r"no tokenizer 'words'; .*13a.*char"):
            bleu(WRITTEN, ANSWERS, "words")

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


# --- drawing sentences again ----------------------------------------------------------

LONG = [f"the {word} sat on a mat near house {n}." for n, word in enumerate("abcdefgh")]
BETTER = [text.replace("near", "by") if "c" in text[4] else text for text in LONG]
WORSE = [text.replace("mat", "rug") for text in LONG]


def test_the_counts_of_all_sentences_give_the_score() -> None:
    for tokenizer in ("13a", "char"):
        counts = sentence_counts(WRITTEN, ANSWERS, tokenizer)
        assert counts.shape == (3, 10)
        expected = bleu(WRITTEN, ANSWERS, tokenizer).value
        assert bleu_of_counts(counts) == pytest.approx(expected)
    nothing = sentence_counts(["a b c d"], ["e f g h"])
    assert bleu_of_counts(nothing) == bleu(["a b c d"], ["e f g h"]).value


def test_an_interval_narrows_with_the_sentences() -> None:
    counts = sentence_counts(WORSE + BETTER, LONG + LONG)
    wide = bleu_interval(counts, 200)
    narrow = bleu_interval(np.tile(counts, (25, 1)), 200)
    assert wide.low < wide.value < wide.high
    assert narrow.value == pytest.approx(wide.value)
    assert 3 < (wide.high - wide.low) / (narrow.high - narrow.low) < 8  # 5, or so
    assert wide == bleu_interval(counts, 200)
    assert wide != bleu_interval(counts, 200, seed=1)


def test_a_system_differs_from_itself_by_nothing() -> None:
    counts = sentence_counts(WORSE, LONG)
    assert paired_bootstrap(counts, counts, 50) == (0, 0, 0)


def test_pairing_sees_what_two_intervals_do_not() -> None:
    """Easy and hard sentences, in each of which one system is a little better."""
    hard = [f"{text} nothing of this is right {n}" for n, text in enumerate(WORSE)]
    right = LONG + LONG
    good = sentence_counts(WORSE + hard, right)
    both = enumerate(WORSE + hard)
    worse = [t.replace("on a", "in a") if n % 2 else t for n, t in both]
    bad = sentence_counts(worse, right)
    one, other = bleu_interval(good), bleu_interval(bad)
    assert one.low < other.high  # they overlap
    found = paired_bootstrap(good, bad)
    assert not found.low <= 0 <= found.high
    assert found.value == pytest.approx(one.value - other.value)
    assert paired_bootstrap(bad, good).value == pytest.approx(-found.value)


def test_the_order_of_the_sentences_must_be_the_same() -> None:
    counts = sentence_counts(WORSE, LONG)
    for other in (counts[1:], counts[:0]):
        with pytest.raises(ValueError, match="same sentences, but one has 8 and"):
            paired_bootstrap(counts, other)


def test_sacrebleu_comes_to_the_same_intervals_and_verdicts() -> None:
    """PairedTest gives each system's half-interval, and a p for the difference."""
    right = [f"{text} {n}" for n in range(12) for text in LONG]
    worse = [f"{text} {n}" for n in range(12) for text in WORSE]
    even = [
        (bad if n % 2 else good)
        for n, (good, bad) in enumerate(zip(right, worse, strict=True))
    ]
    odd = [
        (good if n % 2 else bad)
        for n, (good, bad) in enumerate(zip(right, worse, strict=True))
    ]
    for one, other, differs in ((even, worse, True), (even, odd, False)):
        test = PairedTest(
            [("other", other), ("one", one)],
            {"BLEU": sacrebleu.BLEU(references=[right])},
            references=None,
            test_type="bs",
        )
        _, scores = test()
        theirs: Any = scores["BLEU"][1]
        ours = bleu_interval(sentence_counts(one, right))
        assert ours.value == pytest.approx(theirs.score)
        assert (ours.high - ours.low) / 2 == pytest.approx(theirs.ci, rel=0.15)
        found = paired_bootstrap(*(sentence_counts(x, right) for x in (one, other)))
        assert (theirs.p_value < 0.05) is differs
        assert (not found.low <= 0 <= found.high) is differs
