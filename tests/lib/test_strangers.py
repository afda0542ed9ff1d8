"""What strangers type: the sentences, and what their translations must carry."""

from __future__ import annotations

from collections import Counter

import pytest

from lib.evaluation import TYPED, Stranger, count_strangers, strangers, what_is_wrong

TO_CHOOSE = ("validation", *(f"{part}-validation" for part in [*TYPED][2:]))
EVERY = [each for part in (*TYPED.values(), *TO_CHOOSE) for each in strangers(part)]

# Spanish may say the same (lol), or only the name is asked for.
ALIKE = {*strangers("first"), *strangers("names"), *strangers("names-validation")}


def test_there_are_enough_of_each_kind_and_none_twice() -> None:
    counts = Counter(sentence.kind for sentence in strangers())
    assert " ".join(f"{count} {kind}" for kind, count in counts.items()) == (
        "75 everyday 45 names 45 numbers 25 quotes 30 several 40 form 40 rare"
    )
    sizes = [len(strangers(part)) for part in (*TYPED.values(), *TO_CHOOSE)]
    assert sizes == [300, 100, 150, 448, 60, 100, 50, 112, 30]
    # What people type first was written by someone who knew of no other part.
    others = [each for each in EVERY if each.kind != "first"]
    for some in (others, strangers("first")):
        assert len({each.english.casefold() for each in some}) == len(some)


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
    assert (found["right"], found["sentences"]) == (45, 300)
    assert found["kinds"]["quotes"] == {"right": 0, "sentences": 25}
    low, high = found["interval"]
    assert low < 0.15 < high
