"""The book's notebooks: where they are, and how one is read."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book.tools.project.address import ROOT


def chapters() -> list[Path]:
    """The chapters of the book, in order."""
    return sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))


def notebooks() -> list[Path]:
    """All notebooks of the book: the chapters, then the appendix that runs."""
    return sorted((ROOT / "book").glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """Read one notebook."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    return notebook
