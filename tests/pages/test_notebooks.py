"""What every chapter and the appendix that runs owe their readers."""

import inspect
import itertools
import json
import re
from pathlib import Path

from book.tools.notebooks.notebooks import check
from book.tools.project.address import ROOT, read_address
from tests.book_sources import (
    NAMES,
    definitions,
    each_chapter,
    each_notebook,
    exported,
    read,
    without_docstrings,
)


@each_notebook
def test_is_stored_as_it_was_run(path: Path) -> None:
    """In its normal form, run from top to bottom, no errors, each figure described."""
    assert check(path, read_address()) == []


@each_chapter
def test_has_title_and_goals_on_top_and_its_parts_at_the_end(path: Path) -> None:
    number = int(path.stem[:2])
    cells = read(path).cells
    assert re.match(rf"# {number}\. \S", cells[0].source), "no '# N. Title' on top"
    assert "**You will be able to**" in cells[0].source
    text = "\n".join(c.source for c in cells if c.cell_type == "markdown")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[-3:] == ["Exercises", "Summary", "Further reading"]


@each_notebook
def test_pieces_are_the_code_of_lib(path: Path) -> None:
    """A class or function that lib exports too is the same code, docstrings aside.

    To read them, each cell must be plain Python: what has no magics and no shell
    commands runs in Colab and in a script.
    """
    pieces = {name.rpartition(".")[2]: piece for name, piece in exported().items()}
    for cell in read(path).cells:
        if cell.cell_type != "code":
            continue
        for node in definitions(cell.source):
            if node.name in pieces:
                (piece,) = definitions(inspect.getsource(pieces[node.name]))
                assert without_docstrings(node) == without_docstrings(piece), node.name


# What MyST alone knows is raw text in Colab, which also shows no picture of a folder.
RAW_IN_COLAB = {
    "a directive": r"^(```|:::)\{",
    "a role": r"\{(cite|ref|doc|eq)[\w:]*\}`",
}
RAW_IN_PROSE = {
    "a definition, a label or an attribute": r"^(: |\([\w-]+\)=|\{[#.])",
    "a footnote": r"\[\^\w+\]",
    "a comment or a break": r"^(% |\+\+\+)",
    "a link or a picture that needs a file beside it": r"\]\((?!https://)",
    "a named formula": r"\\(label|eqref|ref|newcommand)\b",
    "a tag": r"<(?!details|summary)[a-z]+[ >]",
}


@each_notebook
def test_markdown_shows_everywhere(path: Path) -> None:
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"```.*?```|`[^`\n]*`", "", cell.source, flags=re.DOTALL)
            for text, raw in ((cell.source, RAW_IN_COLAB), (prose, RAW_IN_PROSE)):
                for what, pattern in raw.items():
                    found = re.search(pattern, text, re.MULTILINE)
                    assert not found, f"{cell.id} has {what}"


@each_notebook
def test_outputs_show_everywhere(path: Path) -> None:
    """Text, PNG, SVG and HTML are what Colab, Jupyter and the site all show."""
    kinds = {
        kind
        for cell in read(path).cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    }
    assert kinds <= {"text/plain", "text/html", "image/png", "image/svg+xml"}


@each_notebook
def test_a_margin_is_there_for_a_number_behind_the_sign(path: Path) -> None:
    for cell in read(path).cells:
        if "margin" in cell.metadata:
            assert "≈" in json.dumps(cell.outputs, ensure_ascii=False), cell.id
            assert cell.metadata.margin > 0, cell.id


@each_notebook
def test_what_is_not_compared_is_checked_beside_it(path: Path) -> None:
    """A cell that nbval ignores shows one name, and a later cell looks into it.

    The setup cell and the figures that answer have tests of their own.
    """
    cells = read(path).cells
    for number, cell in enumerate(cells):
        tags = set(cell.metadata.get("tags", []))
        if "nbval-ignore-output" not in tags or tags & {"setup", "interactive"}:
            continue
        shown = cell.source.splitlines()[-1]
        assert shown.isidentifier(), f"{cell.id} should end in a name, not in {shown}"
        section = itertools.takewhile(
            lambda later: not later.source.startswith("## "), cells[number + 1 :]
        )
        lookers = [c.source for c in section if c.get("outputs")]
        uses = [source for source in lookers if re.search(rf"\b{shown}\b", source)]
        assert uses, f"no cell of the section after {cell.id} checks {shown}"


def test_every_chapter_is_in_the_table_of_contents() -> None:
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    listed = re.findall(r"book/(\d\d_\w+)", toc)
    assert listed == NAMES
