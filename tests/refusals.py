"""What is refused gets one sentence: from a function, and on the command line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lib.__main__ import main

Call = Callable[[], object]
Kinds = type[Exception] | tuple[type[Exception], ...]


def refuses(
    call: Call, words: str | None = None, kind: Kinds = (TypeError, ValueError)
) -> str:
    """Demand one sentence that has these words, and return it."""
    with pytest.raises(kind, match=words) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    return message


def each_refusal(*cases: tuple[Call, str]) -> pytest.MarkDecorator:
    """One test for each call that must be refused, with words of what is said."""
    return pytest.mark.parametrize(
        ("call", "words"), cases, ids=[words for _, words in cases]
    )


def refused_command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Demand exit code 2 and one sentence on standard error, and return it."""
    capsys.readouterr()
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err.strip().splitlines()[-1]
