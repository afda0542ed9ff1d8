"""Archives and the lines in them, read in place: nothing is ever unpacked."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_STARTS = {"zip": b"PK\x03\x04", "gzip": b"\x1f\x8b"}
_CHUNK = 1 << 20
# What zipfile, gzip and tarfile raise for a file that is damaged or cut off.
_DAMAGED = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # asked for a place before the beginning
    RuntimeError,  # encrypted, or compressed in a way that Python does not know
    UnicodeDecodeError,  # the name of a file inside
)
# What a damaged or foreign file that already lies in the download folder calls for.
DELETE = "delete it, and it is downloaded again"


@dataclass(frozen=True)
class Archive:
    """A file to read, and how a message about it is worded.

    Args:
        file: where it lies.
        origin: what the message calls it.
        advice: what the message tells the user to do.
    """

    file: Path
    origin: str
    advice: str = DELETE

    def damaged(self, where: str, why: object) -> ValueError:
        """Word the error for what cannot be read to its end."""
        return ValueError(f"{where} is damaged ({why}); {self.advice}.")


def check_file(
    archive: Archive, kind: str, sha256: str = "", whole: bool = False
) -> None:
    """Refuse a file that is not what it should be.

    Args:
        archive: the file.
        kind: "zip" or "gzip".
        sha256: its fingerprint, or "" if that is not fixed.
        whole: whether to read it to its end as well, which takes longer.
    """
    _check_start(archive, kind)
    if sha256:
        with archive.file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != sha256:
            raise ValueError(
                f"{archive.origin} has the SHA-256 {found[:16]}… instead of "
                f"{sha256[:16]}…, so it is damaged or another version; "
                f"{archive.advice}."
            )
    try:
        if kind == "zip":
            with zipfile.ZipFile(archive.file) as content:
                _check_names(content.namelist(), archive)
                damaged = content.testzip() if whole else None
            if damaged:
                raise zipfile.BadZipFile(f"{damaged} does not match its checksum")
        elif whole:
            with gzip.open(archive.file) as stream:
                while stream.read(_CHUNK):
                    pass
    except _DAMAGED as error:
        raise archive.damaged(archive.origin, error) from error


def _check_start(archive: Archive, kind: str) -> None:
    """The first bytes tell an archive from the web page of a portal or a 404."""
    with archive.file.open("rb") as stream:
        start = stream.read(512)
    if start.startswith(_STARTS[kind]):
        return
    page = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
    what = "a web page" if page else "something else" if start else "empty"
    raise ValueError(
        f"{archive.origin} is {what}, not a {kind} archive; {archive.advice}."
    )


def _check_names(names: Iterable[str], archive: Archive) -> None:
    """An honest archive has no names that lead out of its folder."""
    for name in names:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in name:
            raise ValueError(
                f"{archive.origin} holds {name!r}, which leads out of its folder, so "
                "it is not to be trusted and nothing of it was unpacked; "
                f"{archive.advice}."
            )


def zip_lines(archive: Archive, name: str) -> Iterator[str]:
    """Read a text inside a zip archive, in whichever folder, line by line."""
    try:
        with zipfile.ZipFile(archive.file) as content:
            found = [n for n in content.namelist() if PurePosixPath(n).name == name]
            if not found:
                raise ValueError(f"{archive.origin} holds no {name}; {archive.advice}.")
            with content.open(found[0]) as stream:
                yield from _lines(stream, archive, f"{name} in {archive.origin}")
    except _DAMAGED as error:
        raise archive.damaged(archive.origin, error) from error


def gzip_lines(archive: Archive) -> Iterator[str]:
    """Read a compressed text line by line."""
    with gzip.open(archive.file) as stream:
        yield from _lines(stream, archive, archive.origin)


def tar_lines(archive: Archive, name: str) -> Iterator[str]:
    """Read a text inside a compressed tar archive, in one pass, line by line."""
    try:
        with tarfile.open(archive.file, "r|gz") as content:
            for member in content:
                _check_names([member.name], archive)
                if PurePosixPath(member.name).name == name and member.isfile():
                    stream = content.extractfile(member) or ()
                    yield from _lines(stream, archive, f"{name} in {archive.origin}")
                    return
    except _DAMAGED as error:
        raise archive.damaged(archive.origin, error) from error
    raise ValueError(f"{archive.origin} holds no {name}; {archive.advice}.")


def _lines(stream: Iterable[bytes], archive: Archive, where: str) -> Iterator[str]:
    """Decode line by line: only a line feed ends one, as the two sides agree on."""
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            line = raw.decode("utf-8").rstrip("\r\n")
            yield line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError:
        raise ValueError(
            f"Line {number:,} of {where} is not UTF-8 text, so the archive is another "
            f"one or was packed again; {archive.advice}."
        ) from None
    except _DAMAGED as error:
        raise archive.damaged(f"After {number:,} lines {where}", error) from error
