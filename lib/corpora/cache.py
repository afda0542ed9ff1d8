"""Where downloaded files are kept, and how a corpus asks for one of them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from lib.corpora.archives import DELETE, check_file

VARIABLE = "TRANSFORMER_BOOK_CACHE"
_NAME = "transformer-piece-by-piece"


@dataclass(frozen=True)
class RemoteFile:
    """A file that a corpus needs.

    Args:
        place: Where it lies inside the cache folder, such as "multi30k/val.en.gz".
        url: Where it is downloaded from.
        kind: "zip" or "gzip".
        sha256: Its fingerprint; empty if its publisher renews it from time to time.

    Example:
        >>> RemoteFile("two.zip", "https://example.org/two.zip", "zip").sha256
        ''

    Built in chapter 14.
    """

    place: str
    url: str
    kind: str
    sha256: str = ""


def cache_folder() -> Path:
    """Tell where downloaded files are kept.

    Returns:
        The folder that the environment variable TRANSFORMER_BOOK_CACHE names; without
        it, one in the usual place of the system. It need not exist yet.

    Example:
        >>> cache_folder().is_absolute()
        True

    Built in chapter 14.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    home = Path.home()
    if sys.platform == "darwin":
        usual = home / "Library" / "Caches"
    elif sys.platform == "win32":
        usual = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        usual = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return usual.absolute() / _NAME


def fetch(remote: RemoteFile) -> Path:
    """Find a file in the cache, or download it.

    A file that is there is read and never written, so that the cache may be read-only.

    Args:
        remote: The file.

    Returns:
        Where it lies.

    Raises:
        OSError: If it cannot be downloaded, or the cache cannot be written.
        ValueError: If what lies there, or what came, is not the file.

    Built in chapter 14.
    """
    target = cache_folder() / remote.place
    if target.is_file():
        check_file(target, remote.kind, remote.sha256, str(target), DELETE)
        return target
    # What is at hand is read without loading anything that knows the network.
    from lib.corpora.download import download

    download(remote.url, target, remote.kind, remote.sha256)
    return target
