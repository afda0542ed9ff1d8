"""What an answer gave for a case, and how two such outcomes compare."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lib.exercises.cases import Parts
from lib.exercises.compare import same, wrong_alike
from lib.exercises.guard import CheckFailed, NotAnswered, reason

__all__ = ["OtherForm", "Outcome", "outcome_of"]


class OtherForm(Exception):  # noqa: N818 - it names what happened
    """Raised where an answer gives back something of another form."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


@dataclass
class Outcome:
    """A value, or the sentence of what went wrong; both can be sent and compared."""

    value: Any = None
    error: CheckFailed | None = None
    has_form: bool = True

    def parts(self) -> dict[str, Any]:
        """The parts of the value under their names, or the whole under ""."""
        return self.value if isinstance(self.value, Parts) else {"": self.value}

    def part(self, key: str) -> Any:
        """One of them; None if it is not there."""
        return self.parts().get(key)

    def differs_at(self, right: "Outcome", atol: float) -> str | None:
        """The key of the first part that is wrong ("" for the whole), or None."""
        if right.error:
            raise right.error
        if self.error or not self.has_form:
            return ""
        for key, wanted in right.parts().items():
            if not same(self.part(key), wanted, atol):
                return key
        return None

    def likeness(self, slip: "Outcome", key: str, right: "Outcome", atol: float) -> int:
        """How like a slip's it is.

        2: the part is just as wrong, or the error of the same kind; 1: the part has the
        same wrong shape, or NaN as well; 0: they differ.
        """
        if self.error or slip.error:
            causes = [one.error and one.error.__cause__ for one in (self, slip)]
            kinds = {type(cause).__name__ for cause in causes}  # a name can be sent
            return 2 if None not in causes and len(kinds) == 1 else 0
        one, other = self.part(key), slip.part(key)
        if self.has_form == slip.has_form and same(one, other, atol):
            return 2
        return int(self.has_form and wrong_alike(one, other, right.part(key)))


def outcome_of(make: Callable[[], Any]) -> Outcome:
    """The value that this makes, or the sentence of what went wrong.

    Raises:
        NotAnswered: if it meets what a stub leaves.
    """
    try:
        return Outcome(make())
    except NotAnswered:
        raise
    except OtherForm as found:
        return Outcome(found.value, has_form=False)
    except CheckFailed as failure:
        return Outcome(error=failure)
    except Exception as error:
        unread = CheckFailed(
            f"the answer could not be read ({reason(error)}); "
            "compare what it gives back with what the task asks for."
        )
        unread.__cause__ = error
        return Outcome(error=unread)
