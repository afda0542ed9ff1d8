"""Files that are downloaded once and kept: whole, or not there at all."""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Row = TypeVar("Row")

VARIABLE = "TRANSFORMER_BOOK_CACHE"
TIMEOUT = 30.0  # seconds without a byte before the connection counts as broken
_HEADERS = {
    # manythings.org turns away what calls itself Python.
    "User-Agent": "Mozilla/5.0 (compatible; transformer-piece-by-piece)",
    "Accept-Encoding": "identity",  # a .gz is to arrive as a .gz
}
# What zipfile, gzip and tarfile raise for a file that is damaged or cut off.
_DAMAGED = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, OSError, RuntimeError, ValueError),
)
DELETE = "delete it, and it is downloaded again"


@dataclass(frozen=True)
class RemoteFile:
    """A file that a corpus needs.

    Args:
        place: where it lies inside the download folder, such as "multi30k/val.en.gz".
        url: where it is downloaded from.
        sha256: its fingerprint; empty if its publisher renews it from time to time.
    """

    place: str
    url: str
    sha256: str = ""


def download_folder() -> Path:
    """Tell where downloaded files are kept.

    Raises:
        ValueError: if the variable speaks of the home of a user who does not exist.
    """
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        import pooch  # no corpus of the book's own needs it

        return Path(pooch.os_cache("transformer-piece-by-piece"))
    try:
        return Path(chosen).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(
            f"{VARIABLE} is {chosen!r}, and there is no such user; name a folder "
            "that exists or can be made."
        ) from error


def read_remote(
    remote: RemoteFile, read: Callable[[Path], Iterable[Row]]
) -> Iterator[Row]:
    """Read a file in the download folder; it is downloaded if it is not there.

    A file that is there is read and never written, so the folder may be read-only.

    Args:
        remote: the file.
        read: reads all of the file and refuses what cannot be used; a download is kept
            only if it stands this test.

    Raises:
        ValueError: if the file is not what it should be.
        OSError: if it cannot be downloaded or written.
    """
    target = download_folder() / remote.place
    if not target.exists():
        _download(remote, target, read)
    with usable(str(target), DELETE):
        _check(target, remote.sha256)
        yield from read(target)


@contextlib.contextmanager
def usable(origin: str, advice: str) -> Iterator[None]:
    """Say in one sentence what is wrong with a file, and what to do."""
    try:
        yield
    except _DAMAGED as error:
        what = getattr(error, "strerror", None) or str(error) or "it is damaged"
        raise ValueError(f"{origin} cannot be used: {what}; {advice}.") from error


def _check(file: Path, sha256: str) -> None:
    """Refuse the page of a portal, and another version of a file that never changes."""
    with file.open("rb") as stream:
        if stream.read(512).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<"):
            raise ValueError("it is a web page and no archive")
        stream.seek(0)
        if not sha256:
            return
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != sha256:
        raise ValueError(f"its SHA-256 is {found[:16]}… instead of {sha256[:16]}…")


def _download(
    remote: RemoteFile, target: Path, read: Callable[[Path], Iterable[object]]
) -> None:
    """Fetch a file into a folder of its own, check it, and only then move it."""
    # What is at hand is read without loading anything that knows the network.
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    get = pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT, headers=_HEADERS)
    by_hand = f"put the file there yourself: {target}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".") as folder:
            part = Path(folder, target.name)
            pooch.retrieve(remote.url, None, part.name, folder, downloader=get)
            advice = f"nothing of it was kept; try again later, or {by_hand}"
            with usable(remote.url, advice):
                _check(part, remote.sha256)
                for _ in read(part):  # to its end, for what stands wrong in a line
                    pass
            os.replace(part, target)
    except requests.RequestException as error:
        raise ConnectionError(
            f"{remote.url} cannot be downloaded: {_reason(error)}; check the network "
            f"and try again, or {by_hand}."
        ) from error
    except OSError as error:
        raise OSError(
            f"{target} cannot be written ({error.strerror or error}); make room and "
            f"give permission, or choose another folder with {VARIABLE}."
        ) from error


def _reason(error: OSError) -> str:
    """Say what broke; a library's own words name its pools and its retries."""
    import requests

    match error:
        case requests.HTTPError(response=requests.Response() as answer):
            return f"the server answers {answer.status_code} {answer.reason}"
        case requests.Timeout():
            return f"the server was silent for {TIMEOUT:g} seconds"
        case requests.exceptions.ChunkedEncodingError():
            return "the connection broke before the end of the file"
    return "the server cannot be reached"
