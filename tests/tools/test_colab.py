"""What the setup cell installs where a notebook stands alone: lib, once, and whole.

The interpreter is a fresh environment that has what this one has, but not lib. (`make
colab` plays the chapters so, with the versions that Colab has.) No package index is
reachable, so anything that pip would have to fetch beyond lib is an error.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from book.tools.notebooks.colab import (
    fresh_layer,
    packages_of,
    working_tree,
    write_archive,
)
from book.tools.notebooks.setup_cell import setup_source

pytestmark = pytest.mark.exhaustive

WHERE = "\nimport lib.masks, torch\nprint(lib.__file__, torch.__file__)"
OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as "no isolation"
    "PIP_CONFIG_FILE": os.devnull,
    "PYTHONPATH": "",
}


def test_lib_is_installed_once_and_whole(tmp_path: Path) -> None:
    """Also beside a folder of the same name, which is not taken for it."""
    python = fresh_layer(tmp_path / "python", Path(sys.executable))
    packages = packages_of(python)
    (tmp_path / "alone" / "lib").mkdir(parents=True)

    def play(archive: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), "-c", setup_source(archive) + WHERE],
            cwd=tmp_path / "alone",
            env=os.environ | OFFLINE,
            capture_output=True,
            text=True,
        )

    nowhere = (tmp_path / "nothing.zip").as_uri()
    assert "CalledProcessError" in play(nowhere).stderr

    played = play(write_archive(tmp_path / "main.zip"))
    lib, torch = played.stdout.split()[-2:]
    assert Path(lib).parents[1] == packages, "this is another lib"
    assert Path(torch).is_relative_to(sysconfig.get_paths()["purelib"]), "a new torch"
    installed = {
        path.relative_to(packages).as_posix() for path in packages.rglob("*.*")
    }
    tree = [name for name in working_tree() if name.startswith(("lib/", "book/inter"))]
    assert set(tree) <= installed, "lib does not bring all of its files"
    assert play(nowhere).stdout == played.stdout

    # A torch that is broken says so itself, and is no reason to install anything.
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text("raise ImportError('no CUDA here')")
    assert "no CUDA here" in play(nowhere).stderr
