"""A pytest plugin for the run of the chapters: their exercises are solved as well.

Where the last cell of a chapter has run, each of its solutions runs too, in the same
kernel and in strict mode, so that one its own check refuses is a failure. A chapter
is executed once for both.
"""

from collections import defaultdict

import pytest
from nbformat.v4 import new_code_cell
from nbval.plugin import IPyNbCell, IPyNbFile


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the solutions of each chapter behind its last cell."""
    last: dict[IPyNbFile, int] = {
        item.parent: index
        for index, item in enumerate(items)
        if isinstance(item, IPyNbCell)
    }
    for chapter, index in sorted(last.items(), key=lambda pair: -pair[1]):
        items[index + 1 : index + 1] = solved(chapter)


def solved(chapter: IPyNbFile) -> list[IPyNbCell]:
    """One item for each exercise of a chapter: its solution, and its check's call."""
    from book.tools.course.exercises import (
        exercises,  # on the path once pytest has been set up
    )

    return [
        IPyNbCell.from_parent(
            chapter,
            name=f"Solution {one.number}",
            cell_num=len(chapter.nb.cells) + count,
            cell=new_code_cell(
                f"import lib.exercises\nlib.exercises.strict()\n\n{one.solved}"
            ),
            options=defaultdict(bool),  # nothing is stored to compare with
        )
        for count, one in enumerate(exercises(chapter.nb))
    ]
