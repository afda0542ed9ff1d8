"""Every record of every chapter: the stub, the solution, and each slip's own sentence.

All of it follows from the records; only right answers of another form or way than the
book's stand in `also_right`.
"""

import dataclasses
import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from book.tools.course.hidden import draws
from book.tools.course.hidden import verdict as graded
from book.tools.course.plan import read_plan
from lib.config import TransformerConfig
from lib.exercises import CheckFailed, strict
from lib.exercises.cases import Case
from lib.exercises.record import CHAPTERS, Exercise, exercises
from lib.exercises.suspects import suspects
from lib.model import Transformer, count_parameters
from tests.book_sources import solution
from tests.exercises.also_right import OTHER_FORMS, OTHER_WAYS


def in_form(right: Any, form: Any) -> Any:
    """What gives the same in another form."""
    return (lambda *given: form(right(*given))) if callable(right) else form(right)


RECORDS = [
    one
    for name in CHAPTERS
    for one in exercises(importlib.import_module(f"lib.exercises.{name}"))
]
SLIPS = [
    pytest.param(one, sentence, function, id=f"{one.key}-{sentence[:30]}")
    for one in RECORDS
    for sentence, functions in one.slips.items()
    for function in functions
]
BY_KEY = {one.key: one for one in RECORDS}
ALSO_RIGHT = [
    *((key, answer) for key, ways in OTHER_WAYS.items() for answer in ways),
    *(
        (key, in_form(BY_KEY[key].right, form))
        for key, forms in OTHER_FORMS.items()
        for form in forms
    ),
]
each_record = pytest.mark.parametrize("one", RECORDS, ids=lambda one: one.key)


def verdict(one: Exercise, answer: Any) -> str:
    """The sentence that an answer gets, without the exercise's number."""
    with pytest.raises(CheckFailed) as failure:
        one(answer)
    told = str(failure.value)
    assert told.startswith(f"Exercise {one.number}: ")
    assert "\n" not in told
    return told.removeprefix(f"Exercise {one.number}: ")


def grade(one: Exercise, answer: Any, seed: int = read_plan().seed) -> str:
    """What is said of an answer where it is graded."""
    all_draws = draws(one.number, seed)
    tried = (found for d in all_draws for found in one.tried(answer, one.cases(d)))
    return graded(one.number, seed, tried)


@pytest.fixture
def grading() -> Iterator[None]:
    """The checks as they are where answers are graded."""
    strict()
    yield
    strict(False)


@each_record
@pytest.mark.usefixtures("grading")
def test_where_answers_are_graded_a_stub_fails(one: Exercise) -> None:
    assert verdict(one, ...).startswith("not answered yet.")


@each_record
def test_the_solution_and_what_the_record_calls_right_are_praised(
    one: Exercise, capsys: Any
) -> None:
    right = [solution(one.number)] if one.without else [solution(one.number), one.right]
    for answer in right:
        assert one(answer) is None
        assert capsys.readouterr().out.startswith(f"Exercise {one.number}: right. ")
    for seed in range(2 if one.draws_inputs else 0):
        assert ": right. " in grade(one, right[0], seed)


@pytest.mark.parametrize(("key", "answer"), ALSO_RIGHT)
def test_a_right_answer_written_in_another_way_is_praised(
    key: str, answer: Any, capsys: Any
) -> None:
    one = BY_KEY[key]
    one(answer)
    assert capsys.readouterr().out.startswith(f"Exercise {one.number}: right. ")
    assert ": right. " in grade(one, answer)


@pytest.mark.parametrize(("one", "sentence", "slip"), SLIPS)
def test_a_slip_gets_its_own_sentence(one: Exercise, sentence: str, slip: Any) -> None:
    assert sentence.endswith(".")
    # A slip that stops for its own reasons is like no learner's.
    error = one.outcome(slip, one.cases()[0]).error
    assert "has no attribute 'right'" not in str(error)
    told = verdict(dataclasses.replace(one, without=None), slip)
    if "{what}" in sentence:
        assert re.fullmatch(re.escape(sentence).replace(r"\{what\}", ".+"), told)
    else:
        assert told == sentence


@pytest.mark.parametrize(
    "one", [one for one in RECORDS if one.without], ids=lambda one: one.key
)
def test_what_is_forbidden_gets_its_sentence(one: Exercise) -> None:
    assert one.without
    assert verdict(one, one.without.like) == one.without.sentence


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("norm_first", [False, True])
def test_what_is_counted_by_hand_is_what_a_model_has(
    norm_first: bool, tied: bool
) -> None:
    how = {"norm_first": norm_first, "tie_embeddings": tied}
    config = TransformerConfig(9, 9, d_model=8, n_heads=2, d_ff=12, **how)
    counted = BY_KEY["transformer.count"].right(config)
    assert counted == count_parameters(Transformer(config))
    base = TransformerConfig(37_000, 37_000, tie_embeddings=True)
    assert BY_KEY["transformer.count"].right(base) == 63_119_496  # as the praise says


class Parrot:
    """An answer that has learned by heart what its check asks."""

    def __init__(self, right: Any) -> None:
        self.right, self.known, self.learns = right, {}, True

    def __call__(self, *arguments: Any) -> Any:
        heard = repr(arguments)
        if self.learns:
            self.known[heard] = self.right(*arguments)
        return self.known.get(heard, next(iter(self.known.values())))


def expect_right(one: Exercise, answer: Any, drawn: list[list[Case]]) -> None:
    """Demand that an answer is right for all that was drawn."""
    for cases in drawn:
        one.expect_right(one.tried(answer, cases), cases)


@pytest.mark.parametrize(
    "one",
    [one for one in RECORDS if one.draws_inputs and not isinstance(one.right, type)],
    ids=lambda one: one.key,
)
@pytest.mark.usefixtures("grading")
def test_what_was_learned_by_heart_is_found_out(one: Exercise) -> None:
    parrot = Parrot(solution(one.number))
    assert one(parrot) is True
    parrot.learns = False
    hidden = [one.cases(draw) for draw in draws(one.number, read_plan().seed)[1:]]
    with pytest.raises(CheckFailed):
        expect_right(one, parrot, hidden)


@pytest.mark.parametrize(("length", "leaky"), [(5, "BC"), (16, "BCE")])
def test_the_suspects_look_ahead_as_the_answer_says(length: int, leaky: str) -> None:
    ids = torch.arange(1, length + 1)
    runs = {
        name: lambda ids, model=model: model(ids[None])[0]
        for name, model in suspects().items()
    }
    family = BY_KEY["families.family"].right
    found = {name for name, run in runs.items() if family(run, ids) == "encoder"}
    assert found == set(leaky)
