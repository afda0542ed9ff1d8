"""The programs of the gallery run when they are copied out, each by itself."""

from __future__ import annotations

import re

import pytest

from book.tools.project.address import ROOT
from book.tools.site.snippets import snippet

TEXT = (ROOT / "book" / "mistakes.md").read_text(encoding="utf-8")
NUMBERS = [int(number) for number in re.findall(r"^\(mistake-(\d+)\)=", TEXT, re.M)]


def test_the_mistakes_are_numbered_in_order() -> None:
    assert list(range(1, 28)) == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_runs_alone(number: int, capsys: pytest.CaptureFixture) -> None:
    program = snippet(number)
    assert "from tests" not in program
    exec(compile(program, f"mistake {number}", "exec"), {"__name__": "copied"})
    assert "caught in the wrong code" in capsys.readouterr().out


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_holds_what_the_page_shows(number: int) -> None:
    sections = re.split(r"^\(mistake-\d+\)=\n", TEXT, flags=re.MULTILINE)
    shown = re.findall(r":pyobject: (\w+)", sections[number])
    program = snippet(number)
    assert shown
    assert [
        name for name in shown if not re.search(rf"(def|class) {name}\b", program)
    ] == []


def test_a_mistake_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no test_pitfall_99"):
        snippet(99)
