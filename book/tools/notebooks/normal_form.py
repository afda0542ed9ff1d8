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
    "a timing": r"\b\d+(?:\.\d+)?\s?(?:it/s|s/it|ms\b|µs|milliseconds|seconds)",
}


def to_normal_form(notebook: NotebookNode) -> None:
    """Strip a notebook of everything that is not its text, its tags and its outputs."""
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02d}"
        cell.metadata = nbformat.from_dict(
            {
                key: cell.metadata[key]
                for key in sorted(CELL_METADATA & cell.metadata.keys())
            }
        )
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


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that hold code."""
    return [c for c in notebook.cells if c.cell_type == "code" and c.source.strip()]


def text_of(output: NotebookNode) -> str:
    """Everything in an output that is text."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return "\n".join(output.traceback)
    texts = [str(v) for k, v in output.data.items() if not k.startswith("image/")]
    # What stands in a frame of its own is a page with its scripts, not text.
    return re.sub(r'srcdoc="[^"]*"', "", "\n".join(texts))


def departures(notebook: NotebookNode) -> Iterator[str]:
    """Say in one sentence each what keeps a notebook from being fit to store."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield "the cells were not run from top to bottom in a fresh kernel"
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield from _departures_of_output(cell, output)


def _departures_of_output(cell: NotebookNode, output: NotebookNode) -> Iterator[str]:
    if output.output_type == "error":
        yield f"{cell.id} ends in a {output.ename}: catch it and print its sentence"
    if output.output_type == "stream" and output.name == "stderr":
        yield f"{cell.id} writes to stderr: {output.text.strip().splitlines()[0][:80]}"
    data = output.get("data", {})
    if any("widget" in kind for kind in data):
        yield f"{cell.id} shows a widget, which no page can store"
    image = next((kind for kind in data if kind.startswith("image/")), None)
    if "<dc:date>" in data.get("image/svg+xml", ""):
        yield f"{cell.id} draws an SVG, whose date changes with every run: use PNG"
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    if image and len(alt) < 20:
        yield f"{cell.id} draws a figure: describe it in mystnb's image.alt"
    if "ignore-output" in " ".join(cell.metadata.get("tags", [])):
        return
    for what, pattern in _UNSTABLE.items():
        found = re.search(pattern, text_of(output))
        if found:
            yield f"{cell.id} prints {what}: {found.group()[:60]}"
