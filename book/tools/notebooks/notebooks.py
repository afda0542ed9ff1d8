"""Run the book's notebooks and keep their files in one form.

    -m book.tools.notebooks.notebooks [paths]      run, store the outputs

Without paths, every notebook in `book/` is taken.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from book.tools.notebooks.files import notebooks, read
from book.tools.notebooks.normal_form import departures, serialize, to_normal_form
from book.tools.notebooks.setup_cell import put_setup_cell
from book.tools.project.address import Address, read_address
from book.tools.site.captions import number_chapters
from book.tools.site.page_links import put_page_links
from book.tools.site.pictures import put_alt_texts

TIMEOUT = 600  # seconds for one cell
# The last digits of a sum depend on how it is divided among threads.
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
ONE_THREAD = dict.fromkeys(THREADS, "1")


def stored_form(notebook: NotebookNode, name: str, address: Address) -> str:
    """The text of a notebook's file, in its normal form.

    With what is never written by hand: the setup cell, links, alt texts.
    """
    put_setup_cell(notebook, address)
    put_page_links(notebook, name, address)
    put_alt_texts(notebook)
    to_normal_form(notebook)
    return serialize(notebook)


def store(notebook: NotebookNode, path: Path, address: Address) -> None:
    """Write one notebook, with the same line ends everywhere."""
    text = stored_form(notebook, path.stem, address)
    path.write_text(text, encoding="utf-8", newline="\n")


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run a notebook from top to bottom in a fresh kernel that starts in `folder`."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    os.environ |= ONE_THREAD
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--log-level=ERROR"],
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,  # else it depends on the clock where an output is cut
    )
    client.execute()


def format_code(path: Path) -> None:
    """Lay out the code of a notebook and its imports as in the rest of the project."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--fix-only", "--select=I"], ["format"]):
        subprocess.run([*ruff, *command, "--quiet", str(path)], check=True)


def run(path: Path, address: Address) -> list[str]:
    """Run one notebook and store it; what stands in the way comes back as sentences."""
    store(read(path), path, address)
    format_code(path)
    notebook = read(path)
    try:
        execute(notebook, path.parent.resolve())
    except CellExecutionError as error:
        return [f"a cell failed, outputs not stored:\n{error}"]
    store(notebook, path, address)
    return list(departures(notebook))


def check(path: Path, address: Address) -> list[str]:
    """Say what departs from the form in which this notebook should be stored."""
    notebook = read(path)
    found = list(departures(notebook))
    if stored_form(notebook, path.stem, address) != path.read_text(encoding="utf-8"):
        found.append(
            "the file is not in its normal form, or its setup cell, a link or an alt "
            "text is old: run `make address`"
        )
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run and store the notebooks; 1 if anything is left to say."""
    parser = argparse.ArgumentParser(description="Run the notebooks and store them.")
    parser.add_argument("paths", nargs="*", type=Path, help="all without")
    paths = parser.parse_args(arguments).paths or notebooks()
    # An appendix numbers nothing.
    number_chapters(path for path in paths if path.name[0].isdigit())
    address, failed = read_address(), False
    for path in paths:
        print(f"{path.name}: running", flush=True)
        for sentence in run(path, address):
            failed = True
            print(f"{path.name}: {sentence}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
