"""Every chapter as Colab runs it: alone in an empty folder, with Colab's versions.

    -m book.tools.notebooks.colab [chapters]
    -m book.tools.notebooks.colab --inside    in Colab's own container

An environment of its own, `.venv-colab`, gets Python 3.12 and the versions listed in
tests/colab.txt. Into a fresh layer on top of it the chapters' own setup cell installs
`lib`, from the working tree, packed as GitHub would pack it. Then nbval runs the
chapters there and compares their outputs with the stored ones.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from book.tools.notebooks.files import notebooks
from book.tools.notebooks.notebooks import ONE_THREAD
from book.tools.notebooks.portable import compare
from book.tools.notebooks.setup_cell import setup_source
from book.tools.project.address import ROOT

BASE = ROOT / ".venv-colab"
VERSIONS = ROOT / "tests" / "colab.txt"
# Where an environment keeps its programs: bin, on Windows Scripts.
PROGRAMS = Path(sys.executable).parent.name


def working_tree() -> list[str]:
    """What would be in the repository: tracked files, and new ones not ignored."""
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    told = subprocess.check_output(command, cwd=ROOT, text=True)
    return [name for name in told.splitlines() if (ROOT / name).is_file()]


def write_archive(path: Path) -> str:
    """Pack the working tree as GitHub packs a tag; the address of the file."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name in working_tree():
            file.write(ROOT / name, f"name-main/{name}")
    return path.as_uri()


def find_python() -> str:
    """A Python 3.12, as Colab has it; where there is none, the one that runs this."""
    pyenv = (Path.home() / ".pyenv" / "versions").glob("3.12.*/bin/python")
    found = [os.environ.get("COLAB_PYTHON"), *pyenv, shutil.which("python3.12")]
    return str(next(filter(None, found), sys.executable))


def prepare_base() -> Path:
    """Make the environment with Colab's versions; what is there already stays."""
    python = BASE / PROGRAMS / "python"
    if not python.is_file():
        print(f"Installing Colab's versions into {BASE.name} (minutes, the first time)")
        subprocess.run([find_python(), "-m", "venv", str(BASE)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "-r", str(VERSIONS)]
    subprocess.run(pip, check=True)
    return python


def fresh_layer(folder: Path, base: Path) -> Path:
    """A Python that sees what the base has, and into which pip installs apart."""
    venv = [str(base), "-m", "venv", "--without-pip", "--system-site-packages"]
    subprocess.run([*venv, str(folder)], check=True)
    python = folder / PROGRAMS / "python"
    (packages_of(python) / "shared.pth").write_text(str(packages_of(base)))
    return python


def packages_of(python: Path) -> Path:
    """The folder into which a Python's pip installs."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'), end='')"
    return Path(subprocess.check_output([str(python), "-c", code], text=True))


def play(paths: list[Path], base: Path) -> int:
    """Run the chapters; 0 if every output is the stored one.

    The setup cell runs once before them all, since they run side by side.
    """
    with tempfile.TemporaryDirectory() as name:
        folder, alone = Path(name), Path(name) / "alone"
        played = [alone / path.stem / path.name for path in paths]
        for path, own in zip(paths, played, strict=True):
            own.parent.mkdir(parents=True)
            shutil.copy(path, own)
        shutil.copy(ROOT / "book" / "conftest.py", alone)
        jupyter = {"JUPYTER_PATH": str(folder / "share" / "jupyter")}
        environment = os.environ | ONE_THREAD | jupyter
        environment.pop("PYTHONPATH", None)  # it may lead back into the checkout
        python = str(fresh_layer(folder / "layer", base))
        setup = setup_source(write_archive(folder / "main.zip"))
        kernel = ["-m", "ipykernel", "install", "--prefix", name, "--name", "colab"]
        for words in (["-c", setup], kernel):
            subprocess.run([python, *words], cwd=alone, env=environment, check=True)
        return compare(
            played, environment, "--nbval-kernel-name", "colab", folder=alone
        )


def main(arguments: list[str] | None = None) -> int:
    """Play the chapters; what did not hold, pytest says."""
    parser = argparse.ArgumentParser(description="The chapters as Colab runs them.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks; all without")
    parser.add_argument("--inside", action="store_true", help="this Python is Colab's")
    options = parser.parse_args(arguments)
    try:
        base = Path(sys.executable) if options.inside else prepare_base()
    except subprocess.CalledProcessError:
        print("make colab: LEFT OUT, since Colab's versions could not be installed.")
        return 0 if os.environ.get("COLAB_OPTIONAL") else 1
    return play(options.paths or notebooks(), base)


if __name__ == "__main__":
    sys.exit(main())
