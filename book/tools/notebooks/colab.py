"""Every chapter as Colab runs it: alone in an empty folder, with Colab's versions.

    -m book.tools.notebooks.colab [chapters]
    -m book.tools.notebooks.colab --inside    in Colab's own container

An environment of its own, `.venv-colab`, gets Python 3.12 and the versions listed in
tests/colab.txt. Into a fresh layer on top of it the chapters' own setup cell installs
`lib`, from a server that hands out the working tree as GitHub would. Then nbval runs
the chapters there and compares their outputs with the stored ones.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from book.tools.notebooks.needs import needs, ranges
from book.tools.notebooks.notebooks import chapters, read, store
from book.tools.notebooks.setup_cell import put_setup_cell, setup_source
from book.tools.project.address import ROOT, Address, read_address

BASE = ROOT / ".venv-colab"
VERSIONS = ROOT / "tests" / "colab.txt"
STAND_IN = (
    "'''A stand-in: a notebook that asks whether it runs in Colab hears yes.'''\n"
)
REFUSE = '''


class _Refuse:
    """Here alone: what Colab lacks, and this chapter does not install, is not there."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in {refused}:
            raise ModuleNotFoundError(f"The setup cell does not install {{name}}.")


__import__("sys").meta_path.insert(0, _Refuse)
'''
# Where an environment keeps its programs: bin, on Windows Scripts.
PROGRAMS = Path(sys.executable).parent.name
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def working_tree() -> list[str]:
    """What would be in the repository: tracked files, and new ones not ignored."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]
    files = [*ROOT.glob("lib/**/*.*"), *ROOT.glob("book/interactive/**/*.*")]
    files += [ROOT / "pyproject.toml", ROOT / "README.md"]
    return [str(file.relative_to(ROOT)) for file in files]


@contextlib.contextmanager
def archive_server(folder: Path) -> Iterator[Address]:
    """Hand out the working tree as GitHub hands out the archive of a tag."""
    archive = folder / "owner" / "name" / "archive" / "main.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in working_tree():
            file.write(ROOT / name, f"name-main/{name}")
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Address(f"http://127.0.0.1:{server.server_port}/owner/name", "main")
    server.shutdown()


def find_python() -> str:
    """A Python 3.12, as Colab has it; where there is none, the one that runs this."""
    pyenv = Path.home() / ".pyenv" / "versions"
    places = [shutil.which("python3.12"), *sorted(pyenv.glob("3.12.*/bin/python"))]
    for place in [os.environ.get("COLAB_PYTHON"), *places]:
        asked = [str(place), "-c", "import sys; print(sys.version_info[:2] == (3, 12))"]
        with contextlib.suppress(OSError):
            if (
                place
                and "True"
                in subprocess.run(asked, capture_output=True, text=True).stdout
            ):
                return str(place)
    print(
        "There is no Python 3.12 here (COLAB_PYTHON can name one): this one is taken."
    )
    return sys.executable


def prepare_base() -> None:
    """Make the environment with Colab's versions; once, until their list changes."""
    stamp = BASE / ".stamp"
    wanted = hashlib.sha256(VERSIONS.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print(f"Installing Colab's versions into {BASE.name} (minutes, the first time)")
    shutil.rmtree(BASE, ignore_errors=True)
    subprocess.run([find_python(), "-m", "venv", str(BASE)], check=True)
    pip = [str(BASE / PROGRAMS / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "-r", str(VERSIONS)], check=True)
    stamp.write_text(wanted)


def prepared() -> bool:
    """Make the base ready; where COLAB_OPTIONAL is set, its absence is only said.

    Raises:
        CalledProcessError: If it cannot be installed and must be.
    """
    try:
        prepare_base()
    except subprocess.CalledProcessError:
        if not os.environ.get("COLAB_OPTIONAL"):
            raise
        print("make colab: LEFT OUT, since Colab's versions could not be installed.")
        return False
    return True


def fresh_layer(folder: Path, base: Path) -> Path:
    """A Python that sees what the base has, and into which pip installs apart."""
    venv = [str(base), "-m", "venv", "--without-pip", "--system-site-packages"]
    subprocess.run([*venv, str(folder)], check=True)
    python = folder / PROGRAMS / "python"
    packages = packages_of(python)
    (packages / "shared.pth").write_text(str(packages_of(base)))
    colab = packages / "google" / "colab"
    colab.mkdir(parents=True)
    (colab / "__init__.py").write_text(STAND_IN)
    return python


def packages_of(python: Path) -> Path:
    """The folder into which a Python's pip installs."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    asked = [str(python), "-c", code]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def set_up(python: Path, folder: Path, source: str) -> float:
    """Run a setup cell; the seconds that it took.

    Raises:
        RuntimeError: If it fails, with what it said.
    """
    start = time.monotonic()
    done = subprocess.run(
        [str(python), "-c", source],
        cwd=folder,
        env=bare_environment(),
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the setup cell failed: {done.stderr.strip()[-2000:]}")
    print(done.stdout.strip())
    return time.monotonic() - start


def set_up_all(python: Path, alone: Path, address: Address) -> None:
    """Install what the chapters need at once, since they will run side by side."""
    every = {need for path in alone.rglob("*.ipynb") for need in needs(read(path))}
    source = setup_source(address, sorted(every))
    print(f"The first setup took {set_up(python, alone, source):.0f} s")
    print(f"The second setup took {set_up(python, alone, source):.1f} s")


def put_strict_setup(notebook: NotebookNode, address: Address) -> None:
    """Put in the setup cell, and hold the chapter to what its setup installs."""
    put_setup_cell(notebook, address)
    known = VERSIONS.read_text(encoding="utf-8").lower() + " ".join(needs(notebook))
    refused = {name for name in ranges() if not re.search(rf"\b{name}[<>=]", known)}
    notebook.cells[1].source += REFUSE.format(refused=sorted(refused))


def put_alone(path: Path, folder: Path, address: Address) -> str:
    """Put a notebook, held to its setup, into a folder of its own; its place there."""
    notebook = read(path)
    put_strict_setup(notebook, address)
    own = folder / path.stem / path.name
    own.parent.mkdir()
    store(notebook, own)
    return str(own.relative_to(folder))


def bare_environment() -> dict[str, str]:
    """The environment without what would lead back into the checkout."""
    kept = {key: os.environ[key] for key in os.environ if key != "PYTHONPATH"}
    return kept | dict.fromkeys(THREADS, "1") | {"COLAB_RELEASE_TAG": "stand-in"}


def write_kernel(python: Path, folder: Path) -> None:
    """Make the layer's Python known to Jupyter as the kernel `colab`."""
    kernel = folder / "kernels" / "colab" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = {"argv": start, "display_name": "As in Colab", "language": "python"}
    kernel.write_text(json.dumps(text))


def play(paths: list[Path], base: Path) -> int:
    """Run the chapters and compare; the exit status of pytest."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = Path(name)
        alone = folder / "alone"
        alone.mkdir()
        address = stack.enter_context(archive_server(folder / "server"))
        python = fresh_layer(folder / "layer", base)
        played = [put_alone(path, alone, address) for path in paths]
        set_up_all(python, alone, address)
        write_kernel(python, folder)
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("--nbval", "--nbval-sanitize-with", str(ROOT / "tests" / "nbval.cfg")),
            *("--nbval-cell-timeout", "900", "--nbval-kernel-startup-timeout", "300"),
            *("--nbval-kernel-name", "colab", "-n", os.environ.get("WORKERS", "2")),
            *("--dist", "loadscope", "--rootdir", str(alone)),
            *reversed(played),
        ]
        environment = bare_environment() | {"JUPYTER_PATH": str(folder)}
        return subprocess.run(command, cwd=alone, env=environment).returncode


def main(arguments: list[str] | None = None) -> int:
    """Play the chapters and say how it ended."""
    parser = argparse.ArgumentParser(description="The chapters as Colab runs them.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all without")
    parser.add_argument("--inside", action="store_true", help="this Python is Colab's")
    options = parser.parse_args(arguments)
    for path in options.paths:
        if not path.is_file():
            parser.error(f"{path} is not there: name a notebook in book/.")
    start = time.monotonic()
    try:
        if not options.inside and not prepared():
            return 0
        base = Path(sys.executable) if options.inside else BASE / PROGRAMS / "python"
        status = play(options.paths or chapters(), base)
    except (RuntimeError, subprocess.CalledProcessError) as error:
        print(f"make colab: FAILED: {error}", file=sys.stderr)
        return 1
    took = time.monotonic() - start
    how = "every chapter held" if status == 0 else "FAILED; what failed stands above,"
    print(f"make colab: {how} in {took:.0f} s ({read_address().slug}).")
    return status


if __name__ == "__main__":
    sys.exit(main())
