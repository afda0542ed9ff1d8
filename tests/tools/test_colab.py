"""A notebook alone in a folder, as Colab has it: it installs lib and runs to its end.

The interpreter is a fresh environment that has what this one has, but not lib. The
setup cell's address leads to a server in this process, which hands out the working tree
as the zip that GitHub would. (`make colab` plays all of the chapters, with the versions
that Colab has.) No package index is reachable, so anything that pip would have to fetch
beyond lib is an error.
"""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.tools.notebooks.colab import (
    PROGRAMS,
    archive_server,
    fresh_layer,
    packages_of,
    working_tree,
    write_kernel,
)
from book.tools.notebooks.setup_cell import put_setup_cell
from book.tools.project.address import Address

pytestmark = pytest.mark.exhaustive

NOBODY = "http://127.0.0.1:9"  # a port of this computer that answers nobody
WHERE = "import lib.masks, torch\nprint(lib.__file__, torch.__file__)"
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as "no isolation"
    "PIP_RETRIES": "0",
    "PIP_CONFIG_FILE": os.devnull,
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with archive_server(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture
def colab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The packages of a Python that has those of this one, but not lib."""
    python = fresh_layer(tmp_path / "python", Path(sys.executable))
    write_kernel(python, tmp_path)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    return packages_of(tmp_path / "python" / PROGRAMS / "python")


def setup_only(address: Address) -> NotebookNode:
    notebook = new_notebook(cells=[new_markdown_cell("# 1."), new_code_cell(WHERE)])
    put_setup_cell(notebook, address)
    return notebook


def play(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Run a notebook that stands alone in a folder."""
    folder.mkdir(exist_ok=True)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook, timeout=600, kernel_name="colab", resources=resources
    )
    # Where this is set, ipykernel does not show what other processes print.
    known = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
    return client.execute(env=known)


def said(cell: NotebookNode) -> str:
    return "".join(output.get("text", "") for output in cell.outputs)


def test_lib_is_installed_once_and_whole(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    """Also beside a folder of the same name, which is not taken for it."""
    (tmp_path / "alone" / "lib").mkdir(parents=True)
    played = play(setup_only(address), tmp_path / "alone")
    lib, torch = said(played.cells[-1]).split()
    assert Path(lib).parents[1] == colab, "this is another lib"
    assert Path(torch).is_relative_to(sysconfig.get_paths()["purelib"]), "a new torch"
    installed = {path.relative_to(colab).as_posix() for path in colab.rglob("*.*")}
    tree = [name for name in working_tree() if name.startswith(("lib/", "book/inter"))]
    assert set(tree) <= installed, "lib does not bring all of its files"

    nowhere = setup_only(Address(f"{NOBODY}/owner/name", "main"))
    again = play(nowhere, tmp_path / "two")
    assert again.cells[1].outputs == []
    assert said(again.cells[-1]) == said(played.cells[-1])

    # A torch that is broken says so itself, and is no reason to install anything.
    (colab / "torch").mkdir()
    (colab / "torch" / "__init__.py").write_text("raise ImportError('no CUDA here')")
    with pytest.raises(CellExecutionError, match="no CUDA here"):
        play(nowhere, tmp_path / "two")


def test_what_cannot_be_installed_stops_the_notebook(
    address: Address, colab: Path, tmp_path: Path
) -> None:
    """At an address where nothing is; pip says why."""
    notebook = setup_only(Address(address.url, "no-such-tag"))
    with pytest.raises(CellExecutionError, match="CalledProcessError"):
        play(notebook, tmp_path / "alone")
    assert "404" in said(notebook.cells[1])
    assert notebook.cells[2].outputs == []
