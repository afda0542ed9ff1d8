"""A notebook alone in a folder, as Colab has it: it installs lib and runs to its end.

The interpreter is a fresh environment that has what this one has, but not lib. The
address in the notebook's setup cell is rewritten to a server in this process, which
hands out the working tree as the zip that GitHub would. (`make colab` plays all of the
chapters, with the versions that Colab has.) No package index is reachable,
so anything that pip would have to fetch beyond lib is an error.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from book.tools.notebooks.colab import (
    archive_server,
    fresh_layer,
    put_alone,
    put_strict_setup,
)
from book.tools.notebooks.needs import needs
from book.tools.notebooks.setup_cell import put_setup_cell, setup_source
from book.tools.project.address import ROOT, Address
from tests.book_sources import CHAPTERS, read

# The first chapter, and one with figures, checks and masks of its own.
PLAYED = [path for path in CHAPTERS if path.stem[:2] in ("01", "04")]

NOBODY = "http://127.0.0.1:9"  # a port of this computer that answers nobody

# Without coalesce_streams the clock decides whether what a cell prints comes in pieces.
EXECUTE = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
options = {"timeout": 600, "allow_errors": True, "coalesce_streams": True}
nbclient.NotebookClient(notebook, **options).execute()
nbformat.write(notebook, sys.argv[1])
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with archive_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def colab(tmp_path: Path) -> Path:
    """A Python that has the packages of this one, but not lib."""
    return fresh_layer(tmp_path / "python", Path(sys.executable))


def play(notebook: NotebookNode, python: Path, folder: Path) -> NotebookNode:
    """Run a notebook that stands alone in a folder, and hand it back with outputs."""
    folder.mkdir(exist_ok=True)
    path = folder / "notebook.ipynb"
    nbformat.write(notebook, path)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment = kept | {
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as "no isolation"
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
        "HTTPS_PROXY": NOBODY,  # so that the index of packages does not answer
        "JUPYTER_PATH": "",
    }
    command = [str(python), "-c", EXECUTE, str(path)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return read(path)


def errors(notebook: NotebookNode) -> list[str]:
    return [
        f"{cell.id}: {output.ename}: {output.evalue}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]


@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_chapter_runs_alone(
    path: Path, address: Address, colab: Path, tmp_path: Path
) -> None:
    notebook = read(path)
    put_strict_setup(notebook, address)
    where = "import lib, torch\nprint(lib.__file__, torch.__file__)"
    notebook.cells.append(new_code_cell(where))
    played = play(notebook, colab, tmp_path / "alone")
    assert errors(played) == []
    said = "".join(output.text for output in played.cells[1].outputs)
    assert said.endswith("Setup: done. Installed: lib.\n")
    lib, torch = played.cells[-1].outputs[0].text.split()
    assert Path(lib).is_relative_to(colab.parents[1]), "lib came from elsewhere"
    assert Path(torch).is_relative_to(sysconfig.get_paths()["purelib"])


def apart(number: str) -> set[str]:
    """Of what a chapter needs, the packages that Colab does not have."""
    (path,) = (path for path in CHAPTERS if path.stem.startswith(number))
    names = {re.split("[<>=]", line)[0] for line in needs(read(path))}
    return names & {"bertviz", "lightning", "sacrebleu"}


def test_a_chapter_installs_what_it_needs_and_no_more() -> None:
    assert apart("03") == set()
    assert apart("05") == {"bertviz"}
    assert apart("11") == {"lightning", "sacrebleu"}
    (path,) = (path for path in CHAPTERS if path.stem.startswith("03"))
    assert "torch>=2.5" in needs(read(path)), "the ranges are not pyproject.toml's"


def test_what_a_chapter_does_not_name_is_not_there(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    notebook = setup_only(address)
    put_strict_setup(notebook, address)
    notebook.cells.append(new_code_cell("import lightning"))
    [error] = errors(play(notebook, colab, tmp_path / "alone"))
    assert error.endswith("The setup cell does not install lightning.")


def test_each_chapter_has_a_folder_of_its_own(tmp_path: Path) -> None:
    address = Address(f"{NOBODY}/owner/name", "main")
    placed = [put_alone(path, tmp_path, address) for path in PLAYED]
    for place, path in zip(placed, PLAYED, strict=True):
        found = tmp_path / place
        assert [each.name for each in found.parent.iterdir()] == [path.name]
        assert NOBODY in read(found).cells[1].source


def test_a_version_that_does_not_fit_is_not_here(address: Address) -> None:
    source = setup_source(address, ["torch>=2.5"]).removesuffix("_set_up()")
    names: dict[str, Any] = {}
    exec(source, names)
    needs = ("torch>=2.5", "torch<2", "no-such-package>=1")
    assert [names["_is_here"](need) for need in needs] == [True, False, False]


def setup_only(address: Address) -> NotebookNode:
    notebook = nbformat.v4.new_notebook(
        cells=[new_markdown_cell("# 1."), new_code_cell("import torch")]
    )
    put_setup_cell(notebook, address)
    return notebook


def test_second_run_installs_nothing(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "alone"
    play(setup_only(address), colab, folder)
    again = play(setup_only(address), colab, folder)
    assert "installed already" in again.cells[1].outputs[0].text


def test_no_network_is_one_sentence(colab: Path, tmp_path: Path) -> None:
    offline = setup_only(Address(f"{NOBODY}/owner/name", "main"))
    found = failure(play(offline, colab, tmp_path / "alone"))
    assert "check that this computer is online" in found
    assert "Connection refused" in found.partition("pip's last line:")[2]


def failure(played: NotebookNode) -> str:
    """What the setup cell says when it gives up."""
    [found] = [o for o in played.cells[1].outputs if o.output_type == "error"]
    assert found.ename == "SystemExit"
    return str(found.evalue)


def test_a_wrong_address_is_told_from_no_network(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    wrong = Address(address.url, "no-such-tag")
    played = play(setup_only(wrong), colab, tmp_path / "alone")
    assert "no-such-tag.zip: there is no such file" in failure(played)


def test_a_wrong_host_is_told_from_no_network(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    """The index of packages answers; here the server of this process stands for it."""
    notebook = setup_only(Address(f"{NOBODY}/owner/name", "main"))
    setup, index = notebook.cells[1], "https://pypi.org/simple/pip/"
    assert index in setup.source
    setup.source = setup.source.replace(index, address.url.partition("/owner")[0])
    found = failure(play(notebook, colab, tmp_path / "alone"))
    assert "the network works, but nobody answers at this address" in found


def test_a_file_that_is_no_archive_is_told_from_no_network(
    colab: Path, tmp_path: Path
) -> None:
    """As where a host asks for a password in a page of its own."""
    with archive_server(tmp_path / "server") as address:
        archive = tmp_path / "server" / "owner" / "name" / "archive" / "main.zip"
        archive.write_text("<html>Sign in</html>")
        found = failure(play(setup_only(address), colab, tmp_path / "alone"))
    assert "what came cannot be installed" in found
    assert "ERROR: Exception:" not in found


def test_inside_a_checkout_setup_is_silent(colab: Path, tmp_path: Path) -> None:
    book = tmp_path / "checkout" / "book"
    shutil.copytree(ROOT / "lib", book.parent / "lib")
    book.mkdir()
    offline = Address(f"{NOBODY}/owner/name", "main")
    notebook = setup_only(offline)
    notebook.cells.append(new_code_cell("import lib\nprint(lib.__file__)"))
    played = play(notebook, colab, book)
    assert errors(played) == []
    assert played.cells[1].outputs == []
    assert played.cells[-1].outputs[0].text.startswith(str(book.parent))
