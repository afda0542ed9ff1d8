"""The downloaded corpora: what is kept, what is read, and what is said of the rest."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import re
import sys
import tarfile
import tracemalloc
import zipfile
from itertools import chain
from pathlib import Path
from random import Random

import pooch
import pytest
import requests

from lib import corpora
from lib.corpora import remote
from tests.refusals import refuses

WORDS = 40


# --- files in the true formats --------------------------------------------------------


def zipped(**texts: bytes) -> bytes:
    """A zip archive, which holds its texts in a folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"folder/{name}", text)
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
ENGLISH, OTHER = lines("cat"), lines("¿Qué è vero")
GOOD = columns(ENGLISH, OTHER, CREDITS * WORDS)
EUROPARL = {"europarl-v7.it-en.en": ENGLISH, "europarl-v7.it-en.it": OTHER}
BOOKS = {"Books.en-it.en": ENGLISH, "Books.en-it.it": OTHER}
# What the corpora download, small, by the name at its address.
FILES = {
    "spa-eng.zip": zipped(about=b"Info", **{"spa.txt": columns(ENGLISH, OTHER)}),
    "fra-eng.zip": zipped(**{"fra.txt": GOOD}),
    "ita-eng.zip": zipped(**{"ita.txt": GOOD}),
    "it-en.tgz": tarred(EUROPARL),
    "en-it.txt.zip": zipped(**BOOKS),
    **{
        f"{part}.{code}.gz": gzip.compress(lines(f"{part} {code}", count))
        for part, count in (("train", WORDS), ("val", 8), ("test_2016_flickr", 7))
        for code in ("en", "de", "fr")
    },
}


class Net:
    """Hands out files, or raises what a test puts in their place."""

    def __init__(self) -> None:
        self.files = {**FILES}
        self.broken: Exception | None = None
        self.asked = 0

    def retrieve(
        self, url: str, known_hash: None, fname: str, path: Path, downloader: object
    ) -> None:
        """As pooch does it, which looks after the connection and whole files."""
        self.asked += 1
        if self.broken:
            raise self.broken
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes(self.files[url.rsplit("/", 1)[1]])


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
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def said(name: str, words: str, kind: type[Exception] = ValueError) -> None:
    """Demand one sentence in which a corpus refuses to load."""
    message = refuses(lambda: corpora.load(name), words, kind)
    assert message.endswith(".") and ". " not in message
    assert len(message) < 450


# Each corpus with the first file that it downloads.
FIRST = {
    "europarl-it-en": "europarl/it-en.tgz",
    "multi30k-en-de": "multi30k/test_2016_flickr.en.gz",
    "multi30k-de-en": "multi30k/test_2016_flickr.de.gz",
    "multi30k-en-fr": "multi30k/test_2016_flickr.en.gz",
    "opus-books-en-it": "opus-books/en-it.txt.zip",
    "tatoeba-en-es": "spa-eng.zip",
    "tatoeba-en-fr": "fra-eng.zip",
    "tatoeba-en-it": "ita-eng.zip",
}


# --- what goes well -------------------------------------------------------------------


@pytest.mark.parametrize("name", FIRST)
def test_a_corpus_is_downloaded_once_and_holds_the_pairs_of_its_files(
    name: str, net: Net, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And read again without a network; nothing else is written, or unpacked."""
    monkeypatch.setitem(remote.LINES, name, WORDS)  # exactly as many as there are
    corpus = corpora.load(name)
    assert list(corpus.splits) == ["train", "validation", "test"]
    languages = [corpus.source_language, corpus.target_language]
    assert name.endswith("-".join(languages)) and corpus.name == name
    assert "http" in corpus.attribution and not corpus.notes
    if name.startswith("multi30k"):
        sides = [lines(f"test_2016_flickr {code}", 7) for code in languages]
        found = [*corpus.splits["test"]]
    else:
        sides = [ENGLISH if code == "en" else OTHER for code in languages]
        found = sorted(chain(*corpus.splits.values()))
    texts = (side.decode().splitlines() for side in sides)
    assert found == sorted(zip(*texts, strict=True))
    kept, asked = content(folder), net.asked
    assert kept[str(folder / FIRST[name])] == FILES[FIRST[name].split("/")[-1]]
    assert set(kept.values()) <= set(FILES.values())
    assert corpora.load(name).splits == corpus.splits
    assert (content(folder), net.asked) == (kept, asked)


def test_europarl_is_read_piece_by_piece(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory never holds the texts of the archive."""
    long = b"".join(b"%d is a number.\n" % number for number in range(500_000))
    (folder / "europarl").mkdir(parents=True)
    (folder / "europarl/it-en.tgz").write_bytes(tarred(dict.fromkeys(EUROPARL, long)))
    monkeypatch.setitem(remote.LINES, "europarl-it-en", 20)
    tracemalloc.start()
    corpus = corpora.load("europarl-it-en")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(map(len, corpus.splits.values())) == 20
    assert "only the first 20 lines were read" in corpus.notes
    assert peak < len(long) / 4


def test_the_own_splits_of_multi30k_are_kept_apart(net: Net) -> None:
    shared = lines("test_2016_flickr en", 1).upper() + lines("train en", WORDS - 1)
    net.files["train.en.gz"] = gzip.compress(shared)
    corpus = corpora.load("multi30k-en-fr")
    assert [len(part) for part in corpus.splits.values()] == [WORDS - 1, 8, 7]
    assert corpus.notes == ("left out: 1 pair of train whose source stands in test",)


@pytest.mark.skipif(sys.platform != "linux", reason="each system has another folder")
def test_the_cache_is_one_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(remote.VARIABLE, "~/corpora")
    assert corpora.download_folder() == Path.home() / "corpora"
    monkeypatch.delenv(remote.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert corpora.download_folder() == tmp_path / "transformer-piece-by-piece"


# --- what goes wrong ------------------------------------------------------------------

NOT_FOUND = requests.Response()
NOT_FOUND.status_code = 404


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (requests.HTTPError("404 Client Error", response=NOT_FOUND), "404 Client Erro"),
        (requests.ReadTimeout("HTTPSConnectionPool: Read timed out."), "ReadTimeout"),
    ],
)
def test_what_does_not_arrive_leaves_nothing(
    broken: Exception, words: str, net: Net, folder: Path
) -> None:
    net.broken = broken
    url = remote.FILES["tatoeba-en-it"].url
    place = re.escape(str(folder / "ita-eng.zip"))
    told = rf"^{url} cannot be downloaded \({words}.*; check the network .*: {place}\.$"
    said("tatoeba-en-it", told, OSError)
    assert content(folder) == {}


def test_a_cache_that_cannot_be_written_is_told(folder: Path) -> None:
    """By what pooch says itself, before it asks for anything."""
    folder.write_text("mine")
    said("tatoeba-en-es", f"cannot be written .*{remote.VARIABLE}", OSError)
    assert folder.read_text() == "mine"


FAULTS = [
    ("multi30k-en-fr", b"\n<!DOCTYPE html><html>", "it is a web page and no archive"),
    (
        "europarl-it-en",
        tarred({**EUROPARL, "europarl-v7.it-en.it": lines("x", 9)}),
        r"line 10 of europarl-v7\.it-en\.it and .* is no pair",
    ),
    ("europarl-it-en", tarred({}), r"it holds no europarl-v7\.it-en\.it"),
    (
        "tatoeba-en-it",
        zipped(**{"ita.txt": GOOD + b"\na sentence alone\n"}),
        rf"line {WORDS + 2} of ita\.txt is no pair",
    ),
    ("tatoeba-en-it", zipped(**{"ita.txt": b"\xbf"}), "'utf-8' codec can't decode"),
]


@pytest.mark.parametrize(("name", "wrong", "words"), FAULTS)
def test_what_has_a_fault_inside_is_not_kept_and_stays_if_it_lies_there(
    name: str, wrong: bytes, words: str, net: Net, folder: Path
) -> None:
    place = folder / FIRST[name]
    told = rf"^{re.escape(str(place))} cannot be used: {words}.*; delete it .* from ht"
    net.files[place.name] = wrong
    said(name, told)
    assert content(folder) == {}
    net.files[place.name] = FILES[place.name]
    assert corpora.load(name).splits["train"]
    place.write_bytes(wrong)
    before, asked = content(folder), net.asked
    said(name, told)
    assert (content(folder), net.asked) == (before, asked)


RENEWED = {"tatoeba-en-fr", "tatoeba-en-it", "opus-books-en-it", "europarl-it-en"}
HASHED = {name for name, file in remote.FILES.items() if file.sha256}


def test_a_wrong_hash(net: Net, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {*remote.FILES} - RENEWED == HASHED
    assert {*corpora.names()} == {*FIRST, "grammar", "phrases"}
    name = "test_2016_flickr.en"
    right = hashlib.sha256(FILES[f"{name}.gz"]).hexdigest()
    file = dataclasses.replace(remote.FILES[name], sha256=right)
    monkeypatch.setitem(remote.FILES, name, file)
    net.files[f"{name}.gz"] = gzip.compress(b"a")
    said("multi30k-en-fr", f"its SHA-256 is .* instead of {right}")
    assert content(folder) == {}
    net.files = FILES
    assert corpora.load("multi30k-en-fr").splits["train"]


@pytest.mark.parametrize("name", ["europarl-it-en", "multi30k-en-fr", "tatoeba-en-it"])
def test_no_byte_can_be_damaged_or_lost_so_that_the_error_is_a_strange_one(
    name: str, net: Net, folder: Path
) -> None:
    """Heads of the files inside, their list, marks of encryption and compression."""
    corpora.load(name)
    place = folder / FIRST[name]
    data, told = place.read_bytes(), []
    for at in (*range(30), *range(len(data) - 180, len(data))):
        changed = (bytes([byte]) + data[at + 1 :] for byte in {0, 255, data[at] ^ 1})
        for rest in {*changed, b""} - {data[at:]}:
            place.write_bytes(data[:at] + rest)
            try:
                corpora.load(name)
            except ValueError as error:
                told.append(str(error))
    assert len(told) > 200
    each = re.compile(rf"{re.escape(str(place))} cannot be used: .*; delete it|zip\(\)")
    assert all(map(each.match, told))
    place.unlink()
    place.mkdir()
    said(name, "cannot be used: .*Is a directory")
