"""An exercise in one place: its inputs, what is right, and the slips that are known.

An answer is missing (a printed hint, no error), right (a printed praise) or wrong
(`CheckFailed`, which Jupyter shows as one sentence). Where answers are graded, `strict`
lets a missing one fail too.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from lib.exercises.calls import Without
from lib.exercises.cases import Case, Cases, Draw, Parts, case, drawn_by
from lib.exercises.compare import difference
from lib.exercises.guard import CheckFailed, NotAnswered, brief, that
from lib.exercises.outcome import Outcome
from lib.exercises.slips import told
from lib.exercises.trial import Trial

__all__ = [
    "CHAPTERS",
    "Cases",
    "Draw",
    "Exercise",
    "Parts",
    "Without",
    "case",
    "exercise",
    "exercises",
    "strict",
    "that",
]

CHAPTERS = (
    "words",
    "positions",
    "attention",
    "masks",
    "smallest",
    "heads",
    "layers",
    "encoder_decoder",
    "transformer",
    "first_translator",
    "corpus",
    "training",
    "decoding",
    "inside",
    "microscope",
    "real_sentences",
    "speed",
    "families",
    "since_2017",
    "pretrained",
    "adapting",
)
"""The chapters in their order: an exercise's number is counted from it."""

_is_strict = False


def strict(on: bool = True) -> None:
    """Let the checks grade: a missing answer fails, and a right one returns True.

    Without it a cell with a stub raises nothing, which a grader takes for right.
    """
    global _is_strict
    _is_strict = on


@dataclass(kw_only=True)
class Exercise(Trial):
    """The record of an exercise, and its check: call it with an answer.

    `exercise` makes one, of a right answer.
    """

    right: Any
    praise: str
    atol: float = 1e-4
    slips: dict[str, list[Any]] = field(default_factory=dict)
    """Sentences that name a slip, each with the wrong answers that make it."""

    @property
    def answer(self) -> Any:
        """The right answer as it is written, of which slips are rewrites."""
        return self.right

    @property
    def number(self) -> str:
        """The chapter's number and that of the exercise in it."""
        place = CHAPTERS.index(self.chapter) + 1 if self.chapter in CHAPTERS else 0
        there = exercises(sys.modules[self.inputs.__module__])
        names = [*(one.name for one in there), self.name]
        return f"{place}.{names.index(self.name) + 1}"

    def expected(self, case: Case) -> Outcome:
        """What a right answer gives; no answer is needed to know it."""
        return self.outcome(self.right, case)

    def expect_right(self, tried: Iterator[Outcome], cases: Sequence[Case]) -> None:
        """Demand that an answer is right for all cases.

        Args:
            tried: what the answer gives for them, one after the other.
            cases: what it is tried on.

        Raises:
            CheckFailed: if it is not, with the sentence of the slip that it equals.
            NotAnswered: if it is a stub.
        """
        with torch.random.fork_rng(devices=[]):
            for place, one in enumerate(cases):
                right = self.expected(one)  # before the answer can change anything
                found = next(tried)
                first = found.differs_at(right, self.atol)
                if first is not None:
                    raise self._told(found, first, cases[: place + 1])

    def __call__(self, answer: Any) -> bool | None:
        """Check an answer, and print or raise the sentence that says how it is."""
        try:
            cases = self.cases()
            self.expect_right(self.tried(answer, cases), cases)
        except NotAnswered as missing:
            sentence = f"Exercise {self.number}: not answered yet. {missing}"
            if _is_strict:
                raise CheckFailed(sentence) from missing.__cause__
            print(sentence)
            return None
        except CheckFailed as failure:
            # The cause stays for those who test a check; Jupyter does not show it.
            sentence = f"Exercise {self.number}: {failure}"
            raise CheckFailed(sentence) from failure.__cause__
        print(f"Exercise {self.number}: right. {self.praise}")
        return True if _is_strict else None

    def _told(self, found: Outcome, first: str, cases: Sequence[Case]) -> CheckFailed:
        """What is said of an outcome that is wrong for the last of these cases."""
        what = first or cases[-1].name(self.name, self.right)
        rights = [self.expected(one) for one in cases]
        sentence = self._slip(found, first, cases, rights)
        if sentence:
            return CheckFailed(sentence.replace("{what}", what))
        if found.error:
            return found.error
        if self.form and not found.has_form:
            form = self.form[0]
            return CheckFailed(f"{what} should be {form}, but is {brief(found.value)}.")
        parts = found.part(first), rights[-1].part(first)
        return CheckFailed(difference(*parts, what, self.atol))

    def _slip(
        self, found: Outcome, first: str, cases: Sequence[Case], rights: list[Outcome]
    ) -> str | None:
        """The sentence of the slip that is right and wrong where the answer is."""
        best, told = 0, None
        for sentence, functions in self.slips.items():
            for function in functions:
                outcomes = [self.outcome(function, one) for one in cases]
                pairs = zip(outcomes, rights, strict=True)
                places = [one.differs_at(right, self.atol) for one, right in pairs]
                if places != [*[None] * (len(cases) - 1), first]:
                    continue
                like = found.likeness(outcomes[-1], first, rights[-1], self.atol)
                if like > best:
                    best, told = like, sentence
        return told


def exercise(
    cases: Callable[[Draw], Iterable[Any]],
    name: str = "",
    *,
    read: Callable[[Any], Any] | None = None,
    form: tuple[str, Callable[[Any], object]] | None = None,
    without: Without | None = None,
    atol: float = 1e-4,
) -> Callable[[Callable[..., Any]], Exercise]:
    """Turn a right answer into the record and check of an exercise.

    The answer is called for one case after the other. Where it first gives something
    else than the right one, the slips of the chapter's Markdown file are tried on the
    same cases; the sentence of the one that is right as long and then wrong in the same
    way is said. Next best is one that is wrong in the same shape, has NaN, too, or
    raises the same kind of error. Nothing speaks against an answer that is right.

    A function without parameters gives the value that an exercise asks for.

    Args:
        cases: what the answer is called with, tuples of arguments or what `case` makes.
        name: of the exercise, where the right answer is `lib`'s or PyTorch's own.
        read: what is compared: it is given what the answer gives back. Where many
            answers are right, it makes the same of all of them.
        form: what an answer should give back, in words, and a test of it, which comes
            before `read`; `lib.exercises.forms` has the common ones.
        without: what the answer may not call.
        atol: how far fractional numbers may be off.

    Example:
        >>> from lib.exercises.masks import window_mask
        >>> window_mask(lambda length, width: ...)
        Exercise 4.1: not answered yet. Replace the … and run the cell again.
        >>> from lib.masks import causal_mask
        >>> window_mask(lambda length, width: causal_mask(length))
        Traceback (most recent call last):
            ...
        lib.exercises.guard.CheckFailed: Exercise 4.1: The whole past is open here: \
cut off what lies too far.
    """

    def record(answer: Any) -> Exercise:
        module = cases.__module__ if name else answer.__module__
        inputs = drawn_by(cases, name or answer.__name__, module)
        praise, slips = told(answer, inputs.__name__, module)
        return Exercise(
            inputs,
            right=answer,
            praise=praise,
            slips=slips,
            read=read,
            form=form,
            without=without,
            atol=atol,
        )

    return record


def exercises(module: Any) -> list[Exercise]:
    """The exercises of a chapter's module, in their order."""
    return [part for part in vars(module).values() if isinstance(part, Exercise)]
