"""The downloaded corpora, against a server on this machine that can misbehave."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import importlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import tarfile
import threading
import tracemalloc
import types
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib import corpora
from lib.__main__ import main
from lib.corpora import europarl, multi30k, splitting, tatoeba
from lib.corpora.remote import download
from lib.corpora.remote import folder as cache
from lib.corpora.remote.folder import RemoteFile

ROOT = Path(__file__).parents[2]
WORDS = 40
LATIN = "¿Qué?".encode("latin-1")
PAGE = b"\n<!DOCTYPE html><html><body>Please log in.</body></html>"


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
    return b"".join(
        f"{word} {number}, {random.getrandbits(256):x}.\n".encode()
        for number in range(count)
    )


def columns(*sides: bytes) -> bytes:
    rows = zip(*(side.splitlines() for side in sides), strict=True)
    return b"".join(b"\t".join(row) + b"\n" for row in rows)


CREDITS = b"CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM) & #2 (sacredceltic)\n"
ENGLISH, SPANISH = lines("cat"), lines("¿Qué gato?")
TATOEBA = {
    "spa-eng.zip": {"spa-eng__spa.txt": columns(ENGLISH, SPANISH)},
    "fra-eng.zip": {"fra.txt": columns(ENGLISH, lines("été"), CREDITS * WORDS)},
    "ita-eng.zip": {"ita.txt": columns(ENGLISH, lines("più"), CREDITS * WORDS)},
}
EUROPARL = {
    "europarl-v7.it-en.en": lines("Madam President"),
    "europarl-v7.it-en.it": lines("è vero"),
}


def good_files() -> dict[str, bytes]:
    """Everything that the corpora download, small, by its path on the server."""
    files = {
        name: zipped(**texts, _about_txt=b"Info") for name, texts in TATOEBA.items()
    }
    for part, count in (("train", WORDS), ("val", 8), ("test_2016_flickr", 7)):
        for code in ("en", "de", "fr"):
            files[f"{part}.{code}.gz"] = gzip.compress(lines(f"{part} {code}", count))
    files["it-en.tgz"] = tarred(EUROPARL)
    return files


# --- the server -----------------------------------------------------------------------


class Server:
    """Serves files, or what a test puts in their place."""

    def __init__(self) -> None:
        self.files = good_files()
        self.cut: dict[str, int] = {}  # break off after so many bytes
        self.ranges = True
        self.headers = {"ETag": '"one"'}
        self.length = True
        self.asked: list[dict[str, str]] = []
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}/"

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                server.answer(self)

            def do_HEAD(self) -> None:
                server.answer(self)

        return Handler

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(dict(request.headers))
        name = request.path.removeprefix("/")
        if name not in self.files:
            request.send_error(404)
            return
        content, start = self.files[name], self.start(request)
        if start and start >= len(content):
            request.send_error(416)
            return
        request.send_response(206 if start else 200)
        if start:
            last = len(content) - 1
            request.send_header("Content-Range", f"bytes {start}-{last}/{last + 1}")
        if self.length:
            request.send_header("Content-Length", str(len(content) - start))
        for key, value in self.headers.items():
            request.send_header(key, value)
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(content[start : self.cut.get(name)])

    def start(self, request: BaseHTTPRequestHandler) -> int:
        wanted = request.headers.get("Range", "")
        version = request.headers.get("If-Range")
        if not self.ranges or not wanted:
            return 0
        if version and version not in self.headers.values():
            return 0
        return int(wanted.removeprefix("bytes=").removesuffix("-"))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Where every corpus is downloaded from in these tests."""
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()

    def here(remote: RemoteFile) -> RemoteFile:
        name = remote.url.rsplit("/", 1)[1]
        digest = hashlib.sha256(server.files[name]).hexdigest()
        return dataclasses.replace(
            remote, url=server.url + name, sha256=digest if remote.sha256 else ""
        )

    for module in (tatoeba, multi30k):
        for key, remote in module.FILES.items():
            monkeypatch.setitem(module.FILES, key, here(remote))
    monkeypatch.setattr(europarl, "FILE", here(europarl.FILE))
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, which does not exist at first."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "the cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "the cache"


def content(folder: Path) -> dict[str, bytes | None] | None:
    """All that the cache holds, so that nothing in it can change unseen."""
    if not folder.exists():
        return None
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def said(name: str, kind: type[Exception] = ValueError) -> str:
    """The one sentence in which a corpus refuses to load."""
    with pytest.raises(kind) as caught:
        corpora.load(name)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert ". " not in message, "more than one sentence"
    assert len(message) < 450
    return message


# Each corpus with the first file that it downloads, and where that goes.
FIRST = {
    "europarl-it-en": ("it-en.tgz", "europarl/it-en.tgz"),
    "multi30k-en-de": ("train.en.gz", "multi30k/train.en.gz"),
    "multi30k-de-en": ("train.de.gz", "multi30k/train.de.gz"),
    "multi30k-en-fr": ("train.en.gz", "multi30k/train.en.gz"),
    "tatoeba-en-es": ("spa-eng.zip", "spa-eng.zip"),
    "tatoeba-en-fr": ("fra-eng.zip", "fra-eng.zip"),
    "tatoeba-en-it": ("ita-eng.zip", "ita-eng.zip"),
}
EVERY_CORPUS = pytest.mark.parametrize("name", FIRST)
NOT_FIXED = ("europarl-it-en", "tatoeba-en-fr", "tatoeba-en-it")


# --- what goes well -------------------------------------------------------------------


def test_the_names_are_those_that_the_book_promises() -> None:
    assert set(corpora.names()) == {*FIRST, "grammar", "opus-books-en-it", "phrases"}


@EVERY_CORPUS
def test_a_corpus_is_downloaded_once(name: str, server: Server, folder: Path) -> None:
    corpus = corpora.load(name)
    assert list(corpus.splits) == ["train", "validation", "test"]
    assert corpus.name == name
    assert name.endswith(f"{corpus.source_language}-{corpus.target_language}")
    assert all(corpus.splits.values())
    assert corpus.attribution in corpus.summary()
    assert "http" in corpus.attribution
    kept = content(folder) or {}
    assert kept[FIRST[name][1]] == server.files[FIRST[name][0]]
    # Nothing but what was downloaded: no part of it, and nothing unpacked.
    assert set(kept.values()) <= {None, *server.files.values()}
    asked = len(server.asked)
    again = corpora.load(name)
    assert again.splits == corpus.splits
    assert len(server.asked) == asked
    assert content(folder) == kept


def test_the_pairs_are_those_of_the_files(server: Server) -> None:
    pairs = corpora.load("multi30k-de-en").splits["test"]
    german, english = (lines(f"test_2016_flickr {code}", 7) for code in ("de", "en"))
    assert pairs == list(
        zip(german.decode().splitlines(), english.decode().splitlines(), strict=True)
    )
    italian, parliament = (EUROPARL[f"europarl-v7.it-en.{c}"] for c in ("it", "en"))
    for name, left, right in (
        ("tatoeba-en-es", ENGLISH, SPANISH),
        ("tatoeba-en-it", ENGLISH, lines("più")),
        ("europarl-it-en", italian, parliament),
    ):
        found = chain(*corpora.load(name).splits.values())
        sides = (side.decode().splitlines() for side in (left, right))
        assert sorted(found) == sorted(zip(*sides, strict=True))


def test_the_progress_goes_to_the_error_stream(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    corpora.load("tatoeba-en-es")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "spa-eng.zip: 100%" in shown.err


def test_a_copy_of_the_files_serves_without_a_network(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (_, place) in FIRST.items():
        if not name.startswith("multi30k"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(server.files[FIRST[name][0]])
    (folder / "multi30k").mkdir()
    for name in multi30k.FILES:
        (folder / f"multi30k/{name}.gz").write_bytes(server.files[f"{name}.gz"])
    before = content(folder)
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o500 if path.is_dir() else 0o400)
    monkeypatch.setattr(socket, "socket", None)
    for name in FIRST:
        assert corpora.load(name).splits["train"]
    assert content(folder) == before
    for path in (folder, *(p for p in folder.rglob("*") if p.is_dir())):
        path.chmod(0o700)


def test_the_sample_of_europarl_serves_in_place_of_the_archive(folder: Path) -> None:
    (folder / "europarl").mkdir(parents=True)
    for code in ("it", "en"):
        file = folder / f"europarl/sample.it-en.{code}.gz"
        file.write_bytes(gzip.compress(EUROPARL[f"europarl-v7.it-en.{code}"]))
    corpus = corpora.load("europarl-it-en")
    assert sum(map(len, corpus.splits.values())) == WORDS
    assert any("sample" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda _: PAGE, "After 0 lines .* is damaged"),
        (lambda data: data[: len(data) // 2], "is damaged"),
        (lambda _: gzip.compress(lines("x", 2) + LATIN), "Line 3 of .* is not UTF-8"),
        (lambda _: gzip.compress(lines("x", 2)), "One language ends after 2 lines"),
    ],
    ids=["web page", "cut", "not UTF-8", "another length"],
)
def test_a_damaged_sample_of_europarl(
    harm: Callable[[bytes], bytes], words: str, folder: Path
) -> None:
    (folder / "europarl").mkdir(parents=True)
    good = gzip.compress(lines("one"))
    (folder / "europarl/sample.it-en.it.gz").write_bytes(good)
    (folder / "europarl/sample.it-en.en.gz").write_bytes(harm(good))
    before = content(folder)
    message = said("europarl-it-en")
    assert re.search(words, message)
    assert str(folder / "europarl") in message
    assert "delete it, and the whole corpus is downloaded" in message
    assert content(folder) == before


def test_europarl_is_read_piece_by_piece(folder: Path) -> None:
    """Neither the disk nor the memory ever holds the texts of the archive."""
    long = b"".join(b"%d is a number.\n" % number for number in range(1_000_000))
    (folder / "europarl").mkdir(parents=True)
    (folder / "europarl/it-en.tgz").write_bytes(tarred(dict.fromkeys(EUROPARL, long)))
    before = content(folder)
    tracemalloc.start()
    corpus = corpora.load("europarl-it-en", lines=20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(map(len, corpus.splits.values())) == 20
    assert peak < len(long) / 4
    assert content(folder) == before


def test_europarl_says_how_much_it_read(server: Server) -> None:
    corpus = corpora.load("europarl-it-en", lines=20)
    assert sum(map(len, corpus.splits.values())) == 20
    assert "only the first lines = 20 were read" in corpus.summary()
    for limit in (WORDS, None):
        assert not corpora.load("europarl-it-en", lines=limit).notes
    with pytest.raises(ValueError, match="but it is 0"):
        corpora.load("europarl-it-en", lines=0)


def test_long_empty_and_repeated_pairs_are_counted(server: Server) -> None:
    long = ("so " * 61).encode()
    extra = b"...\thola\n" + b"yes\t" + long + b"\n" + b"no\tno\n" * 3
    text = columns(ENGLISH, SPANISH) + extra
    server.files["ita-eng.zip"] = zipped(**{"ita.txt": text})
    corpus = corpora.load("tatoeba-en-it")
    assert corpus.notes == (
        "left out: 1 pair without words on one side",
        "left out: 2 pairs that stood there before",
        "left out: 1 pair with more than max_words = 60 words and marks",
    )
    assert sum(map(len, corpus.splits.values())) == WORDS + 1
    assert all(note in corpus.summary() for note in corpus.notes)
    assert len(corpora.load("tatoeba-en-it", max_words=61).notes) == 2


def test_the_own_splits_of_multi30k_are_kept_apart(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = lines("test_2016_flickr en", 1).upper() + lines("train en", WORDS - 1)
    server.files["train.en.gz"] = gzip.compress(shared)
    remote = dataclasses.replace(multi30k.FILES["train.en"], sha256="")
    monkeypatch.setitem(multi30k.FILES, "train.en", remote)
    corpus = corpora.load("multi30k-en-fr")
    assert [len(part) for part in corpus.splits.values()] == [WORDS - 1, 8, 7]
    assert corpus.notes == ("left out: 1 pair of train whose source stands in test",)


@pytest.mark.parametrize("options", [{"max_words": 0}, {"max_words": "9"}])
def test_impossible_options_are_refused(options: object, server: Server) -> None:
    with pytest.raises(ValueError, match="max_words is the longest sentence"):
        corpora.load("tatoeba-en-es", **options)
    with pytest.raises(ValueError, match=r"'target'.*'seed', 'max_words'\.$"):
        corpora.load("tatoeba-en-es", target="fr")


def test_importing_the_corpora_loads_no_network() -> None:
    code = (
        "import sys, lib.corpora; "
        "print({'urllib.request', 'http.client', 'ssl', 'tqdm', 'datasets'}"
        " & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "set()\n"


def test_without_the_variable_the_cache_is_one_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for system, usual in (("linux", ".cache"), ("darwin", "Library/Caches")):
        monkeypatch.setattr(sys, "platform", system)
        assert (
            corpora.download_folder() == tmp_path / usual / "transformer-piece-by-piece"
        )
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert corpora.download_folder().parent == tmp_path / "Local"


def test_the_home_of_nobody_cannot_be_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(cache.VARIABLE, "~nobody-of-this-name/corpora")
    message = said("tatoeba-en-es")
    assert f"{cache.VARIABLE} is '~nobody-of-this-name/corpora'" in message


# --- what goes wrong on the way -------------------------------------------------------


@EVERY_CORPUS
def test_a_server_that_is_gone(name: str, server: Server, folder: Path) -> None:
    server.http.server_close()
    message = said(name, OSError)
    assert server.url + FIRST[name][0] in message
    assert "check the network" in message
    assert str(folder / FIRST[name][1]) in message
    assert content(folder) is None


@EVERY_CORPUS
def test_a_file_that_is_gone(name: str, server: Server, folder: Path) -> None:
    del server.files[FIRST[name][0]]
    message = said(name, OSError)
    assert "the server answers 404 Not Found" in message
    assert str(folder / FIRST[name][1]) in message
    assert content(folder) is None


@EVERY_CORPUS
def test_a_web_page_in_place_of_the_file(
    name: str, server: Server, folder: Path
) -> None:
    server.files[FIRST[name][0]] = PAGE
    message = said(name)
    assert f"{server.url}{FIRST[name][0]} is a web page, not a" in message
    assert "nothing of it was kept" in message
    assert content(folder) is None


@pytest.mark.parametrize("junk", [b"Not found", b"", b"PK\x05\x06" + bytes(18)])
def test_something_else_in_place_of_the_file(
    junk: bytes, server: Server, folder: Path
) -> None:
    server.files["ita-eng.zip"] = junk
    assert f"{'something else' if junk else 'empty'}, not a zip" in said(
        "tatoeba-en-it"
    )
    assert content(folder) is None


@pytest.mark.parametrize("name", [name for name in FIRST if name not in NOT_FIXED])
def test_a_wrong_hash(name: str, server: Server, folder: Path) -> None:
    file = FIRST[name][0]
    other = zipped(**{"spa.txt": b"a\tb\n"}) if "zip" in file else gzip.compress(b"a")
    server.files[file] = other
    message = said(name)
    assert hashlib.sha256(other).hexdigest()[:16] in message
    assert "try again later" in message
    assert content(folder) is None


@EVERY_CORPUS
def test_a_broken_connection_is_gone_on_with(
    name: str, server: Server, folder: Path
) -> None:
    file, place = FIRST[name]
    half = len(server.files[file]) // 2
    server.cut[file] = half
    message = said(name, OSError)
    assert f"after {half:,} of {len(server.files[file]):,} bytes" in message
    assert "goes on from there" in message
    kept = {path for path, data in (content(folder) or {}).items() if data is not None}
    assert kept == {f"{place}.part", f"{place}.part.tag"}
    assert (folder / f"{place}.part").stat().st_size == half
    server.cut.clear()
    server.asked.clear()
    assert corpora.load(name).splits["train"]
    assert server.asked[0]["Range"] == f"bytes={half}-"
    assert server.asked[0]["If-Range"] == '"one"'
    assert (folder / place).read_bytes() == server.files[file]
    assert not [path for path in content(folder) or {} if ".part" in path]


def broken(server: Server, folder: Path, file: str, name: str) -> Path:
    """Leave half of a file behind."""
    server.cut[file] = len(server.files[file]) // 2
    said(name, OSError)
    server.cut.clear()
    server.asked.clear()
    return folder / f"{file}.part"


def test_a_file_that_changed_meanwhile_is_begun_anew(
    server: Server, folder: Path
) -> None:
    broken(server, folder, "ita-eng.zip", "tatoeba-en-it")
    renewed = zipped(**{"ita.txt": columns(lines("dog"), lines("cane"))})
    server.files["ita-eng.zip"] = renewed
    server.headers["ETag"] = '"two"'
    corpora.load("tatoeba-en-it")
    assert (folder / "ita-eng.zip").read_bytes() == renewed


def test_a_server_that_cannot_go_on_sends_it_all_again(
    server: Server, folder: Path
) -> None:
    server.ranges = False
    broken(server, folder, "ita-eng.zip", "tatoeba-en-it")
    corpora.load("tatoeba-en-it")
    assert (folder / "ita-eng.zip").read_bytes() == server.files["ita-eng.zip"]


def test_a_date_tells_the_version_where_the_tag_is_weak(
    server: Server, folder: Path
) -> None:
    date = "Sun, 13 May 2018 00:00:00 GMT"
    server.headers = {"ETag": 'W/"one"', "Last-Modified": date}
    broken(server, folder, "ita-eng.zip", "tatoeba-en-it")
    corpora.load("tatoeba-en-it")
    assert server.asked[0]["If-Range"] == date


def test_without_version_and_hash_nothing_is_mixed(
    server: Server, folder: Path
) -> None:
    server.headers = {}
    server.cut["ita-eng.zip"] = 100
    assert said("tatoeba-en-it", OSError).endswith("; try again.")
    assert content(folder) is None
    broken(server, folder, "spa-eng.zip", "tatoeba-en-es")  # here the hash decides
    corpora.load("tatoeba-en-es")
    assert "Range" in server.asked[0]
    assert "If-Range" not in server.asked[0]


def test_a_part_longer_than_the_file_is_thrown_away(
    server: Server, folder: Path
) -> None:
    part = broken(server, folder, "spa-eng.zip", "tatoeba-en-es")
    part.write_bytes(bytes(100_000))
    corpora.load("tatoeba-en-es")
    assert list(content(folder) or {}) == ["spa-eng.zip"]


def test_a_damaged_part_is_not_gone_on_with_for_ever(
    server: Server, folder: Path
) -> None:
    part = broken(server, folder, "ita-eng.zip", "tatoeba-en-it")
    part.write_bytes(b"PK\x03\x04" + bytes(part.stat().st_size - 4))
    assert "damaged" in said("tatoeba-en-it")
    assert content(folder) == {}
    corpora.load("tatoeba-en-it")


@pytest.mark.parametrize("name", ["europarl-it-en", "tatoeba-en-it"])
def test_half_a_file_without_a_length_is_found_out(
    name: str, server: Server, folder: Path
) -> None:
    file = FIRST[name][0]
    server.length = False
    server.cut[file] = len(server.files[file]) // 2
    assert "is damaged" in said(name)
    assert content(folder) is None


def test_a_server_that_falls_silent(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/spa-eng.zip"
        remote = dataclasses.replace(tatoeba.FILES["es"], url=url)
        monkeypatch.setitem(tatoeba.FILES, "es", remote)
        assert "timed out" in said("tatoeba-en-es", OSError)
    assert content(folder) is None


def test_a_cache_that_cannot_be_written(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    message = said("tatoeba-en-es", OSError)
    assert "cannot be written" in message
    assert cache.VARIABLE in message
    assert (tmp_path / "file").read_text() == "mine"
    assert not server.asked


@EVERY_CORPUS
def test_a_file_that_cannot_be_read(name: str, server: Server, folder: Path) -> None:
    place = folder / FIRST[name][1]
    place.mkdir(parents=True)
    assert f"{place} cannot be read (" in said(name, OSError)
    assert place.is_dir()
    assert not server.asked


def test_a_full_disk(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as during:
        during.setattr(os, "replace", full)
        assert "(No space left on device)" in said("tatoeba-en-es", OSError)
    assert not (folder / "spa-eng.zip").exists()


def test_the_command_line_says_it_in_one_line(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.http.server_close()
    assert main(["evaluate", "--corpus", "tatoeba-en-es"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"python -m lib: {server.url}spa-eng.zip cannot be reach")
    assert message.count("\n") == 1


# --- what is wrong in the files -------------------------------------------------------

FEW_COLUMNS = columns(ENGLISH, SPANISH) + b"a sentence alone\n"


def wrong_tatoeba(text: str) -> dict[str, tuple[bytes, str]]:
    good = columns(ENGLISH, SPANISH)
    return {
        "too few columns": (
            zipped(**{text: FEW_COLUMNS}),
            f"Line {WORDS + 1} of {text} in .* has no tab",
        ),
        "not UTF-8": (
            zipped(**{text: good + b"What?\t" + LATIN}),
            f"Line {WORDS + 1} of {text} in .* is not UTF-8",
        ),
        "a name that climbs out": (
            zipped(**{text: good, "../../evil.sh": b""}),
            r"holds '\.\./\.\./evil\.sh', which leads out of its folder",
        ),
        "another text": (zipped(**{"deu.txt": good}), f"holds no {text}"),
    }


def wrong_europarl() -> dict[str, tuple[bytes, str]]:
    left, right = EUROPARL
    return {
        "sides of two lengths": (
            tarred({**EUROPARL, right: lines("x", 9)}),
            "One language ends after 9 lines",
        ),
        "left side not UTF-8": (
            tarred({**EUROPARL, left: lines("x", 2) + LATIN}),
            f"Line 3 of {left} in .* is not UTF-8",
        ),
        "right side not UTF-8": (
            tarred({**EUROPARL, right: lines("x", 2) + LATIN}),
            f"Line 3 of {right} in .* is not UTF-8",
        ),
        "a name that climbs out": (
            tarred({"../../evil.sh": b"", **EUROPARL}),
            r"holds '\.\./\.\./evil\.sh', which leads out of its folder",
        ),
        "another text": (tarred({right: lines("x")}), f"holds no {left}"),
    }


def wrong_multi30k() -> dict[str, tuple[bytes, str]]:
    text = gzip.compress(lines("x", 4) + LATIN)
    return {"not UTF-8": (text, r"Line 5 of .*train\..*\.gz is not UTF-8")}


# For each corpus: what may come in place of its first file, and what is said of it.
WRONG = {
    "europarl-it-en": wrong_europarl(),
    "multi30k-en-de": wrong_multi30k(),
    "multi30k-de-en": wrong_multi30k(),
    "multi30k-en-fr": wrong_multi30k(),
    "tatoeba-en-es": wrong_tatoeba("spa.txt"),
    "tatoeba-en-fr": wrong_tatoeba("fra.txt"),
    "tatoeba-en-it": wrong_tatoeba("ita.txt"),
}
EVERY_FAULT = pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name in FIRST for fault in WRONG[name]]
)


@pytest.fixture
def unfixed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """No hash gives away that a file is another one."""
    for module in (tatoeba, multi30k):
        for key, remote in module.FILES.items():
            plain = dataclasses.replace(remote, sha256="")
            monkeypatch.setitem(module.FILES, key, plain)


@EVERY_FAULT
@pytest.mark.usefixtures("unfixed")
def test_what_comes_with_a_fault_inside_is_not_kept(
    name: str, fault: str, server: Server, folder: Path, tmp_path: Path
) -> None:
    file = FIRST[name][0]
    good = server.files[file]
    server.files[file], words = WRONG[name][fault]
    message = said(name)
    assert re.search(words, message)
    assert server.url + file in message
    assert "nothing of it was kept" in message
    assert str(folder / FIRST[name][1]) in message
    assert list(tmp_path.iterdir()) == []
    server.files[file] = good
    assert corpora.load(name).splits["train"]


@EVERY_FAULT
@pytest.mark.usefixtures("unfixed")
def test_what_lies_in_the_cache_with_a_fault_inside_stays(
    name: str, fault: str, server: Server, folder: Path
) -> None:
    corpora.load(name)
    place = folder / FIRST[name][1]
    data, words = WRONG[name][fault]
    place.write_bytes(data)
    before = content(folder)
    message = said(name)
    assert re.search(words, message)
    assert str(place) in message
    assert "delete it, and it is downloaded again" in message
    assert content(folder) == before


@pytest.mark.parametrize("name", [name for name in FIRST if "multi30k" in name])
@pytest.mark.usefixtures("unfixed")
def test_texts_of_two_lengths(name: str, server: Server, folder: Path) -> None:
    corpora.load(name)
    place = folder / FIRST[name][1]
    place.write_bytes(gzip.compress(lines("x", 4)))
    before = content(folder)
    message = said(name)
    assert f"{place} has 4 lines, but" in message
    assert "has 40, so they do not belong together" in message
    assert content(folder) == before


def test_a_file_with_hardly_anything(server: Server) -> None:
    server.files["ita-eng.zip"] = zipped(**{"ita.txt": b"yes\ts\xc3\xac\n"})
    assert "only 1 different sources" in said("tatoeba-en-it")


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
        assert str(place) in message
        assert "delete it, and it is downloaded again" in message


@pytest.mark.parametrize(
    "evil", ["../evil.txt", "a/../../evil.txt", "/evil.txt", "C:/evil.txt", "..\\evil"]
)
def test_a_zip_with_a_name_that_climbs_out(
    evil: str, server: Server, folder: Path, tmp_path: Path
) -> None:
    texts = {"ita.txt": columns(ENGLISH, SPANISH), evil: b"evil"}
    server.files["ita-eng.zip"] = zipped(**texts)
    message = said("tatoeba-en-it")
    assert "leads out of its folder" in message
    assert repr(evil) in message
    assert content(folder) is None
    assert list(tmp_path.iterdir()) == []


def damage(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes(byte ^ 255 for byte in data[middle : middle + 40])


@EVERY_CORPUS
@pytest.mark.parametrize(
    "harm",
    [damage, lambda data: data[: len(data) // 2], lambda _: PAGE, lambda _: b""],
    ids=["changed", "cut", "web page", "empty"],
)
def test_a_damaged_file_in_the_cache(
    harm: Callable[[bytes], bytes], name: str, server: Server, folder: Path
) -> None:
    corpora.load(name)
    file = folder / FIRST[name][1]
    file.write_bytes(harm(file.read_bytes()))
    before, asked = content(folder), len(server.asked)
    message = said(name)
    assert str(file) in message
    assert "delete it, and it is downloaded again" in message
    assert content(folder) == before
    assert len(server.asked) == asked
    file.unlink()
    corpora.load(name)


# --- books ----------------------------------------------------------------------------


class Books(types.ModuleType):
    """Stands in for the library `datasets`, whose rows have this form."""

    def __init__(self, rows: object) -> None:
        super().__init__("datasets")
        self.rows = rows
        self.asked: tuple[object, ...] = ()

    def load_dataset(self, *names: str, **options: object) -> object:
        self.asked = (*names, options)
        if isinstance(self.rows, Exception):
            raise self.rows
        return self.rows


def give_books(monkeypatch: pytest.MonkeyPatch, rows: object) -> Books:
    books = Books(rows)
    monkeypatch.setitem(sys.modules, "datasets", books)
    return books


def test_books_come_through_datasets(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    pairs = [(f"chapter {number}", f"capitolo {number}") for number in range(30)]
    rows = [
        {"id": str(number), "translation": {"en": english, "it": italian}}
        for number, (english, italian) in enumerate(pairs)
    ]
    books = give_books(monkeypatch, rows)
    corpus = corpora.load("opus-books-en-it")
    assert sorted(chain(*corpus.splits.values())) == sorted(pairs)
    assert "LREC 2012" in corpus.summary()
    assert books.asked == (
        "Helsinki-NLP/opus_books",
        "en-it",
        {"split": "train", "cache_dir": str(folder / "opus_books")},
    )


def test_books_without_datasets_say_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(OSError, match=r"install it with: pip install datasets$"):
        corpora.load("opus-books-en-it")


def test_books_that_cannot_be_had_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    give_books(monkeypatch, RuntimeError("no route. Is it\nthe hub?"))
    message = said("opus-books-en-it", OSError)
    assert "(no route)" in message
    assert "check the network" in message


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"translation": {"en": "yes"}},
        {"translation": {"en": "yes", "it": None}},
        "yes",
        None,
    ],
)
def test_books_of_another_form_are_refused(
    row: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_books(monkeypatch, [row])
    assert "Row 1 of the dataset Helsinki-NLP/opus_books" in said("opus-books-en-it")


REVISION = "a" * 40
BOOKS = "datasets/Helsinki-NLP/opus_books"
TABLE = f"{BOOKS}/resolve/{REVISION}/en-it/train-00000-of-00001.parquet"
HEAD = b"""---
configs:
- config_name: en-it
  data_files:
  - split: train
    path: en-it/train-*
---
"""


def book_rows(count: int = WORDS, italian: str | None = "capitolo") -> list[object]:
    sides = (
        {"en": f"chapter {n}", "it": italian and f"{italian} {n}"} for n in range(count)
    )
    return [{"id": str(n), "translation": side} for n, side in enumerate(sides)]


def parquet(rows: list[object]) -> bytes:
    """A table as the hub keeps it, its texts as they are."""
    # As `datasets`, on which it comes, it may be missing.
    pyarrow = importlib.import_module("pyarrow")
    write = importlib.import_module("pyarrow.parquet").write_table
    buffer = io.BytesIO()
    table = pyarrow.Table.from_pylist(rows)
    write(table, buffer, compression="none", use_dictionary=False)
    return buffer.getvalue()


class Hub(Server):
    """Answers as the Hugging Face hub does, as far as `datasets` asks."""

    def __init__(self, table: bytes) -> None:
        super().__init__()
        entry = {"oid": "b" * 40, "size": len(table)}
        file = {"type": "file", "path": TABLE.partition(f"{REVISION}/")[2], **entry}
        folder = {"type": "directory", "path": "en-it", **entry}
        head = {"type": "file", "path": "README.md", **entry}
        about = {"id": BOOKS.partition("/")[2], "sha": REVISION, "private": False}
        about["siblings"] = [{"rfilename": each["path"]} for each in (head, file)]
        self.files = {TABLE: table}
        for version in ("main", REVISION):
            self.files[f"{BOOKS}/resolve/{version}/README.md"] = HEAD
            answers = {
                f"revision/{version}": about,
                f"tree/{version}": [head, folder],
                f"tree/{version}/en-it": [file],
            }
            for path, answer in answers.items():
                self.files[f"api/{BOOKS}/{path}"] = json.dumps(answer).encode()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        request.path = request.path.partition("?")[0]
        known = self.files.get(request.path.removeprefix("/"))
        if known is None:
            request.send_response(404)
            request.send_header("X-Error-Code", "EntryNotFound")
            request.end_headers()
            return
        tag = hashlib.sha1(known).hexdigest()
        self.headers = {"ETag": f'"{tag}"', "X-Repo-Commit": REVISION}
        super().answer(request)


@pytest.fixture
def hub() -> Iterator[Hub]:
    pytest.importorskip("datasets", reason="the library datasets is not installed")
    hub = Hub(parquet(book_rows()))
    thread = threading.Thread(target=hub.http.serve_forever, args=(0.01,))
    thread.start()
    yield hub
    hub.http.shutdown()
    hub.http.server_close()
    thread.join()


# The library reads its settings when it is imported, and waits long between attempts.
ASK_FOR_BOOKS = """
import time
time.sleep = lambda seconds: None
from lib import corpora
try:
    print(*map(len, corpora.load("opus-books-en-it").splits.values()))
except (OSError, ValueError) as error:
    print(type(error).__name__, error)
"""


def books_from(hub: Hub, home: Path) -> str:
    """What a program of its own gets from the hub."""
    env = {key: text for key, text in os.environ.items() if not key.startswith("HF_")}
    env |= {"HF_ENDPOINT": hub.url.rstrip("/"), "HF_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", ASK_FOR_BOOKS],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return done.stdout.strip()


def test_the_real_library_fetches_books_once(
    hub: Hub, tmp_path: Path, folder: Path
) -> None:
    assert books_from(hub, tmp_path / "one home") == "32 4 4"
    assert any(path.endswith(".arrow") for path in content(folder) or {})
    hub.files.clear()
    assert books_from(hub, tmp_path / "another home") == "32 4 4"
    arrow = next(folder.rglob("*.arrow"))
    arrow.write_bytes(arrow.read_bytes()[:100])
    message = books_from(hub, tmp_path / "another home")
    assert "Helsinki-NLP/opus_books cannot be loaded" in message
    assert f"{folder / 'opus_books'} can be written, or delete it" in message
    assert arrow.stat().st_size == 100, "what lay there before stays"


def gone(hub: Hub) -> None:
    hub.http.server_close()


def cut(hub: Hub) -> None:
    hub.cut[TABLE] = len(hub.files[TABLE]) // 2


def put(change: Callable[[bytes], bytes]) -> Callable[[Hub], None]:
    def harm(hub: Hub) -> None:
        hub.files[TABLE] = change(hub.files[TABLE])

    return harm


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (gone, "OSError .* cannot be loaded .*; check the network"),
        (cut, "OSError .* cannot be loaded .*; check the network"),
        (put(lambda _: PAGE), "OSError .* cannot be loaded .*Parquet"),
        (
            put(lambda table: table.replace(b"capitolo", b"capitol\xf2")),
            "ValueError .* cannot be read after 0 rows .*utf-8.*; delete",
        ),
        (
            put(lambda _: parquet([{"line": "yes"}])),
            "ValueError Row 1 .* has no English and Italian",
        ),
        (
            put(lambda _: parquet(book_rows(20, None))),
            "ValueError Row 1 .* has no English and Italian",
        ),
    ],
    ids=["gone", "cut", "web page", "not UTF-8", "too few columns", "nothing inside"],
)
def test_the_real_library_meets_a_fault(
    harm: Callable[[Hub], None], words: str, hub: Hub, tmp_path: Path
) -> None:
    harm(hub)
    message = books_from(hub, tmp_path / "home")
    assert re.match(words, message)
    assert message.endswith(".")
    assert ". " not in message, "more than one sentence"
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []
    if harm is cut:
        hub.cut.clear()
        assert books_from(hub, tmp_path / "home") == "32 4 4"


# --- splits ---------------------------------------------------------------------------

PAIRS = st.lists(
    st.tuples(st.sampled_from("abcdefghijklmnopqrstuvw"), st.text(max_size=2)),
    min_size=60,
    max_size=150,
).filter(lambda pairs: len({source for source, _ in pairs}) >= 10)


@settings(max_examples=40)
@given(
    pairs=PAIRS, marks=st.lists(st.sampled_from([".", "!", " ?"])), seed=st.integers()
)
def test_no_source_stands_in_two_splits(pairs, marks, seed):
    pairs = [
        (source.upper() + mark if mark else source, target)
        for (source, target), mark in zip(
            pairs, marks + [""] * len(pairs), strict=False
        )
    ]
    splits = splitting.split_by_source(pairs, seed)
    assert sorted(chain(*splits.values())) == sorted(pairs)
    sources = [
        {corpora.normalize(source) for source, _ in part} for part in splits.values()
    ]
    assert all(sources)
    assert sum(map(len, sources)) == len(set().union(*sources))
    shuffled = splitting.split_by_source(pairs[::-1], seed)
    assert {name: set(part) for name, part in shuffled.items()} == {
        name: set(part) for name, part in splits.items()
    }


def test_the_seed_chooses_and_nothing_else() -> None:
    pairs = [(f"cat {number}", "gato") for number in range(200)]
    held_out = [splitting.split_by_source(pairs, seed)["test"] for seed in (0, 0, 1)]
    assert held_out[0] == held_out[1] != held_out[2]
    # The same on every machine: a sentence does not move to another split.
    digest = hashlib.sha256(repr(held_out[0]).encode()).hexdigest()
    assert digest[:16] == "94bf8b5fade5c3ee"


def test_a_large_corpus_holds_out_a_fixed_number() -> None:
    pairs = [(f"cat {n // 2}", f"gato {n}") for n in range(60_000)]
    splits = splitting.split_by_source(pairs)
    sizes = {name: len(corpora.references(part)) for name, part in splits.items()}
    assert sizes == {"train": 26_500, "validation": 1_000, "test": 2_500}
    assert {len(r) for r in corpora.references(splits["test"]).values()} == {2}


def test_references_name_each_target_once() -> None:
    pairs = [("a", "1"), ("b", "2"), ("a", "3"), ("a", "1")]
    assert corpora.references(pairs) == {"a": ["1", "3"], "b": ["2"]}
    assert corpora.references([]) == {}
