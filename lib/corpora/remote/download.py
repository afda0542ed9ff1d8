"""One file out of the network: with progress, resumed, and whole or not there."""

from __future__ import annotations

import contextlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from lib.corpora.remote.archives import Archive, check_file

TIMEOUT = 30.0  # seconds without a byte before the connection counts as broken
_CHUNK = 1 << 16
# manythings.org turns away what calls itself Python.
_AGENT = "Mozilla/5.0 (compatible; transformer-piece-by-piece)"


def download(
    url: str,
    target: Path,
    kind: str,
    sha256: str,
    read: Callable[[Archive], Iterable[object]],
) -> None:
    """Download an archive, check it, and only then move it into place.

    Until then it bears another name, ending in ".part". A part that a broken
    connection left is gone on with, if the file is still the same.

    Args:
        url: where it is.
        target: where it goes; folders are made as needed.
        kind: "zip" or "gzip".
        sha256: its fingerprint, or "" if that is not fixed.
        read: reads all of it, and raises ValueError if it cannot be used.
    """
    part = target.with_name(target.name + ".part")
    tag = target.with_name(target.name + ".part.tag")
    by_hand = f"put the file there yourself: {target}"
    with _folders(target.parent):
        try:
            _receive(url, part, tag, bool(sha256), by_hand)
            advice = f"nothing of it was kept; try again later, or {by_hand}"
            archive = Archive(part, url, advice)
            check_file(archive, kind, sha256, whole=True)
            for _ in read(archive):  # to its end, for what stands wrong in a line
                pass
        except ValueError:
            _remove(part, tag)  # to go on with it would lead nowhere
            raise
        finally:
            if part.exists() and part.stat().st_size == 0:
                _remove(part, tag)
        with _writing(target):
            os.replace(part, target)
        _remove(tag)


def _receive(url: str, part: Path, tag: Path, fixed: bool, by_hand: str) -> None:
    """Fetch what the part still lacks."""
    version = tag.read_text("utf-8") if tag.exists() else ""
    # Without a fingerprint or a version, the rest might be that of another file.
    start = part.stat().st_size if part.exists() and (fixed or version) else 0
    response = _ask(url, start, version, by_hand)
    if response is None:
        _remove(part, tag)
        response = _ask(url, 0, "", by_hand)
    with response:
        if not _continues(response, start):
            start = 0
            _remove(part)
        version = _version(response)
        with _writing(tag):
            tag.write_text(version, encoding="utf-8")
        cause, done, total = _copy(response, part, start)
    if cause or (total is not None and done < total):
        size = f"{done:,} of {total:,}" if total else f"{done:,}"
        again = "try again"
        if fixed or version:
            again += ", and the download goes on from there"
        else:
            _remove(part, tag)
        raise ConnectionError(
            f"The connection broke after {size} bytes of {url}; {again}."
        ) from cause


def _ask(url: str, start: int, version: str, by_hand: str) -> Any:
    """Send the request.

    Returns:
        The answer; None if the server holds no more than what is already here.
    """
    headers = {"User-Agent": _AGENT}
    if start:
        headers["Range"] = f"bytes={start}-"
        if version:
            headers["If-Range"] = version
    try:
        request = urllib.request.Request(url, headers=headers)
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and start:
            return None
        raise OSError(
            f"{url} cannot be downloaded: the server answers {error.code} "
            f"{error.reason}; try again later, or {by_hand}."
        ) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise ConnectionError(
            f"{url} cannot be reached ({reason}); check the network, or {by_hand}."
        ) from error


def _continues(response: Any, start: int) -> bool:
    """Tell whether the answer is the rest of the file and not the whole of it."""
    sent = response.headers.get("Content-Range", "")
    return response.status == 206 and sent.startswith(f"bytes {start}-")


def _version(response: Any) -> str:
    """What the server knows this state of the file by; weak tags promise too little."""
    tag = response.headers.get("ETag", "")
    return tag if tag.startswith('"') else response.headers.get("Last-Modified", "")


def _copy(
    response: Any, part: Path, start: int
) -> tuple[Exception | None, int, int | None]:
    """Write what comes, and show how far it is.

    Returns:
        What broke the connection, the bytes that are there, and those there should be.
    """
    from tqdm import tqdm

    rest = response.headers.get("Content-Length") or ""
    total = start + int(rest) if rest.isdecimal() else None
    name = part.name.removesuffix(".part")
    bar = tqdm(total=total, initial=start, unit="B", unit_scale=True, desc=name)
    done = start
    with _writing(part), bar, part.open("ab" if start else "wb") as file:
        while True:
            try:
                chunk = response.read(_CHUNK)
            except (OSError, http.client.HTTPException) as error:
                return error, done, total
            if not chunk:
                return None, done, total
            file.write(chunk)
            done += len(chunk)
            bar.update(len(chunk))


@contextlib.contextmanager
def _writing(file: Path) -> Iterator[None]:
    """Turn a full disk or a read-only folder into one sentence."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{file} cannot be written ({error.strerror or error}); make room and give "
            "permission, or choose another folder with TRANSFORMER_BOOK_CACHE."
        ) from error


@contextlib.contextmanager
def _folders(folder: Path) -> Iterator[None]:
    """Make the folders that are missing; take those away that stayed empty."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for each in missing:
            with contextlib.suppress(OSError):  # it holds something now
                each.rmdir()


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)
