"""How good the translations are."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from lib.evaluation import (
    bleu,
    bleu_interval,
    bleu_of_counts,
    chrf,
    exact_match,
    paired_bootstrap,
    score,
    scores,
    sentence_counts,
)
from lib.text import Vocabulary
from lib.text.reading import Source
from tests.refusals import Call, each_refusal, refuses


def test_every_letter_counts() -> None:
    for other in ("Vamos", "vamos.", " vamos", "vámos", ""):
        assert exact_match([other, "ir"], ["vamos", "ir"]) == 0.5


ONE: Any = "a"


@each_refusal(
    (lambda: exact_match(ONE, ["a"]), "predictions must be a list.*'a'"),
    (lambda: exact_match(["a"], ONE), "references must be a list.*'a'"),
    (lambda: exact_match([], []), "nothing to score"),
    (lambda: bleu("a", ["a"]), "predictions must be a list"),
    (lambda: bleu(["a", "b"], ["a", []]), "Sentence 1 has no reference"),
    (lambda: chrf(["a", "b"], ["a"]), "2 predictions and 1 references"),
    (lambda: bleu(["a"], ["a"], "words"), r"no tokenizer 'words'; .*13a.*char"),
    (lambda: bleu(["a"], ["a"], "ja-mecab"), r"'ja-mecab' wants more: .*pip install"),
    (
        lambda: paired_bootstrap(np.ones((8, 10)), np.ones((7, 10))),
        "same sentences, but one has 8 and",
    ),
)
def test_what_cannot_be_scored_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


def test_a_tokenizer_that_cannot_be_downloaded_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Unreachable:
        TOKENIZERS = ("flores200",)

        def __init__(self, tokenize: str) -> None:
            raise URLError("no such host")

    monkeypatch.setattr(scores, "BLEU", Unreachable)
    words = r"'flores200' cannot be downloaded \(no such host\)"
    refuses(lambda: bleu(["a"], ["a"], "flores200"), words)


WRITTEN = ["El perro muerde al hombre.", "¡Vamos a casa ahora!", "Me gusta el coche."]
ANSWERS = [
    ["El perro muerde al hombre.", "El perro ha mordido al hombre."],
    ["Vamos a casa."],
    ["Me gusta el auto.", "Me gusta mucho el coche.", "El coche me gusta."],
]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (chrf, sacrebleu.CHRF()),
        (bleu, sacrebleu.BLEU()),
        *(
            (partial(bleu, tokenizer=name), sacrebleu.BLEU(tokenize=name))
            for name in ("intl", "char", "zh", "none")
        ),
    ],
)
def test_several_references_count_as_sacrebleu_counts_them(
    ours: Any, theirs: Any
) -> None:
    columns = [list(column) for column in zip_longest(*ANSWERS)]
    first = [right[0] for right in ANSWERS]
    for answers, references in ((ANSWERS, columns), (first, [first])):
        found = ours(WRITTEN, answers)
        expected = theirs.corpus_score(WRITTEN, references)
        assert found.value == pytest.approx(expected.score)
        # sacreBLEU has the β of chrF in its name, and in no other place.
        name = "chrF2|" if ours is chrf else ""
        assert found.signature == name + str(theirs.get_signature())


class Knowing:
    """A translator that knows French by heart, and reads no more than 20 letters."""

    tgt_vocab = Vocabulary([])

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known

    def read_text(self, text: str) -> list[Source]:
        if len(text) > 20:
            raise ValueError("A sentence is too long.")
        return [Source(text, [0] * len(text))]

    def translate(self, texts: list[str], **how: Any) -> list[str]:
        return [self.tgt_vocab.restore(self.known[text]) for text in texts]


def test_both_sides_are_written_alike_and_what_is_too_long_counts_as_wrong() -> None:
    pairs = [("Is it you?", "C’est « toi » ?"), ("Yes!", "Oui !"), ("No.", "Non.")]
    translator: Any = Knowing({**dict(pairs), "No.": "Oui."})
    result, errors = score(translator, pairs[:2])
    assert (result["exact_match"], result["bleu"], errors) == (1.0, 100.0, [])
    assert "unread" not in result
    told: list[tuple[int, int]] = []
    more = [*pairs, ("It is far too long to be read.", "C’est trop long.")]
    result, errors = score(
        translator, more, tokenizer="char", watch=lambda *seen: told.append(seen)
    )
    assert (result["exact_match"], result["unread"]) == (0.5, 1)
    assert errors == [("No.", "Non.", "Oui."), (*more[3], "")]
    assert told == [(0, 3), (3, 3)]
    for name in ("bleu_signature", "bleu_single_signature"):
        assert "|tok:char|" in result[name]


# --- drawing sentences again ----------------------------------------------------------

LONG = [f"the {word} sat on a mat near house {n}." for n, word in enumerate("abcdefgh")]
WORSE = [text.replace("mat", "rug") for text in LONG]


def test_the_counts_of_all_sentences_give_the_score() -> None:
    for tokenizer in ("13a", "char"):
        counts = sentence_counts(WRITTEN, ANSWERS, tokenizer)
        assert counts.shape == (3, 10)
        expected = bleu(WRITTEN, ANSWERS, tokenizer).value
        assert bleu_of_counts(counts) == pytest.approx(expected)
    nothing = sentence_counts(["a b c d"], ["e f g h"])
    assert bleu_of_counts(nothing) == bleu(["a b c d"], ["e f g h"]).value


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
    assert one == bleu_interval(good)
    found = paired_bootstrap(good, bad)
    assert not found.low <= 0 <= found.high
    assert found.value == pytest.approx(one.value - other.value)
    assert paired_bootstrap(good, good, 50) == (0, 0, 0)
    assert paired_bootstrap(bad, good).value == pytest.approx(-found.value)


def test_sacrebleu_comes_to_the_same_intervals_and_verdicts() -> None:
    """PairedTest gives each system's half-interval, and a p for the difference."""
    right = [f"{text} {n}" for n in range(12) for text in LONG]
    worse = [f"{text} {n}" for n in range(12) for text in WORSE]
    pairs = list(zip(right, worse, strict=True))
    even = [pair[n % 2] for n, pair in enumerate(pairs)]
    odd = [pair[1 - n % 2] for n, pair in enumerate(pairs)]
    for one, other, differs in ((even, worse, True), (even, odd, False)):
        test = PairedTest(
            [("other", other), ("one", one)],
            {"BLEU": sacrebleu.BLEU(references=[right])},
            references=None,
            test_type="bs",
        )
        _, scores = test()
        theirs: Any = scores["BLEU"][1]
        counts = sentence_counts(one, right)
        ours = bleu_interval(counts)
        assert ours != bleu_interval(counts, seed=1)
        assert ours.value == pytest.approx(theirs.score)
        assert (ours.high - ours.low) / 2 == pytest.approx(theirs.ci, rel=0.15)
        found = paired_bootstrap(*(sentence_counts(x, right) for x in (one, other)))
        assert (theirs.p_value < 0.05) is differs
        assert (not found.low <= 0 <= found.high) is differs
