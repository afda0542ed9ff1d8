"""The setup cell, which stands in every chapter and differs only in what it needs.

In a checkout of the book it puts the checkout on Python's path and prints nothing.
Where the notebook stands alone (Colab), it installs `lib` from the project's address,
and of the packages that `lib` can use those that this chapter leads to, with pip and
the ranges of pyproject.toml, so that what is installed already stays.
"""

from collections.abc import Sequence

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from book.tools.notebooks.needs import needs
from book.tools.project.address import Address

TITLE = "# @title Setup: run this cell first"

# The work is done inside functions, so that the cell leaves no import behind which a
# chapter could come to lean on.
_TEMPLATE = '''\
{title}
_ARCHIVE = "{archive}"
_NEEDS = [
{needs}
]


def _is_here(need: str) -> bool:
    """Whether a package is installed in a version that fits."""
    from importlib import metadata

    from packaging.requirements import Requirement

    wanted = Requirement(need)
    try:
        version = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return False
    return wanted.specifier.contains(version, prereleases=True)


def _lib_is_here() -> bool:
    """Whether `lib` is installed, and is the book's."""
    import importlib.util
    from pathlib import Path

    lib = importlib.util.find_spec("lib")
    return bool(lib and Path(str(lib.origin)).with_name("attention.py").is_file())


def _is_online() -> bool:
    """Whether the index of packages answers."""
    from urllib.request import urlopen

    try:
        urlopen("https://pypi.org/simple/pip/", timeout=10).close()
    except OSError:
        return False
    return True


def _why(said: str) -> str:
    """What to do after pip has said this."""
    if "HTTP error 40" in said:
        return "there is no such file: open the notebook from the book's page again"
    if "onnection" not in said:
        return "what came cannot be installed"
    if _is_online():
        return "the network works, but nobody answers at this address"
    return "check that this computer is online, then run this cell again"


def _install(what: str, *words: str) -> None:
    """Let pip install something; where it fails, say why in one sentence."""
    import subprocess
    import sys

    pip = [sys.executable, "-m", "pip", "install", "--quiet", *words]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["nothing"]
        errors = [line for line in said if "ERROR" in line and "Exception:" not in line]
        last = (errors or said)[-1]
        raise SystemExit(
            f"Setup could not install {{what}}: {{_why(done.stderr)}}. "
            f"pip's last line: {{last}}"
        )


def _set_up() -> None:
    """In a checkout of the book, find `lib`; anywhere else (Colab), install it."""
    import importlib
    import sys
    from pathlib import Path

    for folder in [Path.cwd(), *Path.cwd().parents]:
        if (folder / "lib" / "attention.py").is_file():
            sys.path.insert(0, str(folder))
            return
    missing = [need for need in _NEEDS if not _is_here(need)]
    if _lib_is_here() and not missing:
        print("Setup: lib and all that this chapter needs are installed already.")
        return
    what = " and ".join(["lib"] * (not _lib_is_here()) + missing)
    time = "some minutes" if "torch" in what else "up to a minute"
    print(f"Setup: this takes {{time}}, once. It installs what this chapter needs and")
    print(f"is not here: {{what}}. What is here stays as it is.")
    if missing:
        _install("what this chapter needs", *missing)
    if not _lib_is_here():
        by = ["--no-build-isolation"] if _is_here("setuptools>=70.1") else []
        _install(_ARCHIVE, "--no-deps", *by, _ARCHIVE)
    importlib.invalidate_caches()
    print(f"Setup: done. Installed: {{what}}.")


_set_up()
'''


def setup_source(address: Address, wanted: Sequence[str]) -> str:
    """The text of the setup cell for a project at this address, and what it installs.

    Args:
        address: where `lib` comes from.
        wanted: the requirements beside it.
    """
    lines = "\n".join(f'    "{one}",' for one in wanted)
    text = _TEMPLATE.format(title=TITLE, archive=address.archive, needs=lines)
    return text.rstrip("\n")


def setup_cell(address: Address, wanted: Sequence[str]) -> NotebookNode:
    """The setup cell: folded in Colab (`cellView`) and on the page (`hide-cell`)."""
    cell: NotebookNode = new_code_cell(
        source=setup_source(address, wanted),
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
    fresh = setup_cell(address, needs(notebook))
    if old:  # its number among the cells stays: it prints nothing that is stored
        fresh.execution_count = old[0].execution_count
    notebook.cells = [*cells[:1], fresh, *cells[1:]]
