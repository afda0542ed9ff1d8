"""The downloaded corpora, against a server on this machine that can misbehave."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
import re
import socket
import sys
import tarfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from random import Random
from unittest.mock import Mock

import pytest

from lib import corpora
from lib.corpora import remote
from lib.corpora.remote import RemoteFile
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
TATOEBA = {
    "spa-eng.zip": {"spa-eng__spa.txt": GOOD},
    "fra-eng.zip": {"fra.txt": columns(ENGLISH, lines("été"), CREDITS * WORDS)},
    "ita-eng.zip": {"ita.txt": columns(ENGLISH, ITALIAN, CREDITS * WORDS)},
}
EUROPARL = {"europarl-v7.it-en.en": ENGLISH, "europarl-v7.it-en.it": ITALIAN}
BOOKS = {"Books.en-it.en": ENGLISH, "Books.en-it.it": ITALIAN}


def good_files() -> dict[str, bytes]:
    """Everything that the corpora download, small, by its path on the server."""
    files = {name: zipped(**texts, about=b"Info") for name, texts in TATOEBA.items()}
    for part, count in (("train", WORDS), ("val", 8), ("test_2016_flickr", 7)):
        for code in ("en", "de", "fr"):
            files[f"{part}.{code}.gz"] = gzip.compress(lines(f"{part} {code}", count))
    files["it-en.tgz"] = tarred(EUROPARL)
    files["en-it.txt.zip"] = zipped(**BOOKS)
    return files


# --- the server -----------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        name = self.path.removeprefix("/")
        self.server.asked.append(name)
        if name not in self.server.files:
            self.send_error(404)
            return
        content = self.server.files[name]
        self.send_response(200)
        if self.server.length:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: self.server.cut.get(name)])


class Server(ThreadingHTTPServer):
    """Serves files, or what a test puts in their place."""

    def __init__(self) -> None:
        self.files = good_files()
        self.cut: dict[str, int] = {}  # break off after so many bytes
        self.length = True
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Where every corpus is downloaded from in these tests, whatever its hash."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()

    def here(file: RemoteFile) -> RemoteFile:
        name = file.url.rsplit("/", 1)[1]
        return dataclasses.replace(file, url=server.url + name, sha256="")

    for key, file in remote.FILES.items():
        monkeypatch.setitem(remote.FILES, key, here(file))
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, which does not exist at first."""
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "the cache"))
    monkeypatch.setenv("no_proxy", "*")
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
EVERY_CORPUS = pytest.mark.parametrize("name", FIRST)


# --- what goes well -------------------------------------------------------------------


def test_the_names_are_those_that_the_book_promises() -> None:
    assert set(corpora.names()) == {*FIRST, "grammar", "phrases"}


@EVERY_CORPUS
def test_a_corpus_is_downloaded_once(
    name: str,
    server: Server,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And read again without a network, where nothing can be written."""
    corpus = corpora.load(name)
    shown = capsys.readouterr()
    assert shown.out == "" and "100%" in shown.err
    assert list(corpus.splits) == ["train", "validation", "test"]
    assert corpus.name == name
    assert name.endswith(f"{corpus.source_language}-{corpus.target_language}")
    assert all(corpus.splits.values())
    assert "http" in corpus.attribution
    kept = content(folder)
    assert kept[FIRST[name][1]] == server.files[FIRST[name][0]]
    # Nothing but what was downloaded: no part of it, and nothing unpacked.
    assert set(kept.values()) <= set(server.files.values())
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o500)
    with monkeypatch.context() as offline:
        offline.setattr(socket, "socket", None)
        assert corpora.load(name).splits == corpus.splits
    for path in folders:
        path.chmod(0o700)
    assert content(folder) == kept


def test_the_pairs_are_those_of_the_files(
    server: Server, monkeypatch: pytest.MonkeyPatch
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
    """Neither the disk nor the memory ever holds the texts of the archive."""
    long = b"".join(b"%d is a number.\n" % number for number in range(500_000))
    (folder / "europarl").mkdir(parents=True)
    (folder / "europarl/it-en.tgz").write_bytes(tarred(dict.fromkeys(EUROPARL, long)))
    monkeypatch.setattr(remote, "LINES", 20)
    before = content(folder)
    tracemalloc.start()
    corpus = corpora.load("europarl-it-en")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(map(len, corpus.splits.values())) == 20
    assert "only the first 20 lines were read" in corpus.notes
    assert peak < len(long) / 4
    assert content(folder) == before


def test_long_empty_and_repeated_pairs_are_counted(server: Server) -> None:
    extra = (f"yes\t{'so ' * count}\n".encode() for count in (60, 61))
    text = b"".join((GOOD, *extra, b"...\thola\n", *[b"no\tno\n"] * 3))
    server.files["ita-eng.zip"] = zipped(**{"ita.txt": text})
    corpus = corpora.load("tatoeba-en-it")
    assert corpus.notes == (
        "left out: 1 pair without words on one side",
        "left out: 2 pairs that stood there before",
        "left out: 1 pair with more than max_words = 60 words and marks",
    )
    assert sum(map(len, corpus.splits.values())) == WORDS + 2


def test_the_own_splits_of_multi30k_are_kept_apart(server: Server) -> None:
    shared = lines("test_2016_flickr en", 1).upper() + lines("train en", WORDS - 1)
    server.files["train.en.gz"] = gzip.compress(shared)
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


def cut(server: Server, file: str) -> None:
    """Break off after half of the file."""
    server.cut[file] = len(server.files[file]) // 2


@EVERY_CORPUS
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda server, _: server.server_close(), "the server cannot be reached"),
        (lambda server, file: server.files.pop(file), "the server answers 404 Not"),
        (cut, "the connection broke before the end of the file"),
    ],
)
def test_what_does_not_arrive_leaves_nothing(
    harm: Callable[[Server, str], object],
    words: str,
    name: str,
    server: Server,
    folder: Path,
) -> None:
    file, place = FIRST[name]
    harm(server, file)
    message = said(name, OSError)
    assert message.startswith(f"{server.url}{file} cannot be downloaded: {words}")
    assert "; check the network and try again" in message
    assert str(folder / place) in message
    assert content(folder) == {}


def test_half_a_file_without_a_length_is_found_out(
    server: Server, folder: Path
) -> None:
    server.length = False
    cut(server, "ita-eng.zip")
    assert "nothing of it was kept" in said("tatoeba-en-it")
    assert content(folder) == {}


def test_a_server_that_falls_silent(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/spa-eng.zip"
        file = dataclasses.replace(remote.FILES["tatoeba-en-es"], url=url)
        monkeypatch.setitem(remote.FILES, "tatoeba-en-es", file)
        assert "silent for 0.1 seconds" in said("tatoeba-en-es", OSError)
    assert content(folder) == {}


def test_a_cache_that_cannot_be_written(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "file"))
    message = said("tatoeba-en-es", OSError)
    assert "cannot be written" in message
    assert remote.VARIABLE in message
    assert (tmp_path / "file").read_text() == "mine"
    assert not server.asked


def test_a_full_disk(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Mock(side_effect=OSError(28, "No space left on device"))
    with monkeypatch.context() as during:
        during.setattr(os, "replace", full)
        assert "(No space left on device)" in said("tatoeba-en-es", OSError)
    assert content(folder) == {}


# --- what is wrong in the files -------------------------------------------------------


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(byte ^ 255 for byte in data[middle : middle + 40])


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


LEFT, RIGHT = EUROPARL
ANY = [
    (lambda _: b"\n<!DOCTYPE html><html>", "it is a web page and no archive"),
    *((change, "") for change in (damaged, half, lambda _: b"oops", lambda _: b"")),
]
# For each kind of archive: what may come in place of its first file, and what is said.
WRONG: dict[str, list[tuple[Callable[[bytes], bytes], str]]] = {
    "europarl-it-en": [
        *ANY,
        (
            lambda _: tarred({**EUROPARL, RIGHT: lines("x", 9)}),
            "one language ends after 9 lines and the other goes on",
        ),
        (lambda _: tarred({RIGHT: ITALIAN}), f"it holds no {LEFT}"),
    ],
    "multi30k-en-fr": ANY[:-1],
    "tatoeba-en-it": [
        *ANY,
        (
            lambda _: zipped(**{"ita.txt": GOOD + b"a sentence alone\n"}),
            f"line {WORDS + 1} of ita.txt has no tab between sentences",
        ),
        (lambda _: zipped(**{"ita.txt": LATIN}), "'utf-8' codec can't decode"),
        (lambda _: zipped(**{"deu.txt": GOOD}), "it holds no ita.txt"),
    ],
}


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [(name, *fault) for name, faults in WRONG.items() for fault in faults],
)
def test_what_has_a_fault_inside_is_not_kept_and_stays_if_it_lies_there(
    name: str,
    change: Callable[[bytes], bytes],
    words: str,
    server: Server,
    folder: Path,
) -> None:
    file, place = FIRST[name][0], folder / FIRST[name][1]
    good = server.files[file]
    server.files[file] = change(good)
    message = said(name)
    assert message.startswith(f"{server.url}{file} cannot be used: {words}")
    assert "nothing of it was kept; try again later" in message
    assert str(place) in message
    assert content(folder) == {}
    server.files[file] = good
    assert corpora.load(name).splits["train"]
    place.write_bytes(change(good))
    before, asked = content(folder), len(server.asked)
    message = said(name)
    assert message.startswith(f"{place} cannot be used: {words}")
    assert message.endswith("delete it, and it is downloaded again.")
    assert (content(folder), len(server.asked)) == (before, asked)
    place.unlink()
    corpora.load(name)


RENEWED = {"tatoeba-en-fr", "tatoeba-en-it", "opus-books-en-it", "europarl-it-en"}
FIXED = [file for name, file in remote.FILES.items() if name not in RENEWED]


def test_a_wrong_hash(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(file.sha256 for file in FIXED)
    good, other = server.files["train.en.gz"], gzip.compress(b"a")
    right, wrong = (hashlib.sha256(data).hexdigest() for data in (good, other))
    file = dataclasses.replace(remote.FILES["train.en"], sha256=right)
    monkeypatch.setitem(remote.FILES, "train.en", file)
    server.files["train.en.gz"] = other
    message = said("multi30k-en-fr")
    assert f"its SHA-256 is {wrong[:16]}… instead of {right[:16]}…" in message
    assert "try again later" in message
    assert content(folder) == {}
    server.files["train.en.gz"] = good
    assert corpora.load("multi30k-en-fr").splits["train"]


def test_texts_of_two_lengths(server: Server, folder: Path) -> None:
    corpora.load("multi30k-en-fr")
    place = folder / FIRST["multi30k-en-fr"][1]
    place.write_bytes(gzip.compress(lines("x", 4)))
    before = content(folder)
    message = said("multi30k-en-fr")
    assert f"{place} has 4 lines, but" in message
    assert "has 40, so they do not belong together" in message
    assert content(folder) == before


def test_a_folder_in_place_of_the_file(server: Server, folder: Path) -> None:
    place = folder / FIRST["tatoeba-en-it"][1]
    place.mkdir(parents=True)
    assert f"{place} cannot be used: Is a directory" in said("tatoeba-en-it")
    assert place.is_dir()
    assert not server.asked


@pytest.mark.parametrize("name", ["europarl-it-en", "tatoeba-en-it"])
def test_no_byte_can_be_damaged_so_that_the_error_is_a_strange_one(
    name: str, server: Server, folder: Path
) -> None:
    """Heads of the files inside, their list, marks of encryption and compression."""
    corpora.load(name)
    place = folder / FIRST[name][1]
    data, messages = place.read_bytes(), []
    for at in (*range(60), *range(len(data) - 180, len(data))):
        for byte in {0, 255, data[at] ^ 1} - {data[at]}:
            place.write_bytes(data[:at] + bytes([byte]) + data[at + 1 :])
            try:
                corpora.load(name)
            except ValueError as error:
                messages.append(str(error))
    assert len(messages) > 50
    for message in messages:
        assert re.match(f"{place} cannot be used: .*; delete it, and it is", message)
