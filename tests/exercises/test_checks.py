"""What all exercises share: outcomes, sentences, and how a notebook shows them."""

import math
import sys
from collections.abc import Callable
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from torch import nn

from lib.exercises.calls import SOFTMAX, Without
from lib.exercises.compare import difference, same, wrong_alike
from lib.exercises.guard import CheckFailed, brief
from lib.exercises.record import Cases, Draw, Exercise, Parts, case

TODO = "Exercise 0.1: not answered yet. Replace the … and run the cell again.\n"


def recorded(praise: str, right: Any, **how: Any) -> Callable[[Any], Exercise]:
    """Make a record that stands in no chapter, of what gives its cases."""
    return lambda inputs: Exercise(inputs, right=right, praise=praise, **how)


@recorded("Twice is two times.", right=lambda x: 2 * x)
def double(draw: Draw) -> Cases:
    """A function that doubles a number or a tensor."""
    yield case(3.0)
    yield case(torch.ones(2, 3))
    yield case(draw.normal(4))


double.slips = {
    "This squares.": [lambda x: x * x],
    "This turns the sign.": [lambda x: -x],
    "All is added up.": [lambda x: 2 * torch.as_tensor(x).sum()],
    "Too large.": [lambda x: 5 * x, lambda x: 6 * x],
    "That is no number.": [lambda x: x * math.nan],
    "It reads too far.": [lambda x: x[9, 9] if torch.is_tensor(x) else 6.0],
}


class NoForward(nn.Module):
    """A module that only has its weight."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))


class StubForward(NoForward):
    """A module whose work is missing."""

    def forward(self, x: Any) -> Any: ...


class Scale(NoForward):
    """The right answer."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scale."""
        return x * self.weight


class EmptyModule(nn.Module):
    """To do."""


class NoWeight(nn.Module):
    """A module without the weight that the check reads."""

    def __init__(self, size: int) -> None:
        super().__init__()


def scaled(answer: Any, size: int) -> Parts:
    """Its weight and its work."""
    module = answer(size)
    return Parts(weight=module.weight.detach(), output=module(torch.ones(2, size)))


@recorded("It scales.", right=Scale)
def scale(draw: Draw) -> Cases:
    """A module that multiplies by a learned weight."""
    yield case(4, use=scaled)


@recorded("Yes.", right={1, 2}, form=("a set", lambda got: isinstance(got, set)))
def numbers(draw: Draw) -> Cases:
    """A set of numbers, which is a value."""
    yield case(what="numbers")


numbers.slips = {"One is missing.": [{1}]}


def nothing(x: Any) -> Any:
    """Say what to do."""
    ...  # noqa: PIE790 - as the stubs have it


def passing(x: Any) -> Any:
    pass


def halfway(x: Any) -> Any:
    y: Any = ...  # your code here
    return y * 2


def unwritten(x: Any) -> Any:
    raise NotImplementedError


STUBS: list[Any] = [..., None, "...", " … ", [1, ...], {"a": ...}]
STUBS += [nothing, passing, halfway, unwritten, lambda x: ...]


@pytest.mark.parametrize("stub", [*STUBS, EmptyModule, NoForward, StubForward])
def test_a_stub_is_not_answered_yet(stub: Any, capsys: Any) -> None:
    check = scale if isinstance(stub, type) else double
    check(stub)
    assert capsys.readouterr().out == TODO.replace("0.1", check.number)


def test_what_is_missing_is_told(capsys: Any) -> None:
    def forgets(x: Any) -> Any:
        x = abs(x) * 2

    double(forgets)
    scale(NoWeight)
    one, other = capsys.readouterr().out.splitlines()
    assert one == (
        "Exercise 0.1: not answered yet. forgets(3) gives back None: replace the …, "
        "end with `return`, and run the cell again."
    )
    assert other == (
        "Exercise 0.2: not answered yet. NoWeight has no `weight` yet: define it and "
        "run the cell again."
    )


def in_place(x: Any) -> Any:
    x *= 2
    return x


@pytest.mark.parametrize(
    ("check", "answer"),
    [(double, lambda x: x + x), (double, in_place), (scale, Scale), (numbers, {2, 1})],
)
def test_a_right_answer_is_praised(check: Exercise, answer: Any, capsys: Any) -> None:
    assert check(answer) is None
    told = capsys.readouterr().out
    assert told == f"Exercise {check.number}: right. {check.praise}\n"


def failure(check: Callable[..., Any], answer: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(answer)
    assert "\n" not in str(caught.value)
    return str(caught.value).partition(": ")[2]


def loud(x: Any) -> Any:
    raise ValueError("no \n" * 1000)


WRONG: list[tuple[Any, str]] = [
    # Each slip gets its own sentence: a value, a shape, NaN, an error.
    (lambda x: x**2, "This squares."),
    (lambda x: 6.0 if isinstance(x, float) else 6 * x, "double(x) should be"),
    (lambda x: 6 * x, "Too large."),
    (lambda x: 6.0 if isinstance(x, float) else x.sum(), "All is added up."),
    (lambda x: x / 0.0 if torch.is_tensor(x) else math.nan, "That is no number."),
    (lambda x: x[5, 5] if torch.is_tensor(x) else 6.0, "It reads too far."),
    # What no slip does is told by what should be and what is.
    (lambda x: x + 1.23456, "double(3.0) should be 6, but is 4.2346."),
    (lambda x: "six", "double(3.0) should be 6, but is 'six'."),
    (lambda x: torch.ones(2), "double(3.0) should have the shape (), but has (2,)."),
    (lambda x: 2 * x if isinstance(x, float) else x, "double(x) should be [[2, 2, 2]"),
    # An error in an answer is told with its input, in one line.
    (lambda x: [][x], "stopped with TypeError: list indices must be integers"),
    (loud, "loud(3) stopped with ValueError: no no no"),
    (6.0, "the answer could not be read (TypeError"),
]


@pytest.mark.parametrize(("answer", "sentence"), WRONG)
def test_a_wrong_answer_is_told_why(answer: Any, sentence: str) -> None:
    told = failure(double, answer)
    assert sentence in told
    assert len(told) < 320


def test_parts_are_told_one_after_the_other_under_their_names() -> None:
    class Twice(Scale):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * super().forward(x)

    class Heavy(Scale):
        def __init__(self, size: int) -> None:
            super().__init__(size)
            self.weight = nn.Parameter(torch.full((size,), 2.0))

    assert (
        failure(scale, Heavy) == "weight should be [1, 1, 1, 1], but is [2, 2, 2, 2]."
    )
    assert failure(scale, Twice).startswith("output is off in 8 of 8 places")


def test_a_value_has_its_form_and_its_slips() -> None:
    assert failure(numbers, {1}) == "One is missing."
    assert failure(numbers, [1, 2]) == "numbers should be a set, but is [1, 2]."
    assert failure(numbers, {3}) == "numbers should be {1, 2}, but is {3}."


def test_a_module_and_its_methods_are_guarded_too() -> None:
    class Box(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise KeyError("the")

    @recorded("Yes.", right=nn.Identity())
    def kept(draw: Draw) -> Cases:
        yield case(torch.ones(1), use=lambda answer, x: answer.forward(x))

    assert failure(kept, Box()) == "Box.forward([1]) stopped with KeyError: 'the'"


def test_gradients_flow_through_the_copies_and_random_numbers_are_left_alone() -> None:
    drawn: list[float] = []

    def gradient(answer: Any) -> Any:
        x = torch.ones(3, requires_grad=True)
        drawn.append(float(torch.rand(())))
        answer(x).sum().backward()
        return x.grad

    @recorded("Yes.", right=lambda x: 2 * x)
    def differentiable(draw: Draw) -> Cases:
        yield case(use=gradient)

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    differentiable(lambda x: x + x)
    assert torch.equal(torch.rand(3), expected)
    assert len(set(drawn)) == 1


def test_a_seed_draws_the_same_values_and_another_one_others() -> None:
    one, again, other = (double.cases(seed)[-1].args[0] for seed in (1, 1, 2))
    assert torch.equal(one, again) and not torch.equal(one, other)
    assert double.draws_inputs and not scale.draws_inputs


# --- compare ---

LARGE = torch.arange(20).reshape(4, 5)
SAME: list[tuple[Any, Any]] = [
    ("a", "a"),
    ({"a": 1.000001}, {"a": 1.0}),
    (np.array([1, 2]), torch.tensor([1, 2])),
    (1, 1.0),
    (torch.ones(2, dtype=torch.float16), [1.0, 1.0]),
    ([torch.ones(2), torch.ones(2, requires_grad=True)], torch.ones(2, 2)),
    ([(-math.inf, 2.000001)], [(-math.inf, 2.0)]),
]
DIFFERENT: list[tuple[Any, Any, str]] = [
    (torch.ones(2), torch.ones(2, 1), "it should have the shape (2, 1), but has (2,)."),
    (
        torch.ones(3, 4),
        torch.eye(3, 4),
        "it is off in 9 of 12 places: at [0, 1] it should be 0, but is 1.",
    ),
    (math.nan, 1.0, "it should be 1, but is nan."),
    ("1", 1.0, "it should be 1, but is '1'."),
    (LARGE + 1, LARGE, "is off in 20 of 20 places: at [0, 0] it should be 0, but is 1"),
    ([1], [1, 2], "it should be [1, 2], but is [1]."),
    ([[1], [1, 2]], 1.0, "it should be 1, but is [[1], [1, 2]]."),
    ({"a": 1.0}, {"a": 2.0}, "it should be {'a': 2.0}, but is {'a': 1.0}."),
    (LARGE.float(), LARGE, "it should hold whole numbers, but its dtype is torch.floa"),
    (LARGE, LARGE > 3, "it should be boolean, but its dtype is torch.int64: compare"),
    (torch.ones(2), torch.ones(2).half(), "have dtype torch.float16, but has torch.fl"),
]


@pytest.mark.parametrize(("got", "wanted"), SAME)
def test_what_is_the_same(got: Any, wanted: Any) -> None:
    assert same(got, wanted)


@pytest.mark.parametrize(("got", "wanted", "sentence"), DIFFERENT)
def test_what_differs_is_told_in_words_that_never_read_alike(
    got: Any, wanted: Any, sentence: str
) -> None:
    assert not same(got, wanted)
    told = difference(got, wanted, "it")
    assert sentence in told
    right, _, found = told.partition("should ")[2].partition(", but ")
    assert right.partition(" ")[2] != found.removesuffix(".").partition(" ")[2]


def test_what_looks_alike_is_told_with_all_digits() -> None:
    assert same(2.00004, 2.0) and not same(2.00004, 2.0, atol=1e-6)
    told = difference(2.00004, 2.0, "it", atol=1e-6)
    assert told.startswith("it should be 2.0, but is 2.0000")


def test_what_is_wrong_alike() -> None:
    nan = torch.tensor([math.nan, 1.0])
    assert wrong_alike(nan, nan + 1, torch.ones(2))
    assert not wrong_alike(nan, torch.ones(2), torch.ones(2))
    assert wrong_alike([[1.0]], torch.ones(1, 1), torch.ones(2))
    assert not wrong_alike(torch.ones(2), torch.zeros(2), torch.ones(2))
    assert not wrong_alike("a", "a", "b")


BRIEF: list[tuple[Any, str]] = [
    (0.123456, "0.1235"),
    (-0.00001, "0"),
    (np.ones(20), "an array of shape (20,)"),
    (12345678.0, "1.235e+07"),
    (torch.tensor([1.0, 2.5]), "[1, 2.5]"),
    ((1,), "(1,)"),
    ("x" * 500, "'" + "x" * 118 + "…"),
]


@pytest.mark.parametrize(("value", "text"), BRIEF)
def test_values_are_written_in_a_few_words(value: Any, text: str) -> None:
    assert brief(value) == text


def test_a_forbidden_call_is_seen_wherever_it_is_made() -> None:
    def ready_made(x: torch.Tensor) -> torch.Tensor:
        return x

    def hidden(x: torch.Tensor) -> torch.Tensor:
        return ready_made(x)

    def without(**names: Any) -> Any:
        return Without("Yourself", ready_made, **names).watch()

    x = torch.ones(2)
    for call in (torch.softmax, torch.nn.functional.log_softmax):
        with pytest.raises(CheckFailed, match="Yourself"), without(of_torch=SOFTMAX):
            call(x, dim=0)
    own = {"ready_made"}
    with pytest.raises(CheckFailed, match="Yourself"), without(named=own):
        hidden(x)
    with without(of_torch=SOFTMAX, named=own):
        x.exp()
    with pytest.raises(RuntimeError), without(named=own):
        ready_made(x).view(3)
    assert sys.getprofile() is None


# --- in a notebook ---

CELL = """
from lib.exercises.record import Exercise, case

def one(draw):
    yield case()

Exercise(one, right=lambda: 1.0, praise="Good.")(lambda: {answer})
"""
SENTENCE = "Exercise 0.1: one() should be 1, but is 2."


def test_a_notebook_shows_one_sentence_and_no_traceback() -> None:
    codes = [CELL.format(answer=a) for a in ("2.0", "1.0", "...", "1 / 0")]
    cells = [nbformat.v4.new_code_cell(code) for code in codes]
    notebook = nbformat.v4.new_notebook(cells=cells)
    options = {"allow_errors": True, "coalesce_streams": True}
    NotebookClient(notebook, kernel_name="python3", **options).execute()
    (wrong,), (right,), (stub,), (broken,) = (c.outputs for c in notebook.cells)
    assert wrong.output_type == "error"
    assert wrong.traceback == [SENTENCE]
    assert (wrong.ename, wrong.evalue) == ("CheckFailed", SENTENCE)
    assert right.text == "Exercise 0.1: right. Good.\n"
    assert stub.text == TODO
    assert len(broken.traceback) == 1
    assert "ZeroDivisionError" in broken.traceback[0]
    assert "Traceback" not in str(notebook)
