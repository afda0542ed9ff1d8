"""The downloaded corpora: what is kept, what is read, and what is said of the rest."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import tracemalloc
import zipfile
from itertools import chain
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pooch
import pytest
import requests

from lib import corpora
from lib.corpora import remote
from tests.refusals import refuses

WORDS = 40
LATIN = "is it?\t¿Qué?".encode("latin-1")


# --- files in the true formats --------------------------------------------------------


def zipped(**texts: bytes) -> bytes:
    """A zip archive; a double underscore in a name stands for a slash."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def tarred(texts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def lines(word: str, count: int = WORDS) -> bytes:
    # What does not repeat does not shrink, so that there is something to cut in half.
    random = Random(word)
    told = (f"{word} {n}, {random.getrandbits(256):x}.\n" for n in range(count))
    return "".join(told).encode()


def columns(*sides: bytes) -> bytes:
    rows = zip(*(side.splitlines() for side in sides), strict=True)
    return b"".join(b"\t".join(row) + b"\n" for row in rows)


CREDITS = b"CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM) & #2 (sacredceltic)\n"
ENGLISH, SPANISH = lines("cat"), lines("¿Qué gato?")
ITALIAN = lines("è vero")
GOOD = columns(ENGLISH, SPANISH)
EUROPARL = {"europarl-v7.it-en.en": ENGLISH, "europarl-v7.it-en.it": ITALIAN}


def good_files() -> dict[str, bytes]:
    """Everything that the corpora download, small, by the name at its address."""
    french, italian = (
        columns(ENGLISH, side, CREDITS * WORDS) for side in (lines("été"), ITALIAN)
    )
    files = {
        "spa-eng.zip": zipped(**{"spa-eng__spa.txt": GOOD}, about=b"Info"),
        "fra-eng.zip": zipped(**{"fra.txt": french}),
        "ita-eng.zip": zipped(**{"ita.txt": italian}, about=b"Info"),
        "it-en.tgz": tarred(EUROPARL),
        "en-it.txt.zip": zipped(
            **{"Books.en-it.en": ENGLISH, "Books.en-it.it": ITALIAN}
        ),
    }
    for part, count in (("train", WORDS), ("val", 8), ("test_2016_flickr", 7)):
        for code in ("en", "de", "fr"):
            files[f"{part}.{code}.gz"] = gzip.compress(lines(f"{part} {code}", count))
    return files


class Net:
    """Hands out files, or raises what a test puts in their place."""

    def __init__(self) -> None:
        self.files = good_files()
        self.broken: Exception | None = None
        self.asked: list[str] = []

    def retrieve(
        self,
        url: str,
        known_hash: None,
        fname: str,
        path: str,
        downloader: pooch.HTTPDownloader,
    ) -> None:
        """As pooch does it, which looks after the connection."""
        told = {"timeout": remote.TIMEOUT, "headers": remote._HEADERS}
        assert downloader.progressbar and downloader.kwargs == told
        self.asked.append(url)
        content = self.files[url.rsplit("/", 1)[1]]
        file = Path(path, fname)
        file.write_bytes(content[: len(content) // 2 if self.broken else None])
        if self.broken:
            raise self.broken


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Net:
    """Where every corpus is downloaded from in these tests, whatever its hash."""
    net = Net()
    monkeypatch.setattr(pooch, "retrieve", net.retrieve)
    for key, file in remote.FILES.items():
        monkeypatch.setitem(remote.FILES, key, dataclasses.replace(file, sha256=""))
    return net


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, which does not exist at first."""
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "the cache"))
    return tmp_path / "the cache"


def content(folder: Path) -> dict[str, bytes]:
    """All files that the cache holds, so that nothing in it can change unseen."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def said(name: str, kind: type[Exception] = ValueError) -> str:
    """The one sentence in which a corpus refuses to load."""
    message = refuses(lambda: corpora.load(name), r"\.$", kind)
    assert ". " not in message, "more than one sentence"
    assert len(message) < 450
    return message


# Each corpus with the first file that it downloads, and where that goes.
FIRST = {
    "europarl-it-en": ("it-en.tgz", "europarl/it-en.tgz"),
    "multi30k-en-de": ("train.en.gz", "multi30k/train.en.gz"),
    "multi30k-de-en": ("train.de.gz", "multi30k/train.de.gz"),
    "multi30k-en-fr": ("train.en.gz", "multi30k/train.en.gz"),
    "opus-books-en-it": ("en-it.txt.zip", "opus-books/en-it.txt.zip"),
    "tatoeba-en-es": ("spa-eng.zip", "spa-eng.zip"),
    "tatoeba-en-fr": ("fra-eng.zip", "fra-eng.zip"),
    "tatoeba-en-it": ("ita-eng.zip", "ita-eng.zip"),
}


# --- what goes well -------------------------------------------------------------------


def test_the_names_are_those_that_the_book_promises() -> None:
    assert set(corpora.names()) == {*FIRST, "grammar", "phrases"}


@pytest.mark.parametrize("name", FIRST)
def test_a_corpus_is_downloaded_once(name: str, net: Net, folder: Path) -> None:
    """And read again without a network; nothing else is written, or unpacked."""
    corpus = corpora.load(name)
    assert list(corpus.splits) == ["train", "validation", "test"]
    assert corpus.name == name
    assert name.endswith(f"{corpus.source_language}-{corpus.target_language}")
    assert all(corpus.splits.values())
    assert "http" in corpus.attribution
    kept = content(folder)
    assert kept[FIRST[name][1]] == net.files[FIRST[name][0]]
    assert set(kept.values()) <= set(net.files.values())
    net.asked.clear()
    assert corpora.load(name).splits == corpus.splits
    assert content(folder) == kept and not net.asked


def test_the_pairs_are_those_of_the_files(
    net: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "LINES", WORDS)  # exactly as many as there are
    pairs = corpora.load("multi30k-de-en").splits["test"]
    german, english = (lines(f"test_2016_flickr {code}", 7) for code in ("de", "en"))
    assert pairs == list(
        zip(german.decode().splitlines(), english.decode().splitlines(), strict=True)
    )
    for name, left, right in (
        ("tatoeba-en-es", ENGLISH, SPANISH),
        ("tatoeba-en-it", ENGLISH, ITALIAN),
        ("europarl-it-en", ITALIAN, ENGLISH),
        ("opus-books-en-it", ENGLISH, ITALIAN),
    ):
        corpus = corpora.load(name)
        assert not corpus.notes
        found = chain(*corpus.splits.values())
        sides = (side.decode().splitlines() for side in (left, right))
        assert sorted(found) == sorted(zip(*sides, strict=True))


def test_europarl_is_read_piece_by_piece(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory never holds the texts of the archive."""
    long = b"".join(b"%d is a number.\n" % number for number in range(500_000))
    (folder / "europarl").mkdir(parents=True)
    (folder / "europarl/it-en.tgz").write_bytes(tarred(dict.fromkeys(EUROPARL, long)))
    monkeypatch.setattr(remote, "LINES", 20)
    tracemalloc.start()
    corpus = corpora.load("europarl-it-en")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(map(len, corpus.splits.values())) == 20
    assert "only the first 20 lines were read" in corpus.notes
    assert peak < len(long) / 4


def test_long_empty_and_repeated_pairs_are_counted(net: Net) -> None:
    extra = (f"yes\t{'so ' * count}\n".encode() for count in (60, 61))
    text = b"".join((GOOD, *extra, b"...\thola\n", *[b"no\tno\n"] * 3))
    net.files["ita-eng.zip"] = zipped(**{"ita.txt": text})
    corpus = corpora.load("tatoeba-en-it")
    assert corpus.notes == (
        "left out: 1 pair without words on one side",
        "left out: 2 pairs that stood there before",
        "left out: 1 pair with more than max_words = 60 words and marks",
    )
    assert sum(map(len, corpus.splits.values())) == WORDS + 2


def test_the_own_splits_of_multi30k_are_kept_apart(net: Net) -> None:
    shared = lines("test_2016_flickr en", 1).upper() + lines("train en", WORDS - 1)
    net.files["train.en.gz"] = gzip.compress(shared)
    corpus = corpora.load("multi30k-en-fr")
    assert [len(part) for part in corpus.splits.values()] == [WORDS - 1, 8, 7]
    assert corpus.notes == ("left out: 1 pair of train whose source stands in test",)


def test_the_cache_is_one_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform != "win32":  # to which any name is a user's
        monkeypatch.setenv(remote.VARIABLE, "~nobody-of-this-name/corpora")
        message = said("tatoeba-en-es")
        assert f"{remote.VARIABLE} is '~nobody-of-this-name/corpora'" in message
    monkeypatch.delenv(remote.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert corpora.download_folder() == tmp_path / "transformer-piece-by-piece"


# --- what goes wrong on the way -------------------------------------------------------


def answer(code: int, reason: str) -> requests.HTTPError:
    response = requests.Response()
    response.status_code, response.reason = code, reason
    return requests.HTTPError(response=response)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (requests.ConnectionError(), "the server cannot be reached"),
        (answer(404, "Not Found"), "the server answers 404 Not Found"),
        (requests.ReadTimeout(), "the server was silent for 30 seconds"),
        (
            requests.exceptions.ChunkedEncodingError(),
            "the connection broke before the end of the file",
        ),
    ],
)
def test_what_does_not_arrive_leaves_nothing(
    broken: Exception, words: str, net: Net, folder: Path
) -> None:
    net.broken = broken
    message = said("tatoeba-en-it", OSError)
    url = remote.FILES["tatoeba-en-it"].url
    assert message.startswith(f"{url} cannot be downloaded: {words}; check the network")
    assert str(folder / FIRST["tatoeba-en-it"][1]) in message
    assert content(folder) == {}


def test_a_cache_that_cannot_be_written(
    net: Net, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Mock(side_effect=OSError(28, "No space left on device"))
    with monkeypatch.context() as during:
        during.setattr(os, "replace", full)
        assert "(No space left on device)" in said("tatoeba-en-es", OSError)
    assert content(folder) == {}
    net.asked.clear()
    folder.rmdir()
    folder.write_text("mine")
    message = said("tatoeba-en-es", OSError)
    assert "cannot be written" in message and remote.VARIABLE in message
    assert folder.read_text() == "mine" and not net.asked


# --- what is wrong in the files -------------------------------------------------------

LEFT, RIGHT = EUROPARL
PAGE = b"\n<!DOCTYPE html><html>", "it is a web page and no archive"
# For each kind of archive: what may come in place of its first file, and what is said.
WRONG: dict[str, list[tuple[bytes, str]]] = {
    "europarl-it-en": [
        (b"oops", ""),
        (
            tarred({**EUROPARL, RIGHT: lines("x", 9)}),
            "one language ends after 9 lines and the other goes on",
        ),
        (tarred({RIGHT: ITALIAN}), f"it holds no {LEFT}"),
    ],
    "multi30k-en-fr": [PAGE, (b"oops", "")],
    "tatoeba-en-it": [
        PAGE,
        (b"oops", ""),
        (
            zipped(**{"ita.txt": GOOD + b"a sentence alone\n"}),
            f"line {WORDS + 1} of ita.txt has no tab between sentences",
        ),
        (zipped(**{"ita.txt": LATIN}), "'utf-8' codec can't decode"),
        (zipped(**{"deu.txt": GOOD}), "it holds no ita.txt"),
    ],
}


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [(name, *fault) for name, faults in WRONG.items() for fault in faults],
)
def test_what_has_a_fault_inside_is_not_kept_and_stays_if_it_lies_there(
    name: str, wrong: bytes, words: str, net: Net, folder: Path
) -> None:
    file, place = FIRST[name][0], folder / FIRST[name][1]
    good, net.files[file] = net.files[file], wrong
    message = said(name)
    assert re.match(f"http.*{file} cannot be used: {re.escape(words)}", message)
    assert "nothing of it was kept; try again later, or put the file" in message
    assert str(place) in message
    assert content(folder) == {}
    net.files[file] = good
    assert corpora.load(name).splits["train"]
    place.write_bytes(wrong)
    before, asked = content(folder), len(net.asked)
    message = said(name)
    assert message.startswith(f"{place} cannot be used: {words}")
    assert message.endswith("delete it, and it is downloaded again.")
    assert (content(folder), len(net.asked)) == (before, asked)


RENEWED = {"tatoeba-en-fr", "tatoeba-en-it", "opus-books-en-it", "europarl-it-en"}
FIXED = [file for name, file in remote.FILES.items() if name not in RENEWED]


def test_a_wrong_hash(net: Net, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(file.sha256 for file in FIXED)
    good, other = net.files["train.en.gz"], gzip.compress(b"a")
    right, wrong = (hashlib.sha256(data).hexdigest() for data in (good, other))
    file = dataclasses.replace(remote.FILES["train.en"], sha256=right)
    monkeypatch.setitem(remote.FILES, "train.en", file)
    net.files["train.en.gz"] = other
    message = said("multi30k-en-fr")
    assert f"its SHA-256 is {wrong[:16]}… instead of {right[:16]}…" in message
    assert content(folder) == {}
    net.files["train.en.gz"] = good
    assert corpora.load("multi30k-en-fr").splits["train"]


def test_texts_of_two_lengths(net: Net, folder: Path) -> None:
    corpora.load("multi30k-en-fr")
    place = folder / FIRST["multi30k-en-fr"][1]
    place.write_bytes(gzip.compress(lines("x", 4)))
    before = content(folder)
    message = said("multi30k-en-fr")
    assert f"{place} has 4 lines, but" in message
    assert "has 40, so they do not belong together" in message
    assert content(folder) == before


@pytest.mark.parametrize("name", WRONG)
def test_no_byte_can_be_damaged_or_lost_so_that_the_error_is_a_strange_one(
    name: str, net: Net, folder: Path
) -> None:
    """Heads of the files inside, their list, marks of encryption and compression."""
    corpora.load(name)
    place = folder / FIRST[name][1]
    data, messages = place.read_bytes(), []
    for at in (*range(30), *range(len(data) - 180, len(data))):
        changed = (bytes([byte]) + data[at + 1 :] for byte in {0, 255, data[at] ^ 1})
        for rest in {*changed, b""} - {data[at:]}:
            place.write_bytes(data[:at] + rest)
            try:
                corpora.load(name)
            except ValueError as error:
                messages.append(str(error))
    place.unlink()
    place.mkdir()
    assert "cannot be used: Is a directory" in said(name)
    assert len(messages) > 200
    for message in messages:
        assert re.match(f"{place} (cannot be used: .*; delete it|has .*)", message)
