"""How near a test sentence stands to training, and the part that stands far."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from lib.corpora import normalize
from lib.evaluation import far_pairs, nearest_distances, with_far_parts, word_edits
from tests.refusals import Call, each_refusal, refuses

SENTENCE = st.lists(st.sampled_from("abcde"), max_size=7).map(" ".join)


def by_definition(one: str, other: str) -> int:
    """The textbook recursion, for each pair of sentences by itself."""

    @cache
    def edits(left: tuple[str, ...], right: tuple[str, ...]) -> int:
        if not left or not right:
            return len(left) + len(right)
        return min(
            edits(left[1:], right) + 1,
            edits(left, right[1:]) + 1,
            edits(left[1:], right[1:]) + (left[0] != right[0]),
        )

    return edits(tuple(normalize(one).split()), tuple(normalize(other).split()))


@given(
    sentences=st.lists(SENTENCE, max_size=5),
    training=st.lists(SENTENCE, min_size=1, max_size=12),
)
def test_the_nearest_is_that_of_all_pairs(
    sentences: list[str], training: list[str]
) -> None:
    expected = [min(by_definition(s, t) for t in training) for s in sentences]
    assert nearest_distances(sentences, training) == expected
    for one in sentences:
        edits = by_definition(one, training[0])
        assert word_edits(one, training[0]) == word_edits(training[0], one) == edits


TRAIN = [("Where is Tom?", "¿Dónde está Tom?"), ("I am very tired.", "Tengo sueño.")]


def far_of(*test: tuple[str, str]) -> list[tuple[str, str]]:
    return far_pairs({"train": TRAIN, "test": list(test)})


def test_far_is_half_of_the_words_on_both_sides() -> None:
    far = ("Where does she live?", "Vive en Roma.")
    assert far_of(far) == [far]  # 3 of 4 words, 3 of 3
    half = ("Where is the dog?", "Un perro.")
    assert far_of(half) == [half]  # 2 of 4 words
    assert far_of(("Where is Ana?", "Busco a Ana.")) == []  # 1 of 3: the source is near
    assert far_of(("She needs a bed.", "Tengo mucho sueño.")) == []  # so is the target


def test_one_near_translation_is_enough_to_leave_a_source_out() -> None:
    source = "She needs a bed."
    assert far_of((source, "Necesita una cama."), (source, "Tengo sueño.")) == []


def test_far_parts_are_made_when_asked_for() -> None:
    splits = {"train": TRAIN, "test": [("Sing!", "¡Canta!")], "x-far": TRAIN}
    assert with_far_parts(splits, ["test", "x-far", "y-far"]) == splits
    found = with_far_parts(splits, ["test-far"])
    assert found["test-far"] == splits["test"]
    assert "test-far" not in splits


ONE = [("We sing.", "Canto.")]


@each_refusal(
    (lambda: nearest_distances(["a"], []), "no training sentence"),
    (lambda: far_pairs({"train": TRAIN}), "no pair in 'test'; the parts are: train"),
    (lambda: far_pairs({"train": [], "test": TRAIN}), "no pair in 'train'"),
    (
        lambda: with_far_parts({"train": ONE, "test": ONE}, ["test-far"]),
        "No sentence of the part 'test' is far",
    ),
)
def test_parts_without_sentences_are_refused(call: Call, words: str) -> None:
    refuses(call, words)
