"""Every chapter as Colab runs it: alone in an empty folder, with Colab's versions.

    -m book.tools.notebooks.colab [chapters]
    -m book.tools.notebooks.colab --inside    in Colab's own container

An environment of its own, `.venv-colab`, gets Python 3.12 and the versions listed in
tests/colab.txt. Into a fresh layer on top of it the chapters' own setup cell installs
`lib`, from a server that hands out the working tree as GitHub would. Then nbval runs
the chapters there and compares their outputs with the stored ones.
"""

import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from book.tools.notebooks.files import notebooks, read
from book.tools.notebooks.notebooks import ONE_THREAD, store
from book.tools.notebooks.portable import compare
from book.tools.notebooks.setup_cell import put_setup_cell, setup_source
from book.tools.project.address import ROOT, Address

BASE = ROOT / ".venv-colab"
VERSIONS = ROOT / "tests" / "colab.txt"
# Where an environment keeps its programs: bin, on Windows Scripts.
PROGRAMS = Path(sys.executable).parent.name
IS_IT_3_12 = "import sys; sys.exit(sys.version_info[:2] != (3, 12))"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def working_tree() -> list[str]:
    """What would be in the repository: tracked files, and new ones not ignored."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


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
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.12.*/bin/python"))
    for place in (os.environ.get("COLAB_PYTHON"), "python3.12", *map(str, pyenv)):
        asked = [shutil.which(place or "") or "no such Python", "-c", IS_IT_3_12]
        with contextlib.suppress(OSError):
            if subprocess.run(asked, capture_output=True).returncode == 0:
                return asked[0]
    print("No Python 3.12 is here (COLAB_PYTHON can name one): this one is taken.")
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


def fresh_layer(folder: Path, base: Path) -> Path:
    """A Python that sees what the base has, and into which pip installs apart."""
    venv = [str(base), "-m", "venv", "--without-pip", "--system-site-packages"]
    subprocess.run([*venv, str(folder)], check=True)
    python = folder / PROGRAMS / "python"
    (packages_of(python) / "shared.pth").write_text(str(packages_of(base)))
    return python


def packages_of(python: Path) -> Path:
    """The folder into which a Python's pip installs."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    asked = [str(python), "-c", code]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def bare_environment() -> dict[str, str]:
    """The environment without what would lead back into the checkout."""
    kept = {key: os.environ[key] for key in os.environ if key != "PYTHONPATH"}
    return kept | ONE_THREAD | {"COLAB_RELEASE_TAG": "stand-in"}


def put_alone(path: Path, folder: Path, address: Address) -> Path:
    """Put a notebook into a folder of its own; its place there."""
    notebook = read(path)
    put_setup_cell(notebook, address)
    own = folder / path.stem / path.name
    own.parent.mkdir(parents=True)
    store(notebook, own)
    return own.relative_to(folder)


def write_kernel(python: Path, folder: Path) -> None:
    """Make a Python known to Jupyter as the kernel `colab`."""
    kernel = folder / "kernels" / "colab" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = {"argv": start, "display_name": "As in Colab", "language": "python"}
    kernel.write_text(json.dumps(text))


def play(paths: list[Path], base: Path) -> bool:
    """Run the chapters; whether every output is the stored one.

    The setup cell runs once before them all, since they run side by side.
    """
    with (
        tempfile.TemporaryDirectory() as name,
        archive_server(Path(name) / "server") as address,
    ):
        folder = Path(name)
        python = fresh_layer(folder / "layer", base)
        alone = folder / "alone"
        played = [put_alone(path, alone, address) for path in paths]
        shutil.copy(ROOT / "book" / "conftest.py", alone)
        write_kernel(python, folder)
        environment = bare_environment() | {"JUPYTER_PATH": str(folder)}
        setup = [str(python), "-c", setup_source(address)]
        subprocess.run(setup, cwd=alone, env=environment, check=True)
        kernel = ("--nbval-kernel-name", "colab")
        return compare(played, environment, *kernel, folder=alone)


def main(arguments: list[str] | None = None) -> int:
    """Play the chapters and say how it ended."""
    parser = argparse.ArgumentParser(description="The chapters as Colab runs them.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all without")
    parser.add_argument("--inside", action="store_true", help="this Python is Colab's")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    base = Path(sys.executable)
    try:
        if not options.inside:
            prepare_base()
            base = BASE / PROGRAMS / "python"
    except subprocess.CalledProcessError:
        print("make colab: LEFT OUT, since Colab's versions could not be installed.")
        return 0 if os.environ.get("COLAB_OPTIONAL") else 1
    held = play(options.paths or notebooks(), base)
    took = time.monotonic() - start
    how = "every chapter held" if held else "FAILED; what failed stands above,"
    print(f"make colab: {how} in {took:.0f} s.")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
