"""The corpora that are downloaded once and kept: whole, or not there at all.

Archives are read in place: nothing is ever unpacked.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path, PurePosixPath
from typing import IO, TypeVar

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
MULTI30K = (
    "Multi30k (https://github.com/multi30k/dataset): D. Elliott, S. Frank, K. Sima'an "
    "and L. Specia, 2016; French by D. Elliott and others, 2017; after the captions of "
    "Flickr30k. For research and education."
)
_MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/master/data/task1/raw/"
# Our names of the splits, and those of the files; the first keeps all its sources.
_PARTS = {"test": "test_2016_flickr", "validation": "val", "train": "train"}
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

# What a corpus reads of its file: one text with two columns, or one for each language.
TEXTS = {
    "europarl-it-en": (("europarl-v7.it-en.it", "europarl-v7.it-en.en"), EUROPARL),
    "opus-books-en-it": (("Books.en-it.en", "Books.en-it.it"), BOOKS),
    "tatoeba-en-es": (("spa.txt",), TATOEBA),
    "tatoeba-en-fr": (("fra.txt",), TATOEBA),
    "tatoeba-en-it": (("ita.txt",), TATOEBA),
}
# All lines of Europarl, 1.9 million, want some gigabytes of memory.
LINES = {"europarl-it-en": 200_000}
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
    """Tell where downloaded files are kept."""
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        import pooch  # no corpus of the book's own needs it

        return Path(pooch.os_cache("transformer-piece-by-piece"))
    return Path(os.path.expanduser(chosen)).absolute()


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
        _download(remote.url, target)
        try:
            for _ in _checked(remote, target, read):
                pass  # to its end, since any line may be wrong
        except ValueError:
            target.unlink()
            raise
    yield from _checked(remote, target, read)


def _checked(
    remote: RemoteFile, file: Path, read: Callable[[Path], Iterable[Row]]
) -> Iterator[Row]:
    """Read a file, or say in one sentence what is wrong with it."""
    try:
        with file.open("rb") as stream:
            if stream.read(512).lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<"):
                raise ValueError("it is a web page and no archive")
            stream.seek(0)
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if remote.sha256 not in ("", found):
            raise ValueError(f"its SHA-256 is {found} instead of {remote.sha256}")
        yield from read(file)
    except Exception as error:  # a damaged archive can raise nearly anything
        raise ValueError(
            f"{file} cannot be used: {str(error) or 'it is damaged'}; delete it if it "
            f"is there, and it is downloaded again from {remote.url}."
        ) from error


def _download(url: str, target: Path) -> None:
    """Fetch a file, which pooch puts into its place when it is whole."""
    # What is at hand is read without loading anything that knows the network.
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    get = pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT, headers=_HEADERS)
    try:
        pooch.retrieve(url, None, target.name, target.parent, downloader=get)
    except requests.RequestException as error:
        # Where no server answered, the library's words name its pools and its retries.
        why = type(error).__name__ if error.response is None else error
        raise ConnectionError(
            f"{url} cannot be downloaded ({why}); check the network and try again, or "
            f"put the file there yourself: {target}."
        ) from error
    except OSError as error:
        raise OSError(
            f"{target} cannot be written ({error.strerror or error}); make room and "
            f"give permission, or choose another folder with {VARIABLE}."
        ) from error


def load_archive(name: str) -> Corpus:
    """Load everyday sentences, books, or debates of the European Parliament.

    Args:
        name: one of :data:`TEXTS`.
    """
    texts, attribution = TEXTS[name]
    rows = read_remote(FILES[name], lambda archive: _pairs(archive, texts))
    pairs, notes = tidy(islice(rows, LINES.get(name)))
    if next(rows, None):
        notes.insert(0, f"only the first {LINES[name]:,} lines were read")
    source, target = name.split("-")[-2:]
    about = attribution, tuple(notes)
    return Corpus(name, source, target, split_by_source(pairs), *about, prose=True)


def load_multi30k(name: str) -> Corpus:
    """Load descriptions of photographs in two languages.

    The test split is test_2016_flickr, whole and as it was published, so that scores
    can be compared with those of others.

    Args:
        name: such as "multi30k-en-de", of two among "en", "de" and "fr".
    """
    _, source, target = name.split("-")
    ready = {part: _captions(file, source, target) for part, file in _PARTS.items()}
    ready["train"], notes = tidy(ready["train"])
    apart, more = keep_apart(ready)
    splits = dict(reversed(apart.items()))
    about = MULTI30K, (*notes, *more)
    return Corpus(name, source, target, splits, *about, prose=True)


def _captions(part: str, source: str, target: str) -> list[Pair]:
    """Put the lines of the two files side by side."""
    sides = (
        [line.strip() for line in read_remote(FILES[f"{part}.{code}"], _gzip_lines)]
        for code in (source, target)
    )
    return list(zip(*sides, strict=True))


def _pairs(archive: Path, texts: tuple[str, ...]) -> Iterator[Pair]:
    """Read the two columns of a text, or two texts hand in hand.

    Neither is unpacked, or lies in memory whole.
    """
    lines = (_text(archive, name) for name in texts)
    # A third column names the authors of the two sentences.
    for number, row in enumerate(zip_longest(*lines), start=1):
        sides = row if len(row) > 1 else row[0].split("\t")
        if len(sides) > 1 and None not in sides:
            yield sides[0], sides[1]
        elif any(sides):
            raise ValueError(f"line {number:,} of {' and '.join(texts)} is no pair")


def _text(archive: Path, name: str) -> Iterator[str]:
    """Read a text inside an archive, in whichever folder, line by line."""
    for place, stream in _members(archive):
        if PurePosixPath(place).name == name:
            yield from _lines(stream)
            return
    raise ValueError(f"it holds no {name}")


def _members(file: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Open the files in a zip archive or a compressed tar archive, one by one."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                with archive.open(name) as stream:
                    yield name, stream
        return
    with tarfile.open(file, "r|gz") as tape:
        for member in tape:
            if content := tape.extractfile(member):
                yield member.name, content


def _gzip_lines(file: Path) -> Iterator[str]:
    """Read a compressed text line by line."""
    with gzip.open(file) as stream:
        yield from _lines(stream)


def _lines(stream: Iterable[bytes]) -> Iterator[str]:
    """Decode line by line: only a line feed ends one, as the two sides agree on."""
    for number, line in enumerate(stream):
        yield line.decode("utf-8" if number else "utf-8-sig").rstrip("\r\n")
