"""A small Sphinx extension: a site without the solutions, where a course wants that.

`show_solutions: false` in `_config.yml` leaves them out of every page, and the answers
to the pencil's questions too. The notebooks stay as they are.
"""

from pathlib import Path

import nbformat
from course.editions import student_edition
from sphinx.application import Sphinx


def leave_out(app: Sphinx, document: str, source: list[str]) -> None:
    """Hand Sphinx the student edition of a chapter, if that is the setting."""
    is_notebook = Path(app.env.doc2path(document)).suffix == ".ipynb"
    if is_notebook and not app.config.show_solutions:
        notebook = nbformat.reads(source[0], as_version=4)
        source[0] = nbformat.writes(student_edition(notebook))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_config_value("show_solutions", True, "env", types=[bool])
    app.connect("source-read", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
