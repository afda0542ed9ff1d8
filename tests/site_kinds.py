"""One page of each kind; `make exhaustive` looks at all the others too."""

import re
from collections.abc import Iterable

import pytest
from _pytest.mark.structures import ParameterSet

# A chapter with figures that answer, one with attention views, and a page for teachers:
# the rest of the pages are each the only one of their kind, or a second of these. (The
# reference takes as long as four of them, and is written by the build.)
CHOSEN = ("03_attention", "14_inside", "course/03_attention", "self_test_1")
REPEATED = re.compile(r"book/(?:\d\d_|self_test_|own_pairs|course/|reference)")


def one_of_each_kind(pages: Iterable[str]) -> list[ParameterSet]:
    """The pages as parameters of a test, those marked that a kind has twice."""
    chosen = {f"book/{name}.html" for name in CHOSEN}
    return [
        pytest.param(
            page,
            marks=[pytest.mark.exhaustive]
            if REPEATED.match(page) and page not in chosen
            else [],
        )
        for page in pages
    ]
