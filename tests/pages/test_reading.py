"""A tired reader gets to the end: how much a page has, and what it promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.tools.notebooks.reading import amounts, chapters, stated

LONGER = {"13_decoding": 2400, "15_real_sentences": 2800}
ALL = [pytest.param(path, id=path.stem) for path in chapters() if stated(path)]


@pytest.mark.parametrize("path", ALL)
def test_the_main_line_is_a_quarter_of_an_hour(path: Path) -> None:
    found = amounts(path)
    assert found["opening"].words <= 300
    assert found["main"].words <= LONGER.get(path.stem, 2000)
    assert found["main"].lines <= 60
    assert found["rest"].words <= 1200


@pytest.mark.parametrize("path", ALL)
def test_the_top_tells_the_minutes(path: Path) -> None:
    found = amounts(path)
    assert stated(path) == (found["main"].minutes, found["rest"].minutes)
