"""The translator of the page writes a thousand sentences as lib does."""

import pytest

from tests.interactive.test_interactive_model import (
    compare_translations,
    sentences_of_all_kinds,
)


@pytest.mark.parametrize("beam", [4, 0])
@pytest.mark.parametrize("part", range(4))
def test_a_thousand_translations_are_those_of_lib(part: int, beam: int) -> None:
    sentences = sentences_of_all_kinds(1000)
    assert len(sentences) == 1000
    compare_translations(sentences[part::4], beam)
