"""How good translations and texts are, and what goes wrong with strangers' ones."""

from __future__ import annotations

import math
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import pytest
import sacrebleu
import torch
from sacrebleu.significance import PairedTest
from torch.nn import functional

from lib.evaluation import (
    TYPED,
    Stranger,
    bleu,
    bleu_interval,
    bleu_of_counts,
    chrf,
    count_strangers,
    exact_match,
    paired_bootstrap,
    score,
    score_texts,
    sentence_counts,
    strangers,
    what_is_wrong,
)
from lib.text import Vocabulary
from lib.text.reading import Source
from lib.today import LanguageConfig, LanguageModel
from tests.refusals import Call, each_refusal, refuses
from tests.strategies import randomize


def test_every_letter_counts() -> None:
    written = ["Vamos", "vamos.", " vamos", "vámos", "vamos"]
    assert exact_match(written, ["vamos"] * 5) == 0.2


@each_refusal(
    (lambda: exact_match(["a"], "a"), "a list of sentences, not one text: 'a'"),
    (lambda: exact_match([], []), "0 predictions and 0 references"),
    (lambda: bleu(["a", "b"], ["a", []]), "Sentence 1 has no reference"),
    (lambda: chrf(["a", "b"], ["a"]), "2 predictions and 1 references"),
    (lambda: bleu(["a"], ["a"], "words"), r"no tokenizer 'words' at hand .*13a.*char"),
    (lambda: bleu(["a"], ["a"], "ja-mecab"), r"'ja-mecab' at hand \(.*pip install"),
    (
        lambda: paired_bootstrap(np.ones((8, 10)), np.ones((7, 10))),
        "same sentences, but one has 8 and",
    ),
)
def test_what_cannot_be_scored_is_refused(call: Call, words: str) -> None:
    refuses(call, words)


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
        (partial(bleu, tokenizer="char"), sacrebleu.BLEU(tokenize="char")),
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
    assert "|tok:char|" in result["bleu_single_signature"]


# --- drawing sentences again ----------------------------------------------------------

LONG = [f"the {word} sat on a mat near house {n}." for n, word in enumerate("abcdefgh")]
WORSE = [text.replace("mat", "rug") for text in LONG]


def test_the_counts_of_all_sentences_give_the_score() -> None:
    counts = sentence_counts(WRITTEN, ANSWERS, "char")
    assert counts.shape == (3, 10)
    expected = bleu(WRITTEN, ANSWERS, "char").value
    assert bleu_of_counts(counts) == pytest.approx(expected)
    nothing = sentence_counts(["a b c d"], ["e f g h"])
    assert bleu_of_counts(nothing) == bleu(["a b c d"], ["e f g h"]).value


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
        assert ours == bleu_interval(counts) != bleu_interval(counts, seed=1)
        assert ours.value == pytest.approx(theirs.score)
        assert (ours.high - ours.low) / 2 == pytest.approx(theirs.ci, rel=0.15)
        baseline = sentence_counts(other, right)
        found = paired_bootstrap(counts, baseline)
        value = ours.value - bleu_interval(baseline).value
        assert found.value == pytest.approx(value)
        assert (theirs.p_value < 0.05) is differs
        assert (not found.low <= 0 <= found.high) is differs


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
        ids = torch.tensor([WORDS.sos_id, *WORDS.encode(text), WORDS.eos_id])
        scores = whole(ids[None, :-1])[0]
        nats += float(functional.cross_entropy(scores, ids[1:], reduction="sum"))
        tokens += len(scores)
    found = score_texts(whole.train(), WORDS, TEXTS)
    assert whole.training
    assert found.tokens == tokens == 12
    assert found.characters == sum(map(len, TEXTS)) + 4
    assert found.perplexity == pytest.approx(math.exp(nats / tokens), rel=1e-5)
    bits = nats / math.log(2) / found.characters
    assert found.bits_per_character == pytest.approx(bits, rel=1e-5)


def test_what_is_too_long_is_counted_and_left_out() -> None:
    found = score_texts(model(max_len=3), WORDS, TEXTS)
    assert (found.texts, found.unread) == (3, 1)
    with pytest.raises(ValueError, match="no text that the model can read"):
        score_texts(model(max_len=2), WORDS, TEXTS[2:3])


TO_CHOOSE = ("validation", *(f"{part}-validation" for part in [*TYPED][2:]))
EVERY = [each for part in (*TYPED.values(), *TO_CHOOSE) for each in strangers(part)]

# Spanish may say the same (lol), or only the name is asked for.
ALIKE = {*strangers("first"), *strangers("names"), *strangers("names-validation")}


def test_there_are_enough_in_each_part_and_none_twice() -> None:
    sizes = [len(strangers(part)) for part in (*TYPED.values(), *TO_CHOOSE)]
    assert sizes == [300, 100, 150, 448, 60, 100, 50, 112, 30]
    # What people type first was written by someone who knew of no other part.
    others = [each for each in EVERY if each.kind != "first"]
    assert len({each.english.casefold() for each in others}) == len(others)


def test_a_right_translation_is_right_and_what_was_typed_is_none() -> None:
    for sentence in EVERY:
        assert what_is_wrong(sentence, sentence.spanish) == [], sentence.english
        if sentence not in ALIKE:
            assert what_is_wrong(sentence, sentence.english), sentence.english
        loop = what_is_wrong(sentence, 20 * f"{sentence.spanish} ")
        assert loop == ["it is too long"], sentence.english


PRICE = Stranger("numbers", "It is $12.50 here.", "", (("12,50", "doce"), ("está",)))


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("ESTÁ a 12,50 $.", []),
        ("Doce, esta vez.", ["it lacks está"]),  # an accent is part of the word
        ("Está a 112,50.", ["it lacks 12,50"]),
        ("Está a 12,505 y a 1.12,50.", ["it lacks 12,50"]),
        ("Estábamos a 12,50.", ["it lacks está"]),
    ],
)
def test_words_and_numbers_are_found_whole(written: str, wrong: list[str]) -> None:
    assert what_is_wrong(PRICE, written) == wrong


def test_marks_that_mean_the_same_count_and_invisible_characters_do_not() -> None:
    quoted = Stranger("quotes", "“No – no…”", "", (('"No — no..."',),), ("sí",))
    assert what_is_wrong(quoted, "«No\u00a0– no…»") == []
    assert what_is_wrong(quoted, "“N\u200bo — no...” ¿Sí?") == ["it holds sí"]


def test_counts_are_told_by_kind() -> None:
    asked = strangers()
    written = [one.spanish if one.kind == "names" else "" for one in asked]
    found = count_strangers(asked, written)
    assert found["right"] == 45
    assert found["kinds"]["quotes"] == {"right": 0, "sentences": 25}
    assert found["interval"] == [0.114, 0.1948]
