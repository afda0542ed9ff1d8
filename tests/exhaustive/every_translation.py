"""The page's translator writes what lib writes: a thousand sentences, token for token.

Minutes on one core, so not part of `make test`; continuous integration runs it with
`make test ARGS=tests/exhaustive/every_translation.py`.
"""

import pytest

from tests.interactive.test_interactive_model import (
    compare_translations,
    ordinary_sentences,
)


@pytest.mark.parametrize("beam", [4, 0])
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_translations_are_those_of_lib(part: int, beam: int) -> None:
    sentences = ordinary_sentences(1000)
    assert len(sentences) == 1000
    compare_translations(sentences[part::4], beam)
