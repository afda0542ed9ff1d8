"""Build the site with warnings as errors: a page that is not there is one.

A site whose sources have not changed since its last good build is left as it is. A
changed one is built from scratch: Sphinx warns only about the pages that it reads, so
a second, partial build would pass over what the first one complained about.
"""

import functools
import hashlib
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from filelock import FileLock

from book.tools.project.address import ROOT

SOURCES = (
    *("_config.yml", "_toc.yml", "pyproject.toml", "requirements.txt"),
    *("book", "lib"),
)
SITE = ROOT / "_build" / "html"
STAMP = ROOT / "_build" / ".stamp"  # of what the last good build was made
OPTIONS = ("build", ".", "-n", "-W", "--keep-going", "--all")


@functools.cache
def pages(root: Path = ROOT) -> list[str]:
    """The pages of the book, in order, as paths inside the site."""
    toc = (root / "_toc.yml").read_text(encoding="utf-8")
    return [f"{name}.html" for name in re.findall(r"\b(?:root|file): (\S+)", toc)]


def fingerprint() -> str:
    """A checksum of everything that the site is made of."""
    digest = hashlib.sha256()
    for source in SOURCES:
        path = ROOT / source
        for file in [path, *sorted(path.rglob("*"))]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(str(file.relative_to(ROOT)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def is_current() -> bool:
    """Whether the last good build was made of what is there now."""
    is_there = STAMP.is_file() and (SITE / "index.html").is_file()
    return is_there and STAMP.read_text() == fingerprint()


def readable(warning: str) -> str:
    """A warning without its colors, and with the cell of a notebook that it means."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", warning)
    return re.sub(r"(?<=\.ipynb):(\d+)\d{4}: ", r", cell-\1: ", plain)


def build() -> str | None:
    """Build the site; the sentence that comes back says why it failed."""
    log = ROOT / ".cache" / "logs" / "site.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    STAMP.unlink(missing_ok=True)
    shutil.rmtree(SITE, ignore_errors=True)
    before = fingerprint()
    with log.open("w", encoding="utf-8") as file:
        command = [str(Path(sys.executable).with_name("jupyter-book")), *OPTIONS]
        done = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        warnings = [line for line in lines if "WARNING" in line]
        print("\n".join(map(readable, warnings or lines[-40:])))
        return f"The site was not built: the lines above, and {log}, say why."
    STAMP.write_text(before)
    return None


def bring_up_to_date() -> str | None:
    """Build the site where it is not current; what comes back says why it failed."""
    lock = ROOT / ".cache" / "site.lock"
    lock.parent.mkdir(exist_ok=True)
    with FileLock(lock):  # tests side by side need it at the same moment
        if is_current():
            return None
        print("Building the site, warnings as errors", flush=True)
        return build()


def main() -> int:
    """Build the site where it is not current, and say where it is."""
    start = time.monotonic()
    if problem := bring_up_to_date():
        print(problem, file=sys.stderr)
        return 1
    first, seconds = SITE / "index.html", time.monotonic() - start
    print(f"The book is up to date ({seconds:.0f} s): open {first}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
