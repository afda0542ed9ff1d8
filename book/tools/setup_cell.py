"""The setup cell, which is the same in every chapter.

In a checkout of the book it puts the checkout on Python's path and prints nothing.
Where the notebook stands alone (Colab), it installs `lib` from the project's address,
with pip and the ranges of pyproject.toml, so that what is installed already stays.
"""

from address import Address
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

TITLE = "# @title Setup: run this cell first"

# The work is done inside a function, so that the cell leaves no import behind which a
# chapter could come to lean on.
_TEMPLATE = '''\
{title}
_ARCHIVE = "{archive}"


def _set_up() -> None:
    """In a checkout of the book, find `lib`; anywhere else (Colab), install it."""
    import importlib.util
    import subprocess
    import sys
    from pathlib import Path

    for folder in [Path.cwd(), *Path.cwd().parents]:
        if (folder / "lib" / "attention.py").is_file():
            sys.path.insert(0, str(folder))
            return
    found = importlib.util.find_spec("lib")
    if found and Path(str(found.origin)).with_name("attention.py").is_file():
        print("Setup: the book's module, lib, is installed already.")
        return
    print("Setup: this takes up to a minute, once. It installs the book's module, lib,")
    print("and what lib needs that is not here. What is here already stays as it is.")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", _ARCHIVE]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["nothing"]
        last = next((line for line in reversed(said) if "ERROR" in line), said[-1])
        why = "check that this computer is online, then run this cell again"
        if "404" in done.stderr:
            why = "there is no such file: open the notebook from the book's page again"
        raise SystemExit(
            f"Setup could not install {{_ARCHIVE}}: {{why}}. pip's last line: {{last}}"
        )
    importlib.invalidate_caches()
    print("Setup: done.")


_set_up()
'''


def setup_source(address: Address) -> str:
    """The text of the setup cell for a project at this address."""
    return _TEMPLATE.format(title=TITLE, archive=address.archive).rstrip("\n")


def setup_cell(address: Address) -> NotebookNode:
    """The setup cell: folded in Colab (`cellView`) and on the page (`hide-cell`)."""
    cell: NotebookNode = new_code_cell(
        source=setup_source(address),
        metadata={
            "cellView": "form",
            "mystnb": {"code_prompt_show": "Show the setup cell"},
            "tags": ["setup", "hide-cell", "nbval-ignore-output"],
        },
    )
    return cell


def is_setup_cell(cell: NotebookNode) -> bool:
    """Whether a cell is the setup cell, of this or of an earlier make."""
    return "setup" in cell.metadata.get("tags", [])


def put_setup_cell(notebook: NotebookNode, address: Address) -> None:
    """Make the setup cell the second cell, replacing the one that is there."""
    cells = [cell for cell in notebook.cells if not is_setup_cell(cell)]
    old = [cell for cell in notebook.cells if is_setup_cell(cell)]
    fresh = setup_cell(address)
    if old:  # its number among the cells stays: it prints nothing that is stored
        fresh.execution_count = old[0].execution_count
    notebook.cells = [*cells[:1], fresh, *cells[1:]]
