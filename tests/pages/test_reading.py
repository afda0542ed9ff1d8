"""A tired reader gets to the end: how much a page has, and what it promises."""

from __future__ import annotations

import re
from pathlib import Path

from book.tools.notebooks.reading import amounts, stated
from tests.book_sources import each_chapter, read

LISTS_FIRST = {"20_pretrained"}  # its opening tells the mistakes that can be made


@each_chapter
def test_the_main_line_is_a_quarter_of_an_hour(path: Path) -> None:
    found = amounts(path)
    assert found["opening"].words <= 300
    assert found["main"].words <= 2200
    assert found["main"].lines <= 60
    assert found["rest"].words <= 1200


@each_chapter
def test_something_answers_to_the_finger_in_the_first_minute(path: Path) -> None:
    """Few words stand above the first figure that answers."""
    cells = read(path).cells
    tags = [cell.metadata.get("tags", []) for cell in cells]
    figures = [number for number, each in enumerate(tags) if "interactive" in each]
    assert figures, "no figure of this chapter answers"
    above = [c.source for c in cells[: figures[0]] if c.cell_type == "markdown"]
    seen = re.sub(r"<details>.*?</details>", "", "".join(above), flags=re.DOTALL)
    assert len(seen.split()) <= 250 + 150 * (path.stem in LISTS_FIRST)


@each_chapter
def test_the_top_tells_the_minutes(path: Path) -> None:
    found = amounts(path)
    assert stated(path) == (found["main"].minutes, found["rest"].minutes)


@each_chapter
def test_the_summary_has_at_most_seven_sentences(path: Path) -> None:
    (text,) = (c.source for c in read(path).cells if "## Summary" in c.source)
    text = text.partition("## Summary")[2].partition("## Further")[0]
    text = re.sub(r"\$[^$]*\$|`[^`]*`", "it", text)
    assert len(re.findall(r"[.!?](?=\s|$)", text)) <= 7
