"""The corpora that are downloaded once and kept: whole, or not there at all.

Archives are read in place: nothing is ever unpacked.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath
from typing import TypeVar

from lib.corpora.corpus import Corpus, keep_apart, split_by_source, tidy
from lib.text import Pair

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
    TypeError,  # from tarfile, of what is cut off in its first bytes
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


TATOEBA = (
    "Sentences of the Tatoeba project (https://tatoeba.org), selected by "
    "www.manythings.org/anki; license CC BY 2.0 FR "
    "(https://creativecommons.org/licenses/by/2.0/fr/)."
)
BOOKS = (
    "OPUS Books (https://opus.nlpl.eu/Books.php): J. Tiedemann, Parallel Data, Tools "
    "and Interfaces in OPUS, LREC 2012; books aligned by Andras Farkas. For personal, "
    "educational and research use; no commercial use, no mass redistribution."
)
EUROPARL = (
    "Europarl v7 (https://www.statmt.org/europarl/): P. Koehn, Europarl: A Parallel "
    "Corpus for Statistical Machine Translation, MT Summit 2005; proceedings of the "
    "European Parliament, on which its makers know of no copyright restrictions. "
    "Please cite the paper."
)
LINES = 200_000  # of Europarl; all of them, 1.9 million, want some gigabytes of memory
MULTI30K = (
    "Multi30k (https://github.com/multi30k/dataset): D. Elliott, S. Frank, K. Sima'an "
    "and L. Specia, 2016; French by D. Elliott and others, 2017; after the captions of "
    "Flickr30k. For research and education."
)
_MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
# Our names of the splits, and those of the files.
PARTS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
_SHA256 = {
    "train.de": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.fr": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.de": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.fr": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.de": (
        "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8"
    ),
    "test_2016_flickr.en": (
        "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"
    ),
    "test_2016_flickr.fr": (
        "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90"
    ),
}


# By the name of a corpus, or of one file of Multi30k. The Spanish file of Tatoeba is
# that of the Keras and TensorFlow tutorials, which stays as it is; the others are
# renewed from time to time.
FILES = {
    "tatoeba-en-es": RemoteFile(
        "spa-eng.zip",
        "https://storage.googleapis.com/download.tensorflow.org/data/spa-eng.zip",
        "0c4fd7825d3d872488d38c157f784e035edab4f2ff0df25a2a208790ecb5b58f",
    ),
    "tatoeba-en-fr": RemoteFile(
        "fra-eng.zip", "https://www.manythings.org/anki/fra-eng.zip"
    ),
    "tatoeba-en-it": RemoteFile(
        "ita-eng.zip", "https://www.manythings.org/anki/ita-eng.zip"
    ),
    "opus-books-en-it": RemoteFile(
        "opus-books/en-it.txt.zip",
        "https://object.pouta.csc.fi/OPUS-Books/v1/moses/en-it.txt.zip",
    ),
    "europarl-it-en": RemoteFile(
        "europarl/it-en.tgz", "https://www.statmt.org/europarl/v7/it-en.tgz"
    ),
    **{
        name: RemoteFile(f"multi30k/{name}.gz", f"{_MULTI30K}{name}.gz", sha256)
        for name, sha256 in _SHA256.items()
    },
}


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


def load_tatoeba(target: str) -> Corpus:
    """Load everyday sentences, as ManyThings.org selects them, in two languages.

    Args:
        target: "es", "fr" or "it"; the source is English.
    """
    name = f"tatoeba-en-{target}"
    # spa-eng.zip holds spa.txt, in a folder or not.
    text = FILES[name].place.removesuffix("-eng.zip") + ".txt"
    rows = read_remote(FILES[name], partial(_columns, text=text))
    pairs, notes = tidy(rows)
    splits = split_by_source(pairs)
    return Corpus(name, "en", target, splits, TATOEBA, tuple(notes), prose=True)


def _columns(archive: Path, text: str) -> Iterator[Pair]:
    """Newer files have a third column, which names the authors of the two sentences."""
    for number, line in enumerate(_zip_lines(archive, text), start=1):
        columns = line.split("\t")
        if len(columns) >= 2:
            yield columns[0], columns[1]
        elif line.strip():
            raise ValueError(f"line {number:,} of {text} has no tab between sentences")


def load_books() -> Corpus:
    """Load sentences of books in English and Italian, from OPUS."""
    name, texts = "opus-books-en-it", ["Books.en-it.en", "Books.en-it.it"]
    pairs, notes = tidy(read_remote(FILES[name], partial(_texts, _zip_lines, texts)))
    splits = split_by_source(pairs)
    return Corpus(name, "en", "it", splits, BOOKS, tuple(notes), prose=True)


def load_europarl() -> Corpus:
    """Load debates of the European Parliament: the first lines of the archive."""
    name = "europarl-it-en"
    texts = ["europarl-v7.it-en.it", "europarl-v7.it-en.en"]
    rows = read_remote(FILES[name], partial(_texts, _tar_lines, texts))
    pairs, notes = tidy(islice(rows, LINES))
    if next(rows, None):
        notes.insert(0, f"only the first {LINES:,} lines were read")
    splits = split_by_source(pairs)
    return Corpus(name, "it", "en", splits, EUROPARL, tuple(notes), prose=True)


def load_multi30k(source: str, target: str) -> Corpus:
    """Load descriptions of photographs in two languages.

    The test split is test_2016_flickr, whole and as it was published, so that scores
    can be compared with those of others.

    Args:
        source: "en", "de" or "fr".
        target: another of them.
    """
    ready = {part: _captions(part, source, target) for part in PARTS}
    ready["train"], notes = tidy(ready["train"])
    splits, more = keep_apart(ready, order=["test", "validation", "train"])
    name = f"multi30k-{source}-{target}"
    told = (*notes, *more)
    return Corpus(name, source, target, splits, MULTI30K, told, prose=True)


def _captions(part: str, source: str, target: str) -> list[Pair]:
    """Put the lines of the two files side by side."""
    files = [FILES[f"{PARTS[part]}.{code}"] for code in (source, target)]
    left, right = (
        [line.strip() for line in read_remote(file, _gzip_lines)] for file in files
    )
    if len(left) != len(right):
        one, other = (download_folder() / file.place for file in files)
        raise ValueError(
            f"{one} has {len(left):,} lines, but {other} has {len(right):,}, so they "
            f"do not belong together; for each of them: {DELETE}."
        )
    return list(zip(left, right, strict=True))


def _zip_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a zip archive, in whichever folder, line by line."""
    with zipfile.ZipFile(file) as archive:
        found = [n for n in archive.namelist() if PurePosixPath(n).name == name]
        if not found:
            raise ValueError(f"it holds no {name}")
        with archive.open(found[0]) as stream:
            yield from _lines(stream)


def _gzip_lines(file: Path) -> Iterator[str]:
    """Read a compressed text line by line."""
    with gzip.open(file) as stream:
        yield from _lines(stream)


def _tar_lines(file: Path, name: str) -> Iterator[str]:
    """Read a text inside a compressed tar archive, in one pass, line by line."""
    with tarfile.open(file, "r|gz") as archive:
        for member in archive:
            if PurePosixPath(member.name).name == name and member.isfile():
                stream = archive.extractfile(member)
                if stream is not None:
                    yield from _lines(stream)
                return
    raise ValueError(f"it holds no {name}")


def _texts(
    read: Callable[[Path, str], Iterator[str]], names: Iterable[str], archive: Path
) -> Iterator[Pair]:
    """Read both texts, hand in hand: neither is unpacked, or lies in memory whole.

    They have equally many lines if they belong together.
    """
    lines = zip_longest(*(read(archive, name) for name in names))
    for number, (source, target) in enumerate(lines):
        if source is None or target is None:
            raise ValueError(
                f"one language ends after {number:,} lines and the other goes on"
            )
        yield source, target


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Decode line by line: only a line feed ends one, as the two sides agree on."""
    for number, line in enumerate(stream):
        yield line.decode("utf-8" if number else "utf-8-sig").rstrip("\r\n")
