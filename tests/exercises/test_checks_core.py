"""The checks' three outcomes, and how a notebook shows them."""

import math
import sys
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbclient import NotebookClient
from torch import nn

from lib import checks
from lib.checks import expect
from lib.checks.core import exercise
from lib.exercises.calls import SOFTMAX, without
from lib.exercises.guard import CheckFailed, NotAnswered, answered, brief, unwrap

TODO = "Exercise 0.1: not answered yet. Replace the … and run the cell again.\n"


@exercise("0.1", praise="Twice is two times.")
def double(answer: Any) -> None:
    """Check a function that doubles a number or a tensor."""
    expect.close(
        answer(3.0),
        6.0,
        "double(3.0)",
        {"This squares.": 9.0, "This turns the sign.": lambda got: got < 0},
    )
    x = torch.ones(2, 3)
    expect.close(answer(x), 2 * torch.ones(2, 3), "double(x)")
    expect.close(x, torch.ones(2, 3), "x")


@exercise("0.2", praise="It scales.")
def scale(answer: Any) -> None:
    """Check a module that multiplies by a learned weight."""
    module = answer(4)
    expect.that(isinstance(unwrap(module), nn.Module), "Scale must be an nn.Module.")
    expect.shape(module.weight, (4,), "weight")
    expect.close(module(torch.ones(2, 4)), torch.ones(2, 4), "Scale(4)(ones)")


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


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_is_not_answered_yet(stub: Any, capsys: Any) -> None:
    double(stub)
    assert capsys.readouterr().out == TODO


def test_a_function_that_works_but_gives_nothing_back_is_told_so(capsys: Any) -> None:
    def forgets(x: Any) -> Any:
        x = abs(x) * 2

    double(forgets)
    assert capsys.readouterr().out == (
        "Exercise 0.1: not answered yet. forgets(3) gives back None: replace the …, "
        "end with `return`, and run the cell again.\n"
    )


def test_a_stub_without_a_source_is_told_the_same(capsys: Any) -> None:
    names: dict[str, Any] = {}
    exec("def sourceless(x): ...", names)
    double(names["sourceless"])
    assert "sourceless(3) gives back None: replace the …" in capsys.readouterr().out


def test_one_missing_answer_of_several_is_enough(capsys: Any) -> None:
    @exercise("0.3", praise="Yes.")
    def both(one: Any, other: Any) -> None:
        expect.equal(one + other, 3, "the sum")

    both(1, ...)
    both(1, 2)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("Exercise 0.3: not answered yet.")
    assert second == "Exercise 0.3: right. Yes."


def test_a_right_answer_is_praised_and_gives_nothing_back(capsys: Any) -> None:
    assert double(lambda x: 2 * x) is None
    assert capsys.readouterr().out == "Exercise 0.1: right. Twice is two times.\n"


def in_place(x: Any) -> Any:
    x *= 2
    return x


def test_what_the_learner_changes_in_place_does_not_reach_the_check() -> None:
    double(in_place)

    @exercise("0.4", praise="Yes.")
    def pops(answer: Any) -> None:
        tokens = [["lets", "go"]]
        for _ in range(2):
            expect.equal(answer(tokens), "go", "the last token")

    pops(lambda tokens: tokens[0].pop())


def test_gradients_flow_through_the_copies() -> None:
    @exercise("0.5", praise="Yes.")
    def gradient(answer: Any) -> None:
        x = torch.ones(3, requires_grad=True)
        answer(x).sum().backward()
        expect.close(x.grad, [2.0, 2.0, 2.0], "the gradient")

    gradient(lambda x: 2 * x)


def failure(check: Callable[..., None], *answers: Any) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(*answers)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_first_slip_that_fits_is_told() -> None:
    assert failure(double, lambda x: x * x) == "Exercise 0.1: This squares."
    assert failure(double, lambda x: -x) == "Exercise 0.1: This turns the sign."


def test_without_a_slip_got_and_expected_are_told() -> None:
    told = failure(double, lambda x: x + 1.23456)
    assert told == "Exercise 0.1: double(3.0) should be 6, but is 4.2346."


def test_a_slip_never_speaks_against_a_right_answer() -> None:
    expect.close(6.0, 6.0, "six", {"Same.": 6.0, "Any.": lambda got: True})
    expect.equal("a", "a", "a", {"Same.": "a", "Any.": lambda got: True})
    expect.shape(torch.ones(2), (2,), "x", {"Same.": (2,)})


def test_an_error_in_the_answer_becomes_a_sentence_with_its_input() -> None:
    def divide(x: Any) -> Any:
        return x / 0

    told = failure(double, divide)
    assert told == (
        "Exercise 0.1: divide(3) stopped with ZeroDivisionError: float division by zero"
    ) or told.endswith("ZeroDivisionError: division by zero")
    assert "divide(3)" in told


def test_a_long_error_message_becomes_one_line() -> None:
    def matmul(x: Any) -> Any:
        raise RuntimeError("first line\n  second line")

    assert failure(double, matmul).endswith("RuntimeError: first line second line")


def test_an_error_without_or_with_a_very_long_message_is_named() -> None:
    def silent(x: Any) -> Any:
        raise ValueError

    def loud(x: Any) -> Any:
        raise ValueError("no " * 1000)

    assert failure(double, silent).endswith("silent(3) stopped with ValueError")
    assert len(failure(double, loud)) < 320


def test_large_inputs_are_named_by_their_shape() -> None:
    @exercise("0.6", praise="Yes.")
    def rows(answer: Any) -> None:
        answer(torch.ones(4, 5), dim=torch.tensor([1, 2]))

    told = failure(rows, lambda x, dim: 1 / 0)
    assert "(a tensor of shape (4, 5), dim=[1, 2]) stopped with" in told


def test_an_answer_of_another_kind_is_told_so() -> None:
    assert "'six'" in failure(double, lambda x: "six")
    assert "shape (), but has (2,)" in failure(double, lambda x: torch.ones(2))
    told = failure(double, 6.0)
    assert told.startswith("Exercise 0.1: the answer could not be read (TypeError")


class Empty:
    """To do."""


class EmptyModule(nn.Module): ...


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


class NoWeight(nn.Module):
    """A module without the weight that the check reads."""

    def __init__(self, size: int) -> None:
        super().__init__()


@pytest.mark.parametrize("stub", [Empty, EmptyModule, NoForward, StubForward])
def test_a_class_without_its_methods_is_not_answered(stub: Any, capsys: Any) -> None:
    scale(stub)
    assert capsys.readouterr().out == TODO.replace("0.1", "0.2")


def test_a_class_without_its_attribute_is_told_which(capsys: Any) -> None:
    scale(NoWeight)
    assert capsys.readouterr().out == (
        "Exercise 0.2: not answered yet. NoWeight has no `weight` yet: define it and "
        "run the cell again.\n"
    )


def test_a_class_that_is_right_is_praised(capsys: Any) -> None:
    scale(Scale)
    assert capsys.readouterr().out == "Exercise 0.2: right. It scales.\n"


def test_a_class_that_is_no_module_fails() -> None:
    class Plain:
        def __init__(self, size: int) -> None:
            self.weight = torch.ones(size)

        def __call__(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.weight

    assert failure(scale, Plain) == "Exercise 0.2: Scale must be an nn.Module."


def test_a_module_and_its_methods_are_guarded_too() -> None:
    class Box(nn.Module):
        def encode(self, x: torch.Tensor) -> torch.Tensor:
            raise KeyError("the")

    @exercise("0.7", praise="Yes.")
    def encodes(answer: Any) -> None:
        expect.that(not hasattr(answer, "decode"), "It decodes.")
        answer.encode(torch.ones(1))

    told = failure(encodes, Box())
    assert told == "Exercise 0.7: Box.encode([1]) stopped with KeyError: 'the'"


def test_a_check_runs_once_for_each_of_its_cases(capsys: Any) -> None:
    @exercise("0.10", praise="Yes.", cases=[(2, 4), (3, 9)])
    def square(answer: Any, x: int, right: int) -> None:
        expect.equal(answer(x), right, f"square({x})")

    square(lambda x: x * x)
    assert capsys.readouterr().out == "Exercise 0.10: right. Yes.\n"
    assert failure(square, lambda x: x + 2) == (
        "Exercise 0.10: square(3) should be 9, but is 5."
    )


def test_of_several_conditions_the_first_that_holds_is_told() -> None:
    expect.none_of({"One.": False, "Two.": torch.tensor(False), "Three.": []})
    with pytest.raises(CheckFailed, match=r"^Two\.$"):
        expect.none_of({"One.": False, "Two.": torch.tensor(True), "Three.": True})


def test_a_pair_is_a_list_or_tuple_of_two() -> None:
    expect.pair([1, 2], "Two!")
    expect.pair((1, 2), "Two!")
    for other in ([1], (1, 2, 3), "ab", 2):
        with pytest.raises(CheckFailed, match=r"^Two!$"):
            expect.pair(other, "Two!")


def test_a_check_leaves_the_random_numbers_alone() -> None:
    drawn: list[float] = []

    @exercise("0.8", praise="Yes.")
    def draws(answer: Any) -> None:
        drawn.append(float(torch.rand(())))

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    draws(1)
    assert torch.equal(torch.rand(3), expected)
    draws(1)
    assert drawn[0] == drawn[1]


def test_the_keyboard_still_interrupts() -> None:
    def interrupt(x: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        double(interrupt)


NUMBERS: list[tuple[Any, Any, str]] = [
    (1.0, 2.0, "it should be 2, but is 1."),
    ([1.0, 2.0], [1.0, 3.0], "it should be [1, 3], but is [1, 2]."),
    (torch.ones(2), torch.ones(2, 1), "it should have the shape (2, 1), but has (2,)."),
    (
        torch.ones(3, 4),
        torch.eye(3, 4),
        "it is off in 9 of 12 places: at [0, 1] it should be 0, but is 1.",
    ),
    (math.nan, 1.0, "it should be 1, but is nan."),
    (torch.tensor([math.nan] * 9), torch.zeros(9), "it is off in 9 of 9 places"),
    ("1", 1.0, "it should be 1, but is '1'."),
    (object, 1.0, "it should be 1, but is <class 'object'>."),
]


@pytest.mark.parametrize(("got", "expected", "sentence"), NUMBERS)
def test_numbers_that_differ(got: Any, expected: Any, sentence: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect.close(got, expected, "it")
    assert str(caught.value).startswith(sentence)


def test_numbers_that_agree() -> None:
    expect.close(1 + 1e-6, 1, "it")
    expect.close(1, 1.0, "it")
    expect.close([[1, 2]], torch.tensor([[1.0, 2.0]]), "it")
    expect.close(torch.ones(2, dtype=torch.float16), [1.0, 1.0], "it")
    expect.close(torch.ones(2, requires_grad=True), [1.0, 1.0], "it")
    expect.close([-math.inf], [-math.inf], "it")
    expect.close(1.05, 1.0, "it", atol=0.1)
    with pytest.raises(CheckFailed):
        expect.close(1.05, 1.0, "it", atol=0.01)


def test_a_missing_part_is_not_answered_rather_than_wrong() -> None:
    for missing in (None, ...):
        for expectation in (
            lambda got: expect.close(got, 1.0, "it"),
            lambda got: expect.equal(got, "a", "it"),
            lambda got: expect.shape(got, (1,), "it"),
            lambda got: expect.tensor(got, "it"),
            answered,
        ):
            with pytest.raises(NotAnswered):
                expectation(missing)


EQUAL: list[tuple[Any, Any]] = [
    ("a", "a"),
    ([1, 2], (1, 2)),
    (torch.tensor([[1, 2]]), [[1, 2]]),
    ([torch.tensor(1)], [1]),
    ({"a": 1}, {"a": 1}),
    (True, True),
]


@pytest.mark.parametrize(("got", "expected"), EQUAL)
def test_values_that_are_equal(got: Any, expected: Any) -> None:
    expect.equal(got, expected, "it")


LARGE = torch.arange(20).reshape(4, 5)
LOOK_ALIKE: list[tuple[Any, Any, str]] = [
    (LARGE + 1, LARGE, "is off in 20 of 20 places: at [0, 0] it should be 0, but is 1"),
    ((LARGE + 1).tolist(), LARGE, "is off in 20 of 20 places: at [0, 0]"),
    ((LARGE + 1).numpy(), LARGE, "is off in 20 of 20 places: at [0, 0]"),
    (LARGE.T, LARGE, "a tensor of shape (4, 5), but is a tensor of shape (5, 4)"),
    (1.00000001, 1.0, "should be 1.0, but is 1.00000001"),
    ([0.5, 1.00000001], [0.5, 1.0], "at [1] it should be 1.0, but is 1.00000001"),
    (torch.full((20,), math.nan), torch.zeros(20), "should be 0, but is nan"),
    ({1: 2}, {1: 2.00000001}, "should be {1: 2.00000001}, but is {1: 2}"),
    (type("Same", (), {"__repr__": lambda _: "[1]"})(), [1], "as a list"),
]


@pytest.mark.parametrize(("got", "expected", "sentence"), LOOK_ALIKE)
def test_what_is_and_what_should_be_never_read_alike(
    got: Any, expected: Any, sentence: str
) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect.equal(got, expected, "it")
    told = str(caught.value)
    assert sentence in told
    wanted, _, found = told.partition("should be ")[2].partition(", but is ")
    assert wanted != found.removesuffix(".")


def test_numbers_are_taken_from_lists_and_arrays() -> None:
    for numbers in ([1.0, 2.0], torch.ones(2).numpy(), [torch.tensor(1.0)]):
        assert isinstance(expect.as_tensor(numbers), torch.Tensor)
    for other in ("ab", None, [[1], [1, 2]], object()):
        assert expect.as_tensor(other) is other


def test_a_forbidden_call_is_seen_wherever_it_is_made() -> None:
    def ready_made(x: torch.Tensor) -> torch.Tensor:
        return x

    def hidden(x: torch.Tensor) -> torch.Tensor:
        return ready_made(x)

    x = torch.ones(2)
    for call in (torch.softmax, torch.nn.functional.log_softmax):
        with pytest.raises(CheckFailed, match="Yourself"), without("Yourself", SOFTMAX):
            call(x, dim=0)
    with (
        pytest.raises(CheckFailed, match="Yourself"),
        without("Yourself", named={"ready_made"}),
    ):
        hidden(x)
    with without("Yourself", SOFTMAX, {"ready_made"}):
        x.exp()
    with pytest.raises(RuntimeError), without("Yourself", named={"ready_made"}):
        ready_made(x).view(3)
    assert sys.getprofile() is None


UNEQUAL: list[tuple[Any, Any, expect.Slips, str]] = [
    ("a", "b", {}, "it should be 'b', but is 'a'."),
    ([1], [1, 2], {"One is missing.": [1]}, "One is missing."),
    (torch.tensor([2]), [1], {"Two!": [2]}, "Two!"),
    (3, 4, {"Odd.": lambda got: got % 2}, "Odd."),
    (3, 4, {"Never.": lambda got: got["no"]}, "it should be 4, but is 3."),
    (3, 4, {"Two.": 2, "One or three.": expect.AnyOf(1, 3)}, "One or three."),
    (5, 4, {"One or odd.": expect.AnyOf(1, lambda got: got % 2)}, "One or odd."),
]


@pytest.mark.parametrize(("got", "expected", "slips", "sentence"), UNEQUAL)
def test_values_that_differ(
    got: Any, expected: Any, slips: expect.Slips, sentence: str
) -> None:
    with pytest.raises(CheckFailed) as caught:
        expect.equal(got, expected, "it", slips)
    assert str(caught.value) == sentence


def test_shapes_and_kinds_that_differ() -> None:
    x = torch.ones(2, 3)
    expect.shape(x, [2, 3], "x")
    with pytest.raises(CheckFailed, match=r"x should have the shape \(3, 2\), but has"):
        expect.shape(x, (3, 2), "x")
    with pytest.raises(CheckFailed, match="Transpose it"):
        expect.shape(x, (3, 2), "x", {"Transpose it.": (2, 3)})
    with pytest.raises(CheckFailed, match=r"x should be a tensor, but is \[1, 2\]"):
        expect.tensor([1, 2], "x")
    with pytest.raises(CheckFailed, match=r"torch\.bool, but has torch.float32"):
        expect.tensor(x, "x", torch.bool)
    expect.tensor(x, "x", torch.float32)


BRIEF: list[tuple[Any, str]] = [
    (0.123456, "0.1235"),
    (-0.00001, "0"),
    (12345678.0, "1.235e+07"),
    (torch.tensor([1.0, 2.5]), "[1, 2.5]"),
    (torch.ones(20), "a tensor of shape (20,)"),
    ((1,), "(1,)"),
    ([True, None], "[True, None]"),
    ("x" * 500, "'" + "x" * 118 + "…"),
]


@pytest.mark.parametrize(("value", "text"), BRIEF)
def test_values_are_written_in_a_few_words(value: Any, text: str) -> None:
    assert brief(value) == text


CELL = """
from lib.checks import expect
from lib.checks.core import exercise

@exercise("0.9", praise="Good.")
def one(answer):
    expect.close(answer(), 1.0, "one()")

one(lambda: {answer})
"""
SENTENCE = "Exercise 0.9: one() should be 1, but is 2."


def test_ipython_shows_one_sentence_and_no_traceback() -> None:
    shell = InteractiveShell()
    with capture_output() as captured:
        result = shell.run_cell(CELL.format(answer="2.0"))
    assert isinstance(result.error_in_exec, CheckFailed)
    assert captured.stdout.strip() == SENTENCE
    assert captured.stderr == ""


def test_a_notebook_shows_one_sentence_and_no_traceback() -> None:
    codes = [CELL.format(answer=a) for a in ("2.0", "1.0", "...", "1 / 0")]
    cells = [nbformat.v4.new_code_cell(code) for code in codes]
    notebook = nbformat.v4.new_notebook(cells=cells)
    options = {"allow_errors": True, "coalesce_streams": True}
    NotebookClient(notebook, kernel_name="python3", **options).execute()
    wrong, right, stub, broken = (cell.outputs[0] for cell in notebook.cells)
    assert wrong.output_type == "error"
    assert wrong.traceback == [SENTENCE]
    assert (wrong.ename, wrong.evalue) == ("CheckFailed", SENTENCE)
    assert right.text == "Exercise 0.9: right. Good.\n"
    assert stub.text == TODO.replace("0.1", "0.9")
    assert len(broken.traceback) == 1
    assert "ZeroDivisionError" in broken.traceback[0]
    assert "Traceback" not in str(notebook)


def test_check_failed_is_an_assertion_error_and_exported() -> None:
    assert issubclass(CheckFailed, AssertionError)
    assert checks.CheckFailed is CheckFailed
