"""The setup cell: the second cell of every chapter, the same in all of them.

In a checkout, where `make setup` has installed `lib` and all that it needs, it does
nothing. Where the notebook stands alone (Colab), pip installs them from the archive of
the project's tag; what is there and fits the ranges of pyproject.toml stays.
"""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from book.tools.project.address import Address

# Modules are looked for, not imported: a torch that is broken says so itself later on.
# Any folder may be called lib; one without Python code has no origin.
_TEMPLATE = """\
# @title Setup: run this cell first (where it has to install lib, it takes a minute)
from importlib.util import find_spec

if not all(getattr(find_spec(name), "origin", None) for name in ("lib", "bertviz")):
    import subprocess
    import sys

    book = "transformer-piece-by-piece[chapters] @ {archive}"
    subprocess.check_call([sys.executable, "-m", "pip", "install", "--quiet", book])\
"""


def setup_source(archive: str) -> str:
    """The text of the setup cell that installs lib from the archive at an address."""
    return _TEMPLATE.format(archive=archive)


def setup_cell(address: Address) -> NotebookNode:
    """The setup cell, folded in Colab (`cellView`) and on the page (`hide-cell`)."""
    cell: NotebookNode = new_code_cell(
        source=setup_source(address.archive),
        metadata={
            "cellView": "form",
            "mystnb": {"code_prompt_show": "Show the setup cell"},
            "tags": ["setup", "hide-cell"],
        },
    )
    return cell


def put_setup_cell(notebook: NotebookNode, address: Address) -> None:
    """Make the setup cell the second cell, in the place of the one that is there."""
    fresh = setup_cell(address)
    title, *cells = notebook.cells
    if cells and "setup" in cells[0].metadata.get("tags", []):
        # Its number among the cells stays: it prints nothing that is stored.
        fresh.execution_count = cells.pop(0).execution_count
    notebook.cells = [title, fresh, *cells]
