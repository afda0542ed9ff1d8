"""How an answer is tried: on which inputs, and what of it is compared.

Nothing here knows what is right. Where a course is graded, a student's code shares its
process with this half of a record alone.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from typing import Any

import torch

from lib.exercises.calls import Without
from lib.exercises.cases import Case, Cases, Draw
from lib.exercises.guard import Guarded, answered, unwrap
from lib.exercises.outcome import OtherForm, Outcome, outcome_of

__all__ = ["Trial"]


@dataclass
class Trial:
    """What an answer is tried on, and how; `exercise` tells what each part means."""

    inputs: Callable[[Draw], Cases]
    _: KW_ONLY
    read: Callable[[Any], Any] | None = None
    form: tuple[str, Callable[[Any], object]] | None = None
    without: Without | None = None

    def __post_init__(self) -> None:
        self.chapter = self.inputs.__module__.rpartition(".")[2]
        self.name = self.inputs.__name__

    @property
    def key(self) -> str:
        """The name of its chapter and its own: what stays when chapters move."""
        return f"{self.chapter}.{self.name}"

    def cases(self, seed: int | str = 0) -> list[Case]:
        """What an answer is tried on; what is drawn is drawn from the seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            return list(self.inputs(Draw(seed)))

    @property
    def draws_inputs(self) -> bool:
        """Whether something in its cases depends on the seed."""
        draw = Draw(0)
        before = draw.getstate()
        with torch.random.fork_rng(devices=[]):
            list(self.inputs(draw))
        return draw.getstate() != before

    def tried(self, answer: Any, cases: Sequence[Case]) -> Iterator[Outcome]:
        """What an answer gives, case by case.

        Raises:
            CheckFailed: if it calls what it may not call.
            NotAnswered: if it is a stub.
        """
        answered(answer)
        watch = self.without.watch if self.without else nullcontext
        for one in cases:
            with watch():
                found = self.outcome(answer, one)
            yield found

    def outcome(self, answer: Any, case: Case) -> Outcome:
        """What an answer gives; of a graded one, this is sent to where it is judged.

        Raises:
            NotAnswered: if it is a stub.
        """
        torch.manual_seed(0)
        return outcome_of(lambda: self._value(answer, case))

    def _value(self, answer: Any, case: Case) -> Any:
        if callable(answer):
            tried = Guarded(answer, formed=self._formed)
        else:
            tried = self._formed(answer)
        if case.use:
            tried = case.use(tried, *case.args)
        elif case.args or callable(tried):
            tried = tried(*case.args)
        value = unwrap(tried)
        return self.read(value) if self.read else value

    def _formed(self, value: Any) -> Any:
        if self.form and not self.form[1](value):
            raise OtherForm(value)
        return value
