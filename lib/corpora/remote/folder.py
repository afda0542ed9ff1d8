"""Where downloaded files are kept, and how a corpus asks for one of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lib.corpora.remote.archives import DELETE, Archive, check_file

VARIABLE = "TRANSFORMER_BOOK_CACHE"
_NAME = "transformer-piece-by-piece"


@dataclass(frozen=True)
class RemoteFile:
    """A file that a corpus needs.

    Args:
        place: where it lies inside the download folder, such as "multi30k/val.en.gz".
        url: where it is downloaded from.
        kind: "zip" or "gzip".
        sha256: its fingerprint; empty if its publisher renews it from time to time.
    """

    place: str
    url: str
    kind: str
    sha256: str = ""


def download_folder() -> Path:
    """Tell where downloaded files are kept.

    Raises:
        ValueError: if the variable speaks of the home of a user who does not exist.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError as error:
            raise ValueError(
                f"{VARIABLE} is {chosen!r}, and there is no such user; name a folder "
                "that exists or can be made."
            ) from error
    home = Path.home()
    if sys.platform == "darwin":
        usual = home / "Library" / "Caches"
    elif sys.platform == "win32":
        usual = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        usual = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return usual.absolute() / _NAME


def fetch(remote: RemoteFile, read: Callable[[Archive], Iterable[object]]) -> Archive:
    """Find a file in the download folder, or download it.

    A file that is there is read and never written, so the folder may be read-only.

    Args:
        remote: the file.
        read: reads all of the file and refuses what cannot be used; a download is kept
            only if it stands this test.
    """
    target = download_folder() / remote.place
    archive = Archive(target, str(target))
    try:
        if target.exists():
            check_file(archive, remote.kind, remote.sha256)
            return archive
    except OSError as error:
        raise OSError(
            f"{target} cannot be read ({error.strerror or error}); give permission to "
            f"read it, or {DELETE}."
        ) from error
    # What is at hand is read without loading anything that knows the network.
    from lib.corpora.remote.download import download

    download(remote.url, target, remote.kind, remote.sha256, read)
    return archive
