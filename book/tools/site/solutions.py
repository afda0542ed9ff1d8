"""A site without the solutions, where a course wants that.

`show_solutions: false` in `_config.yml` leaves them out of every page and out of the
notebooks that pages offer for download, and the answers to the pencil's questions too.
The notebooks of the repository stay as they are.
"""

from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from book.tools.course.exercises import student_edition


def leave_out(app: Sphinx, document: str, source: list[str]) -> None:
    """Hand Sphinx the student edition of a chapter, if that is the setting."""
    is_notebook = Path(app.env.doc2path(document)).suffix == ".ipynb"
    if is_notebook and not app.config.show_solutions:
        source[0] = without_solutions(source[0])


def leave_out_of_downloads(app: Sphinx, error: Exception | None) -> None:
    """Let the notebooks in `_sources`, which pages offer, be without them too."""
    if error is not None or app.config.show_solutions:
        return
    for path in Path(app.outdir, "_sources").rglob("*.ipynb"):
        text = without_solutions(path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8", newline="\n")


def without_solutions(text: str) -> str:
    """The student edition of a notebook, both as text."""
    return str(nbformat.writes(student_edition(nbformat.reads(text, as_version=4))))
