"""Archives and the lines in them, read in place: nothing is ever unpacked."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

_STARTS = {"zip": b"PK\x03\x04", "gzip": b"\x1f\x8b"}
_CHUNK = 1 << 20
# What zipfile, gzip and tarfile raise for a file that is damaged or cut off.
_DAMAGED = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    RuntimeError,  # encrypted, or compressed in a way that Python does not know
)
# What a damaged or foreign file that already lies in the cache calls for.
DELETE = "delete it, and it is downloaded again"


def check_file(
    file: Path, kind: str, sha256: str, origin: str, advice: str, whole: bool = False
) -> None:
    """Refuse a file that is not what it should be.

    Args:
        file: The file.
        kind: "zip" or "gzip".
        sha256: Its fingerprint, or "" if that is not fixed.
        origin: What the message calls the file.
        advice: What the message tells the user to do.
        whole: Whether to read it to its end as well, which takes longer.

    Raises:
        ValueError: If it is something else, or damaged.

    Built in chapter 14.
    """
    _check_start(file, kind, origin, advice)
    if sha256:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != sha256:
            raise ValueError(
                f"{origin} has the SHA-256 {found[:16]}… instead of {sha256[:16]}…, so "
                f"it is damaged or another version; {advice}."
            )
    try:
        if kind == "zip":
            with zipfile.ZipFile(file) as archive:
                _check_names(archive.namelist(), origin, advice)
                damaged = archive.testzip() if whole else None
            if damaged:
                raise zipfile.BadZipFile(f"{damaged} does not match its checksum")
        elif whole:
            with gzip.open(file) as content:
                while content.read(_CHUNK):
                    pass
    except _DAMAGED as error:
        raise ValueError(f"{origin} is damaged ({error}); {advice}.") from error


def _check_start(file: Path, kind: str, origin: str, advice: str) -> None:
    """The first bytes tell an archive from the web page of a portal or a 404."""
    with file.open("rb") as stream:
        start = stream.read(512)
    if start.startswith(_STARTS[kind]):
        return
    page = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
    what = "a web page" if page else "something else" if start else "empty"
    raise ValueError(f"{origin} is {what}, not a {kind} archive; {advice}.")


def _check_names(names: Iterable[str], origin: str, advice: str) -> None:
    """An honest archive has no names that lead out of its folder."""
    for name in names:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in name:
            raise ValueError(
                f"{origin} holds {name!r}, which leads out of its folder, so it is not "
                f"to be trusted and nothing of it was read; {advice}."
            )


def zip_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a zip archive line by line.

    Args:
        file: The archive.
        name: File name of the text, in whichever folder of the archive.

    Yields:
        Its lines, without their ends.

    Raises:
        ValueError: If there is no such text, or it is damaged or not UTF-8.

    Built in chapter 14.
    """
    with zipfile.ZipFile(file) as archive:
        found = [n for n in archive.namelist() if PurePosixPath(n).name == name]
        if not found:
            raise ValueError(f"{file} holds no {name}; {DELETE}.")
        with archive.open(found[0]) as stream:
            yield from _lines(stream, f"{name} in {file}")


def gzip_lines(file: Path) -> Iterator[str]:
    """Read a compressed text line by line.

    Args:
        file: The text, compressed by gzip.

    Yields:
        Its lines, without their ends.

    Raises:
        ValueError: If it is damaged or not UTF-8.

    Built in chapter 14.
    """
    with gzip.open(file) as stream:
        yield from _lines(stream, str(file))


def tar_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a compressed tar archive, in one pass and line by line.

    Args:
        file: The archive, compressed by gzip.
        name: File name of the text, in whichever folder of the archive.

    Yields:
        Its lines, without their ends.

    Raises:
        ValueError: If there is no such text, or it is damaged or not UTF-8.

    Built in chapter 14.
    """
    try:
        with tarfile.open(file, "r|gz") as archive:
            for member in archive:
                _check_names([member.name], str(file), DELETE)
                if PurePosixPath(member.name).name == name and member.isfile():
                    stream = archive.extractfile(member)
                    yield from _lines(stream or (), f"{name} in {file}")
                    return
    except _DAMAGED as error:
        raise ValueError(f"{file} is damaged ({error}); {DELETE}.") from error
    raise ValueError(f"{file} holds no {name}; {DELETE}.")


def _lines(stream: Iterable[bytes], origin: str) -> Iterator[str]:
    """Decode line by line: only a line feed ends one, as the two sides agree on."""
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            line = raw.decode("utf-8").rstrip("\r\n")
            yield line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError:
        raise ValueError(
            f"Line {number:,} of {origin} is not UTF-8 text, so the archive is another "
            f"one or was packed again; {DELETE}."
        ) from None
    except _DAMAGED as error:
        raise ValueError(
            f"After {number:,} lines {origin} is damaged ({error}); {DELETE}."
        ) from error
