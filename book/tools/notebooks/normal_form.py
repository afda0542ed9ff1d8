"""The one form in which the book's notebooks are stored, and what departs from it.

A notebook that was run again must differ from the stored one only where something
that a reader sees has changed: no timestamps, no widget state, no versions.
"""

import re
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode

from lib.figures.interactive import stored

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"cellView", "margin", "mystnb", "slideshow", "tags"}

# What must not stand in a stored output: it is different on the next machine or run.
_UNSTABLE = {
    "the path of a machine": (
        r"(?<![\w/.:])/(?:home|root|tmp|usr|opt|mnt|Users|content)/\S+"
        r"|site-packages|\b[A-Z]:\\\w"
    ),
    "the address of an object": r"\b0x[0-9a-f]{6,}\b",
    "the date of a drawing": r"<dc:date>",
    "a timing": r"\b\d+(?:\.\d+)?\s?(?:it/s|s/it|ms\b|µs|milliseconds|seconds)",
}


def to_normal_form(notebook: NotebookNode) -> None:
    """Strip a notebook of everything that is not its text, its tags and its outputs."""
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02d}"
        kept = sorted(CELL_METADATA & cell.metadata.keys())
        cell.metadata = nbformat.from_dict({key: cell.metadata[key] for key in kept})
        cell.source = cell.source.strip("\n")
        if "exercise" in cell.metadata.get("tags", []):
            cell.source = spread_stub(cell.source)
        for output in cell.get("outputs", []):
            output.pop("transient", None)
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = stored(output.data["text/html"])


def spread_stub(source: str) -> str:
    """Give a stub's `...` a line of its own, where ruff would pull it up to the def."""
    on_the_def = re.compile(r"^( *)(.*:) \.\.\.  (#.*)$", re.MULTILINE)
    source = on_the_def.sub(r"\1\2\n\1    \3\n\1    ...", source)
    return re.sub(r"^( +)\.\.\.  (#.*)$", r"\1\2\n\1...", source, flags=re.MULTILINE)


def serialize(notebook: NotebookNode) -> str:
    """The text of a notebook's file."""
    return str(nbformat.writes(notebook, indent=1)).rstrip("\n") + "\n"


def text_of(output: NotebookNode) -> str:
    """Everything in an output that is text."""
    data = output.get("data", {})
    texts = [str(text) for kind, text in data.items() if kind != "image/png"]
    # What stands in a frame of its own is a page with its scripts, not text.
    text = re.sub(r'srcdoc="[^"]*"', "", "\n".join(texts))
    return str(output.get("text", text))


def departures(notebook: NotebookNode) -> Iterator[str]:
    """Say in one sentence each what keeps a notebook from being fit to store."""
    cells = [c for c in notebook.cells if c.cell_type == "code" and c.source.strip()]
    if [cell.execution_count for cell in cells] != list(range(1, len(cells) + 1)):
        yield "the cells were not run from top to bottom in a fresh kernel"
    for cell in cells:
        if "nbval-ignore-output" not in cell.metadata.get("tags", []):
            text = "\n".join(map(text_of, cell.outputs))
            for what, pattern in _UNSTABLE.items():
                if found := re.search(pattern, text):
                    yield f"{cell.id} prints {what}: {found.group()[:60]}"
