"""Put the newest versions that lib allows into the environment that runs this.

    -m book.tools.project.newest      upgrade by the ranges of pyproject.toml, no pins

The book is tested with pins. This is how to see, before a reader does, that a new
release of a library breaks something: `make setup newest test`.
"""

import subprocess
import sys
import tomllib

from book.tools.project.address import ROOT


def ranges() -> list[str]:
    """What lib needs, optional parts included, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"].values()
    wanted: list[str] = sum(optional, project["project"]["dependencies"])
    return wanted


def main() -> int:
    """Let pip upgrade everything within the ranges; its exit status."""
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    newest = ["--upgrade", "--upgrade-strategy", "eager"]
    return subprocess.run([*pip, *newest, *ranges()]).returncode


if __name__ == "__main__":
    sys.exit(main())
