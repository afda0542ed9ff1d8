"""Archives and the lines in them, read in place: nothing is ever unpacked."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from lib.text import Pair


def zip_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a zip archive, in whichever folder, line by line."""
    with zipfile.ZipFile(file) as archive:
        found = [n for n in archive.namelist() if PurePosixPath(n).name == name]
        if not found:
            raise ValueError(f"it holds no {name}")
        with archive.open(found[0]) as stream:
            yield from _lines(stream)


def gzip_lines(file: Path) -> Iterator[str]:
    """Read a compressed text line by line."""
    with gzip.open(file) as stream:
        yield from _lines(stream)


def tar_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a compressed tar archive, in one pass, line by line."""
    with tarfile.open(file, "r|gz") as archive:
        for member in archive:
            if PurePosixPath(member.name).name == name and member.isfile():
                stream = archive.extractfile(member)
                if stream is not None:
                    yield from _lines(stream)
                return
    raise ValueError(f"it holds no {name}")


def side_by_side(sources: Iterator[str], targets: Iterator[str]) -> Iterator[Pair]:
    """Pair the lines of two texts, which have equally many if they belong together."""
    for number, (source, target) in enumerate(zip_longest(sources, targets)):
        if source is None or target is None:
            raise ValueError(
                f"one language ends after {number:,} lines and the other goes on"
            )
        yield source, target


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Decode line by line: only a line feed ends one, as the two sides agree on."""
    for number, line in enumerate(stream):
        yield line.decode("utf-8" if number else "utf-8-sig").rstrip("\r\n")
