"""Slips as text: a line that makes no wrong answer is told with its number."""

from pathlib import Path

import pytest

from lib.exercises import slips
from lib.masks import causal_mask
from tests.refusals import refuses


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  `.tril()` → `.triu()`", ""),
        ("  = `torch.ones(length, length)`", ""),
        ("  `trill` → `triu`", "'trill' stands 0 times in causal_mask"),
        ("  `length` → `4`", "times in causal_mask; a piece that is replaced stands"),
        ("  `.tril(` → nothing", "line 6: unmatched"),
        ("  = `length +`", "line 6: invalid syntax"),
        ("  `tril` -> `triu`", "is neither `a piece` → `another` nor"),
        ("  tril", "is neither `a piece` → `another` nor"),
    ],
)
def test_a_line_that_makes_no_wrong_answer_is_named(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["# Slips", "## causal", "Well", "done.", "- It looks ahead.", line]
    (tmp_path / "own.md").write_text("\n".join([*lines, "## next", "- No."]), "utf-8")
    monkeypatch.setattr(slips, "__file__", str(tmp_path / "slips.py"))
    if message:
        error = refuses(lambda: slips.told(causal_mask, "causal", "a.own"))
        assert error.startswith("own.md, line 6: ")
        assert message in error
        return
    praise, found = slips.told(causal_mask, "causal", "a.own")
    assert praise == "Well done."
    assert [*found] == ["It looks ahead."]
    refuses(lambda: slips.told(causal_mask, "mask", "a.own"), "own.md has no heading")
