"""Every check of every chapter: the stub, right answers and typical mistakes."""

import importlib
import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch

from lib.checks import CheckFailed
from lib.exercises.suspects import suspects
from tests.book_sources import CHAPTERS

Check = Callable[..., None]

NUMBERS = [
    path.stem[:2] for path in CHAPTERS if "lib.checks" in path.read_text("utf-8")
]
ANSWERS = {
    n: importlib.import_module(f"tests.exercises.answers.chapter_{n}") for n in NUMBERS
}


def checks(module: ModuleType) -> list[Check]:
    """The checks of a chapter, in the order of their exercises."""
    return sorted(
        (
            part
            for part in vars(module).values()
            if inspect.isfunction(part)
            and hasattr(part, "__wrapped__")
            and part.__name__ in module.__all__
        ),
        key=number,
    )


def number(check: Check) -> str:
    """The number of the exercise, as the check's decorator has it."""
    found = re.match(r'@exercise\(\s*"([\d.]+)"', inspect.getsource(check))
    assert found
    return found.group(1)


def function_stub(*_: Any) -> Any: ...


def stubs(answers: ModuleType, check: Check) -> list[Any]:
    """What is no answer yet: `...`, and a function's stub or what the file names."""
    own = [stub for of, stub in getattr(answers, "STUBS", []) if of is check]
    return [..., *(own or [function_stub])]


STUBS = [
    (check, stub)
    for answers in ANSWERS.values()
    for check in checks(answers.check)
    for stub in stubs(answers, check)
]
RIGHT = [case for answers in ANSWERS.values() for case in answers.RIGHT]
WRONG = [case for answers in ANSWERS.values() for case in answers.WRONG]


@pytest.mark.parametrize("chapter", NUMBERS)
def test_every_exercise_has_a_check_with_answers_right_and_wrong(chapter: str) -> None:
    answers = ANSWERS[chapter]
    found = checks(answers.check)
    assert [number(check) for check in found] == [
        f"{int(chapter)}.{k}" for k in range(1, len(found) + 1)
    ]
    assert {check for check, _ in answers.RIGHT} == set(found)
    assert {check for check, *_ in answers.WRONG} == set(found)


@pytest.mark.parametrize(("check", "stub"), STUBS)
def test_a_stub_is_not_answered_yet(check: Check, stub: Any, capsys: Any) -> None:
    check(stub)
    told = capsys.readouterr().out
    assert told.startswith(f"Exercise {number(check)}: not answered yet.")


@pytest.mark.parametrize(("check", "answer"), RIGHT)
def test_a_right_answer_is_praised(check: Check, answer: Any, capsys: Any) -> None:
    check(answer)
    assert capsys.readouterr().out.startswith(f"Exercise {number(check)}: right. ")


@pytest.mark.parametrize(("check", "answer", "words"), WRONG)
def test_a_wrong_answer_is_told_why(check: Check, answer: Any, words: str) -> None:
    with pytest.raises(CheckFailed) as failure:
        check(answer)
    message = str(failure.value)
    assert message.startswith(f"Exercise {number(check)}: ")
    assert words in message
    assert "\n" not in message
    assert message.endswith(".") or " stopped with " in message


@pytest.mark.parametrize("name", "ABCDE")
@pytest.mark.parametrize("length", [5, 16])
def test_the_models_of_exercise_4_5_are_what_the_answer_says(
    name: str, length: int
) -> None:
    model = suspects()[name]
    ids = torch.arange(1, length + 1).unsqueeze(0)
    before = model(ids)
    leaks = False
    for place in range(1, length):
        changed = ids.clone()
        changed[:, place] = 19
        moved = (model(changed) - before).abs().amax(dim=(0, -1)) > 1e-6
        leaks |= bool(moved[:place].any())
        assert moved[place]
    expected = name in "BC" or (name == "E" and length > 8)
    assert leaks == expected
